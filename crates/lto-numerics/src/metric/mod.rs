//! Plain numbers that say how far a prediction is from the truth. Each metric is one file and one line of the list below.
//! Where the truth is not known (NaN), nothing is compared.

pub mod boundary_rmse;
pub mod conserved_rmse;
pub mod max_error;
pub mod relative_l2;
pub mod rmse;
pub mod spectrum;

use crate::error::Result;
use crate::grid::expect;
use serde::{Deserialize, Serialize};
use std::ops::Index;

/// All metrics, one line each: the variant, its file, which holds a function of that name, `(shape)` if that function asks
/// where the values lie, and what it is called in words.
macro_rules! metrics {
    (@call $name:ident, $prediction:expr, $truth:expr, $shape:expr) => {
        $name::$name($prediction, $truth)
    };
    (@call $name:ident(shape), $prediction:expr, $truth:expr, $shape:expr) => {
        $name::$name($prediction, $truth, $shape)
    };
    ($($(#[$doc:meta])* $kind:ident: $name:ident$(($shape:tt))? = $label:literal,)+) => {
        /// A metric of one example: its prediction against its truth. Reports average it over examples.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum MetricKind {
            $($(#[$doc])* $kind,)+
        }

        /// One value for each metric, under the metric's name; the default where a file does not have it.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default, bound(deserialize = "T: Deserialize<'de> + Default"))]
        pub struct ByMetric<T> {
            $($(#[$doc])* pub $name: T,)+
        }

        impl MetricKind {
            /// All metrics, for reports, help texts and tests.
            pub const ALL: [MetricKind; [$($label),+].len()] = [$(MetricKind::$kind),+];

            /// Name as written in files and on the command line.
            pub fn name(self) -> &'static str {
                match self { $(MetricKind::$kind => stringify!($name),)+ }
            }

            /// Name in words, for headings of columns and axes.
            pub fn label(self) -> &'static str {
                match self { $(MetricKind::$kind => $label,)+ }
            }

            /// The metric of one example: all its values, in the same order in both slices.
            ///
            /// # Shapes
            /// `[channel, axis 0, …]` with `shape` points along the axes.
            ///
            /// # Errors
            /// Slices of different lengths, empty ones, or values that do not fill the shape.
            pub fn evaluate(self, prediction: &[f64], truth: &[f64], shape: &[usize]) -> Result<f64> {
                match self {
                    $(MetricKind::$kind => metrics!(@call $name$(($shape))?, prediction, truth, shape),)+
                }
            }
        }

        impl<T> ByMetric<T> {
            /// The value of every metric.
            ///
            /// # Errors
            /// The first that fails.
            pub fn try_of<E>(
                mut value: impl FnMut(MetricKind) -> std::result::Result<T, E>,
            ) -> std::result::Result<Self, E> {
                Ok(Self { $($name: value(MetricKind::$kind)?,)+ })
            }
        }

        impl<T> Index<MetricKind> for ByMetric<T> {
            type Output = T;

            fn index(&self, metric: MetricKind) -> &T {
                match metric { $(MetricKind::$kind => &self.$name,)+ }
            }
        }
    };
}

metrics! {
    /// Relative L2 error: [`relative_l2::relative_l2`].
    RelativeL2: relative_l2 = "relative L2",
    /// Root mean square error: [`rmse::rmse`].
    Rmse: rmse = "RMSE",
    /// Largest error: [`max_error::max_error`].
    MaxError: max_error = "max error",
    /// Root mean square error on the boundary: [`boundary_rmse::boundary_rmse`].
    BoundaryRmse: boundary_rmse(shape) = "boundary RMSE",
    /// Error of the spatial mean: [`conserved_rmse::conserved_rmse`].
    ConservedRmse: conserved_rmse(shape) = "conserved RMSE",
}

/// The differences between prediction and truth, where the truth is known.
///
/// # Errors
/// Slices of different lengths, or empty ones.
fn differences<'a>(prediction: &'a [f64], truth: &'a [f64]) -> Result<impl Iterator<Item = f64> + 'a> {
    expect("number of predicted values", truth.len().max(1), prediction.len())?;
    Ok(prediction.iter().zip(truth).filter(|(_, t)| !t.is_nan()).map(|(p, t)| p - t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    /// Hand-computed for every metric: differences 3, −4, 0, 0 against a truth of norm 10.
    const PREDICTION: [f64; 4] = [9.0, 4.0, 0.0, 0.0];
    const TRUTH: [f64; 4] = [6.0, 8.0, 0.0, 0.0];

    fn by_hand(metric: MetricKind) -> f64 {
        match metric {
            MetricKind::RelativeL2 => 5.0 / 10.0,
            MetricKind::Rmse => 5.0 / 2.0,
            MetricKind::MaxError => 4.0,
            MetricKind::BoundaryRmse => 4.5f64.sqrt(),
            MetricKind::ConservedRmse => 1.0 / 4.0,
        }
    }

    #[test]
    fn every_metric_is_zero_on_equality_and_right_by_hand() {
        for metric in MetricKind::ALL {
            let name = metric.name();
            assert_eq!(metric.evaluate(&TRUTH, &TRUTH, &[4]).unwrap(), 0.0, "{name}");
            assert_eq!(metric.evaluate(&PREDICTION, &TRUTH, &[4]).unwrap(), by_hand(metric), "{name}");
        }
    }

    #[test]
    fn every_metric_keeps_nan_and_refuses_unequal_or_empty_input() {
        for metric in MetricKind::ALL {
            let name = metric.name();
            let with_nan = [1.0, f64::NAN, 1.0, 1.0];
            assert!(metric.evaluate(&with_nan, &TRUTH, &[4]).unwrap().is_nan(), "{name}");
            let err = metric.evaluate(&PREDICTION[1..], &TRUTH, &[4]).unwrap_err();
            assert!(matches!(err, Error::Mismatch { expected: 4, got: 3, .. }), "{name}: {err}");
            assert!(metric.evaluate(&[], &[], &[4]).is_err(), "{name}");
        }
    }

    /// A mask, or a gap in the data: what is there counts as if it were all.
    #[test]
    fn unknown_truth_is_left_out() {
        let (prediction, truth) = ([9.0, 7.0, 4.0, f64::NAN], [6.0, f64::NAN, 8.0, f64::NAN]);
        for metric in MetricKind::ALL {
            let known = match metric {
                // Only the first point is on the boundary and known.
                MetricKind::BoundaryRmse => 3.0,
                metric => metric.evaluate(&[9.0, 4.0], &[6.0, 8.0], &[2]).unwrap(),
            };
            assert_eq!(metric.evaluate(&prediction, &truth, &[4]).unwrap(), known, "{}", metric.name());
        }
        let inside = [f64::NAN, 1.0, 1.0, f64::NAN];
        assert_eq!(MetricKind::BoundaryRmse.evaluate(&[2.0; 4], &inside, &[4]).unwrap(), 0.0);
    }

    #[test]
    fn names_are_those_of_the_files() {
        let by_name =
            serde_json::to_value(ByMetric::try_of(|metric| Ok::<_, ()>(metric.label())).unwrap()).unwrap();
        for metric in MetricKind::ALL {
            assert_eq!(serde_json::to_value(metric).unwrap(), metric.name());
            assert_eq!(by_name[metric.name()], metric.label());
        }
    }
}
