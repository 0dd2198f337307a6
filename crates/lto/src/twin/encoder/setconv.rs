//! The Gaussian set-convolution encoder: density and signals on the latent grid, then a small CNN.

use super::{Density, Encode, EncoderKind};
use crate::device::{is_processor, send, send_indices, table};
use crate::error::Result;
use crate::kernel::clock;
use crate::kernel::log_scale::{attach_log_scale, scale_of};
use crate::kernel::set_convolution::{self, Observed};
use crate::nn::conv::{Activation, Conv, ConvConfig};
use crate::operator::tensor;
use crate::problem::Problem;
use crate::size::chain;
use crate::twin::config::{LengthScale, TwinConfig, latent_spacing, refuse, require_size};
use crate::twin::latent_grid::{LatentGrid, position_channels};
use crate::twin::source::SourceFields;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use lto_numerics::dataset::Context;
use lto_numerics::setconv::{GridChannels, trust};
use lto_numerics::{Points, SetConv};
use serde::{Deserialize, Serialize};

/// Configuration of a [`SetConvEncoder`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetConvConfig {
    /// Hidden channels h.
    pub hidden: usize,
    /// Initial ℓ.
    #[serde(default)]
    pub length_scale: LengthScale,
    /// ε in the denominator of the signal.
    #[serde(default = "default_density_floor")]
    pub density_floor: f64,
    /// What the density channel holds.
    #[serde(default)]
    pub density: Density,
    /// Whether the network also sees the estimated source on the latent grid: sharper than the signal, and
    /// never empty in a gap.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimate: bool,
    /// Whether the network also sees where it is: for what the state alone does not tell, as a forcing or a coast.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub position: bool,
    /// Whether every channel has a density of its own, since each may be missing at other points: what is trained on
    /// records has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub each: bool,
    /// τ of the [trust] in sensors of known noise: what an exact sensor would still be off by, in deviations of its channel.
    #[serde(default = "default_tau", skip_serializing_if = "is_default_tau")]
    pub tau: f64,
}

fn default_tau() -> f64 {
    0.1
}

fn is_default_tau(tau: &f64) -> bool {
    *tau == default_tau()
}

fn default_density_floor() -> f64 {
    SetConv::DENSITY_FLOOR
}

/// conv5 (1+p → h) ReLU, conv5 (h → h) ReLU, conv5 (h → k), on the channels of the set convolution, and on p more of
/// the estimated source and those of the [position](LatentGrid::position) if it sees them, and static fields if the
/// problem has any. With a density for each channel there are 2p in place of 1 + p.
#[derive(Module, Debug)]
pub struct SetConvEncoder {
    /// log ℓ `[1]`; if ℓ follows the layout, the logarithm of its multiple of the spacing.
    pub log_length_scale: Param<Tensor<1>>,
    layers: [Conv; 3],
    #[module(skip)]
    density: Density,
    #[module(skip)]
    density_floor: f64,
    /// The spacing of the latent grid, if ℓ follows the layout.
    #[module(skip)]
    least_spacing: Option<f64>,
    #[module(skip)]
    estimate: bool,
    #[module(skip)]
    position: bool,
    #[module(skip)]
    each: bool,
    #[module(skip)]
    tau: f64,
}

impl EncoderKind for SetConvConfig {
    type Network = SetConvEncoder;

    fn validate(&self) -> Result<()> {
        require_size("encoder", self.hidden)?;
        self.length_scale.validate("encoder.length_scale")?;
        if !(self.tau > 0.0 && self.tau.is_finite()) {
            return refuse("encoder.tau", self.tau.to_string(), "must be positive");
        }
        let floor = self.density_floor;
        if floor >= f64::from(f32::MIN_POSITIVE) && floor.is_finite() {
            return Ok(());
        }
        let requirement = "must be finite and at least 1.2e-38, the smallest number in single precision";
        refuse("encoder.density_floor", floor.to_string(), requirement)
    }

