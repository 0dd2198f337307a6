//! Which rows of scores belong to which example.

use std::ops::Range;

/// At most this many parts of a set, whatever the number of threads: results depend on shapes only, bit for bit.
const PARTS: usize = 8;

/// A part should do this many operations.
const OPERATIONS_PER_PART: usize = 2_000_000;

/// Sets of rows of scores, one after the other, and the set of each example: several may share one. Rows of features are
/// those of the first example, then those of the second, and so on.
#[derive(Clone, Debug)]
pub struct Sets {
    bounds: Vec<usize>,
    of_example: Vec<usize>,
}

/// Some rows of one set.
#[derive(Clone, Debug)]
pub struct Part {
    /// The set.
    pub set: usize,
    /// Its rows, counted from the first row of scores.
    pub scores: Range<usize>,
    /// Each example of the set, with the first of its rows of features that belong to these scores.
    pub examples: Vec<(usize, usize)>,
}

impl Sets {
    /// Sets of the given sizes, and the set of each example.
    pub fn new(sizes: &[usize], of_example: Vec<usize>) -> Self {
        let mut bounds = vec![0];
        for size in sizes {
            bounds.push(bounds[bounds.len() - 1] + size);
        }
        assert!(of_example.iter().all(|&set| set < sizes.len()), "sets of {of_example:?} in {sizes:?}");
        Self { bounds, of_example }
    }

    /// Number of examples b.
    pub fn n_examples(&self) -> usize {
        self.of_example.len()
    }

    /// Number of sets.
    pub fn n_sets(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Rows of scores of every example.
    pub fn of_examples(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.of_example.iter().map(|&set| self.bounds[set]..self.bounds[set + 1])
    }

    /// Rows of features of all examples.
    pub fn n_features(&self) -> usize {
        self.of_examples().map(|rows| rows.len()).sum()
    }

    /// All rows of scores, in order, in parts that can be processed in parallel. A row costs `operations` for
    /// each example.
    pub fn parts(&self, operations: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        for set in 0..self.n_sets() {
            let rows = self.bounds[set]..self.bounds[set + 1];
            let mut examples = Vec::new();
            let mut first = 0;
            for (example, &of) in self.of_example.iter().enumerate() {
                if of == set {
                    examples.push((example, first));
                }
                first += self.bounds[of + 1] - self.bounds[of];
            }
            let work = rows.len() * operations * examples.len();
            let step = rows.len().div_ceil((work / OPERATIONS_PER_PART).clamp(1, PARTS)).max(1);
            for begin in rows.clone().step_by(step) {
                let features = |&(example, first): &(usize, usize)| (example, first + begin - rows.start);
                parts.push(Part {
                    set,
                    scores: begin..(begin + step).min(rows.end),
                    examples: examples.iter().map(features).collect(),
                });
            }
        }
        parts
    }
}

/// The rows of scores of every part.
pub fn split_scores<'a>(parts: &[Part], mut rows: &'a mut [f32], width: usize) -> Vec<&'a mut [f32]> {
    let take = |part: &Part| {
        let (own, left) = std::mem::take(&mut rows).split_at_mut(part.scores.len() * width);
        rows = left;
        own
    };
    parts.iter().map(take).collect()
}

/// The rows of features of every example of every part.
pub fn split_features<'a>(parts: &[Part], mut rows: &'a mut [f32], width: usize) -> Vec<Vec<&'a mut [f32]>> {
    let mut order: Vec<(usize, usize, usize)> = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        order.extend(part.examples.iter().map(|&(_, first)| (first, i, part.scores.len())));
    }
    order.sort_unstable();
    let mut split: Vec<Vec<&mut [f32]>> = parts.iter().map(|_| Vec::new()).collect();
    // Within a part, earlier rows belong to earlier examples: each finds its slices in the order of its
    // examples.
    for (_, part, n) in order {
        let (own, left) = std::mem::take(&mut rows).split_at_mut(n * width);
        rows = left;
        split[part].push(own);
    }
    split
}
