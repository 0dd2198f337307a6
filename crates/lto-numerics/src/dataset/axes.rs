//! Builds a [`Grid`] from what a layout knows about the spatial axes and what the user gives.

use crate::dataset::gather::SpaceAxis;
use crate::dataset::layout::{AxisDraft, Content, Probe, Role, Source};
use crate::dataset::options::{GridOption, PeriodicOption};
use crate::domain::{Axis, COORDINATE_TOLERANCE, Domain};
use crate::error::{Error, Result};
use crate::grid::{Grid, Placement};

/// A grid, if the points are known, and the axes that run backwards in the file.
pub(crate) struct Resolved {
    /// The grid of all points in the file, increasing along each axis.
    pub grid: Option<Grid>,
    /// How each axis is read, before any stride.
    pub space: Vec<SpaceAxis>,
    /// Why there is no grid, and the remedy.
    pub problem: Option<String>,
}

/// Applies the options to `axes` of `content`, deduces bounds from coordinates, and notes each assumption.
pub(crate) fn resolve(probe: &mut Probe, mut axes: Vec<AxisDraft>, content: &Content) -> Result<Resolved> {
    let flipped = apply_coordinates(probe, &mut axes)?;
    let of_file =
        |(axis, flipped): (&AxisDraft, bool)| SpaceAxis { n: axis.n, kept: axis.n, stride: 1, flipped };
    let mut space: Vec<SpaceAxis> = axes.iter().zip(flipped).map(of_file).collect();
    apply_bounds(probe, &mut axes)?;
    apply_periodic(probe, &mut axes)?;
    let unknown: Vec<&str> = axes
        .iter()
        .filter(|a| a.coordinates.is_none() && a.placement.is_none())
        .map(|a| a.name.as_str())
        .collect();
    if !unknown.is_empty() {
        let problem = format!(
            "the file does not say where the points lie along {}: give the placement (--grid left, center or \
             vertex) or the coordinate arrays (--grid {})",
            unknown.join(", "),
            axes.iter().map(|a| a.name.as_str()).collect::<Vec<_>>().join(",")
        );
        return Ok(Resolved { grid: None, space, problem: Some(problem) });
    }
    let mut domain = Vec::with_capacity(axes.len());
    let mut coordinates = Vec::with_capacity(axes.len());
    for (d, mut axis) in axes.into_iter().enumerate() {
        let closed = is_closed(probe, content, d, &axis);
        let periodic = axis.periodic.unwrap_or_else(|| {
            let name = &axis.name;
            let hint = if closed {
                "; its first and last point hold the same values, as on a periodic axis stored with both ends"
            } else {
                ""
            };
            probe.note(format!(
                "axis {name}: the file does not say whether it is periodic: assumed not; override with --periodic \
                 {name}{hint}"
            ));
            false
        });
        if closed && periodic {
            space[d].kept -= 1;
            open_circle(probe, &mut axis);
        }
        let (lower, upper) = match (axis.bounds, &axis.coordinates) {
            (Some(bounds), Some(x)) if periodic => around(probe, &axis.name, bounds, x),
            (Some(bounds), _) => bounds,
            (None, Some(x)) => {
                let bounds = bounds_of(x, axis.placement, periodic);
                let from = match axis.placement {
                    Some(p) => format!("its coordinates, {} by the layout's convention", p.name()),
                    None if periodic => "its coordinates plus one spacing, since it is periodic".into(),
                    None => "its first and last coordinate".into(),
                };
                probe.note(format!("axis {}: bounds [{}, {}] from {from}", axis.name, bounds.0, bounds.1));
                bounds
            }
            (None, None) => {
                probe.note(format!(
                    "axis {}: bounds not in the file: assumed [0, 1]; override with --domain",
                    axis.name
                ));
                (0.0, 1.0)
            }
        };
        let placed = axis.placement.map(|p| p.coordinates(axis.n, lower, upper));
        coordinates.extend(axis.coordinates.or(placed));
        domain.push(Axis::new(axis.name, lower, upper, periodic));
    }
    let arrays = probe.coordinate_arrays.join(", ");
    let arrays = (!arrays.is_empty()).then_some(arrays);
    let grid = Domain::new(domain).and_then(|domain| Grid::from_coordinates(domain, coordinates));
    let grid = grid.map_err(|problem| probe.wrong(arrays, problem))?;
    Ok(Resolved { grid: Some(grid), space, problem: None })
}

/// Frames of the first sample whose two ends are compared.
const FRAMES_COMPARED: usize = 64;
/// Values at both ends are equal if they differ by less than this fraction of the largest.
const ROUNDING: f64 = 1e-6;
/// If values vary by less than this fraction of the largest, equality proves nothing.
const VARIATION: f64 = 1e-3;

