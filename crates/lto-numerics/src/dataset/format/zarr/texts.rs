//! Names in Zarr folders: texts of a fixed width, or of any length (`vlen-utf8`).

use crate::dataset::format::text::TextForm;
use serde_json::Value;
use std::ops::RangeInclusive;

/// A chunk of texts of any length is never longer.
const MOST: usize = 64 << 20;

/// How the texts of a chunk are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Texts {
    Fixed(TextForm),
    /// How many, and each after its length: numbers of four bytes.
    Variable,
}

impl Texts {
    /// The texts that a data type of version 3 stands for, if it is one of texts.
    pub(super) fn of_type(value: &Value) -> Option<Self> {
        let bytes = value["configuration"]["length_bytes"].as_u64().and_then(|n| usize::try_from(n).ok());
        match value.as_str().or_else(|| value["name"].as_str())? {
            "string" => Some(Self::Variable),
            "fixed_length_utf32" => Some(Self::Fixed(TextForm::utf32(bytes? / 4, false))),
            "null_terminated_bytes" | "fixed_length_ascii" => Some(Self::Fixed(TextForm::bytes(bytes?))),
            _ => None,
        }
    }

    /// Bytes of one text, as far as they are known before it is read.
    pub(super) fn size(self) -> usize {
        match self {
            Self::Fixed(form) => form.size(),
            Self::Variable => 4,
        }
    }

    /// The lengths that a chunk of `n` texts may have.
    pub(super) fn lengths(self, n: usize) -> RangeInclusive<usize> {
        match self {
            Self::Fixed(form) => n * form.size()..=n * form.size(),
            Self::Variable => 4..=MOST,
        }
    }

    /// The texts of a chunk.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub(super) fn decode(self, bytes: &[u8]) -> Result<Vec<String>, String> {
        if let Self::Fixed(form) = self {
            return Ok(form.decode(bytes, form.size()));
        }
        let (n, mut rest) = bytes.split_first_chunk().ok_or("no number of texts")?;
        let mut texts = Vec::new();
        for _ in 0..u32::from_le_bytes(*n) {
            let (length, after) = rest.split_first_chunk().ok_or("texts that end too soon")?;
            let length = u32::from_le_bytes(*length) as usize;
            let (text, after) = after.split_at_checked(length).ok_or("a text longer than its chunk")?;
            texts.push(String::from_utf8_lossy(text).into());
            rest = after;
        }
        Ok(texts)
    }
}