    fn weights(&self, p: usize, k: usize, taps: f64) -> f64 {
        taps * chain([p, self.hidden, self.hidden, k])
    }

    fn sees_estimate(&self) -> bool {
        self.estimate
    }

    fn takes_missing(&self) -> bool {
        self.each
    }

    fn init(&self, twin: &TwinConfig, problem: &Problem, device: &Device) -> SetConvEncoder {
        let (dim, padding) = (problem.domain.dim(), twin.padding(&problem.domain));
        let conv =
            |input, output| ConvConfig { input, output, width: 5, dilation: 1, dim, padding }.init(device);
        let (learned, least_spacing) = match self.length_scale {
            LengthScale::Layout { layout } => {
                (layout, Some(latent_spacing(&problem.domain, twin.latent_points)))
            }
            fixed => (fixed.resolve(problem, twin.latent_points), None),
        };
        let estimates = if self.estimate { problem.source_channels } else { 0 };
        let positions = if self.position { position_channels(&problem.domain) } else { 0 };
        let densities = if self.each { problem.source_channels } else { 1 };
        let statics = problem.measured.statics.as_ref().map_or(0, |fields| fields.names.len());
        let seen = densities + problem.source_channels + estimates + positions + statics;
        SetConvEncoder {
            log_length_scale: Param::from_data([learned.ln() as f32], device),
            layers: [
                conv(seen, self.hidden),
                conv(self.hidden, self.hidden),
                conv(self.hidden, twin.latent_channels),
            ],
            density: self.density,
            density_floor: self.density_floor,
            least_spacing,
            estimate: self.estimate,
            position: self.position,
            each: self.each,
            tau: self.tau,
        }
    }
}

impl Encode for SetConvEncoder {
    fn forward(
        &self,
        contexts: &[Context],
        source: Option<&SourceFields>,
        statics: &[f64],
        grid: &LatentGrid,
    ) -> Tensor<4> {
        let [c1, c2, c3] = &self.layers;
        let mut x = self.channels(contexts, grid);
        let device = x.device();
        if let (true, Some(source)) = (self.estimate, source) {
            x = Tensor::cat(vec![x, source.on_grid(grid, &device)], 1);
        }
        if self.position {
            let position = grid.position(&device).repeat_dim(0, contexts.len());
            x = Tensor::cat(vec![x, position], 1);
        }
        if !statics.is_empty() {
            let [n0, n1] = grid.shape();
            let values = statics.iter().map(|&value| value as f32).collect();
            let statics = table(values, [1, statics.len() / (n0 * n1), n0, n1], &device);
            x = Tensor::cat(vec![x, statics.repeat_dim(0, contexts.len())], 1);
        }
        c3.forward(c2.activated(c1.activated(x, Activation::Relu), Activation::Relu))
    }

    /// In single precision. `None` where training has driven ℓ out of all bounds.
    fn set_convolution(&self, points: &Points) -> Option<SetConv> {
        let learned = scale_of(&self.log_length_scale.val()).length;
        let spacing = self.least_spacing.map_or(1.0, |least| points.mean_spacing().max(least));
        let setconv = SetConv::new(learned * spacing).ok()?;
        Some(setconv.with_density_floor(self.density_floor).ok()?.in_single_precision())
    }
}

impl SetConvEncoder {
    /// Density and signals as a tensor that carries the gradient of log ℓ; not numbers where ℓ is none. With a density for
    /// each channel, both of the first, then both of the second, and so on: zero for a channel that is observed nowhere.
    ///
    /// # Shapes
    /// b contexts → `[b, 1 + p, n0, n1]`, or `[b, 2p, n0, n1]`.
    pub fn channels(&self, contexts: &[Context], grid: &LatentGrid) -> Tensor<4> {
        let log_length_scale = self.log_length_scale.val();
        if !is_processor(&log_length_scale.device()) {
            return self.stock(contexts, grid);
        }
        let slope = scale_of(&log_length_scale).slope;
        let ([n0, n1], p) = (grid.shape(), contexts[0].n_channels);
        let shape = [contexts.len(), if self.each { 2 * p } else { 1 + p }, n0, n1];
        let made = clock::timed(|| match self.each {
            true => self.of_channels(contexts, grid, slope),
            false => self.of_batch(&contexts.iter().collect::<Vec<_>>(), grid, slope),
        });
        if slope {
            attach_log_scale(made.values, made.slopes, shape, log_length_scale)
        } else {
            send(made.values, shape, &log_length_scale.device())
        }
    }

