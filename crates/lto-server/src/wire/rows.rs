//! Rows of numbers: `[[x, y], …]`, kept flat.

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;

/// Rows of equal length, row-major; NaN where the text has `null`. A row of one number may be written without brackets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// All numbers.
    pub numbers: Vec<f64>,
    /// Number of rows.
    pub n: usize,
    /// Numbers in a row; 0 without rows.
    pub width: usize,
}

impl Rows {
    /// Rows of `width` numbers.
    pub fn new(numbers: Vec<f64>, width: usize) -> Self {
        Self { n: numbers.len().checked_div(width).unwrap_or(0), width, numbers }
    }

    /// The numbers of one column.
    pub fn column(&self, column: usize) -> Vec<f64> {
        self.numbers.iter().skip(column).step_by(self.width.max(1)).copied().collect()
    }
}

impl Serialize for Rows {
    /// Always with brackets; `null` where a number is missing.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.numbers.chunks_exact(self.width.max(1)))
    }
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(All)
    }
}

/// All rows.
struct All;

impl<'de> Visitor<'de> for All {
    type Value = Rows;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("rows of numbers, [[x, y], …]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Rows, A::Error> {
        let mut all = Rows::default();
        while let Some(width) = rows.next_element_seed(Row(&mut all.numbers))? {
            if all.n > 0 && width != all.width {
                let (row, first) = (all.n, all.width);
                return Err(A::Error::custom(format!(
                    "row {row} has {width} numbers, those before it {first}"
                )));
            }
            (all.n, all.width) = (all.n + 1, width);
        }
        Ok(all)
    }
}

/// One row, appended to the numbers; gives its length.
struct Row<'a>(&'a mut Vec<f64>);

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Row<'_> {
    fn one(self, number: f64) -> usize {
        self.0.push(number);
        1
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a row of numbers")
    }

    fn visit_f64<E>(self, number: f64) -> Result<usize, E> {
        Ok(self.one(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<usize, E> {
        Ok(self.one(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<usize, E> {
        Ok(self.one(number as f64))
    }

    fn visit_unit<E>(self) -> Result<usize, E> {
        Ok(self.one(f64::NAN))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut row: A) -> Result<usize, A::Error> {
        let before = self.0.len();
        while let Some(number) = row.next_element::<Option<f64>>()? {
            self.0.push(number.unwrap_or(f64::NAN));
        }
        Ok(self.0.len() - before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_with_and_without_brackets() {
        let read = |text: &str| serde_json::from_str::<Rows>(text);
        assert_eq!(read("[[1, 2.5], [-3, 4e1]]").unwrap(), Rows::new(vec![1.0, 2.5, -3.0, 40.0], 2));
        let column = read("[1, -2, 0.5]").unwrap();
        assert_eq!((column.n, column.width, column.column(0)), (3, 1, vec![1.0, -2.0, 0.5]));
        assert_eq!(read("[]").unwrap(), Rows::default());
        let missing = read("[[1, null], [3, 4]]").unwrap();
        assert!(missing.column(1)[0].is_nan() && missing.column(1)[1] == 4.0);
        assert!(read("[null, 1]").unwrap().numbers[0].is_nan());
        assert_eq!(serde_json::to_string(&missing).unwrap(), "[[1.0,null],[3.0,4.0]]");
        for (text, told) in [
            ("[[1, 2], [3]]", "row 1 has 1 numbers, those before it 2"),
            ("[[1, \"2\"]]", "invalid type: string"),
            ("[[[1]]]", "invalid type"),
            ("{}", "rows of numbers"),
            ("[1e999]", "out of range"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
