//! From the names and shapes of published implementations to ours.

use super::{StateTensor, spectral};
use crate::model::ModelConfig;
use crate::parameters::Named;
use std::collections::BTreeMap;

/// Prefixes that PyTorch wrappers put before every name.
const PREFIXES: [&str; 2] = ["module.", "_orig_mod."];

/// Parts of names in the code of the Latent Neural Operator's authors and of PyTorch's normalizations, with
/// ours.
const LNO: [(&str, &str); 20] = [
    ("trunk_projector", "trunk"),
    ("branch_projector", "branch"),
    ("attention_projector", "projector"),
    ("out_mlp", "output"),
    ("attn_blocks", "blocks"),
    ("self_attn", "attention"),
    ("Wq", "query"),
    ("Wk", "key"),
    ("Wv", "value"),
    ("proj", "output"),
    ("ln1.weight", "attention_norm.gamma"),
    ("ln1.bias", "attention_norm.beta"),
    ("ln2.weight", "mlp_norm.gamma"),
    ("ln2.bias", "mlp_norm.beta"),
    ("attention_norm.weight", "attention_norm.gamma"),
    ("attention_norm.bias", "attention_norm.beta"),
    ("mlp_norm.weight", "mlp_norm.gamma"),
    ("mlp_norm.bias", "mlp_norm.beta"),
    // Number 1 is the activation.
    ("mlp.2.weight", "mlp.1.weight"),
    ("mlp.2.bias", "mlp.1.bias"),
];

/// The most names listed of each kind.
const LISTED: usize = 10;

/// The tensors as our parameters: renamed, and in our shapes.
///
/// # Errors
/// Everything that is missing, superfluous or of another shape.
pub fn ours(
    model: &ModelConfig,
    parameters: &[Named],
    tensors: Vec<StateTensor>,
) -> Result<Vec<Named>, String> {
    let mut known = BTreeMap::new();
    for tensor in tensors {
        let name = rename(model, &tensor.name);
        if let Some(other) = known.insert(name.clone(), tensor) {
            return Err(format!("{} and another tensor are both {name}", other.name));
        }
    }
    if matches!(model, ModelConfig::Fno(_)) {
        spectral::split_complex(&mut known);
    }
    let (mut found, mut missing, mut differing) = (Vec::new(), Vec::new(), Vec::new());
    for parameter in parameters {
        let shape = torch_shape(parameter);
        match known.remove(&parameter.name) {
            None => missing.push(format!("{} {shape:?}", parameter.name)),
            Some(tensor) if tensor.complex || without_ones(&tensor.shape) != without_ones(&shape) => {
                let kind = if tensor.complex { "complex " } else { "" };
                differing.push(format!("{} {kind}{:?} instead of {shape:?}", tensor.name, tensor.shape));
            }
            Some(tensor) => found.push(converted(parameter, tensor.values)),
        }
    }
    let extra: Vec<String> =
        known.values().map(|tensor| format!("{} {:?}", tensor.name, tensor.shape)).collect();
    let kinds = [("missing", missing), ("of another shape", differing), ("superfluous", extra)];
    let complaints: Vec<String> = kinds
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(kind, names)| listed(kind, names))
        .collect();
    if complaints.is_empty() {
        return Ok(found);
    }
    Err(format!("its weights do not fit the architecture \"{}\"; {}", model.name(), complaints.join("; ")))
}

fn listed(kind: &str, names: &[String]) -> String {
    let more = names.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{kind}: {}{more}", names[..names.len().min(LISTED)].join(", "))
}

/// Our name of a tensor; unknown ones keep their own.
fn rename(model: &ModelConfig, name: &str) -> String {
    let name = PREFIXES.iter().fold(name, |name, prefix| name.strip_prefix(prefix).unwrap_or(name));
    match model {
        ModelConfig::Lno(_) => LNO.iter().fold(format!(".{name}."), |name, (theirs, ours)| {
            name.replace(&format!(".{theirs}."), &format!(".{ours}."))
        }),
        ModelConfig::Fno(_) => spectral::rename(name),
        _ => format!(".{name}."),
    }
    .trim_matches('.')
    .to_string()
}

/// Whether it is the matrix of a linear layer, which PyTorch stores transposed.
fn is_linear(parameter: &Named) -> bool {
    parameter.shape.len() == 2 && parameter.name.ends_with("weight")
}

/// PyTorch's shape for one of our parameters.
fn torch_shape(parameter: &Named) -> Vec<usize> {
    let mut shape = parameter.shape.clone();
    if is_linear(parameter) {
        shape.reverse();
    }
    shape
}

/// Axes of length one may be added or dropped: convolutions along one axis, linear layers as convolutions,
/// single numbers.
fn without_ones(shape: &[usize]) -> Vec<usize> {
    shape.iter().copied().filter(|size| *size != 1).collect()
}

fn converted(parameter: &Named, values: Vec<f32>) -> Named {
    let values = match parameter.shape[..] {
        [input, output] if is_linear(parameter) && values.len() == input * output => {
            (0..input * output).map(|i| values[i % output * input + i / output]).collect()
        }
        _ => values,
    };
    Named { name: parameter.name.clone(), shape: parameter.shape.clone(), values }
}
