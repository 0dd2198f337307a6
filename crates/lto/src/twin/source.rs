//! The source state as a function of the place, estimated from its observations.

use super::latent_grid::LatentGrid;
use crate::device::table;
use crate::error::Result;
use crate::interpolate::by_channel;
use burn::tensor::{Device, Tensor};
use lto_numerics::dataset::Context;
use lto_numerics::kriging::Kriging;
use lto_numerics::resample::SplineField;
use lto_numerics::setconv::nearest_linear;
use lto_numerics::{Field, Grid, PointStructure, Points};
use std::sync::Arc;

/// û_s of each example: the spline through the observations of a whole grid, otherwise through their estimate on the
/// latent grid by [`nearest_linear`] or, given what estimates every channel of a frame best, the
/// [best linear one](Kriging::estimate), also from grids coarser than the latent one; whole grids are then
/// [smoothed](Kriging::smoothed) where they show noise. A channel that nobody observes is zero,
/// the mean.
#[derive(Clone, Debug)]
pub struct SourceFields {
    /// All frames of the sources.
    fields: Arc<Vec<SplineField>>,
    /// The newest of them.
    newest: Arc<Vec<SplineField>>,
}

impl SourceFields {
    /// Estimates the states that contexts observe, whose newest frame has `q` channels.
    ///
    /// # Errors
    /// A latent grid with fewer than four points along an axis.
    pub fn new(
        contexts: &[Context],
        grid: &LatentGrid,
        best_linear: Option<&[Kriging]>,
        q: usize,
    ) -> Result<Self> {
        let fields =
            contexts.iter().map(|context| field(context, grid, best_linear)).collect::<Result<Vec<_>>>()?;
        let fields = Arc::new(fields);
        let newest = match contexts[0].n_channels == q {
            true => fields.clone(),
            false => Arc::new(fields.iter().map(|field| field.last_channels(q)).collect()),
        };
        Ok(Self { fields, newest })
    }

    /// The newest frames.
    pub fn fields(&self) -> Arc<Vec<SplineField>> {
        self.newest.clone()
    }

    /// The estimates at the points of the latent grid.
    ///
    /// # Shapes
    /// b examples → `[b, p, n0, n1]`.
    pub fn on_grid(&self, grid: &LatentGrid, device: &Device) -> Tensor<4> {
        let points = Points::grid(grid.grid().clone());
        let ([n0, n1], p) = (grid.shape(), self.fields[0].n_channels());
        let mut all = Vec::with_capacity(self.fields.len() * p * points.len());
        let (mut place, mut values) = (vec![0.0; points.dim()], vec![0.0; p]);
        for field in self.fields.iter() {
            let begin = all.len();
            all.resize(begin + p * points.len(), 0.0f32);
            for i in 0..points.len() {
                points.write_point(i, &mut place);
                field.write(&place, &mut values, &mut []);
                values.iter().enumerate().for_each(|(c, v)| all[begin + c * points.len() + i] = *v as f32);
            }
        }
        table(all, [self.fields.len(), p, n0, n1], device)
    }
}

fn field(context: &Context, grid: &LatentGrid, best_linear: Option<&[Kriging]>) -> Result<SplineField> {
    let p = context.n_channels;
    let coarse = best_linear.is_some() && context.points.len() < grid.grid().len();
    if let (PointStructure::Grid(own), false) = (context.points.structure(), coarse || context.has_missing())
    {
        let own = Arc::new(own.clone());
        let values = match best_linear {
            None => context.values.clone(),
            Some(each) => smoothed(context, &own, each)?,
        };
        if let Ok(spline) = SplineField::new(&Field::new(own, p, values)?) {
            return Ok(spline);
        }
    }
    let points = Points::grid(grid.grid().clone());
    let values = match best_linear {
        None => by_channel(context, &points, 0.0, |context, points| {
            Ok(nearest_linear(&context.points, &context.values, points)?)
        })?,
        Some(each) => {
            let estimate = |c: usize| match context.channel(c) {
                Some(Context { points: places, values, deviations, .. }) => {
                    Ok(each[c % each.len()].estimate(&places, &values, deviations.as_deref(), &points)?)
                }
                None => Ok(vec![0.0; points.len()]),
            };
            (0..p).map(estimate).collect::<Result<Vec<_>>>()?.concat()
        }
    };
    Ok(SplineField::new(&Field::new(Arc::new(grid.grid().clone()), p, values)?)?)
}

/// The values of a whole grid, without the noise that they show.
fn smoothed(context: &Context, grid: &Arc<Grid>, best_linear: &[Kriging]) -> Result<Vec<f64>> {
    let n = grid.len();
    let mut all = Vec::with_capacity(context.values.len());
    for (c, values) in context.values.chunks_exact(n).enumerate() {
        let field = Field::new(grid.clone(), 1, values.to_vec())?;
        let deviations = context.deviations.as_ref().map(|all| &all[c * n..(c + 1) * n]);
        let noise = deviations.map(|each| each.iter().map(|d| d * d).sum::<f64>() / n as f64);
        match best_linear[c % best_linear.len()].smoothed(&field, noise) {
            Some(smooth) => all.extend(smooth),
            None => all.extend(values),
        }
    }
    Ok(all)
}