    /// [Channels](SetConvEncoder::channels) by stock operations.
    fn stock(&self, contexts: &[Context], grid: &LatentGrid) -> Tensor<4> {
        if !self.each {
            return self.stock_of_batch(&contexts.iter().collect::<Vec<_>>(), grid);
        }
        let each = apart(contexts);
        let ([n0, n1], device) = (grid.shape(), self.log_length_scale.val().device());
        let mut made = vec![Tensor::zeros([1, 2, n0, n1], &device)];
        let known: Vec<&Context> = each.iter().flatten().collect();
        if !known.is_empty() {
            made.push(self.stock_of_batch(&known, grid));
        }
        let mut last = 0;
        let place = |channel: &Option<Context>| {
            last += usize::from(channel.is_some());
            if channel.is_some() { last } else { 0 }
        };
        let places = send_indices(each.iter().map(place).collect(), &device);
        Tensor::cat(made, 0).select(0, places).reshape([contexts.len(), 2 * contexts[0].n_channels, n0, n1])
    }

    /// Contexts that are observed alike are computed together.
    fn stock_of_batch(&self, contexts: &[&Context], grid: &LatentGrid) -> Tensor<4> {
        let trusts: Vec<Vec<f64>> = match contexts.iter().any(|context| context.deviations.is_some()) {
            true => contexts.iter().map(|context| self.trust(context)).collect(),
            false => Vec::new(),
        };
        let observed = contexts.iter().enumerate().map(|(i, context)| Observed {
            points: &context.points,
            values: &context.values,
            trust: trusts.get(i).map(|trust| &trust[..]),
        });
        let observed: Vec<Observed> = observed.collect();
        let groups = observed.chunk_by(Observed::is_like).map(|group| self.stock_of_group(group, grid));
        Tensor::cat(groups.collect(), 0)
    }

    fn stock_of_group(&self, observed: &[Observed], grid: &LatentGrid) -> Tensor<4> {
        let mut log_scale = self.log_length_scale.val();
        let (b, device) = (observed.len(), log_scale.device());
        log_scale = match self.least_spacing {
            Some(least) => {
                let spacing = |one: &Observed| one.points.mean_spacing().max(least).ln();
                log_scale + tensor::<1>(&observed.iter().map(spacing).collect::<Vec<_>>(), [b], &device)
            }
            None => log_scale.expand([b]),
        };
        let sums = set_convolution::sums(observed, grid.grid(), log_scale.clone());
        let p = sums.dims()[1] - 1;
        let (rho, signals) = (sums.clone().narrow(1, 0, 1), sums.narrow(1, 1, p));
        let signals = signals / (rho.clone() + self.density_floor);
        let n_points: Vec<usize> = observed.iter().map(|one| one.points.len()).collect();
        let density =
            self.density.stock(grid.grid().domain(), &n_points, log_scale.reshape([b, 1, 1, 1]), rho);
        Tensor::cat(vec![density, signals], 1)
    }