/// Whether both ends of axis `d` are the same place on a circle, if the axis may be periodic: the given
/// bounds say so, or its first and last point hold the same values and these vary.
fn is_closed(probe: &mut Probe, content: &Content, d: usize, axis: &AxisDraft) -> bool {
    let ends = axis.coordinates.as_deref().and_then(|x| Some((*x.first()?, *x.last()?)));
    let reach = |(first, last): (f64, f64), (lower, upper): (f64, f64)| {
        let near = |a: f64, b: f64| (a - b).abs() <= COORDINATE_TOLERANCE * (upper - lower);
        near(first, lower) && near(last, upper)
    };
    let certain = match (ends, axis.bounds) {
        (Some(ends), Some(bounds)) => reach(ends, bounds),
        (None, _) => true,
        (Some(_), None) => false,
    };
    let unsettled = match axis.placement {
        None => certain || axis.bounds.is_none(),
        Some(placement) => placement == Placement::Vertex,
    };
    let component = content.components().find(|c| c.roles.contains(&Role::Space(d)));
    let Some(component) = component.filter(|_| unsettled && axis.periodic != Some(false) && axis.n > 2)
    else {
        return false;
    };
    let array = match &component.source {
        Source::Whole(array) => array,
        Source::PerSample(arrays) => &arrays[0],
    };
    let count = component.roles.iter().zip(&component.shape).map(|(role, &n)| match role {
        Role::Sample => 1,
        Role::Space(axis) if *axis == d => 1,
        Role::Time => n.min(FRAMES_COMPARED),
        _ => n,
    });
    let count: Vec<usize> = count.collect();
    let mut at = |index: usize| {
        let start = component.roles.iter().map(|&role| if role == Role::Space(d) { index } else { 0 });
        probe.read_slice(array, &start.collect::<Vec<_>>(), &count)
    };
    // What cannot be read is reported when it is needed.
    let (Ok(first), Ok(last)) = (at(0), at(axis.n - 1)) else { return false };
    let largest = first.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    let (least, most) =
        first.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
    let equal = first.iter().zip(&last).all(|(a, b)| (a - b).abs() <= ROUNDING * largest);
    equal && (certain && axis.periodic == Some(true) || most - least > VARIATION * largest)
}

/// Leaves out the last point of a periodic axis, which repeats the first.
fn open_circle(probe: &mut Probe, axis: &mut AxisDraft) {
    axis.n -= 1;
    axis.placement = axis.placement.map(|_| Placement::Left);
    let at = match &mut axis.coordinates {
        Some(x) => {
            let last = x.pop().unwrap_or_default();
            axis.bounds.get_or_insert((x[0], last));
            format!(" at {last}")
        }
        None => String::new(),
    };
    probe.note(format!(
        "axis {}: periodic, so its last point{at} repeats the first and is left out",
        axis.name
    ));
}

/// The bounds of a periodic axis, shifted to where the coordinates begin if they lie outside: `[−180, 180]`
/// is the same circle as `[0, 360]`.
fn around(probe: &mut Probe, name: &str, (lower, upper): (f64, f64), x: &[f64]) -> (f64, f64) {
    let (first, last, length) = (x[0], x[x.len() - 1], upper - lower);
    if lower <= first && last <= upper || (first - lower).abs() > length || last - first > length {
        return (lower, upper);
    }
    probe.note(format!(
        "axis {name}: bounds [{first}, {}], where its coordinates lie: the same circle as [{lower}, {upper}]",
        first + length
    ));
    (first, first + length)
}

/// Takes coordinates from the options if given; reverses decreasing ones.
fn apply_coordinates(probe: &mut Probe, axes: &mut [AxisDraft]) -> Result<Vec<bool>> {
    if let Some(GridOption::Arrays(names)) = probe.options.grid.clone() {
        probe.expect("coordinate arrays given for the spatial axes".into(), axes.len(), names.len())?;
        probe.coordinate_arrays.clear();
        for (axis, name) in axes.iter_mut().zip(&names) {
            axis.coordinates = Some(probe.coordinates(name, axis.n, &axis.name)?);
            axis.placement = None;
        }
        probe.note(format!("coordinates from {}, as given", names.join(", ")));
    }
    let mut flipped = vec![false; axes.len()];
    for (axis, flipped) in axes.iter_mut().zip(&mut flipped) {
        let Some(x) = &mut axis.coordinates else { continue };
        if x.len() > 1 && x.windows(2).all(|w| w[1] < w[0]) {
            probe.notes.push(format!(
                "axis {}: coordinates decrease from {} to {}: data and coordinates are reversed",
                axis.name,
                x[0],
                x[x.len() - 1]
            ));
            x.reverse();
            *flipped = true;
        }
    }
    if let Some(GridOption::Placement(placement)) = probe.options.grid {
        apply_placement(probe, axes, placement);
    }
    Ok(flipped)
}

/// Gives every axis the placement of the options. The file's coordinates then only determine the bounds.
fn apply_placement(probe: &mut Probe, axes: &mut [AxisDraft], placement: Placement) {
    probe.note(format!("placement {} along every axis, as given", placement.name()));
    for axis in axes {
        axis.placement = Some(placement);
        let Some(x) = axis.coordinates.take() else { continue };
        if axis.bounds.is_none() && probe.options.domain.is_none() {
            let (lower, upper) = bounds_of(&x, Some(placement), false);
            probe.note(format!(
                "axis {}: bounds [{lower}, {upper}] from its coordinates, {} as given",
                axis.name,
                placement.name()
            ));
            axis.bounds = Some((lower, upper));
        }
    }
}

