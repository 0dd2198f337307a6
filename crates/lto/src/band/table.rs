//! A positive function of a few features, as numbers at the nodes of a grid.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// exp of a multilinear function: log f at the nodes of a tensor grid over the features, linear between them, constant
/// beyond the outer ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Increasing nodes of each feature.
    axes: Vec<Vec<f64>>,
    /// log f, the last feature fastest.
    values: Vec<f64>,
}

impl Table {
    /// Refuses a table that cannot be looked up.
    ///
    /// # Errors
    /// Nodes that do not increase, or another number of values.
    pub fn validate(&self, n_features: usize) -> Result<()> {
        let increase = |nodes: &Vec<f64>| !nodes.is_empty() && nodes.windows(2).all(|pair| pair[0] < pair[1]);
        let size = self.axes.iter().try_fold(1usize, |n, nodes| n.checked_mul(nodes.len()));
        let sound = self.axes.len() == n_features
            && self.axes.iter().all(increase)
            && size == Some(self.values.len())
            && self.values.iter().all(|value| value.is_finite());
        if sound {
            return Ok(());
        }
        let value = format!("{} axes, {} values", self.axes.len(), self.values.len());
        let requirement =
            format!("must have increasing nodes of {n_features} features and a number for each");
        Err(Error::Config { key: "calibration.table".into(), value, requirement })
    }

    /// f at features, one for each axis.
    pub fn at(&self, features: &[f64]) -> f64 {
        let mut sum = 0.0;
        around(&self.axes, features, |node, weight| sum += weight * self.values[node]);
        sum.exp()
    }

    /// The larger of two functions over the same nodes, at each node.
    pub fn at_least(mut self, other: &Self) -> Self {
        self.values.iter_mut().zip(&other.values).for_each(|(own, other)| *own = own.max(*other));
        self
    }

    /// Nodes of a feature.
    pub fn nodes(&self, axis: usize) -> &[f64] {
        &self.axes[axis]
    }
}

/// Fits a [`Table`]: f at a node is the mean of the sizes around it, weighted as the table interpolates.
pub struct TableFit {
    axes: Vec<Vec<f64>>,
    sums: Vec<[f64; 2]>,
}

impl TableFit {
    /// An empty fit over increasing nodes of each feature.
    pub fn new(axes: Vec<Vec<f64>>) -> Self {
        let size = axes.iter().map(Vec::len).product();
        Self { axes, sums: vec![[0.0; 2]; size] }
    }

    /// Adds a size at features.
    pub fn add(&mut self, features: &[f64], size: f64) {
        self.add_weighted(features, size, 1.0);
    }

    /// Adds a size that counts `times` as much.
    pub fn add_weighted(&mut self, features: &[f64], size: f64, times: f64) {
        let sums = &mut self.sums;
        around(&self.axes, features, |node, weight| {
            sums[node][0] += times * weight * size;
            sums[node][1] += times * weight;
        });
    }

    /// The table, made not to decrease along the axes that `grows` marks: where it would, the node takes the value before
    /// it. Nodes with (almost) nothing around them take that of the node before, else after them along the last axis
    /// that has one: a node counts as empty below the weight `least`, or below the mean over all nodes if
    /// that is less. `None` if all are.
    pub fn finish(self, grows: &[bool], least: f64) -> Option<Table> {
        let least =
            least.min(self.sums.iter().map(|[_, weight]| weight).sum::<f64>() / self.sums.len() as f64);
        let of = |[sum, weight]: &[f64; 2]| (*weight > least && *sum > 0.0).then(|| (sum / weight).ln());
        let mut values: Vec<Option<f64>> = self.sums.iter().map(of).collect();
        let shape: Vec<usize> = self.axes.iter().map(Vec::len).collect();
        for axis in (0..shape.len()).rev() {
            lines(&shape, axis, |line| {
                for i in 1..line.len() {
                    values[line[i]] = values[line[i]].or(values[line[i - 1]]);
                }
                for i in (1..line.len()).rev() {
                    values[line[i - 1]] = values[line[i - 1]].or(values[line[i]]);
                }
            });
        }
        let mut values = values.into_iter().collect::<Option<Vec<f64>>>()?;
        for (axis, _) in grows.iter().enumerate().filter(|(_, grows)| **grows) {
            lines(&shape, axis, |line| {
                for i in 1..line.len() {
                    values[line[i]] = values[line[i]].max(values[line[i - 1]]);
                }
            });
        }
        // Files hold texts of these.
        values.iter_mut().for_each(|value| *value = (1e5 * *value).round() / 1e5);
        Some(Table { axes: self.axes, values })
    }
}

