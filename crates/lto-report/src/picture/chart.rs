//! Curves over a number, with linear or logarithmic axes, intervals and a key.

use super::colormap::Rgb;
use super::drawing::{Anchor, Drawing, Rect};
use super::panel::{ABOVE, BELOW, LABEL_SIZE, LEFT, Legend, Marks, Panel};
use super::ticks::{Labels, short};

const WIDTH: usize = 480;
const HEIGHT: usize = 320;
/// Room for the key.
const KEY: usize = 230;
/// Length of the dashes of a dashed line, and of the gaps between them.
const DASH: f64 = 6.0;

/// Colors that can be told apart on white, also by the color-blind.
pub const COLORS: [Rgb; 7] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [120, 120, 120],
    [230, 159, 0],
    [86, 180, 233],
];

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A line.
    Line,
    /// A line with a dot at every point.
    Marked,
    /// A dashed line.
    Dashed,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the key.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// Lower and upper ends of a bar through each point; empty for none.
    pub intervals: Vec<(f64, f64)>,
    /// Its color.
    pub color: Rgb,
    /// How it is drawn.
    pub style: Style,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its name.
    pub label: String,
    /// Whether equal ratios are equally far apart; only positive numbers are shown then.
    pub log: bool,
}

/// Curves in one panel.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What stands above.
    pub title: String,
    /// Rightwards.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// The curves; later ones cover earlier ones.
    pub series: Vec<Series>,
}

impl Chart {
    /// The chart on a page of its own.
    pub fn draw(&self) -> Drawing {
        let mut drawing = Drawing::new(LEFT + WIDTH + KEY, ABOVE + HEIGHT + BELOW);
        let x = self.x.range(self.series.iter().flat_map(|s| s.points.iter().map(|p| p.0)));
        let values = self.series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
        let ends = self.series.iter().flat_map(|s| s.intervals.iter().flat_map(|&(low, high)| [low, high]));
        let y = self.y.range(values.chain(ends));
        let panel = Panel { rect: Rect { x: LEFT, y: ABOVE, width: WIDTH, height: HEIGHT }, x, y };
        for (number, series) in self.series.iter().enumerate() {
            self.curve(&mut drawing, &panel, series);
            let (left, y) = ((LEFT + WIDTH + 14) as f64, (ABOVE + 10 + 20 * number) as f64);
            let sample = vec![(left, y), (left + 26.0, y)];
            line(&mut drawing, sample, series);
            if series.style == Style::Marked {
                drawing.dot((left + 13.0, y), 3.0, series.color);
            }
            drawing.text((left + 32.0, y + 4.0), &series.name, LABEL_SIZE - 2, Anchor::Start);
        }
        let legend =
            Legend { title: &self.title, x_label: Some(&self.x.label), y_label: Some(&self.y.label) };
        panel.frame_with(&mut drawing, &legend, self.x.marks(x, 8), self.y.marks(y, 6));
        drawing
    }

    fn curve(&self, drawing: &mut Drawing, panel: &Panel, series: &Series) {
        let place = |x: f64, y: f64| {
            let (x, y) = (self.x.place(x)?, self.y.place(y)?);
            Some(panel.position(x, y))
        };
        for (&(x, _), &(low, high)) in series.points.iter().zip(&series.intervals) {
            if let (Some(low), Some(high)) = (place(x, low), place(x, high)) {
                drawing.line(vec![low, high], series.color, 1.2);
                for end in [low, high] {
                    drawing.line(vec![(end.0 - 3.0, end.1), (end.0 + 3.0, end.1)], series.color, 1.2);
                }
            }
        }
        let points: Vec<Option<(f64, f64)>> = series.points.iter().map(|&(x, y)| place(x, y)).collect();
        for run in points.split(Option::is_none) {
            let run: Vec<(f64, f64)> = run.iter().flatten().copied().collect();
            if series.style == Style::Marked || run.len() == 1 {
                run.iter().for_each(|&at| drawing.dot(at, 3.0, series.color));
            }
            if run.len() > 1 {
                line(drawing, run, series);
            }
        }
    }
}

