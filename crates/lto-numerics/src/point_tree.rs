//! A binary tree of boxes over a set of points, for finding nearest neighbors and the points near a box, on
//! periodic and open axes. Unlike a list of equal cells it adapts to clusters and empty regions.

use crate::domain::Domain;
use crate::points::Points;
use std::cmp::Ordering;
use std::ops::Range;

/// Most points in a leaf.
const LEAF: usize = 32;
/// Subtrees with more points than this are built in parallel.
const PARALLEL: usize = 1 << 14;

/// A point, padded with zeros to three axes.
pub(crate) type Position = [f64; 3];

/// An axis-parallel box: center and half widths, zero on axes beyond the domain's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cuboid {
    pub center: Position,
    pub half: Position,
}

impl Cuboid {
    /// The box of a single point.
    pub fn point(center: Position) -> Self {
        Self { center, half: [0.0; 3] }
    }

    /// The smallest box with the given corners.
    pub fn between(lower: Position, upper: Position) -> Self {
        let center = std::array::from_fn(|d| 0.5 * (lower[d] + upper[d]));
        // From the rounded center, so that both corners are inside.
        let half = std::array::from_fn(|d: usize| (upper[d] - center[d]).max(center[d] - lower[d]));
        Self { center, half }
    }

    /// Half the diagonal: no point of the box is further from its center.
    pub fn radius(&self) -> f64 {
        self.half.iter().map(|h| h * h).sum::<f64>().sqrt()
    }

    /// The displacements from the center to the 2^D corners.
    pub fn corners(&self, dim: usize) -> impl Iterator<Item = Position> + use<> {
        let half = self.half;
        let side = move |corner: usize, d: usize| if corner >> d & 1 == 1 { half[d] } else { -half[d] };
        (0..1usize << dim).map(move |corner| std::array::from_fn(|d| side(corner, d)))
    }
}

/// Distances between boxes of a domain, each periodic axis taken the shorter way round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metric {
    /// Length of each periodic axis, infinity on open axes.
    periods: Position,
    /// Distance of one unit of each coordinate.
    scales: Position,
}

impl Metric {
    pub fn new(domain: &Domain) -> Self {
        let (mut periods, mut scales) = ([f64::INFINITY; 3], [1.0; 3]);
        for (d, axis) in domain.axes().iter().enumerate() {
            scales[d] = axis.scale;
            if axis.periodic {
                periods[d] = axis.length();
            }
        }
        Self { periods, scales }
    }

    fn along(&self, d: usize, a: f64, b: f64) -> f64 {
        let distance = (a - b).abs();
        distance.min(self.periods[d] - distance)
    }

    /// d_Ω² of two points.
    pub fn squared(&self, a: &Position, b: &Position) -> f64 {
        (0..3).map(|d| (self.scales[d] * self.along(d, a[d], b[d])).powi(2)).sum()
    }

    /// The smallest d_Ω² between points of two boxes.
    pub fn squared_min(&self, a: &Cuboid, b: &Cuboid) -> f64 {
        let gap = |d| (self.along(d, a.center[d], b.center[d]) - a.half[d] - b.half[d]).max(0.0);
        (0..3).map(|d| (self.scales[d] * gap(d)).powi(2)).sum()
    }

    /// An upper bound on d_Ω² between points of two boxes.
    pub fn squared_max(&self, a: &Cuboid, b: &Cuboid) -> f64 {
        let reach = |d| self.along(d, a.center[d], b.center[d]) + a.half[d] + b.half[d];
        (0..3).map(|d| (self.scales[d] * reach(d).min(0.5 * self.periods[d])).powi(2)).sum()
    }
}

/// A box that holds the points at `range` of the tree's order.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub cuboid: Cuboid,
    pub range: Range<usize>,
    /// Nodes from this one to its right child; zero at a leaf. The left child follows its parent.
    right: usize,
}

impl Node {
    pub fn is_leaf(&self) -> bool {
        self.right == 0
    }
}

/// The nearest point found by [`PointTree::nearest`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// Position of the point in the tree's order.
    pub place: usize,
    pub squared_distance: f64,
}

/// The points of a set, ordered so that the points of every node are neighbors in memory. That order, and
/// with it every sum over the tree, depends only on the set, not on the order in which the points were given.
pub(crate) struct PointTree {
    pub metric: Metric,
    nodes: Vec<Node>,
    order: Vec<usize>,
    coordinates: [Vec<f64>; 3],
}

impl PointTree {
    pub fn new(points: &Points) -> Self {
        Self::with_leaves(points, LEAF)
    }