/// Visits the nodes around features with their multilinear weights, which add up to one.
fn around(axes: &[Vec<f64>], features: &[f64], mut visit: impl FnMut(usize, f64)) {
    // At most four features: the node below each, the weight of the one above it, and how far apart they are.
    let mut corner = [(0, 0.0, 0); 4];
    let mut stride = 1;
    let mut first = 0;
    for (d, (nodes, x)) in axes.iter().zip(features).enumerate().rev() {
        let above = nodes.partition_point(|node| node <= x).clamp(1, nodes.len().max(2) - 1);
        let (low, high) = (nodes[above - 1], *nodes.get(above).unwrap_or(&nodes[above - 1]));
        let share = if high > low { ((x - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
        corner[d] = (above - 1, share, stride);
        first += (above - 1) * stride;
        stride *= nodes.len();
    }
    for which in 0..1usize << axes.len() {
        let (mut node, mut weight) = (first, 1.0);
        for (d, (_, share, stride)) in corner[..axes.len()].iter().enumerate() {
            let upper = which >> d & 1 == 1;
            weight *= if upper { *share } else { 1.0 - share };
            node += if upper { *stride } else { 0 };
        }
        if weight > 0.0 {
            visit(node, weight);
        }
    }
}

/// Visits every line along an axis as the indices of its nodes.
fn lines(shape: &[usize], axis: usize, mut visit: impl FnMut(&[usize])) {
    let (inner, n) = (shape[axis + 1..].iter().product::<usize>(), shape[axis]);
    let outer: usize = shape[..axis].iter().product();
    for (o, i) in (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))) {
        visit(&(0..n).map(|k| (o * n + k) * inner + i).collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(axes: Vec<Vec<f64>>, values: Vec<f64>) -> Table {
        Table { axes, values }
    }

    /// By hand: between four nodes, on one, and beyond all.
    #[test]
    fn lookups_are_multilinear_and_clamped() {
        let table = table(vec![vec![0.0, 1.0], vec![0.0, 2.0, 6.0]], vec![0.0, 1.0, 2.0, 4.0, 5.0, 8.0]);
        table.validate(2).unwrap();
        let at = |x, y| table.at(&[x, y]).ln();
        for (x, y, expected) in [
            (0.0, 0.0, 0.0),
            (1.0, 6.0, 8.0),
            (0.5, 1.0, 2.5),
            (0.25, 4.0, 0.75 * 1.5 + 0.25 * 6.5),
            (-3.0, 9.0, 2.0),
        ] {
            assert!((at(x, y) - expected).abs() < 1e-12, "{x} {y}: {}", at(x, y));
        }
        assert!(table.validate(3).is_err());
        let single = Table { axes: vec![vec![0.5]], values: vec![1.0] };
        assert!([-1.0, 0.5, 2.0].iter().all(|x| (single.at(&[*x]).ln() - 1.0).abs() < 1e-12));
    }

    /// Sizes that are a power of the feature come back, noise in them does not make the table fall, and empty nodes are
    /// filled from their neighbors.
    #[test]
    fn fits_give_back_what_grows() {
        let nodes: Vec<f64> = (0..6).map(f64::from).collect();
        let mut fit = TableFit::new(vec![nodes.clone(), vec![0.0, 1.0]]);
        for i in 0..4001 {
            let x = i as f64 / 1000.0;
            let size = (0.3 * x).exp() * if i % 2 == 0 { 1.5 } else { 0.5 };
            fit.add(&[x, 0.0], size);
        }
        for _ in 0..150 {
            fit.add(&[2.0, 1.0], 0.1);
        }
        let table = fit.finish(&[true, true], 8.0).unwrap();
        for x in [1.0, 2.0, 3.0, 3.5] {
            assert!(
                (table.at(&[x, 0.0]) / (0.3 * x).exp() - 1.0).abs() < 0.05,
                "{x} {}",
                table.at(&[x, 0.0])
            );
        }
        assert_eq!(table.at(&[5.0, 0.0]), table.at(&[4.0, 0.0]), "nothing was there");
        assert!(table.at(&[2.0, 1.0]) >= table.at(&[2.0, 0.0]), "smaller sizes do not count where it grows");
        assert!(TableFit::new(vec![nodes]).finish(&[true], 8.0).is_none());
    }
}
