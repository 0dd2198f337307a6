//! States read at displaced points of their own grid: `y_c(x) = h_c(x + d(x))`, differentiable in state and displacement.

use super::operation::{Array, Forward, Operation, Pass, apply, is_supported};
use super::simd::{self, Isa, Kernel, Lanes};
use crate::device::table;
use burn::tensor::{Int, Tensor};
use rayon::prelude::*;

/// The state at its grid points moved by `displacement`, in spacings of the grid, by cubics along each axis (Keys' cubic
/// convolution: exact at grid points). The channels form g equal groups, each with a displacement of its own. An open axis
/// ends at its last points: places beyond have the value there.
///
/// # Shapes
/// `h [b, c, n0, n1]`, `displacement [b, g D, n0, n1]` (group by group), and whether each of the last D axes is periodic → as `h`.
pub fn advect(h: Tensor<4>, displacement: Tensor<4>, periodic: &[bool]) -> Tensor<4> {
    let advect = Advect::new(h.dims(), periodic);
    if !is_supported(&h) {
        return advect.stock(h, displacement);
    }
    apply(advect, vec![h.into_dispatch(), displacement.into_dispatch()])
}

#[derive(Clone, Copy, Debug)]
struct Advect {
    /// Two axes; the first is trivial in one dimension.
    axes: [Axis; 2],
    dim: usize,
}

#[derive(Clone, Copy, Debug)]
struct Axis {
    points: usize,
    periodic: bool,
}

/// Weights of the four points around a place that is `t` spacings past the second.
#[inline(always)]
fn weights(t: f32) -> [f32; 4] {
    [
        t * (-0.5 + t * (1.0 - 0.5 * t)),
        1.0 + t * t * (-2.5 + 1.5 * t),
        t * (0.5 + t * (2.0 - 1.5 * t)),
        t * t * (-0.5 + 0.5 * t),
    ]
}

/// Their derivatives in t.
#[inline(always)]
fn slopes(t: f32) -> [f32; 4] {
    [-0.5 + t * (2.0 - 1.5 * t), t * (-5.0 + 4.5 * t), 0.5 + t * (4.0 - 4.5 * t), t * (-1.0 + 1.5 * t)]
}

/// How many points continue an axis, so that any four that make a value lie side by side.
const BEYOND: usize = 3;

impl Axis {
    /// The points that the continued axis shows: round the circle, or the last ones again, one before and two behind.
    fn continued(self) -> Vec<usize> {
        let n = self.points;
        let shown = |i: usize| if self.periodic { i % n } else { i.saturating_sub(1).min(n - 1) };
        (0..n + BEYOND).map(shown).collect()
    }
}

/// The four points along one axis that make a value, with their weights and the derivatives of these.
struct Taps {
    /// The first of them on the continued axis.
    first: usize,
    weights: [f32; 4],
    slopes: [f32; 4],
}

impl Taps {
    /// Around point `i` moved by `d` spacings. What is not a number gives weights that are none.
    #[inline(always)]
    fn new(axis: Axis, i: usize, d: f32) -> Self {
        if axis.periodic {
            let whole = d.floor();
            let first = (i as i32 - 1).wrapping_add(whole as i32).rem_euclid(axis.points as i32);
            let t = d - whole;
            return Self { first: first as usize, weights: weights(t), slopes: slopes(t) };
        }
        let (place, last) = (i as f32 + d, (axis.points - 1) as f32);
        let inside = place.clamp(0.0, last);
        let cell = inside.floor();
        let t = inside - cell;
        let slopes = if inside == place { slopes(t) } else { [0.0; 4] };
        Self { first: cell as usize, weights: weights(t), slopes }
    }

    /// Of the axis that a one-dimensional state does not have.
    #[inline(always)]
    fn trivial() -> Self {
        Self { first: 0, weights: [1.0, 0.0, 0.0, 0.0], slopes: [0.0; 4] }
    }
}

/// A group of channels of one example.
#[derive(Clone, Copy)]
struct Group<'a> {
    advect: Advect,
    /// `[channels, n0 n1]`.
    h: &'a [f32],
    /// `[D, n0 n1]`.
    displacement: &'a [f32],
    channels: usize,
}

