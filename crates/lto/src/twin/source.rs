//! The source state as a function of the place, estimated from its observations.

use super::latent_grid::LatentGrid;
use crate::error::Result;
use crate::interpolate::by_channel;
use burn::tensor::{Device, Tensor, TensorData};
use lto_numerics::dataset::Context;
use lto_numerics::kriging::Covariance;
use lto_numerics::resample::SplineField;
use lto_numerics::setconv::nearest_linear;
use lto_numerics::{Field, PointStructure, Points};
use std::sync::Arc;

/// û_s of each example: the spline through the observations of a whole grid, otherwise through their estimate on the
/// latent grid by [`nearest_linear`] or, given a covariance for every channel of a frame, the
/// [best linear one](Covariance::estimate). A channel that nobody observes is zero, the mean.
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
        covariances: &[Covariance],
        q: usize,
    ) -> Result<Self> {
        let fields =
            contexts.iter().map(|context| field(context, grid, covariances)).collect::<Result<Vec<_>>>()?;
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
        Tensor::from_data(TensorData::new(all, [self.fields.len(), p, n0, n1]), device)
    }
}

fn field(context: &Context, grid: &LatentGrid, covariances: &[Covariance]) -> Result<SplineField> {
    let p = context.n_channels;
    if let (PointStructure::Grid(own), false) = (context.points.structure(), context.has_missing()) {
        let field = Field::new(Arc::new(own.clone()), p, context.values.clone())?;
        if let Ok(spline) = SplineField::new(&field) {
            return Ok(spline);
        }
    }
    let points = Points::grid(grid.grid().clone());
    let values = if covariances.is_empty() {
        by_channel(context, &points, 0.0, |context, points| {
            Ok(nearest_linear(&context.points, &context.values, points)?)
        })?
    } else {
        let estimate = |c: usize| match context.channel(c) {
            Some(Context { points: places, values, deviations, .. }) => {
                let covariance = &covariances[c % covariances.len()];
                Ok(covariance.estimate(&places, &values, deviations.as_deref(), &points)?)
            }
            None => Ok(vec![0.0; points.len()]),
        };
        (0..p).map(estimate).collect::<Result<Vec<_>>>()?.concat()
    };
    Ok(SplineField::new(&Field::new(Arc::new(grid.grid().clone()), p, values)?)?)
}
