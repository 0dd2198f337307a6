//! Samples of a PDE, solved when needed.

use super::file::to_single;
use super::source::{Key, SampleLayout, SampleSource, choose_finer};
use crate::error::Result;
use lto_numerics::pde::{Pde, PdeConfig, sample_rng};
use rayon::prelude::*;

/// Random problems of a PDE: sample `i` is always drawn from the stream `(seed, i)`.
pub struct GeneratedSource {
    layout: SampleLayout,
    pde: Box<dyn Pde>,
    seed: u64,
    frame_stride: usize,
    /// Index of the finer one of the PDE's grids.
    finer: Option<usize>,
}

impl GeneratedSource {
    /// `n_samples` problems under `seed`; nothing is solved yet. `wanted` is as for files.
    ///
    /// # Errors
    /// A parameter of the PDE out of range.
    pub fn new(
        config: &PdeConfig,
        n_samples: usize,
        seed: u64,
        frame_stride: usize,
        wanted: impl Fn(usize) -> f64,
    ) -> Result<Self> {
        let pde = config.build()?;
        let grids = pde.grids();
        let grid = grids[0].clone();
        let candidates = grids.iter().cloned().enumerate().skip(1).map(|(index, grid)| (grid, index));
        let finer = choose_finer(&grid, wanted(grid.len()), candidates);
        let times: Vec<f64> = pde.times().iter().copied().step_by(frame_stride).collect();
        // All our equations have one channel; a steady one has another for its source.
        let (source, target) = if times.is_empty() { ("a", "u") } else { ("u", "u") };
        let layout = SampleLayout {
            n_samples,
            finer: finer.as_ref().map(|(grid, _)| grid.clone()),
            times,
            source_channels: vec![source.into()],
            target_channels: vec![target.into()],
            description: format!("{n_samples} generated samples of {}, seed {seed}", config.name()),
            grid,
        };
        Ok(Self { layout, seed, frame_stride, finer: finer.map(|(_, index)| index), pde })
    }

    fn solve(&self, sample: usize) -> Result<Vec<(Key, Vec<f32>)>> {
        let solved = self.pde.sample(&mut sample_rng(self.seed, sample as u64))?;
        let levels = [Some(0), self.finer];
        let kept = levels.into_iter().enumerate().filter_map(|(level, index)| {
            let found = solved.get(index?)?;
            let mut values = to_single(found);
            if !self.layout.is_steady() && self.frame_stride > 1 {
                let frame = found.grid().len() * self.layout.source_channels.len();
                values = values.chunks_exact(frame).step_by(self.frame_stride).flatten().copied().collect();
            }
            Some((Key { sample, frame: None, finer: level == 1 }, values))
        });
        Ok(kept.collect())
    }
}

impl SampleSource for GeneratedSource {
    fn layout(&self) -> &SampleLayout {
        &self.layout
    }

    fn by_frame(&self) -> bool {
        false
    }

    /// Samples are solved in parallel.
    fn load(&self, keys: &[Key]) -> Result<Vec<(Key, Vec<f32>)>> {
        let mut samples: Vec<usize> = keys.iter().map(|key| key.sample).collect();
        samples.sort_unstable();
        samples.dedup();
        let solved: Vec<_> =
            samples.into_par_iter().map(|sample| self.solve(sample)).collect::<Result<_>>()?;
        Ok(solved.into_iter().flatten().collect())
    }
}