    /// Every channel as a context of its own, where it is observed.
    fn of_channels(&self, contexts: &[Context], grid: &LatentGrid, slope: bool) -> GridChannels<f32> {
        let each = apart(contexts);
        let made = self.of_batch(&each.iter().flatten().collect::<Vec<_>>(), grid, slope);
        let size = 2 * grid.grid().len();
        let spread = |made: &[f32]| {
            let (mut known, nothing) = (made.chunks_exact(size), vec![0.0; size]);
            let of = |channel: &Option<Context>| {
                channel.as_ref().and_then(|_| known.next()).unwrap_or(&nothing).to_vec()
            };
            each.iter().flat_map(of).collect::<Vec<f32>>()
        };
        let slopes = if slope { spread(&made.slopes) } else { Vec::new() };
        GridChannels { values: spread(&made.values), slopes }
    }

    /// Contexts with the same ℓ are computed together.
    fn of_batch(&self, contexts: &[&Context], grid: &LatentGrid, slope: bool) -> GridChannels<f32> {
        let mut all = GridChannels { values: Vec::new(), slopes: Vec::new() };
        let scale = |context: &Context| self.least_spacing.map(|_| context.points.mean_spacing().to_bits());
        for group in contexts.chunk_by(|a, b| scale(a) == scale(b)) {
            match self.set_convolution(&group[0].points) {
                Some(setconv) => {
                    let made = self.computed(&setconv, group, grid, slope);
                    all.values.extend(made.values);
                    all.slopes.extend(made.slopes);
                }
                None => {
                    let size = (1 + group[0].n_channels) * grid.grid().len();
                    all.values.resize(all.values.len() + group.len() * size, f32::NAN);
                    all.slopes.resize(all.values.len(), f32::NAN);
                }
            }
        }
        all
    }

    fn computed(
        &self,
        setconv: &SetConv,
        contexts: &[&Context],
        grid: &LatentGrid,
        slope: bool,
    ) -> GridChannels<f32> {
        let mut made = if contexts.iter().any(|context| context.deviations.is_some()) {
            let trusts: Vec<Vec<f64>> = contexts.iter().map(|context| self.trust(context)).collect();
            let observed: Vec<_> = contexts
                .iter()
                .zip(&trusts)
                .map(|(context, trust)| (&context.points, &context.values[..], &trust[..]))
                .collect();
            setconv.on_grid_trusting::<f32>(&observed, grid.grid(), slope)
        } else {
            let observed: Vec<_> =
                contexts.iter().map(|context| (&context.points, &context.values[..])).collect();
            setconv.on_grid::<f32>(&observed, grid.grid(), slope)
        };
        let (n, size) = (grid.grid().len(), made.values.len() / contexts.len());
        let mut slopes = made.slopes.chunks_mut(size);
        for (context, values) in contexts.iter().zip(made.values.chunks_mut(size)) {
            let slopes = slopes.next().map(|slopes| &mut slopes[..n]).unwrap_or_default();
            let (domain, n_points) = (context.points.domain(), context.points.len());
            self.density.apply(domain, n_points, setconv.kernel(), &mut values[..n], slopes);
        }
        made
    }

    /// The [trust] in each point; one that channels share is by the mean of their variances.
    fn trust(&self, context: &Context) -> Vec<f64> {
        let (n, p) = (context.points.len(), context.n_channels as f64);
        let Some(deviations) = &context.deviations else { return vec![1.0; n] };
        let variance = |j: usize| deviations.iter().skip(j).step_by(n).map(|s| s * s).sum::<f64>() / p;
        (0..n).map(|j| trust(variance(j).sqrt(), self.tau)).collect()
    }
}

