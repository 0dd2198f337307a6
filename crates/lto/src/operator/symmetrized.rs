//! Predictions that are means over the symmetries of a problem, whatever the model.

use super::{Batch, Latents, Operator, Reach};
use crate::device::table;
use crate::error::{Error, Result};
use crate::loss::{LossTerm, Objective};
use crate::parameters::{Named, NewValues};
use crate::problem::Problem;
use burn::tensor::{Device, Gradients, Int, Tensor};
use lto_numerics::dataset::{Context, Normalizer};
use lto_numerics::{Isometry, Points, SetConv, Symmetry};
use std::sync::Arc;

/// `Ψ̄ = 1/K Σ_g g⁻¹ Ψ g` over K symmetries g: the observations are moved, the state is predicted at the moved query points, and
/// carried back. Over a group, Ψ̄ treats a state and its mirror images exactly alike, as the problem does. It is trained as Ψ is.
pub struct Symmetrized {
    operator: Arc<dyn Operator>,
    /// The identity first.
    maps: Arc<[Isometry]>,
    /// `mean / scale` of every channel of sources and of targets: where zero is in normalized units.
    offsets: Arc<[Vec<f64>; 2]>,
}

impl Symmetrized {
    /// Over all members of families that the domain has, for states normalized so.
    ///
    /// # Errors
    /// A family that does not map the domain onto itself.
    pub fn new(
        operator: Arc<dyn Operator>,
        families: &[Symmetry],
        normalizers: [&Normalizer; 2],
    ) -> Result<Self> {
        let domain = &operator.problem().domain;
        families.iter().try_for_each(|family| family.check(domain))?;
        let maps = Isometry::all(families, domain).into();
        let offset = |normalizer: &Normalizer| {
            normalizer.mean().iter().zip(normalizer.scale()).map(|(mean, scale)| mean / scale).collect()
        };
        Ok(Self { operator, maps, offsets: Arc::new(normalizers.map(offset)) })
    }

    fn with(&self, operator: Arc<dyn Operator>) -> Arc<dyn Operator> {
        Arc::new(Self { operator, maps: self.maps.clone(), offsets: self.offsets.clone() })
    }

    /// A context as the state moved by a map shows it.
    fn moved(&self, context: &Context, map: &Isometry) -> Result<Context> {
        let mut moved = context.moved(map)?;
        if map.negated {
            let channels = moved.values.chunks_exact_mut(moved.points.len());
            // Of u = scale · (v + offset), −u is v ↦ −v − 2 offset.
            for (channel, offset) in channels.zip(&self.offsets[0]) {
                channel.iter_mut().for_each(|value| *value -= 2.0 * offset);
            }
        }
        Ok(moved)
    }

    /// Predictions at moved queries, carried back: those of each moved point to the point that it was.
    fn carried_back(&self, predicted: Tensor<3>, orders: &[Vec<usize>], map: &Isometry) -> Tensor<3> {
        let ([b, q, m], device) = (predicted.dims(), predicted.device());
        let mut places = vec![0; orders.len() * m];
        for (places, order) in places.chunks_exact_mut(m).zip(orders) {
            order.iter().enumerate().for_each(|(now, before)| places[*before] = now as i32);
        }
        let still =
            places.chunks_exact(m).all(|places| places.iter().zip(0..).all(|(now, before)| *now == before));
        let values = if still {
            predicted
        } else {
            let places =
                Tensor::<1, Int>::from_ints(places.as_slice(), &device).reshape([orders.len(), 1, m]);
            predicted.gather(2, places.expand([b, q, m]))
        };
        if !map.negated {
            return values;
        }
        let offset = self.offsets[1].iter().map(|offset| 2.0 * *offset as f32).collect();
        values.neg() - table(offset, [1, q, 1], &device)
    }
}

/// The latent states of every moved state.
fn each(latents: &Latents) -> Result<&Vec<Latents>> {
    let found = latents.latent.downcast_ref();
    found.ok_or_else(|| Error::Config {
        key: "latent states".into(),
        value: "of another kind of model".into(),
        requirement: "must be evolved and decoded by the model that encoded them".into(),
    })
}

