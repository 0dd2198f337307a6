//! Fixed (not learned) kernels κ_ℓ(x, y) of the set convolution. Each kernel is one file and one variant of
//! [`KernelConfig`].

pub(crate) mod exp;
mod gaussian;

use crate::error::Result;
use serde::{Deserialize, Serialize};

pub use gaussian::Gaussian;

/// Which kernel, with which parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum KernelConfig {
    /// κ_ℓ(x, y) = exp(−d_Ω(x, y)² / (2ℓ²)).
    Gaussian {
        /// ℓ, in the units of the domain.
        length_scale: f64,
    },
}

impl Default for KernelConfig {
    fn default() -> Self {
        KernelConfig::Gaussian { length_scale: 0.1 }
    }
}

impl KernelConfig {
    /// The kernel.
    ///
    /// # Errors
    /// The length scale is not a positive, finite number.
    pub fn init(self) -> Result<Gaussian> {
        match self {
            KernelConfig::Gaussian { length_scale } => Gaussian::new(length_scale),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configs_read_back_and_refuse_unknown_fields() {
        let config = KernelConfig::Gaussian { length_scale: 0.25 };
        let text = serde_json::to_string(&config).unwrap();
        assert_eq!(text, r#"{"kind":"gaussian","length_scale":0.25}"#);
        assert_eq!(serde_json::from_str::<KernelConfig>(&text).unwrap(), config);
        assert!(
            serde_json::from_str::<KernelConfig>(r#"{"kind":"gaussian","length_scale":1,"sigma":2}"#)
                .is_err()
        );
        assert_eq!(config.init().unwrap().length_scale(), 0.25);
    }
}