// Whatever runs for every point is inlined into the kernels, and so compiled for their instructions.

impl Group<'_> {
    /// What a point's channels are computed with.
    fn isa(&self) -> Isa {
        Isa::holding(self.channels)
    }

    fn size(&self) -> usize {
        self.advect.axes[0].points * self.advect.axes[1].points
    }

    /// The points that the continued axes show.
    fn continued(&self) -> [Vec<usize>; 2] {
        let [first, last] = self.advect.axes;
        [if self.advect.dim == 1 { vec![0] } else { first.continued() }, last.continued()]
    }

    /// `[channels, points]` as `[shown rows, shown columns, channels]`, these padded to `lanes`.
    #[inline(always)]
    fn turned(&self, values: &[f32], [rows, columns]: &[Vec<usize>; 2], lanes: usize) -> Vec<f32> {
        let n = self.advect.axes[1].points;
        let mut turned = vec![0.0; rows.len() * columns.len() * lanes];
        for (c, plane) in values.chunks_exact(self.size()).enumerate() {
            let mut to = turned[c..].iter_mut().step_by(lanes);
            for row in rows.iter().map(|row| &plane[row * n..(row + 1) * n]) {
                to.by_ref().zip(columns).for_each(|(to, column)| *to = row[*column]);
            }
        }
        turned
    }

    /// The taps of a point along both axes.
    #[inline(always)]
    fn taps(&self, point: usize) -> [Taps; 2] {
        let ([first, last], size) = (self.advect.axes, self.size());
        let d = |axis: usize| self.displacement[axis * size + point];
        let (i, j) = (point / last.points, point % last.points);
        match self.advect.dim {
            1 => [Taps::trivial(), Taps::new(last, j, d(0))],
            _ => [Taps::new(first, i, d(0)), Taps::new(last, j, d(1))],
        }
    }

    /// The moved values, each made of four points along `ROWS` rows.
    #[inline(always)]
    fn forward<V: Lanes, const ROWS: usize>(self, out: &mut [f32]) {
        let (size, lanes, shown) = (self.size(), self.channels.next_multiple_of(V::N), self.continued());
        let (h, columns) = (self.turned(self.h, &shown, lanes), shown[1].len());
        let mut moved = vec![0.0; lanes];
        for point in 0..size {
            let [first, last] = self.taps(point);
            let from = (first.first * columns + last.first) * lanes;
            let h = &h[from..from + ((ROWS - 1) * columns + 4) * lanes];
            for v in (0..lanes).step_by(V::N) {
                // SAFETY: this is the kernel of `V`; `h` begins at the first of the points and ends with the last, and
                // points and `moved` have whole vectors.
                unsafe {
                    let mut value = V::splat(0.0);
                    for r in 0..ROWS {
                        let mut row = V::splat(0.0);
                        for k in 0..4 {
                            let near = V::load(h.as_ptr().add((r * columns + k) * lanes + v));
                            row = near.mul_add(row.all(last.weights[k]), row);
                        }
                        value = row.mul_add(row.all(first.weights[r]), value);
                    }
                    value.store(moved.as_mut_ptr().add(v));
                }
            }
            for (c, moved) in moved[..self.channels].iter().enumerate() {
                out[c * size + point] = *moved;
            }
        }
    }

    /// Gradients of the state `[channels, n0 n1]`, added, and of the displacement `[D, n0 n1]`.
    #[inline(always)]
    fn backward<V: Lanes, const ROWS: usize>(self, gradient: &[f32], dh: &mut [f32], dd: &mut [f32]) {
        let (size, lanes, shown) = (self.size(), self.channels.next_multiple_of(V::N), self.continued());
        let (h, columns) = (self.turned(self.h, &shown, lanes), shown[1].len());
        let mut turned = vec![0.0; h.len()];
        let mut of_point = vec![0.0; lanes];
        for point in 0..size {
            let [first, last] = self.taps(point);
            for (c, of_point) in of_point[..self.channels].iter_mut().enumerate() {
                *of_point = gradient[c * size + point];
            }
            let from = (first.first * columns + last.first) * lanes;
            let points = from..from + ((ROWS - 1) * columns + 4) * lanes;
            let (h, to) = (&h[points.clone()], &mut turned[points]);
            let mut change = [0.0; 2];
            for v in (0..lanes).step_by(V::N) {
                // SAFETY: this is the kernel of `V`; `h` and `to` begin at the first of the points and end with the last,
                // and points and `of_point` have whole vectors.
                unsafe {
                    let (zero, dy) = (V::splat(0.0), V::load(of_point.as_ptr().add(v)));
                    // Derivatives of the value along both axes.
                    let mut along = [zero; 2];
                    for r in 0..ROWS {
                        let (mut row, mut slope) = (zero, zero);
                        let back = dy.mul_add(dy.all(first.weights[r]), zero);
                        for k in 0..4 {
                            let at = (r * columns + k) * lanes + v;
                            let near = V::load(h.as_ptr().add(at));
                            row = near.mul_add(row.all(last.weights[k]), row);
                            slope = near.mul_add(row.all(last.slopes[k]), slope);
                            let to = to.as_mut_ptr().add(at);
                            back.mul_add(row.all(last.weights[k]), V::load(to)).store(to);
                        }
                        along[0] = row.mul_add(row.all(first.slopes[r]), along[0]);
                        along[1] = slope.mul_add(row.all(first.weights[r]), along[1]);
                    }
                    let [first, last] = along.map(|along| along.mul_add(dy, zero));
                    let sums = V::sums([first, last, zero, zero]);
                    change.iter_mut().zip(sums).for_each(|(change, sum)| *change += sum);
                }
            }
            for (d, change) in change[2 - self.advect.dim..].iter().enumerate() {
                dd[d * size + point] = *change;
            }
        }
        // A point that is shown more than once gets what all that show it do.
        let n = self.advect.axes[1].points;
        for (c, plane) in dh.chunks_exact_mut(size).enumerate() {
            let mut from = turned[c..].iter().step_by(lanes);
            for row in &shown[0] {
                let row = &mut plane[row * n..(row + 1) * n];
                from.by_ref().zip(&shown[1]).for_each(|(from, column)| row[*column] += from);
            }
        }
    }
}

