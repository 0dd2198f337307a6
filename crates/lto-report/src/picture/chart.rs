//! Curves over a number, with linear or logarithmic axes, intervals and a key.

use super::colormap::Rgb;
use super::drawing::{Anchor, Drawing, Rect, text_width};
use super::panel::{ABOVE, BELOW, LABEL_SIZE, LEFT, Legend, Marks, Panel};
use super::ticks::{Labels, labels, short, ticks};

const WIDTH: usize = 480;
const HEIGHT: usize = 320;
/// The most room for names in the key.
const NAMES: f64 = 240.0;
/// Length of the dashes of a dashed line, and of the gaps between them.
const DASH: f64 = 6.0;
/// Curves nearer than this would hide each other.
const NEAR: f64 = 1.0;

/// A connected part of a curve, on the page.
type Run = Vec<(f64, f64)>;

/// Colors that everyone can tell apart on white.
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
    /// Whether it is logarithmic; only positive numbers are shown then.
    pub log: bool,
}

/// Curves in one panel.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its title.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves; where they coincide, their dashes take turns and their dots are rings.
    pub series: Vec<Series>,
}

impl Chart {
    /// The chart on a page of its own.
    pub fn draw(&self) -> Drawing {
        let names =
            self.series.iter().map(|s| text_width(&s.name, LABEL_SIZE - 2)).fold(0.0, f64::max).min(NAMES);
        let mut drawing = Drawing::new(LEFT + WIDTH + 68 + names.ceil() as usize, ABOVE + HEIGHT + BELOW);
        let x = self.x.range(self.series.iter().flat_map(|s| s.points.iter().map(|p| p.0)));
        let values = self.series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
        let ends = self.series.iter().flat_map(|s| s.intervals.iter().flat_map(|&(low, high)| [low, high]));
        let y = self.y.range(values.chain(ends));
        let panel = Panel { rect: Rect { x: LEFT, y: ABOVE, width: WIDTH, height: HEIGHT }, x, y };
        let curves: Vec<Vec<Run>> = self.series.iter().map(|series| self.runs(&panel, series)).collect();
        for (number, series) in self.series.iter().enumerate() {
            self.intervals(&mut drawing, &panel, series);
            self.curve(&mut drawing, &curves, number);
            // Where a dash begins.
            let left = ((LEFT + WIDTH + 14) as f64 / (2.0 * DASH)).ceil() * 2.0 * DASH;
            let y = (ABOVE + 10 + 20 * number) as f64;
            let turn = if series.style == Style::Dashed { (0, 2) } else { (0, 1) };
            for dash in dashes(&[(left, y), (left + 5.0 * DASH, y)], |_| turn) {
                drawing.line(dash, series.color, 1.8);
            }
            if series.style == Style::Marked {
                drawing.dot((left + 2.5 * DASH, y), 3.0, series.color);
            }
            drawing.text_within(NAMES, (left + 37.0, y + 4.0), &series.name, LABEL_SIZE - 2, Anchor::Start);
        }
        let legend =
            Legend { title: &self.title, x_label: Some(&self.x.label), y_label: Some(&self.y.label) };
        panel.frame_with(&mut drawing, &legend, self.x.marks(x, 8), self.y.marks(y, 6));
        drawing
    }

    fn place(&self, panel: &Panel, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some(panel.position(self.x.place(x)?, self.y.place(y)?))
    }

    /// The connected parts of a curve; points off the axes separate them.
    fn runs(&self, panel: &Panel, series: &Series) -> Vec<Run> {
        let points: Vec<Option<(f64, f64)>> = series.points.iter().map(|&p| self.place(panel, p)).collect();
        let runs = points.split(Option::is_none).filter(|run| !run.is_empty());
        runs.map(|run| run.iter().flatten().copied().collect()).collect()
    }

