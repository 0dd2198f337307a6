//! The arrays of a file for people: thousands that differ only in a number are one entry.

use lto_numerics::dataset::format::{ArrayInfo, ElementType};

/// More names of one pattern than this are shown as one.
const AT_MOST: usize = 3;
/// How many patterns back to look for an equal one: the kinds of array in a repeating group.
const KINDS: usize = 64;

/// Arrays shown as one.
pub struct ArrayRow<'a> {
    /// The name, or the first and last of many.
    pub name: String,
    /// The first of them; the others have its shape and type.
    pub array: &'a ArrayInfo,
}

/// The entries, in the file's order.
pub fn rows(arrays: &[ArrayInfo]) -> Vec<ArrayRow<'_>> {
    let alike = fold(arrays, |array| {
        (pattern(&array.name), array.shape.clone(), array.element == ElementType::Other)
    });
    alike.into_iter().map(|group| ArrayRow { name: names(&group, |a| &a.name), array: group[0] }).collect()
}

/// Neighbors by key, in order, if a key has too many to list one by one.
pub fn fold<T, K: PartialEq>(items: &[T], key: impl Fn(&T) -> K) -> Vec<Vec<&T>> {
    let mut groups: Vec<(K, Vec<&T>)> = Vec::new();
    for item in items {
        let key = key(item);
        match groups.iter_mut().rev().take(KINDS).find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(item),
            None => groups.push((key, vec![item])),
        }
    }
    let told = |group: Vec<_>| {
        if group.len() > AT_MOST { vec![group] } else { group.into_iter().map(|item| vec![item]).collect() }
    };
    groups.into_iter().flat_map(|(_, group)| told(group)).collect()
}

/// `0000/data … 0999/data (1000)` for many, the name for one.
pub fn names<T>(group: &[&T], name: impl Fn(&T) -> &str) -> String {
    match group {
        [first, .., last] => format!("{} … {} ({})", name(first), name(last), group.len()),
        _ => group.iter().map(|item| name(item)).collect(),
    }
}

/// A name with every run of digits as `#`.
pub fn pattern(name: &str) -> String {
    let mut pattern = String::new();
    for c in name.chars() {
        match c {
            '0'..='9' if pattern.ends_with('#') => {}
            '0'..='9' => pattern.push('#'),
            _ => pattern.push(c),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_arrays_that_differ_in_a_number_are_one_entry() {
        let array = |name: String| ArrayInfo {
            name,
            shape: vec![3],
            element: ElementType::F32,
            storage: String::new(),
        };
        let mut arrays = vec![array("a1".into()), array("a2".into())];
        for sample in 0..1000 {
            arrays.push(array(format!("{sample:04}/data")));
            arrays.push(array(format!("{sample:04}/grid/x")));
        }
        arrays[3].shape = vec![4];
        let names: Vec<String> = rows(&arrays).into_iter().map(|row| row.name).collect();
        let many = ["0000/data … 0999/data (1000)", "0000/grid/x", "0001/grid/x … 0999/grid/x (999)"];
        assert_eq!(names, [&["a1", "a2"][..], &many].concat());
    }
}
