//! Names of Fourier neural operators, and their complex weights.

use super::StateTensor;
use std::collections::BTreeMap;

/// Parts of names in the code of the first publication and in the package `neuraloperator`, and ours; `N` is any number.
const NAMES: [(&str, &str); 14] = [
    ("fc0.", "lift."),
    ("fc1.", "hidden."),
    ("fc2.", "output."),
    ("wN.", "blocks.N."),
    ("convN.weights1", "blocks.N.spectral.0"),
    ("convN.weights2", "blocks.N.spectral.1"),
    ("lifting.fcs.0.", "lifting.first."),
    ("lifting.fcs.1.", "lifting.second."),
    ("projection.fcs.0.", "projection.first."),
    ("projection.fcs.1.", "projection.second."),
    ("fno_blocks.convs.N.bias", "blocks.N.bias"),
    ("fno_blocks.convs.N.weight", "blocks.N.spectral.0"),
    ("fno_blocks.fno_skips.N.conv.", "blocks.N."),
    ("fno_blocks.channel_mlp_skips.N.", "gates.N."),
];

/// Our name of a tensor; unknown ones keep their own.
pub fn rename(name: &str) -> String {
    if let Some((number, rest)) = matched(name, "fno_blocks.channel_mlp.N.fcs.") {
        let layer = rest.replacen("0.", "first.", 1).replacen("1.", "second.", 1);
        return format!("mixers.{number}.{layer}");
    }
    let found = NAMES.iter().find_map(|(theirs, ours)| Some((matched(name, theirs)?, ours)));
    // Recent files of the package keep the numbers one level deeper.
    found.map_or(name.into(), |((number, rest), ours)| {
        let rest = if ours.contains("spectral") { rest.trim_start_matches(".tensor") } else { rest };
        format!("{}{rest}", ours.replace('N', number))
    })
}

/// The number in a name that begins like `pattern`, and what follows.
fn matched<'a>(name: &'a str, pattern: &str) -> Option<(&'a str, &'a str)> {
    let Some((before, after)) = pattern.split_once('N') else {
        return Some(("", name.strip_prefix(pattern)?));
    };
    let rest = name.strip_prefix(before)?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|n| *n > 0)?;
    let (number, rest) = rest.split_at(digits);
    Some((number, rest.strip_prefix(after)?))
}

/// Complex weights `[in, out, modes…]` as real and imaginary parts `[in, out, K]`, both blocks of wavenumbers of the published
/// form one after the other. Other tensors are unchanged.
pub fn split_complex(tensors: &mut BTreeMap<String, StateTensor>) {
    let firsts: Vec<String> = tensors.keys().filter(|name| name.ends_with(".spectral.0")).cloned().collect();
    for first in firsts {
        let block = first.trim_end_matches(".spectral.0");
        let second = format!("{block}.spectral.1");
        let fits = |tensor: &StateTensor| tensor.complex && tensor.shape.len() > 2;
        let same = |a: &StateTensor, b: &StateTensor| fits(b) && a.shape == b.shape;
        let whole = match (tensors.get(&first), tensors.get(&second)) {
            (Some(a), Some(b)) => fits(a) && same(a, b),
            (Some(a), None) => fits(a),
            _ => false,
        };
        if !whole {
            continue;
        }
        let parts: Vec<StateTensor> =
            [&first, &second].into_iter().filter_map(|name| tensors.remove(name)).collect();
        let Some(StateTensor { name, shape, .. }) = parts.first() else { continue };
        let (channels, modes) = (shape[0] * shape[1], shape[2..].iter().product::<usize>());
        for (which, kind) in ["real", "imaginary"].into_iter().enumerate() {
            let mut values = Vec::with_capacity(channels * modes * parts.len());
            for channel in 0..channels {
                for part in &parts {
                    let complex = &part.values[2 * channel * modes..2 * (channel + 1) * modes];
                    values.extend(complex.chunks_exact(2).map(|pair| pair[which]));
                }
            }
            let shape = vec![shape[0], shape[1], modes * parts.len()];
            let tensor = StateTensor { name: name.clone(), shape, values, complex: false };
            tensors.insert(format!("{block}.{kind}"), tensor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_programs_become_ours() {
        for (theirs, ours) in [
            ("fc0.weight", "lift.weight"),
            ("w3.bias", "blocks.3.bias"),
            ("conv12.weights2", "blocks.12.spectral.1"),
            ("fno_blocks.convs.1.weight.tensor", "blocks.1.spectral.0"),
            ("fno_blocks.convs.1.weight", "blocks.1.spectral.0"),
            ("fno_blocks.fno_skips.0.conv.weight", "blocks.0.weight"),
            ("fno_blocks.channel_mlp.2.fcs.1.bias", "mixers.2.second.bias"),
            ("fno_blocks.channel_mlp_skips.2.weight", "gates.2.weight"),
            ("lifting.fcs.0.weight", "lifting.first.weight"),
            ("blocks.0.real", "blocks.0.real"),
            ("w.weight", "w.weight"),
        ] {
            assert_eq!(rename(theirs), ours);
        }
    }

    /// One channel in, two out, two modes in each of two blocks.
    #[test]
    fn complex_blocks_are_joined_along_the_modes() {
        let tensor = |name: &str, first: f32| StateTensor {
            name: name.into(),
            shape: vec![1, 2, 1, 2],
            values: (0..8).map(|i| first + i as f32).collect(),
            complex: true,
        };
        let mut tensors = BTreeMap::from([
            ("blocks.0.spectral.0".to_string(), tensor("conv0.weights1", 0.0)),
            ("blocks.0.spectral.1".to_string(), tensor("conv0.weights2", 10.0)),
        ]);
        split_complex(&mut tensors);
        assert_eq!(tensors.len(), 2);
        let real = &tensors["blocks.0.real"];
        assert_eq!((&real.shape[..], real.complex), (&[1, 2, 4][..], false));
        assert_eq!(real.values, [0.0, 2.0, 10.0, 12.0, 4.0, 6.0, 14.0, 16.0]);
        assert_eq!(tensors["blocks.0.imaginary"].values, [1.0, 3.0, 11.0, 13.0, 5.0, 7.0, 15.0, 17.0]);
    }
}