    fn intervals(&self, drawing: &mut Drawing, panel: &Panel, series: &Series) {
        for (&(x, _), &(low, high)) in series.points.iter().zip(&series.intervals) {
            if let (Some(low), Some(high)) = (self.place(panel, (x, low)), self.place(panel, (x, high))) {
                drawing.line(vec![low, high], series.color, 1.2);
                for end in [low, high] {
                    drawing.line(vec![(end.0 - 3.0, end.1), (end.0 + 3.0, end.1)], series.color, 1.2);
                }
            }
        }
    }

    fn curve(&self, drawing: &mut Drawing, curves: &[Vec<Run>], number: usize) {
        let series = &self.series[number];
        let dotted =
            |i: usize| self.series[i].style == Style::Marked || curves[i].iter().any(|run| run.len() == 1);
        let all_passing = |at: &(f64, f64)| -> Vec<bool> {
            curves.iter().map(|runs| runs.iter().any(|run| passes(run, *at))).collect()
        };
        for run in &curves[number] {
            let passing: Vec<Vec<bool>> = run.iter().map(all_passing).collect();
            let lines = dashes(run, |segment| {
                let both = |i: usize| passing[segment][i] && passing[segment + 1][i];
                match turn(number, curves.len(), both) {
                    (0, 1) if series.style == Style::Dashed => (0, 2),
                    shared => shared,
                }
            });
            lines.into_iter().for_each(|line| drawing.line(line, series.color, 1.8));
            if series.style == Style::Marked || run.len() == 1 {
                for (&at, passing) in run.iter().zip(&passing) {
                    let (before, of) = turn(number, curves.len(), |i| passing[i] && dotted(i));
                    drawing.dot(at, 3.0 + 1.5 * (of - 1 - before) as f64, series.color);
                }
            }
        }
    }
}

/// How many of the coinciding curves come before this one, and how many there are, including it.
fn turn(number: usize, n: usize, coincides: impl Fn(usize) -> bool) -> (usize, usize) {
    let others = |range: std::ops::Range<usize>| range.filter(|&i| coincides(i)).count();
    let before = others(0..number);
    (before, before + 1 + others(number + 1..n))
}

/// Whether a curve, from left to right, passes near a place.
fn passes(run: &[(f64, f64)], (x, y): (f64, f64)) -> bool {
    let after = run.partition_point(|p| p.0 < x);
    let (Some(&a), Some(&b)) = (run.get(after.saturating_sub(1)), run.get(after).or(run.last())) else {
        return false;
    };
    let (along, up) = (b.0 - a.0, b.1 - a.1);
    let square = along * along + up * up;
    let part =
        if square > 0.0 { (((x - a.0) * along + (y - a.1) * up) / square).clamp(0.0, 1.0) } else { 0.0 };
    (a.0 + part * along - x).hypot(a.1 + part * up - y) < NEAR
}

