//! Values kept in memory up to a bound; the least recently used go first.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;

/// A cache of single-precision arrays, bounded in bytes.
pub struct Cache<K> {
    limit: usize,
    bytes: usize,
    clock: u64,
    entries: HashMap<K, (Arc<Vec<f32>>, u64)>,
    by_age: BTreeMap<u64, K>,
}

impl<K: Copy + Eq + Hash> Cache<K> {
    /// An empty cache of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, bytes: 0, clock: 0, entries: HashMap::new(), by_age: BTreeMap::new() }
    }

    /// The values under `key`, which become the most recently used.
    pub fn get(&mut self, key: K) -> Option<Arc<Vec<f32>>> {
        let (values, used) = self.entries.get_mut(&key)?;
        self.clock += 1;
        self.by_age.remove(used);
        self.by_age.insert(self.clock, key);
        *used = self.clock;
        Some(values.clone())
    }

    /// Keeps `values`, dropping the least recently used until all fit; an array larger than the bound is not
    /// kept.
    pub fn insert(&mut self, key: K, values: Arc<Vec<f32>>) {
        let size = |values: &Vec<f32>| values.len() * size_of::<f32>();
        if size(&values) > self.limit {
            return;
        }
        self.clock += 1;
        self.bytes += size(&values);
        if let Some((old, used)) = self.entries.insert(key, (values, self.clock)) {
            self.bytes -= size(&old);
            self.by_age.remove(&used);
        }
        self.by_age.insert(self.clock, key);
        while self.bytes > self.limit {
            let Some((_, oldest)) = self.by_age.pop_first() else { return };
            if let Some((old, _)) = self.entries.remove(&oldest) {
                self.bytes -= size(&old);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes_first_and_the_bound_holds() {
        let mut cache = Cache::new(100);
        let array = |n: usize| Arc::new(vec![0.0; n]);
        cache.insert(1, array(10));
        cache.insert(2, array(10));
        assert!(cache.get(1).is_some());
        cache.insert(3, array(10));
        assert!(cache.get(2).is_none() && cache.get(1).is_some() && cache.get(3).is_some());
        cache.insert(3, array(5));
        assert_eq!((cache.bytes, cache.entries.len(), cache.by_age.len()), (60, 2, 2));
        cache.insert(4, array(26));
        assert!(cache.get(4).is_none() && cache.get(1).is_some());
        cache.insert(5, array(25));
        assert_eq!((cache.bytes, cache.entries.len(), cache.by_age.len()), (100, 1, 1));
    }
}
