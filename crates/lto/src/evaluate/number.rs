//! Numbers that may be infinite in JSON, which has no infinity: they are written as `null`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a number, `null` if not finite.
///
/// # Errors
/// The format's errors.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    finite(*value).serialize(serializer)
}

/// Reads a number, `null` as infinity.
///
/// # Errors
/// The format's errors.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}

fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|v| v.is_finite())
}

/// The same for several numbers.
pub mod several {
    use super::finite;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    /// Writes numbers, `null` where not finite.
    ///
    /// # Errors
    /// The format's errors.
    pub fn serialize<S: Serializer>(values: &impl AsRef<[f64]>, serializer: S) -> Result<S::Ok, S::Error> {
        values.as_ref().iter().map(|&v| finite(v)).collect::<Vec<_>>().serialize(serializer)
    }

    /// Reads numbers, `null` as infinity.
    ///
    /// # Errors
    /// The format's errors, or the wrong number of numbers.
    pub fn deserialize<'de, D: Deserializer<'de>, T: TryFrom<Vec<f64>>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let values = Vec::<Option<f64>>::deserialize(deserializer)?;
        let n = values.len();
        let values: Vec<f64> = values.into_iter().map(|v| v.unwrap_or(f64::INFINITY)).collect();
        T::try_from(values).map_err(|_| D::Error::custom(format!("{n} numbers are too few or too many")))
    }
}

/// The same for an optional pair of a lower and an upper number.
pub mod pair {
    use super::finite;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes both, `null` where not finite; a single `null` for none.
    ///
    /// # Errors
    /// The format's errors.
    pub fn serialize<S: Serializer>(value: &Option<[f64; 2]>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(|pair| pair.map(finite)).serialize(serializer)
    }

    /// Reads both, `null` as infinity; a single `null` as none.
    ///
    /// # Errors
    /// The format's errors, or the wrong number of numbers.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<[f64; 2]>, D::Error> {
        let pair = Option::<[Option<f64>; 2]>::deserialize(deserializer)?;
        Ok(pair.map(|pair| pair.map(|v| v.unwrap_or(f64::INFINITY))))
    }
}

/// The same for a number that may be missing; it is then not written at all.
pub mod optional {
    use super::finite;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes a number, `null` if not finite.
    ///
    /// # Errors
    /// The format's errors.
    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.and_then(finite).serialize(serializer)
    }

    /// Reads a number, `null` as infinity.
    ///
    /// # Errors
    /// The format's errors.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        Ok(Some(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY)))
    }
}