fn apply_bounds(probe: &mut Probe, axes: &mut [AxisDraft]) -> Result<()> {
    let Some(bounds) = &probe.options.domain else { return Ok(()) };
    let bounds = bounds.along(axes.len());
    probe.expect("pairs of domain bounds for the spatial axes".into(), axes.len(), bounds.len())?;
    for (axis, bounds) in axes.iter_mut().zip(bounds) {
        axis.bounds = Some(bounds);
    }
    probe.note("domain bounds as given");
    Ok(())
}

fn apply_periodic(probe: &mut Probe, axes: &mut [AxisDraft]) -> Result<()> {
    let Some(option) = &probe.options.periodic else { return Ok(()) };
    if let PeriodicOption::Axes(names) = option
        && let Some(stranger) = names.iter().find(|name| axes.iter().all(|axis| axis.name != **name))
    {
        return Err(Error::Parameter {
            name: "periodic",
            value: stranger.clone(),
            requirement: "must be all, none or names of spatial axes of the file",
        });
    }
    for axis in axes.iter_mut() {
        axis.periodic = Some(option.includes(&axis.name));
    }
    probe.note("periodicity as given");
    Ok(())
}

/// The bounds that increasing coordinates imply: half a cell beyond both ends for cell centers, one spacing
/// beyond the last point if the axis is left-aligned or periodic, else the end points.
fn bounds_of(x: &[f64], placement: Option<Placement>, periodic: bool) -> (f64, f64) {
    let (Some(&first), Some(&last)) = (x.first(), x.last()) else { return (0.0, 1.0) };
    if x.len() < 2 {
        // One point does not determine a length: a unit cell around it.
        return (first - 0.5, first + 0.5);
    }
    let spacing = (last - first) / (x.len() - 1) as f64;
    let uniform =
        x.iter().enumerate().all(|(i, v)| (v - first - i as f64 * spacing).abs() <= 1e-3 * spacing.abs());
    let length = last - first + spacing;
    match placement {
        Some(Placement::Center) if uniform => {
            (snap(first - 0.5 * spacing, length), snap(last + 0.5 * spacing, length))
        }
        Some(Placement::Center) => {
            (first - 0.5 * (x[1] - x[0]), last + 0.5 * (x[x.len() - 1] - x[x.len() - 2]))
        }
        Some(Placement::Left) => (first, snap(last + spacing, length)),
        Some(Placement::Vertex) => (first, last),
        None if periodic => (first, snap(last + spacing, length)),
        None => (first, last),
    }
}

/// Rounds a bound to about five digits if it differs from that only by single-precision noise: files store
/// `−1 + h/2` in single precision, and the bound meant is −1.
fn snap(bound: f64, length: f64) -> f64 {
    if !(length > 0.0 && length.is_finite()) {
        return bound;
    }
    let scale = 10f64.powi(5 - length.log10().floor() as i32);
    let rounded = (bound * scale).round() / scale;
    let noise = 2.5e-7 * bound.abs().max(length);
    if rounded.is_finite() && (rounded - bound).abs() <= noise { rounded } else { bound }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_follow_from_single_precision_coordinates() {
        for (lower, upper) in [(0.0, 1.0), (-1.0, 1.0), (-2.5, 2.5), (0.0, 0.3)] {
            for placement in Placement::ALL {
                let x: Vec<f64> = placement
                    .coordinates(1000, lower, upper)
                    .into_iter()
                    .map(|v| f64::from(v as f32))
                    .collect();
                let (a, b) = bounds_of(&x, Some(placement), false);
                assert!((a - lower).abs() < 1e-7 && (b - upper).abs() < 1e-7, "{placement:?} {a} {b}");
                assert!(a <= x[0] && x[999] <= b);
            }
        }
        let tau = std::f64::consts::TAU;
        let x = Placement::Left.coordinates(64, 0.0, tau);
        let (a, b) = bounds_of(&x, None, true);
        assert!(a == 0.0 && (b - tau).abs() < 1e-12, "an irrational bound must not be rounded: {b}");
    }

    #[test]
    fn uneven_cell_centers_reach_half_their_own_cell() {
        let (a, b) = bounds_of(&[0.5, 1.5, 4.0], Some(Placement::Center), false);
        assert_eq!((a, b), (0.0, 5.25));
        assert_eq!(bounds_of(&[3.0], None, false), (2.5, 3.5));
    }

    #[test]
    fn coordinates_without_length_are_not_rounded() {
        for placement in Placement::ALL {
            assert_eq!(bounds_of(&[2.0, 2.0], Some(placement), false), (2.0, 2.0));
        }
        for length in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(snap(0.1 + 1e-9, length), 0.1 + 1e-9);
        }
    }
}
