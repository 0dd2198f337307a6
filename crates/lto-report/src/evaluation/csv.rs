//! All results as comma-separated values, one line for each case and model: for programs, so numbers are whole and alone.

use super::look::Look;
use super::marks::marks;
use super::rows::{Kind, cases, names};
use lto::evaluate::compare::differences;
use lto::evaluate::statistics::ErrorStatistics;
use lto::evaluate::{Evaluation, Outcome};
use lto_numerics::metric::MetricKind;

/// The first line.
const HEADER: &str = "table,case,model,samples,relative_l2,relative_l2_low,relative_l2_high,rmse,rmse_low,rmse_high,max_error,\
                      max_error_low,max_error_high,ms,best,reason\n";

/// The lines of all cases; what others published has a line of its own.
pub fn csv(evaluations: &[Evaluation], look: &Look) -> String {
    let (names, differences) = (names(evaluations), differences(evaluations));
    let mut text = HEADER.to_string();
    let mut line = |cells: Vec<String>| {
        text.push_str(&cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(","));
        text.push('\n');
    };
    for kind in Kind::ALL {
        for case in cases(evaluations, kind) {
            let best = marks(kind, &differences, &case.errors(look.metric)).best;
            for ((outcome, name), best) in case.outcomes.iter().zip(&names).zip(best) {
                let head = [kind.name(), &case.label, name].map(String::from);
                match outcome.as_deref() {
                    None => {}
                    Some(Outcome::Unsupported(reason)) => {
                        let empty = vec![String::new(); 12];
                        line([head.to_vec(), empty, vec![reason.clone()]].concat());
                    }
                    Some(Outcome::Measured(m)) => {
                        let errors = MetricKind::ALL.into_iter().flat_map(|metric| ends(m.errors(metric)));
                        let mut cells = head.to_vec();
                        cells.push(m.relative_l2.errors.len().to_string());
                        cells.extend(errors);
                        cells.push((1e3 * m.seconds_per_prediction).to_string());
                        cells.extend([best.to_string(), String::new()]);
                        line(cells);
                    }
                }
            }
            for published in look.published().iter().filter(|p| p.kind == kind) {
                if let Some(value) = published.of(&case.label) {
                    let head = [kind.name(), &case.label, &published.name, "", &value.to_string()];
                    line([head.map(String::from).to_vec(), vec![String::new(); 11]].concat());
                }
            }
        }
    }
    text
}

/// The mean and its interval; empty where there is none.
fn ends(errors: &ErrorStatistics) -> [String; 3] {
    let [low, high] =
        errors.interval.map_or([String::new(), String::new()], |ends| ends.map(|v| v.to_string()));
    [errors.mean.to_string(), low, high]
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}