    /// The same with at most `leaf` points in a leaf.
    pub fn with_leaves(points: &Points, leaf: usize) -> Self {
        let dim = points.dim();
        let flat = points.coordinates();
        let mut order: Vec<usize> = (0..points.len()).collect();
        let nodes = build(&flat, dim, &mut order, 0, leaf);
        let column = |d: usize| {
            if d < dim { order.iter().map(|&i| flat[i * dim + d]).collect() } else { vec![0.0; order.len()] }
        };
        let coordinates = [column(0), column(1), column(2)];
        Self { metric: Metric::new(points.domain()), nodes, order, coordinates }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The index in the point set at each position of the tree.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The coordinates along axis `d`, in the tree's order.
    pub fn coordinates(&self, d: usize) -> &[f64] {
        &self.coordinates[d]
    }

    pub fn position(&self, place: usize) -> Position {
        std::array::from_fn(|d| self.coordinates[d][place])
    }

    pub fn leaves(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.is_leaf())
    }

    /// Visits nodes from the root down, in the tree's order; descends only where `visit` says so.
    pub fn descend(&self, mut visit: impl FnMut(&Node) -> bool) {
        let mut stack = vec![0];
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index];
            if visit(node) && !node.is_leaf() {
                stack.push(index + node.right);
                stack.push(index + 1);
            }
        }
    }

    /// Ranges of positions that hold every point within √`squared_radius` of some point of `cuboid`, and few
    /// others.
    pub fn near(&self, cuboid: &Cuboid, squared_radius: f64) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        self.descend(|node| {
            if self.metric.squared_min(cuboid, &node.cuboid) > squared_radius {
                return false;
            }
            if node.is_leaf() || self.metric.squared_max(cuboid, &node.cuboid) <= squared_radius {
                match ranges.last_mut() {
                    Some(last) if last.end == node.range.start => last.end = node.range.end,
                    _ => ranges.push(node.range.clone()),
                }
                return false;
            }
            true
        });
        ranges
    }

    /// The point nearest to `position` that does not coincide with `except`; `None` if there is none.
    pub fn nearest(&self, position: &Position, except: Option<usize>) -> Option<Nearest> {
        let mut closest = Closest { most: 1, except, found: Vec::with_capacity(1) };
        self.search(0, &Cuboid::point(*position), &mut closest);
        closest.found.pop()
    }

    /// The `k` points nearest to `position` (all, if there are fewer), nearest first.
    pub fn k_nearest(&self, position: &Position, k: usize) -> Vec<Nearest> {
        let mut closest = Closest { most: k, except: None, found: Vec::with_capacity(k.min(self.len())) };
        if k > 0 {
            self.search(0, &Cuboid::point(*position), &mut closest);
        }
        closest.found
    }

    fn search(&self, index: usize, at: &Cuboid, closest: &mut Closest) {
        let node = &self.nodes[index];
        if node.is_leaf() {
            for place in node.range.clone() {
                closest.offer(place, self.metric.squared(&at.center, &self.position(place)));
            }
            return;
        }
        let distance = |child: usize| self.metric.squared_min(at, &self.nodes[child].cuboid);
        let mut children = [(distance(index + 1), index + 1), (0.0, index + node.right)];
        children[1].0 = distance(children[1].1);
        if children[1].0 < children[0].0 {
            children.swap(0, 1);
        }
        for (squared, child) in children {
            if closest.takes(squared) {
                self.search(child, at, closest);
            }
        }
    }
}

/// The nearest points found so far.
struct Closest {
    most: usize,
    except: Option<usize>,
    /// Nearest first.
    found: Vec<Nearest>,
}

impl Closest {
    /// Whether a point at this distance belongs to them.
    fn takes(&self, squared: f64) -> bool {
        self.found.len() < self.most || self.found.last().is_some_and(|last| squared < last.squared_distance)
    }

    fn offer(&mut self, place: usize, squared_distance: f64) {
        if self.takes(squared_distance) && Some(place) != self.except {
            if self.found.len() == self.most {
                self.found.pop();
            }
            let at = self.found.partition_point(|other| other.squared_distance <= squared_distance);
            self.found.insert(at, Nearest { place, squared_distance });
        }
    }
}

