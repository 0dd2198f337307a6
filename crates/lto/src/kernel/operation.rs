//! Operations with their own backward pass on plain numbers, as nodes of Burn's gradient graph.

use super::clock;
use crate::device::is_processor;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{
    Autodiff, Backend, BackendTensor, Dispatch, DispatchAutodiffContext, DispatchTensor, DispatchTensorKind,
    ExtensionType, Flex, backend_extension,
};
use burn::tensor::{DType, Tensor, TensorData};
use std::fmt::Debug;
use std::sync::Arc;

/// A tensor's numbers, row-major.
#[derive(Clone, Copy)]
pub struct Array<'a> {
    /// The numbers.
    pub values: &'a [f32],
    /// Their shape.
    pub shape: &'a [usize],
}

impl Array<'_> {
    /// The shape, of known rank.
    pub fn dims<const D: usize>(&self) -> [usize; D] {
        std::array::from_fn(|d| self.shape[d])
    }
}

/// The result of a forward pass.
pub struct Forward {
    /// The output.
    pub output: Vec<f32>,
    /// Its shape.
    pub shape: Vec<usize>,
    /// What the backward pass needs besides the inputs.
    pub saved: Vec<f32>,
}

/// The input of a backward pass.
pub struct Pass<'a> {
    /// The inputs.
    pub inputs: &'a [Array<'a>],
    /// The output, empty unless [`Operation::needs_output`].
    pub output: &'a [f32],
    /// What the forward pass saved.
    pub saved: &'a [f32],
    /// The gradient of the output.
    pub gradient: &'a [f32],
    /// Which inputs need a gradient.
    pub wanted: &'a [bool],
}

/// An operation on plain numbers. Shapes are right by construction: callers have checked them.
pub trait Operation: Debug + Send + Sync + 'static {
    /// Computes the output; `tracked` if a backward pass may follow.
    fn forward(&self, inputs: &[Array], tracked: bool) -> Forward;

    /// Whether the backward pass needs the output.
    fn needs_output(&self) -> bool {
        false
    }

    /// Gradients of the inputs, in order; `None` where not wanted.
    fn backward(&self, pass: &Pass) -> Vec<Option<Vec<f32>>>;
}

/// Whether kernels can run on this tensor: 32-bit numbers on the CPU backend. Elsewhere stock operations do the same.
pub fn is_supported<const D: usize>(x: &Tensor<D>) -> bool {
    is_processor(&x.device()) && x.dtype() == DType::F32
}

/// Applies `operation`; its output has rank `D`. All tensors are [supported](is_supported).
pub fn apply<const D: usize>(operation: impl Operation, inputs: Vec<DispatchTensor>) -> Tensor<D> {
    Tensor::from_dispatch(<Dispatch as Extension>::apply(Inputs(inputs), Arc::new(operation)))
}

/// Any number of tensors on their way to a backend.
#[derive(Debug)]
pub struct Inputs<B: Backend>(Vec<FloatTensor<B>>);

impl<B: Backend> ExtensionType<B> for Inputs<B> {
    type Target = Inputs<Dispatch>;

    fn map_to_dispatch<F>(self, map_kind: F, autodiff: DispatchAutodiffContext) -> Self::Target
    where
        F: Fn(BackendTensor<B>) -> DispatchTensorKind,
    {
        let wrap = |tensor| DispatchTensor { kind: map_kind(BackendTensor::Float(tensor)), autodiff };
        Inputs(self.0.into_iter().map(wrap).collect())
    }

    fn map_from_dispatch<F>(target: Self::Target, unwrap_kind: F) -> Self
    where
        F: Fn(DispatchTensor) -> BackendTensor<B>,
    {
        Inputs(target.0.into_iter().map(|tensor| unwrap_kind(tensor).float()).collect())
    }

    fn routing_tensor(target: &Self::Target) -> Option<&DispatchTensor> {
        target.0.first()
    }

    fn routing_float_tensor(target: &Self::Target) -> Option<&DispatchTensor> {
        target.0.first()
    }

    fn autodiff_context(target: &Self::Target) -> DispatchAutodiffContext {
        target
            .0
            .iter()
            .fold(DispatchAutodiffContext::Disabled, |context, tensor| context.merge(tensor.autodiff))
    }
}

