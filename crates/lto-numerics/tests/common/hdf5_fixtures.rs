//! What `fixtures/hdf5/make.py` writes, computed anew from the names and shapes alone.

use lto_numerics::dataset::format::ArrayStore;

/// All values of the array `name` of `shape`.
pub fn expected(name: &str, shape: &[usize]) -> Vec<f64> {
    let value = |i: usize| {
        let v = ((37 * i) % 101) as f64 - 50.0;
        match name.trim_start_matches("le_").trim_start_matches("be_") {
            "unwritten" => 2.5,
            "bool" => f64::from(v > 0.0),
            "u1" | "u2" | "u4" | "u8" => v.abs(),
            "i1" | "i2" | "i4" | "i8" | "fletcher32" | "scaleoffset" => v,
            _ => v / 2.0,
        }
    };
    (0..shape.iter().product()).map(value).collect()
}

/// Reads slices of every array (whole, single entries, and boxes in between) and compares them with [`expected`].
pub fn assert_all_slices_equal(store: &mut dyn ArrayStore) {
    for info in store.arrays().to_vec() {
        let (name, shape) = (&info.name, &info.shape);
        let all = expected(name, shape);
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below.max(1)
        };
        for trial in 0..25 {
            let start: Vec<_> = shape.iter().map(|&n| if trial == 0 { 0 } else { random(n) }).collect();
            let count: Vec<_> = shape
                .iter()
                .zip(&start)
                .map(|(&n, &s)| if trial == 0 { n } else { 1 + random(n - s) })
                .collect();
            let got = store.read(name, &start, &count).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(got, slice(&all, shape, &start, &count), "{name} {start:?} {count:?}");
        }
    }
}

/// The box `start .. start + count` of row-major `values`.
fn slice(values: &[f64], shape: &[usize], start: &[usize], count: &[usize]) -> Vec<f64> {
    let (Some((&n, shape)), Some((&s, start)), Some((&c, count))) =
        (shape.split_first(), start.split_first(), count.split_first())
    else {
        return values.to_vec();
    };
    let row = values.len() / n.max(1);
    (s..s + c).flat_map(|i| slice(&values[i * row..(i + 1) * row], shape, start, count)).collect()
}