/// A line in the style of a series.
fn line(drawing: &mut Drawing, points: Vec<(f64, f64)>, series: &Series) {
    if series.style != Style::Dashed {
        return drawing.line(points, series.color, 1.8);
    }
    let mut from_start = 0.0;
    for ends in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (ends[0], ends[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        let at = |s: f64| (x0 + (x1 - x0) * s / length, y0 + (y1 - y0) * s / length);
        // Dashes begin at even multiples of their length along the whole line.
        let mut s = -(from_start % (2.0 * DASH));
        while s < length {
            let (begin, end) = (s.max(0.0), (s + DASH).min(length));
            if begin < end {
                drawing.line(vec![at(begin), at(end)], series.color, 1.6);
            }
            s += 2.0 * DASH;
        }
        from_start += length;
    }
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), log: false }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), log: true }
    }

    /// Where a number lies along the axis, if it does.
    fn place(&self, value: f64) -> Option<f64> {
        match self.log {
            true => Some(value.log10()).filter(|v| v.is_finite()),
            false => Some(value).filter(|v| v.is_finite()),
        }
    }

    /// From the least to the largest number, with a little air.
    fn range(&self, values: impl Iterator<Item = f64>) -> (f64, f64) {
        let shown = values.filter_map(|value| self.place(value));
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        match high - low {
            span if span > 0.0 => (low - 0.04 * span, high + 0.04 * span),
            0.0 => (low - 0.5, high + 0.5),
            _ => (0.0, 1.0),
        }
    }

    /// Round numbers along the axis; on a logarithmic one the powers of ten, and more of their multiples the
    /// shorter the range.
    fn marks(&self, range: (f64, f64), wanted: usize) -> Marks {
        if !self.log {
            return Marks::linear(range, wanted);
        }
        let decades = range.0.floor() as i32..=range.1.ceil() as i32;
        let factors: &[f64] = match range.1 - range.0 {
            span if span < 0.7 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
            span if span < 2.5 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let numbers = decades.flat_map(|decade| factors.iter().map(move |&factor| (factor, decade)));
        let value = |&(factor, decade): &(f64, i32)| factor * 10f64.powi(decade);
        let shown: Vec<(f64, i32)> =
            numbers.filter(|n| (range.0..=range.1).contains(&value(n).log10())).collect();
        // Small ones from their digits: products of powers of ten round.
        let text = |n: &(f64, i32)| if n.1 < -3 { format!("{}e{}", n.0, n.1) } else { short(value(n)) };
        let texts = shown.iter().map(text).collect();
        Marks {
            values: shown.iter().map(|n| value(n).log10()).collect(),
            labels: Labels { texts, offset: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawing::Shape;
    use super::*;

    fn chart(points: Vec<(f64, f64)>, style: Style) -> Chart {
        let series = Series { name: "a".into(), points, intervals: vec![], color: COLORS[0], style };
        Chart { title: String::new(), x: Axis::log("n"), y: Axis::log("error"), series: vec![series] }
    }

    #[test]
    fn a_power_law_is_a_straight_line_on_logarithmic_axes() {
        let points = (0..6).map(|i| 4f64.powi(i)).map(|n| (n, 3.0 * n.powf(-0.5)));
        let drawing = chart(points.collect(), Style::Line).draw();
        let line = drawing.shapes.iter().find_map(|shape| match shape {
            Shape::Line { points, .. } if points.len() == 6 => Some(points.clone()),
            _ => None,
        });
        let slopes: Vec<f64> =
            line.unwrap().windows(2).map(|p| (p[1].1 - p[0].1) / (p[1].0 - p[0].0)).collect();
        assert!(slopes.iter().all(|s| (s - slopes[0]).abs() < 1e-9), "{slopes:?}");
        assert!(slopes[0] > 0.0, "errors that fall are drawn downwards, y being downwards");
    }

    #[test]
    fn logarithmic_marks_are_round_and_what_has_no_logarithm_is_left_out() {
        let texts = |range| Axis::log("").marks(range, 5).labels.texts;
        assert_eq!(texts((-2.1, -0.9)), ["0.01", "0.02", "0.05", "0.1"]);
        assert_eq!(texts((0.9, 4.0)), ["10", "100", "1000", "10000"]);
        assert_eq!(texts((-4.0, -3.5)), ["1e-4", "1.5e-4", "2e-4", "3e-4"]);
        assert_eq!(texts((-4.0, -3.0)), ["1e-4", "2e-4", "5e-4", "0.001"]);
        let drawing = chart(vec![(1.0, 0.0), (10.0, -1.0), (100.0, f64::NAN)], Style::Marked).draw();
        assert!(!drawing.shapes.iter().any(|s| matches!(s, Shape::Dot { at, .. } if !at.1.is_finite())));
    }
}