/// The same latent states after something was done to those of every moved state.
fn all(latents: &Latents, times: &[(f64, f64)], of: impl Fn(&Latents) -> Result<Latents>) -> Result<Latents> {
    let moved: Vec<Latents> = each(latents)?.iter().map(of).collect::<Result<_>>()?;
    Ok(Latents { contexts: latents.contexts.clone(), times: times.to_vec(), latent: Arc::new(moved) })
}

impl Operator for Symmetrized {
    fn encode(&self, contexts: Arc<[Context]>) -> Result<Latents> {
        let encode = |map: &Isometry| {
            let moved = contexts.iter().map(|context| self.moved(context, map));
            self.operator.encode(moved.collect::<Result<_>>()?)
        };
        let moved: Vec<Latents> = self.maps.iter().map(encode).collect::<Result<_>>()?;
        Ok(Latents { contexts, times: Vec::new(), latent: Arc::new(moved) })
    }

    fn evolve(&self, latents: &Latents, times: &[(f64, f64)]) -> Result<Latents> {
        all(latents, times, |moved| self.operator.evolve(moved, times))
    }

    fn chain(&self, latents: &Latents, times: &[(f64, f64)], n: usize) -> Result<Latents> {
        all(latents, times, |moved| self.operator.chain(moved, times, n))
    }

    fn decode(&self, latents: &Latents, queries: &[Arc<Points>]) -> Result<Tensor<3>> {
        let mut sum: Option<Tensor<3>> = None;
        for (map, moved) in self.maps.iter().zip(each(latents)?) {
            let (mut places, mut orders) =
                (Vec::with_capacity(queries.len()), Vec::with_capacity(queries.len()));
            for query in queries {
                let (moved, order) = map.apply(query)?;
                places.push(Arc::new(moved));
                orders.push(order);
            }
            let values = self.carried_back(self.operator.decode(moved, &places)?, &orders, map);
            sum = Some(match sum {
                Some(sum) => sum + values,
                None => values,
            });
        }
        let sum = sum.ok_or(Error::Numerics(lto_numerics::Error::NoPoints))?;
        Ok(sum / self.maps.len() as f64)
    }

    /// Of the state as it is.
    fn features(&self, latents: &Latents, queries: &[Arc<Points>]) -> Result<Option<Tensor<3>>> {
        self.operator.features(&each(latents)?[0], queries)
    }

    fn loss_terms(&self, batch: &Batch, objective: &Objective) -> Result<Vec<LossTerm>> {
        self.operator.loss_terms(batch, objective)
    }

    fn with_flat(&self, values: &Tensor<1>) -> Arc<dyn Operator> {
        self.with(self.operator.with_flat(values))
    }

    fn with_parameters(&self, values: &mut NewValues) -> Arc<dyn Operator> {
        self.with(self.operator.with_parameters(values))
    }

    fn with_gradients(&self) -> Arc<dyn Operator> {
        self.with(self.operator.with_gradients())
    }

    fn without_gradients(&self) -> Arc<dyn Operator> {
        self.with(self.operator.without_gradients())
    }

    fn on(&self, device: &Device) -> Arc<dyn Operator> {
        self.with(self.operator.on(device))
    }

    fn problem(&self) -> &Problem {
        self.operator.problem()
    }

    fn reach(&self) -> Reach {
        self.operator.reach()
    }

    fn cuts_queries(&self) -> bool {
        self.operator.cuts_queries()
    }

    fn takes_missing(&self) -> bool {
        self.operator.takes_missing()
    }

    fn parameters(&self) -> Vec<Named> {
        self.operator.parameters()
    }

    fn count(&self, parameter: &Named) -> usize {
        self.operator.count(parameter)
    }

    fn gradients(&self, gradients: &mut Gradients) -> Vec<Named> {
        self.operator.gradients(gradients)
    }

    fn flat_gradients(&self, gradients: &mut Gradients) -> Tensor<1> {
        self.operator.flat_gradients(gradients)
    }

    fn device(&self) -> Device {
        self.operator.device()
    }

    fn set_convolution(&self, points: &Points) -> Option<SetConv> {
        self.operator.set_convolution(points)
    }
}
