//! Parameters by name, for checkpoints, imports and tables.

use crate::device::{fetch, send};
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor};

/// A parameter, or the gradient of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// Path through the modules, `evolution.dilated.0.weight`. Names of variants are left out (a network has one encoder,
    /// whichever it is), and so is the `network` that all paths begin with.
    pub name: String,
    /// Shape.
    pub shape: Vec<usize>,
    /// Values, row-major.
    pub values: Vec<f32>,
}

/// New values for the parameter of a name and shape, or `None` to leave it.
pub type NewValues<'a> = dyn FnMut(&str, &[usize]) -> Option<Vec<f32>> + 'a;

/// All parameters of a network, in its own order.
pub fn parameters<M: Module>(network: &M) -> Vec<Named> {
    let mut collector = Collector { path: Path::default(), gradients: None, found: Vec::new() };
    network.visit(&mut collector);
    collector.found
}

/// The gradients of all parameters that have one.
pub fn gradients<M: Module>(network: &M, gradients: &mut Gradients) -> Vec<Named> {
    let mut collector = Collector { path: Path::default(), gradients: Some(gradients), found: Vec::new() };
    network.visit(&mut collector);
    collector.found
}

/// Replaces every parameter by what `values` gives for its name and shape, or keeps it if that is `None`.
pub fn with_parameters<M: Module>(network: M, values: impl FnMut(&str, &[usize]) -> Option<Vec<f32>>) -> M {
    network.map(&mut Replacer { path: Path::default(), values })
}

/// The gradients of all parameters as one vector on their device, 0 where there is none.
pub fn flat_gradients<M: Module>(network: &M, gradients: &mut Gradients) -> Tensor<1> {
    let mut flattener = Flattener { gradients, parts: Vec::new() };
    network.visit(&mut flattener);
    Tensor::cat(flattener.parts, 0)
}

/// Replaces all parameters by the numbers of one vector on their device, in order.
pub fn with_flat<M: Module>(network: M, values: &Tensor<1>) -> M {
    network.map(&mut Unflattener { values, taken: 0 })
}

/// The device of a network's parameters.
pub fn device_of<M: Module>(network: &M) -> Device {
    network.devices().into_iter().next().unwrap_or_else(Device::flex)
}

/// Where a traversal is.
#[derive(Default)]
struct Path(Vec<String>);

impl Path {
    fn name(&self) -> String {
        let is_said = |part: &&str| *part != "network" && !part.starts_with(char::is_uppercase);
        self.0.iter().map(String::as_str).filter(is_said).collect::<Vec<_>>().join(".")
    }
}

struct Collector<'a> {
    path: Path,
    gradients: Option<&'a mut Gradients>,
    found: Vec<Named>,
}

impl ModuleVisitor for Collector<'_> {
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.0.push(name.into());
    }

    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.0.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let tensor = match &mut self.gradients {
            None => Some(param.val()),
            Some(gradients) => param.val().grad_remove(gradients),
        };
        if let Some(tensor) = tensor {
            let shape = tensor.dims().to_vec();
            self.found.push(Named { name: self.path.name(), shape, values: fetch(tensor) });
        }
    }
}

struct Replacer<F> {
    path: Path,
    values: F,
}

impl<F: FnMut(&str, &[usize]) -> Option<Vec<f32>>> ModuleMapper for Replacer<F> {
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.0.push(name.into());
    }

    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.0.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let shape = param.val().dims();
        match (self.values)(&self.path.name(), &shape) {
            Some(values) => param.map(|old| {
                let new = send(values, shape, &old.device());
                if old.is_require_grad() { new.require_grad() } else { new }
            }),
            None => param,
        }
    }
}

struct Flattener<'a> {
    gradients: &'a mut Gradients,
    parts: Vec<Tensor<1>>,
}

impl ModuleVisitor for Flattener<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.val();
        let gradient = value.grad_remove(self.gradients);
        self.parts.push(gradient.unwrap_or_else(|| value.without_autodiff().zeros_like()).flatten(0, D - 1));
    }
}

struct Unflattener<'a> {
    values: &'a Tensor<1>,
    taken: usize,
}

impl ModuleMapper for Unflattener<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (shape, first) = (param.val().dims(), self.taken);
        let n = shape.iter().product();
        self.taken += n;
        let new = self.values.clone().narrow(0, first, n).reshape(shape);
        param.map(|old| {
            let new = if old.is_autodiff() { new.autodiff() } else { new };
            if old.is_require_grad() { new.require_grad() } else { new }
        })
    }
}
