//! The source state as a function of the place, estimated from its observations.

use super::latent_grid::LatentGrid;
use crate::error::Result;
use burn::tensor::{Device, Tensor, TensorData};
use lto_numerics::dataset::Context;
use lto_numerics::resample::SplineField;
use lto_numerics::setconv::nearest_linear;
use lto_numerics::{Field, PointStructure, Points};
use std::sync::Arc;

/// û_s of each example: the spline through the observations of a whole grid, otherwise through their
/// [`nearest_linear`] estimate on the latent grid.
#[derive(Clone, Debug)]
pub struct SourceFields {
    fields: Arc<Vec<SplineField>>,
}

impl SourceFields {
    /// Estimates the states that contexts observe.
    ///
    /// # Errors
    /// A latent grid with fewer than four points along an axis.
    pub fn new(contexts: &[Context], grid: &LatentGrid) -> Result<Self> {
        let fields = contexts.iter().map(|context| field(context, grid)).collect::<Result<_>>()?;
        Ok(Self { fields: Arc::new(fields) })
    }

    /// The fields.
    pub fn fields(&self) -> Arc<Vec<SplineField>> {
        self.fields.clone()
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

fn field(context: &Context, grid: &LatentGrid) -> Result<SplineField> {
    let p = context.n_channels;
    if let PointStructure::Grid(own) = context.points.structure() {
        let field = Field::new(Arc::new(own.clone()), p, context.values.clone())?;
        if let Ok(spline) = SplineField::new(&field) {
            return Ok(spline);
        }
    }
    let points = Points::grid(grid.grid().clone());
    let values = nearest_linear(&context.points, &context.values, &points)?;
    Ok(SplineField::new(&Field::new(Arc::new(grid.grid().clone()), p, values)?)?)
}
