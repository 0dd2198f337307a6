//! Solved samples as bytes for the journal, and back: number of arrays (`u32`), their lengths (`u64`), their
//! values as `f32`, all little-endian. One array per grid for an evolution, two (source, target) for a steady
//! problem.

use crate::error::{Error, Result};
use crate::pde::Pde;
use crate::{Field, Sample, Trajectory};

/// Encodes the result of [`Pde::sample`]. Values are rounded to single precision, as in files.
///
/// # Errors
/// A value beyond single precision.
pub fn encode(samples: &[Sample]) -> Result<Vec<u8>> {
    let arrays: Vec<&[f64]> = samples
        .iter()
        .flat_map(|sample| match sample {
            Sample::Evolution(trajectory) => vec![trajectory.values()],
            Sample::Steady { source, target } => vec![source.values(), target.values()],
        })
        .collect();
    let n_values: usize = arrays.iter().map(|array| array.len()).sum();
    let mut bytes = Vec::with_capacity(4 + 8 * arrays.len() + 4 * n_values);
    bytes.extend((arrays.len() as u32).to_le_bytes());
    for array in &arrays {
        bytes.extend((array.len() as u64).to_le_bytes());
    }
    for (index, &value) in arrays.into_iter().flatten().enumerate() {
        let single = value as f32;
        if !single.is_finite() {
            let what = "the solution in single precision".into();
            return Err(Error::NonFiniteValue { what, index: vec![index], value });
        }
        bytes.extend(single.to_le_bytes());
    }
    Ok(bytes)
}

/// The samples that were given to [`encode`], one per grid of `pde`; `None` for any other bytes.
pub fn decode(pde: &dyn Pde, bytes: &[u8]) -> Option<Vec<Sample>> {
    let mut arrays = split(bytes)?.into_iter();
    let times = pde.times();
    let sample = |grid: &std::sync::Arc<crate::Grid>| {
        let mut field = || {
            let values = arrays.next()?;
            Field::new(grid.clone(), values.len() / grid.len(), values).ok()
        };
        if times.is_empty() {
            return Some(Sample::Steady { source: field()?, target: field()? });
        }
        let values = arrays.next()?;
        let n_channels = values.len() / (times.len() * grid.len());
        Trajectory::new(grid.clone(), times.to_vec(), n_channels, values).ok().map(Sample::Evolution)
    };
    pde.grids().iter().map(sample).collect()
}

fn split(bytes: &[u8]) -> Option<Vec<Vec<f64>>> {
    let (count, mut rest) = bytes.split_first_chunk()?;
    let mut lengths = Vec::new();
    for _ in 0..u32::from_le_bytes(*count) {
        let (length, after) = rest.split_first_chunk()?;
        lengths.push(usize::try_from(u64::from_le_bytes(*length)).ok()?);
        rest = after;
    }
    let (values, []) = rest.as_chunks::<4>() else { return None };
    let total = lengths.iter().try_fold(0usize, |sum, &n| sum.checked_add(n));
    let mut values = values.iter().map(|b| f64::from(f32::from_le_bytes(*b)));
    (total == Some(values.len()))
        .then(|| lengths.into_iter().map(|n| values.by_ref().take(n).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::{PdeConfig, sample_rng};

    #[test]
    fn samples_come_back_in_single_precision() {
        let json = r#"{"pde": "heat", "resolution": 8, "n_frames": 3}"#;
        let pde = serde_json::from_str::<PdeConfig>(json).unwrap().build().unwrap();
        let samples = pde.sample(&mut sample_rng(1, 2)).unwrap();
        let bytes = encode(&samples).unwrap();
        let back = decode(pde.as_ref(), &bytes).unwrap();
        let [Sample::Evolution(before)] = &samples[..] else { panic!() };
        let [Sample::Evolution(after)] = &back[..] else { panic!() };
        assert_eq!((before.times(), before.grid()), (after.times(), after.grid()));
        let rounded: Vec<f64> = before.values().iter().map(|&v| f64::from(v as f32)).collect();
        assert_eq!(after.values(), rounded);
        for end in 0..bytes.len() {
            assert!(decode(pde.as_ref(), &bytes[..end]).is_none(), "{end}");
        }
    }
}