struct GroupForward<'a>(Group<'a>, &'a mut [f32]);

impl Kernel for GroupForward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        match self.0.advect.dim {
            1 => self.0.forward::<V, 1>(self.1),
            _ => self.0.forward::<V, 4>(self.1),
        }
    }
}

struct GroupBackward<'a>(Group<'a>, &'a [f32], &'a mut [f32], &'a mut [f32]);

impl Kernel for GroupBackward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        match self.0.advect.dim {
            1 => self.0.backward::<V, 1>(self.1, self.2, self.3),
            _ => self.0.backward::<V, 4>(self.1, self.2, self.3),
        }
    }
}

impl Advect {
    fn new([_, _, n0, n1]: [usize; 4], periodic: &[bool]) -> Self {
        let (first, last) = (periodic[0], periodic[periodic.len() - 1]);
        let axes = [Axis { points: n0, periodic: first }, Axis { points: n1, periodic: last }];
        Self { axes, dim: periodic.len() }
    }

    /// All groups of all examples, and the numbers of each: channels, then those of `h` and of the displacement.
    fn groups<'a>(self, h: &Array<'a>, displacement: &Array<'a>) -> (Vec<Group<'a>>, [usize; 2]) {
        let ([_, c, n0, n1], moved) = (h.dims(), displacement.shape[1]);
        let channels = c * self.dim / moved;
        let sizes = [channels * n0 * n1, self.dim * n0 * n1];
        let each = h.values.chunks_exact(sizes[0]).zip(displacement.values.chunks_exact(sizes[1]));
        let group = |(h, displacement)| Group { advect: self, h, displacement, channels };
        (each.map(group).collect(), sizes)
    }

    /// The same by stock operations.
    fn stock(self, h: Tensor<4>, displacement: Tensor<4>) -> Tensor<4> {
        let ([b, c, n0, n1], moved, device) = (h.dims(), displacement.dims()[1], h.device());
        let (g, n) = (moved / self.dim, n0 * n1);
        let (h, d) = (h.reshape([b, g, c / g, n]), displacement.reshape([b, g, self.dim, n]));
        // Along each axis, the four points [b, g, 1, n] and their weights.
        let along = |axis: usize| -> Vec<(Tensor<4>, Tensor<4>)> {
            let Axis { points, periodic } = self.axes[axis];
            let index = |point: usize| if axis == 0 { point / n1 } else { point % n1 };
            let own = table((0..n).map(|point| index(point) as f32).collect(), [1, 1, 1, n], &device);
            let d = d.clone().narrow(2, axis + self.dim - 2, 1);
            let last = (points - 1) as f32;
            let place = if periodic { d } else { (own.clone() + d).clamp(0.0, last) };
            let cell = place.clone().detach().floor();
            let t = place - cell.clone();
            let cell = if periodic { own + cell } else { cell };
            let (one, t2) = (t.ones_like(), t.clone() * t.clone());
            let cubic = |[a0, a1, a2, a3]: [f32; 4]| {
                one.clone() * a0 + t.clone() * a1 + t2.clone() * a2 + t2.clone() * t.clone() * a3
            };
            let four =
                [[0.0, -0.5, 1.0, -0.5], [1.0, 0.0, -2.5, 1.5], [0.0, 0.5, 2.0, -1.5], [0.0, 0.0, -0.5, 0.5]];
            let tap = |(k, factors): (usize, [f32; 4])| {
                let at = cell.clone() + (k as f32 - 1.0);
                let at = match periodic {
                    true => at.clone() - (at / points as f32).floor() * points as f32,
                    false => at.clamp(0.0, last),
                };
                (at, cubic(factors))
            };
            four.into_iter().enumerate().map(tap).collect()
        };
        let read = |at: Tensor<4>, weight: Tensor<4>| {
            let index: Tensor<4, Int> = at.int().expand([b, g, c / g, n]);
            h.clone().gather(3, index) * weight
        };
        let last = along(1);
        let each: Vec<Tensor<4>> = match self.dim {
            1 => last.into_iter().map(|(at, weight)| read(at, weight)).collect(),
            _ => along(0)
                .into_iter()
                .flat_map(|(row, w0)| {
                    let both = |(at, w1): &(Tensor<4>, Tensor<4>)| {
                        read(row.clone() * n1 as f32 + at.clone(), w0.clone() * w1.clone())
                    };
                    last.iter().map(both).collect::<Vec<_>>()
                })
                .collect(),
        };
        each.into_iter().reduce(|sum, one| sum + one).expect("four points").reshape([b, c, n0, n1])
    }
}

