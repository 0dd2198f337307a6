//! Reading ahead along the first axis, for arrays whose first axis is fastest in the file (MATLAB, Fortran
//! order). There one sample is scattered over the whole array, so reading samples one by one would make one
//! pass over the array per sample. When a caller does that, one pass fetches as many of the following samples
//! as fit into [`BUDGET`].

/// Most bytes kept.
const BUDGET: usize = 64 << 20;

/// A slice of one array, by its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    pub array: usize,
    pub start: Vec<usize>,
    pub count: Vec<usize>,
}

impl Slice {
    fn rows(&self) -> (usize, usize) {
        (self.start.first().copied().unwrap_or(0), self.count.first().copied().unwrap_or(1))
    }

    /// Whether both differ at most in the first axis.
    fn same_rows(&self, other: &Slice) -> bool {
        self.array == other.array
            && self.start.get(1..) == other.start.get(1..)
            && self.count.get(1..) == other.count.get(1..)
    }
}

/// The last slice requested, and a longer one kept because the next is likely to be requested.
#[derive(Default)]
pub(crate) struct ReadAhead {
    last: Option<Slice>,
    kept: Option<(Slice, Vec<f64>)>,
}

impl ReadAhead {
    /// The values of a slice that lies within the kept one.
    pub fn serve(&mut self, slice: &Slice) -> Option<Vec<f64>> {
        let (kept, values) = self.kept.as_ref()?;
        let ((from, rows), (kept_from, kept_rows)) = (slice.rows(), kept.rows());
        if !slice.same_rows(kept) || from < kept_from || from + rows > kept_from + kept_rows {
            return None;
        }
        let row = values.len().checked_div(kept_rows)?;
        let part = values.get((from - kept_from) * row..(from - kept_from + rows) * row)?.to_vec();
        self.last = Some(slice.clone());
        Some(part)
    }

    /// If `slice` directly follows the last one: the longer slice worth reading instead. Discards what was
    /// kept.
    pub fn extend(&mut self, slice: &Slice, shape: &[usize]) -> Option<Slice> {
        self.kept = None;
        let last = self.last.replace(slice.clone())?;
        let ((last_from, last_rows), (from, rows)) = (last.rows(), slice.rows());
        if !slice.same_rows(&last) || from != last_from + last_rows || rows == 0 {
            return None;
        }
        let row_bytes = slice.count.iter().skip(1).product::<usize>().saturating_mul(size_of::<f64>());
        let longer = BUDGET.checked_div(row_bytes)?.min(shape.first()? - from);
        let mut count = slice.count.clone();
        *count.first_mut()? = longer;
        (longer > rows).then(|| Slice { array: slice.array, start: slice.start.clone(), count })
    }

    /// Keeps what was read for [`ReadAhead::extend`].
    pub fn keep(&mut self, slice: Slice, values: Vec<f64>) {
        self.kept = Some((slice, values));
    }
}