/// The parts of a line to draw. Segment `i` is drawn in its `turn(i) = (mine, of)`: dashes are numbered along
/// the page, so that lines in the same place take turns.
fn dashes(points: &[(f64, f64)], turn: impl Fn(usize) -> (usize, usize)) -> Vec<Run> {
    let mut drawn: Vec<Run> = Vec::new();
    for (segment, ends) in points.windows(2).enumerate() {
        let ((x0, y0), (x1, y1)) = (ends[0], ends[1]);
        let (mine, of) = turn(segment);
        let steep = (y1 - y0).abs() > (x1 - x0).abs();
        let (begin, end) = if steep { (y0 / DASH, y1 / DASH) } else { (x0 / DASH, x1 / DASH) };
        let whole = begin.min(end).floor() as i64 + 1..begin.max(end).ceil() as i64;
        let mut cuts: Vec<f64> = match of {
            1 => Vec::new(),
            _ => whole.map(|cut| (cut as f64 - begin) / (end - begin)).collect(),
        };
        cuts.extend([0.0, 1.0]);
        cuts.sort_by(f64::total_cmp);
        let at =
            |part: f64| if part < 1.0 { (x0 + part * (x1 - x0), y0 + part * (y1 - y0)) } else { (x1, y1) };
        for piece in cuts.windows(2) {
            let middle = begin + 0.5 * (piece[0] + piece[1]) * (end - begin);
            if (middle.floor() as i64).rem_euclid(of as i64) != mine as i64 {
                continue;
            }
            match drawn.last_mut().filter(|line| line.last() == Some(&at(piece[0]))) {
                Some(line) => line.push(at(piece[1])),
                None => drawn.push(vec![at(piece[0]), at(piece[1])]),
            }
        }
    }
    drawn
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

    /// Where a number lies along the axis, if it is on it.
    fn place(&self, value: f64) -> Option<f64> {
        match self.log {
            true => Some(value.log10()).filter(|v| v.is_finite()),
            false => Some(value).filter(|v| v.is_finite()),
        }
    }

    /// From the least to the largest number, with a little margin; a single number gets half of it, or half a
    /// decade, on either side.
    fn range(&self, values: impl Iterator<Item = f64>) -> (f64, f64) {
        let shown = values.filter_map(|value| self.place(value));
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let size = if self.log { 1.0 } else { low.abs().max(high.abs()) };
        let air = match high - low {
            span if span > 1e-9 * size => 0.04 * span,
            _ if size > 0.0 => 0.5 * size,
            _ => 0.5,
        };
        if low <= high { (low - air, high + air) } else { (0.0, 1.0) }
    }

    /// Round numbers along the axis. On a logarithmic axis: powers of ten, all or every k-th; over few
    /// decades also their multiples; over less than one, the ticks of a linear axis.
    fn marks(&self, range: (f64, f64), wanted: usize) -> Marks {
        if !self.log {
            return Marks::linear(range, wanted);
        }
        let span = range.1 - range.0;
        if span < 0.7 {
            let values = ticks(10f64.powf(range.0), 10f64.powf(range.1), wanted);
            return Marks { labels: labels(&values), values: values.into_iter().map(f64::log10).collect() };
        }
        let factors: &[f64] = if span < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = (span / wanted as f64).ceil() as i32;
        let decades = (range.0.floor() as i32..=range.1.ceil() as i32).filter(|decade| decade % every == 0);
        let numbers = decades.flat_map(|decade| factors.iter().map(move |&factor| (factor, decade)));
        let place = |&(factor, decade): &(f64, i32)| factor.log10() + f64::from(decade);
        let shown: Vec<(f64, i32)> = numbers.filter(|n| (range.0..=range.1).contains(&place(n))).collect();
        // Small powers are parsed from digits: products of powers of ten round.
        let text = |&(factor, decade): &(f64, i32)| match decade {
            -3..5 => short(factor * 10f64.powi(decade)),
            _ => format!("{factor}e{decade}"),
        };
        let texts = shown.iter().map(text).collect();
        Marks { values: shown.iter().map(place).collect(), labels: Labels { texts, offset: None } }
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawing::{
        Shape,
        tests::{assert_texts_apart, text_boxes},
    };
    use super::super::raster::rasterize;
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
        assert_eq!(texts((-4.0, -3.5)), ["1.0e-4", "1.5e-4", "2.0e-4", "2.5e-4", "3.0e-4"]);
        assert_eq!(texts((-30.0, 1.0)), ["1e-28", "1e-21", "1e-14", "1e-7", "1"]);
        assert_eq!(texts((-4.0, -3.0)), ["1e-4", "2e-4", "5e-4", "0.001"]);
        let drawing = chart(vec![(1.0, 0.0), (10.0, -1.0), (100.0, f64::NAN)], Style::Marked).draw();
        assert!(!drawing.shapes.iter().any(|s| matches!(s, Shape::Dot { at, .. } if !at.1.is_finite())));
    }

    /// Ranges of a billionth to a hundred decades, anywhere.
    #[test]
    fn every_logarithmic_axis_has_numbers() {
        for i in 0..3000 {
            let part = |irrational: f64| (f64::from(i) * irrational).fract();
            let (low, span) =
                (40.0 * part(0.754_877_666) - 20.0, 10f64.powf(11.0 * part(0.569_840_291) - 9.0));
            let marks = Axis::log("").marks((low, low + span), 6);
            let texts = &marks.labels.texts;
            assert!((2..=10).contains(&texts.len()), "{low} {span} {texts:?}");
            assert!(texts.windows(2).all(|w| w[0] != w[1]), "{low} {span} {texts:?}");
            let margin = 1e-5 * span;
            assert!(
                marks.values.iter().all(|v| (low - margin..=low + span + margin).contains(v)),
                "{low} {span}"
            );
        }
        assert_eq!(
            Axis::log("").marks((0.031f64.log10(), 0.047f64.log10()), 4).labels.texts,
            ["0.035", "0.040", "0.045"]
        );
    }

    /// Pixels of each series' color.
    fn visible(chart: &Chart) -> Vec<usize> {
        let drawing = chart.draw();
        let page = rasterize(&drawing);
        let inside = |number: &usize| number % (2 * drawing.width) < 2 * (LEFT + WIDTH);
        let pixels: Vec<Rgb> =
            (0..).zip(page.pixels()).filter(|(i, _)| inside(i)).map(|(_, pixel)| pixel).collect();
        chart.series.iter().map(|s| pixels.iter().filter(|pixel| **pixel == s.color).count()).collect()
    }

    #[test]
    fn curves_that_coincide_are_all_visible() {
        for style in [Style::Line, Style::Marked, Style::Dashed] {
            for n in [1, 2, 50] {
                let points: Vec<(f64, f64)> =
                    (1..=n).map(|i| (f64::from(i), (0.3 * f64::from(i)).cos().exp())).collect();
                let mut chart = chart(points, style);
                let first = chart.series[0].clone();
                chart.series.extend((1..3).map(|i| Series { color: COLORS[i], ..first.clone() }));
                let visible = visible(&chart);
                let least = visible.iter().max().unwrap() / 8;
                assert!(visible.iter().all(|&count| count > least.max(20)), "{style:?} {n} {visible:?}");
            }
        }
    }

    /// Curves that separate are drawn whole where they are alone.
    #[test]
    fn only_what_coincides_is_dashed() {
        let line = |bend: f64| vec![(1.0, 1.0), (10.0, 10.0), (100.0, 10.0 * bend)];
        let mut chart = chart(line(1.0), Style::Line);
        chart.series.push(Series { points: line(5.0), color: COLORS[1], ..chart.series[0].clone() });
        let longest = |color: Rgb| {
            let length = |shape: &Shape| match shape {
                Shape::Line { points, color: c, .. } if *c == color => points.last().unwrap().0 - points[0].0,
                _ => 0.0,
            };
            chart.draw().shapes.iter().map(length).fold(0.0, f64::max)
        };
        assert!(longest(COLORS[0]) > 200.0 && longest(COLORS[1]) > 200.0);
        assert!(visible(&chart).iter().all(|&count| count > 500));
    }

    #[test]
    fn a_single_point_is_a_dot_amid_numbers() {
        for y in [0.0312, 4e-9, 1e7] {
            let mut chart = chart(vec![(200_000.0, y)], Style::Marked);
            chart.x = Axis::linear("step");
            assert!(visible(&chart)[0] > 70);
            let texts = text_boxes(&chart.draw());
            let numbers = texts.iter().filter(|(text, _)| text.parse::<f64>().is_ok()).count();
            assert!(numbers >= 5 && !texts.iter().any(|(text, _)| text.starts_with('+')), "{texts:?}");
            assert_texts_apart(&chart.draw());
        }
    }
}