impl Operation for Advect {
    fn forward(&self, inputs: &[Array], _tracked: bool) -> Forward {
        let (groups, [size, _]) = self.groups(&inputs[0], &inputs[1]);
        let mut output = vec![0.0; inputs[0].values.len()];
        let isa = groups.first().map_or_else(Isa::detect, Group::isa);
        output
            .par_chunks_exact_mut(size)
            .zip(groups)
            .for_each(|(out, group)| simd::run(isa, GroupForward(group, out)));
        Forward { output, shape: inputs[0].shape.to_vec(), saved: Vec::new() }
    }

    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>> {
        let (groups, [size, moved]) = self.groups(&pass.inputs[0], &pass.inputs[1]);
        let mut dh = vec![0.0; pass.inputs[0].values.len()];
        let mut dd = vec![0.0; pass.inputs[1].values.len()];
        let isa = groups.first().map_or_else(Isa::detect, Group::isa);
        let both = dh.par_chunks_exact_mut(size).zip(dd.par_chunks_exact_mut(moved));
        both.zip(pass.gradient.par_chunks_exact(size)).zip(groups).for_each(
            |(((dh, dd), gradient), group)| {
                simd::run(isa, GroupBackward(group, gradient, dh, dd));
            },
        );
        vec![Some(dh), Some(dd)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{agree, numbers, with_gradients};
    use burn::tensor::{Device, TensorData};

    fn of(values: Vec<f32>, shape: [usize; 4]) -> Tensor<4> {
        Tensor::from_data(TensorData::new(values, shape), &Device::flex())
    }

    #[test]
    fn equals_stock_operations() {
        for (dim, shape) in [(1, [1, 12]), (2, [5, 7])] {
            for (periodic, c, g) in [(true, 6, 3), (false, 6, 1), (true, 20, 2), (false, 4, 4)] {
                let (wraps, n) = (vec![periodic; dim], shape[0] * shape[1]);
                let stock = Advect::new([2, c, shape[0], shape[1]], &wraps);
                let inputs = |t: &[Tensor<1>]| {
                    let h = t[0].clone().reshape([2, c, shape[0], shape[1]]);
                    (h, t[1].clone().reshape([2, g * dim, shape[0], shape[1]]) * 9.3)
                };
                agree(
                    &format!("{dim} {periodic} {c} {g}"),
                    &[2 * c * n, 2 * g * dim * n],
                    &|t| {
                        let (h, d) = inputs(t);
                        advect(h, d, &wraps).reshape([2 * c * n])
                    },
                    &|t| {
                        let (h, d) = inputs(t);
                        stock.stock(h, d).reshape([2 * c * n])
                    },
                );
            }
        }
    }

    /// Whole spacings move the values themselves, around the circle or up to the edge; each group its own way.
    #[test]
    fn whole_spacings_shift_the_values() {
        let h = of(vec![0., 1., 2., 3., 10., 11., 12., 13.], [1, 2, 1, 4]);
        let moved = |d: [f32; 2], periodic| {
            let d = of(d.iter().flat_map(|d| [*d; 4]).collect(), [1, 2, 1, 4]);
            advect(h.clone(), d, &[periodic]).into_data().iter::<f32>().collect::<Vec<_>>()
        };
        assert_eq!(moved([1.0, -2.0], true), [1., 2., 3., 0., 12., 13., 10., 11.]);
        assert_eq!(moved([-9.0, 9.0], true), [3., 0., 1., 2., 11., 12., 13., 10.]);
        assert_eq!(moved([1.0, -2.0], false), [1., 2., 3., 3., 10., 10., 10., 11.]);
        assert!(moved([f32::NAN, f32::INFINITY], true).iter().all(|value| value.is_nan()));
    }

    /// A wave moved by a constant: third order in the spacing.
    #[test]
    fn waves_converge_with_the_third_order() {
        let error = |n: usize| {
            let angle = |i: f64| std::f64::consts::TAU * i / n as f64;
            let wave: Vec<f32> = (0..n).map(|i| angle(i as f64).sin() as f32).collect();
            let d = of(vec![1.4; n], [1, 1, 1, n]);
            let found = advect(of(wave, [1, 1, 1, n]), d, &[true]);
            let found = found.into_data().iter::<f32>().collect::<Vec<_>>();
            let off = |(i, value): (usize, f32)| (f64::from(value) - angle(i as f64 + 1.4).sin()).abs();
            found.into_iter().enumerate().map(off).fold(0.0, f64::max)
        };
        let order = (error(12) / error(48)).log2() / 2.0;
        assert!(order > 2.8, "{order}");
    }

    /// The gradient of the displacement against differences.
    #[test]
    fn gradients_match_differences() {
        let (h, d) = (numbers(2 * 30, 3), numbers(4 * 30, 4));
        let f = |t: &[Tensor<1>]| {
            advect(t[0].clone().reshape([1, 2, 5, 6]), t[1].clone().reshape([1, 4, 5, 6]), &[true, true])
                .reshape([60])
        };
        let direction = numbers(60, 99);
        let gradient = &with_gradients(&[h.clone(), d.clone()], &f)[2];
        for i in [0, 17, 45, 71, 119] {
            let value = |step: f32| -> f64 {
                let mut d = d.clone();
                d[i] += step;
                let found = &with_gradients(&[h.clone(), d], &f)[0];
                found.iter().zip(&direction).map(|(a, b)| f64::from(a * b)).sum()
            };
            let slope = (value(1e-2) - value(-1e-2)) / 2e-2;
            assert!((slope - f64::from(gradient[i])).abs() < 2e-3, "{i}: {slope} {}", gradient[i]);
        }
    }
}