/// Every channel of every context as a context of its own; `None` for one that is observed nowhere.
fn apart(contexts: &[Context]) -> Vec<Option<Context>> {
    contexts.iter().flat_map(|context| (0..context.n_channels).map(|c| context.channel(c))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::fetch;
    use crate::kernel::testing::{difference, numbers};
    use crate::twin::config::LatentPlacement;
    use crate::twin::encoder::EncoderConfig;
    use lto_numerics::{Domain, Grid, Placement};

    /// Values at places of each kind: a grid, most of it, few points of it, and anywhere, some as many as others.
    fn contexts(domain: &Domain, channels: usize) -> Vec<Context> {
        let grid = |n| Grid::cubic(domain.clone(), n, Placement::Left).unwrap();
        let some = |n, step| {
            let all = grid(n);
            let indices = (0..all.len()).step_by(step).collect();
            Points::masked(all, indices).unwrap()
        };
        let anywhere = |n: usize, seed| {
            let at = numbers(n * domain.dim(), seed).iter().map(|x| 0.5 * f64::from(x + 1.0)).collect();
            Points::scattered(domain.clone(), at).unwrap()
        };
        let places = [
            Points::grid(grid(9)),
            some(9, 2),
            some(9, 3),
            some(40, 17),
            anywhere(7, 1),
            anywhere(7, 2),
            anywhere(12, 3),
        ];
        let observed = places.into_iter().zip(1..).map(|(points, seed)| {
            let values = numbers(channels * points.len(), seed).iter().map(|&u| u.into()).collect();
            Context { n_channels: channels, values, points, deviations: None }
        });
        observed.collect()
    }

    fn encoder(domain: &Domain, each: bool, device: &Device) -> SetConvEncoder {
        let text = "latent_points = 8\nlatent_channels = 4\nevolution = { kind = 'timed', width = 4 }\n\
                    decoder = { hidden = 4 }\nencoder = { kind = 'set_conv', hidden = 4, length_scale = 0.1 }";
        let problem = Problem {
            domain: domain.clone(),
            source_channels: 2,
            target_channels: 2,
            native: vec![8; domain.dim()],
            times: Some([0.0, 1.0]),
            changes: Vec::new(),
            measured: Default::default(),
        };
        let twin: TwinConfig = toml::from_str(text).unwrap();
        let EncoderConfig::SetConv(config) = &twin.encoder else { panic!("{twin:?}") };
        SetConvConfig { each, ..config.clone() }.init(&twin, &problem, device)
    }

    /// Values and the gradient in log ℓ are those of the processor's own set convolution.
    #[test]
    fn equals_stock_operations() {
        let kinds = [
            (Density::Raw, None, false, false),
            (Density::PerPoint, None, false, false),
            (Density::Coverage, None, false, true),
            (Density::PerPoint, Some(0.05), false, false),
            (Density::PerPoint, None, true, false),
        ];
        for (dim, periodic) in [(1, true), (1, false), (2, true), (2, false)] {
            let domain = Domain::unit(dim, periodic).unwrap();
            let grid = LatentGrid::new(&domain, 8, LatentPlacement::Left).unwrap();
            for (density, least_spacing, each, noisy) in kinds {
                let device = Device::flex().autodiff();
                let mut encoder = encoder(&domain, each, &device);
                (encoder.density, encoder.least_spacing) = (density, least_spacing);
                let mut contexts = contexts(&domain, 2);
                if noisy {
                    for context in &mut contexts {
                        context.deviations = Some(context.values.iter().map(|u| u.abs()).collect());
                    }
                }
                if each {
                    contexts[4].values[..7].fill(f64::NAN);
                    contexts[5].values[..3].fill(f64::NAN);
                }
                let run = |channels: Tensor<4>| {
                    let flat = channels.reshape([-1]);
                    let direction: Tensor<1> = send(numbers(flat.dims()[0], 99), flat.dims(), &device);
                    let gradients = (flat.clone() * direction).sum().backward();
                    let slope = encoder.log_length_scale.val().grad(&gradients).unwrap();
                    [fetch(flat), fetch(slope)]
                };
                let what = format!("{dim} {periodic} {density:?} {least_spacing:?} {each}");
                let (exact, found) =
                    (run(encoder.channels(&contexts, &grid)), run(encoder.stock(&contexts, &grid)));
                for (exact, found) in exact.iter().zip(&found) {
                    assert!(difference(found, exact) < 2e-5, "{what}: {}", difference(found, exact));
                }
            }
        }
    }
}