/// The way from Burn's dispatch to the operations.
#[backend_extension(Flex, Autodiff)]
pub trait Extension: Backend {
    /// Applies an operation.
    fn apply(#[extension_type] inputs: Inputs<Self>, operation: Arc<dyn Operation>) -> FloatTensor<Self>;
}

type Flexible = FloatTensor<Flex>;

/// Calls `work`, a kernel, with the numbers of contiguous tensors.
fn with_arrays<R>(tensors: &[Flexible], work: impl FnOnce(&[Array]) -> R) -> R {
    let arrays: Vec<Array> = tensors
        .iter()
        // Only contiguous 32-bit tensors come here: `apply` is for supported tensors, and `contiguous` was called.
        .map(|t| Array { values: t.as_slice().unwrap_or_default(), shape: t.layout().shape() })
        .collect();
    clock::timed(|| work(&arrays))
}

fn contiguous(tensors: impl IntoIterator<Item = Flexible>) -> Vec<Flexible> {
    tensors.into_iter().map(|t| if t.is_contiguous() { t } else { t.to_contiguous() }).collect()
}

fn tensor(values: Vec<f32>, shape: Vec<usize>) -> Flexible {
    Flexible::from_data(TensorData::new(values, shape))
}

impl Extension for Flex {
    fn apply(inputs: Inputs<Self>, operation: Arc<dyn Operation>) -> FloatTensor<Self> {
        let forward = with_arrays(&contiguous(inputs.0), |inputs| operation.forward(inputs, false));
        tensor(forward.output, forward.shape)
    }
}

impl<C: CheckpointStrategy> Extension for Autodiff<Flex, C> {
    fn apply(inputs: Inputs<Self>, operation: Arc<dyn Operation>) -> FloatTensor<Self> {
        match inputs.0.len() {
            1 => tracked::<1, C>(inputs.0, operation),
            2 => tracked::<2, C>(inputs.0, operation),
            3 => tracked::<3, C>(inputs.0, operation),
            4 => tracked::<4, C>(inputs.0, operation),
            5 => tracked::<5, C>(inputs.0, operation),
            7 => tracked::<7, C>(inputs.0, operation),
            9 => tracked::<9, C>(inputs.0, operation),
            n => unreachable!("no operation takes {n} tensors"),
        }
    }
}

/// The state of an operation in the graph.
#[derive(Clone, Debug)]
struct State {
    operation: Arc<dyn Operation>,
    inputs: Vec<Flexible>,
    output: Option<Flexible>,
    saved: Arc<Vec<f32>>,
}

/// The backward pass of any operation.
#[derive(Debug)]
struct Step;

impl<const N: usize> Backward<Flex, N> for Step {
    type State = State;

    fn backward(self, ops: Ops<State, N>, grads: &mut Gradients, _: &mut Checkpointer) {
        let State { operation, inputs, output, saved } = ops.state;
        let gradient = contiguous([grads.consume::<Flex>(&ops.node)]);
        let wanted = ops.parents.each_ref().map(Option::is_some);
        let found = with_arrays(&inputs, |inputs| {
            operation.backward(&Pass {
                inputs,
                output: output.as_ref().and_then(|t| t.as_slice()).unwrap_or_default(),
                saved: &saved,
                gradient: gradient[0].as_slice().unwrap_or_default(),
                wanted: &wanted,
            })
        });
        for ((parent, gradient), input) in ops.parents.into_iter().zip(found).zip(&inputs) {
            if let Some((parent, gradient)) = parent.zip(gradient) {
                grads.register::<Flex>(parent.id, tensor(gradient, input.layout().shape().to_vec()));
            }
        }
    }
}

fn tracked<const N: usize, C: CheckpointStrategy>(
    inputs: Vec<FloatTensor<Autodiff<Flex, C>>>,
    operation: Arc<dyn Operation>,
) -> FloatTensor<Autodiff<Flex, C>> {
    let nodes: [_; N] = std::array::from_fn(|i| inputs[i].node());
    let inputs = contiguous(inputs.into_iter().map(|input| input.into_primitive()));
    match Step.prepare::<C>(nodes).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => {
            let Forward { output, shape, saved } =
                with_arrays(&inputs, |inputs| operation.forward(inputs, true));
            let output = tensor(output, shape);
            let kept = operation.needs_output().then(|| output.clone());
            prepared.finish(State { operation, inputs, output: kept, saved: Arc::new(saved) }, output)
        }
        OpsKind::UnTracked(prepared) => {
            let forward = with_arrays(&inputs, |inputs| operation.forward(inputs, false));
            prepared.finish(tensor(forward.output, forward.shape))
        }
    }
}