/// Orders `order` into a tree and returns its nodes, root first; `start` is the position of `order[0]`.
fn build(flat: &[f64], dim: usize, order: &mut [usize], start: usize, leaf: usize) -> Vec<Node> {
    let (mut lower, mut upper) = ([0.0; 3], [0.0; 3]);
    for d in 0..dim {
        let values = || order.iter().map(|&i| flat[i * dim + d]);
        lower[d] = values().fold(f64::INFINITY, f64::min);
        upper[d] = values().fold(f64::NEG_INFINITY, f64::max);
    }
    let root = Node { cuboid: Cuboid::between(lower, upper), range: start..start + order.len(), right: 0 };
    let widest = (0..dim).fold(0, |w, d| if upper[d] - lower[d] > upper[w] - lower[w] { d } else { w });
    // All axes take part, so that ties do not leave the order to chance.
    let compare = |&a: &usize, &b: &usize| {
        (0..dim).fold(Ordering::Equal, |order, step| {
            let d = (widest + step) % dim;
            order.then_with(|| flat[a * dim + d].total_cmp(&flat[b * dim + d]))
        })
    };
    if order.len() <= leaf {
        order.sort_unstable_by(compare);
        return vec![root];
    }
    let middle = order.len() / 2;
    order.select_nth_unstable_by(middle, compare);
    let parallel = order.len() > PARALLEL;
    let (left, right) = order.split_at_mut(middle);
    let build = |part: &mut [usize], start| build(flat, dim, part, start, leaf);
    let (left, right) = if parallel {
        rayon::join(|| build(left, start), || build(right, start + middle))
    } else {
        (build(left, start), build(right, start + middle))
    };
    let mut nodes = Vec::with_capacity(1 + left.len() + right.len());
    nodes.push(Node { right: 1 + left.len(), ..root });
    nodes.extend(left);
    nodes.extend(right);
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Axis;
    use proptest::prelude::*;

    fn scattered(dim: usize) -> impl Strategy<Value = Points> {
        let axes = prop::collection::vec((-3.0..3.0, 0.5..4.0, any::<bool>()), dim);
        (axes, prop::collection::vec(prop::array::uniform3(0.0..1.0), 1..300)).prop_map(
            move |(axes, unit)| {
                let axes: Vec<Axis> = axes.iter().map(|&(a, l, p)| Axis::new("x", a, a + l, p)).collect();
                let at = |u: &[f64; 3], d: usize| axes[d].lower + u[d] * axes[d].length();
                let coordinates =
                    unit.iter().flat_map(|u| (0..dim).map(|d| at(u, d)).collect::<Vec<_>>()).collect();
                Points::scattered(Domain::new(axes.clone()).unwrap(), coordinates).unwrap()
            },
        )
    }

    fn check(points: &Points, query: &[f64; 3], squared_radius: f64) {
        let (domain, dim) = (points.domain(), points.dim());
        let flat = points.coordinates();
        let tree = PointTree::new(points);
        let x: Vec<f64> =
            domain.axes().iter().zip(query).map(|(axis, u)| axis.lower + u * axis.length()).collect();
        let mut position = [0.0; 3];
        position[..dim].copy_from_slice(&x);
        let all: Vec<f64> = flat.chunks_exact(dim).map(|c| domain.distance_squared(&x, c)).collect();
        let nearest = tree.nearest(&position, None).unwrap();
        let expected = all.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((nearest.squared_distance - expected).abs() < 1e-12);
        assert!((all[tree.order()[nearest.place]] - expected).abs() < 1e-12);
        let second = tree.nearest(&position, Some(nearest.place));
        assert_eq!(second.is_some(), points.len() > 1);
        assert!(
            second.is_none_or(|s| s.place != nearest.place && s.squared_distance >= nearest.squared_distance)
        );
        let several: Vec<f64> = tree.k_nearest(&position, 7).iter().map(|n| n.squared_distance).collect();
        let mut ascending = all.clone();
        ascending.sort_by(f64::total_cmp);
        ascending.truncate(7);
        assert_eq!(several.len(), ascending.len());
        assert!(several.iter().zip(&ascending).all(|(a, b)| (a - b).abs() < 1e-12));
        let mut near = vec![0; points.len()];
        for place in tree.near(&Cuboid::point(position), squared_radius).into_iter().flatten() {
            near[tree.order()[place]] += 1;
        }
        for (index, &squared) in all.iter().enumerate() {
            assert!(near[index] == 1 || (near[index] == 0 && squared > squared_radius - 1e-12));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn nearest_and_near_agree_with_looking_at_all_points(
            sets in (scattered(1), scattered(2), scattered(3)),
            query in prop::array::uniform3(0.0..1.0),
            squared_radius in 0.0..0.5,
        ) {
            check(&sets.0, &query, squared_radius);
            check(&sets.1, &query, squared_radius);
            check(&sets.2, &query, squared_radius);
        }
    }
}
