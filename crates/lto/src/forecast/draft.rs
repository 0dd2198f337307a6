//! The readings of one time while they come in.

use lto_numerics::records::{FaultKind, Frame, Row};
use std::collections::BTreeMap;

/// Value, deviation and line of a reading; line 0 if there is none.
type Cell = (f64, f64, u64);

/// Readings of a time that is not over yet.
pub(super) struct Draft {
    pub(super) time: f64,
    n_variables: usize,
    /// By station: its place, and the reading of each variable.
    stations: BTreeMap<u32, (Vec<f64>, Vec<Cell>)>,
}

impl Draft {
    pub(super) fn new(time: f64, n_variables: usize) -> Self {
        Self { time, n_variables, stations: BTreeMap::new() }
    }

    /// Adds a row of this time; says what is wrong with it. Of contradicting readings the last one counts.
    pub(super) fn add(&mut self, row: &Row, place: &[f64]) -> Option<(FaultKind, String)> {
        let missing = (f64::NAN, f64::NAN, 0);
        let entry = self.stations.entry(row.station);
        let (at, cells) = entry.or_insert_with(|| (place.to_vec(), vec![missing; self.n_variables]));
        at.copy_from_slice(place);
        let mut fault = None;
        for entry in row.entries.iter().filter(|entry| entry.variable < self.n_variables) {
            let cell = &mut cells[entry.variable];
            if cell.2 > 0 && cell.0 == entry.value {
                fault = Some((FaultKind::Doubled, format!("line {}: repeats line {}", row.line, cell.2)));
            } else if cell.2 > 0 {
                let text = format!(
                    "line {}: says {} where line {} said {}; the last one is used",
                    row.line, entry.value, cell.2, cell.0
                );
                fault = Some((FaultKind::Contradicting, text));
            }
            *cell = (entry.value, entry.deviation, row.line);
        }
        fault
    }

    /// All readings.
    pub(super) fn frame(self) -> Frame {
        let cells = |number: fn(&Cell) -> f64| {
            let column =
                |variable: usize| self.stations.values().map(move |(_, cells)| number(&cells[variable]));
            (0..self.n_variables).flat_map(column).collect::<Vec<f64>>()
        };
        let deviations = Some(cells(|cell| cell.1)).filter(|all| all.iter().any(|s| s.is_finite()));
        Frame {
            time: self.time,
            stations: self.stations.keys().copied().collect(),
            coordinates: self.stations.values().flat_map(|(place, _)| place.iter().copied()).collect(),
            values: cells(|cell| cell.0),
            deviations,
        }
    }
}
