//! The description of an array: `.zarray` and `.zattrs` of version 2, `zarr.json` of version 3.

use super::codec::Codec;
use super::texts::Texts;
use crate::dataset::format::Attribute;
use crate::dataset::format::npy::element;
use crate::dataset::format::scalar::{Kind, Scalar};
use crate::dataset::format::text::TextForm;
use serde_json::Value;

/// Stands for elements that are no numbers.
const BYTE: Scalar = Scalar { kind: Kind::U8, big_endian: false };

/// Where and how the chunks of an array are stored.
#[derive(Clone, Debug)]
pub(super) struct ArrayForm {
    pub(super) shape: Vec<usize>,
    /// Shape of what is decoded at once: a chunk, or an inner chunk of a shard.
    pub(super) chunk: Vec<usize>,
    pub(super) scalar: Scalar,
    /// Its texts, if its elements are no numbers.
    pub(super) texts: Option<Texts>,
    /// Whether the first axis runs fastest in a chunk.
    pub(super) column_major: bool,
    /// The value of what is not stored.
    pub(super) fill: f64,
    /// From the array to the file; undone in reverse.
    pub(super) codecs: Vec<Codec>,
    pub(super) shard: Option<Shard>,
    pub(super) keys: Keys,
}

/// Several chunks in one file, with an index.
#[derive(Clone, Debug)]
pub(super) struct Shard {
    /// Chunks along each axis.
    pub(super) chunks: Vec<usize>,
    pub(super) index_first: bool,
    pub(super) index_checked: bool,
}

/// Names of chunk files: `c/0/1`, or `0.1`.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    pub(super) prefix: &'static str,
    pub(super) separator: char,
}

impl Keys {
    pub(super) fn name(&self, index: &[usize]) -> String {
        let parts: Vec<String> = index.iter().map(usize::to_string).collect();
        let joined = parts.join(&self.separator.to_string());
        match (self.prefix, joined.is_empty()) {
            ("", true) => "0".into(),
            ("", false) => joined,
            (prefix, true) => prefix.into(),
            (prefix, false) => format!("{prefix}{}{joined}", self.separator),
        }
    }
}

fn sizes(value: &Value, what: &str) -> Result<Vec<usize>, String> {
    let list = value.as_array().ok_or_else(|| format!("no {what}"))?;
    let size = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok());
    list.iter().map(size).collect::<Option<_>>().ok_or_else(|| format!("{what} is {value}, not sizes"))
}

/// A number, or the word for one.
fn number(value: &Value) -> f64 {
    match value {
        Value::Number(number) => number.as_f64().unwrap_or(f64::NAN),
        Value::Bool(bit) => f64::from(u8::from(*bit)),
        Value::String(word) => match word.as_str() {
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => f64::NAN,
        },
        _ => 0.0,
    }
}

/// The form of an array of version 2.
///
/// # Errors
/// What is wrong with its description, or not supported.
pub(super) fn version_2(json: &Value) -> Result<ArrayForm, String> {
    let dtype = json["dtype"].as_str().ok_or("elements that are not numbers")?;
    let mut codecs = Vec::new();
    let filters = || json["filters"].as_array().into_iter().flatten();
    let variable = dtype == "|O" && filters().any(|filter| filter["id"] == "vlen-utf8");
    let texts = variable.then_some(Texts::Variable).or_else(|| TextForm::of_numpy(dtype).map(Texts::Fixed));
    let scalar = if texts.is_some() { BYTE } else { element(dtype)? };
    let filters = filters().filter(|filter| filter["id"] != "vlen-utf8");
    for codec in filters.chain(std::iter::once(&json["compressor"]).filter(|c| !c.is_null())) {
        codecs.push(Codec::of(codec["id"].as_str().unwrap_or_default(), codec)?);
    }
    let separator = if json["dimension_separator"] == "/" { '/' } else { '.' };
    ArrayForm {
        shape: sizes(&json["shape"], "shape")?,
        chunk: sizes(&json["chunks"], "chunks")?,
        scalar,
        texts,
        column_major: json["order"] == "F",
        fill: number(&json["fill_value"]),
        codecs,
        shard: None,
        keys: Keys { prefix: "", separator },
    }
    .checked()
}

/// The form of an array of version 3.
///
/// # Errors
/// As [`version_2`].
pub(super) fn version_3(json: &Value) -> Result<ArrayForm, String> {
    let grid = &json["chunk_grid"];
    if grid["name"] != "regular" {
        return Err(format!("chunks on a {} grid; write it again with regular chunks", grid["name"]));
    }
    let keys = &json["chunk_key_encoding"];
    let (prefix, usual) = if keys["name"] == "v2" { ("", '.') } else { ("c", '/') };
    let separator =
        keys["configuration"]["separator"].as_str().and_then(|s| s.chars().next()).unwrap_or(usual);
    let texts = Texts::of_type(&json["data_type"]);
    let scalar = || Ok::<_, String>(Scalar { kind: kind(&json["data_type"])?, big_endian: false });
    let mut form = ArrayForm {
        shape: sizes(&json["shape"], "shape")?,
        chunk: sizes(&grid["configuration"]["chunk_shape"], "chunk_shape")?,
        scalar: if texts.is_some() { BYTE } else { scalar()? },
        texts,
        column_major: false,
        fill: number(&json["fill_value"]),
        codecs: Vec::new(),
        shard: None,
        keys: Keys { prefix, separator },
    };
    form.add_codecs(&json["codecs"])?;
    form.checked()
}

impl ArrayForm {
    fn add_codecs(&mut self, list: &Value) -> Result<(), String> {
        for codec in list.as_array().ok_or("no codecs")? {
            let settings = &codec["configuration"];
            match codec["name"].as_str().unwrap_or_default() {
                "bytes" | "endian" => self.scalar.big_endian = settings["endian"] == "big",
                "vlen-utf8" if self.texts == Some(Texts::Variable) => {}
                "transpose" => self.transpose(settings)?,
                "sharding_indexed" => {
                    let inner = sizes(&settings["chunk_shape"], "chunk_shape of a shard")?;
                    let whole = self.chunk.len() == inner.len()
                        && self.chunk.iter().zip(&inner).all(|(&n, &c)| c > 0 && n.is_multiple_of(c));
                    if self.shard.is_some() || !whole {
                        return Err(format!("shards of {:?} in chunks of {inner:?}", self.chunk));
                    }
                    let index = settings["index_codecs"].as_array().map_or(0, Vec::len);
                    self.shard = Some(Shard {
                        chunks: self.chunk.iter().zip(&inner).map(|(n, c)| n / c).collect(),
                        index_first: settings["index_location"] == "start",
                        index_checked: index > 1,
                    });
                    self.chunk = inner;
                    self.add_codecs(&settings["codecs"])?;
                }
                name => self.codecs.push(Codec::of(name, settings)?),
            }
        }
        Ok(())
    }

    fn transpose(&mut self, settings: &Value) -> Result<(), String> {
        let rank = self.shape.len();
        let order = match settings["order"].as_str() {
            Some("F") => (0..rank).rev().collect(),
            Some(_) => (0..rank).collect(),
            None => sizes(&settings["order"], "order")?,
        };
        let forward = order.iter().copied().eq(0..rank);
        if !forward && !order.iter().copied().eq((0..rank).rev()) {
            return Err(format!(
                "its axes are stored in the order {order:?}; write it again in its own order"
            ));
        }
        self.column_major = !forward && rank > 1;
        Ok(())
    }

    /// Refuses chunks that do not fit the shape, or are too large for memory.
    fn checked(self) -> Result<Self, String> {
        if self.chunk.len() != self.shape.len() || self.chunk.contains(&0) {
            return Err(format!("chunks of {:?} in an array of {:?}", self.chunk, self.shape));
        }
        let size = self.texts.map_or(self.scalar.kind.size(), Texts::size);
        if size == 0 {
            return Err("texts without any characters".into());
        }
        let bytes = self.chunk.iter().try_fold(size, |n, &c| n.checked_mul(c));
        match bytes {
            Some(bytes)
                if bytes <= 1 << 31
                    && self.shape.iter().try_fold(1usize, |n, &c| n.checked_mul(c)).is_some() =>
            {
                Ok(self)
            }
            _ => Err(format!("chunks of {:?} are too large", self.chunk)),
        }
    }
}

fn kind(value: &Value) -> Result<Kind, String> {
    let name = value.as_str().unwrap_or_default();
    let kinds = [
        Kind::I8,
        Kind::U8,
        Kind::Bool,
        Kind::I16,
        Kind::U16,
        Kind::I32,
        Kind::U32,
        Kind::I64,
        Kind::U64,
        Kind::F16,
        Kind::F32,
        Kind::F64,
    ];
    kinds
        .into_iter()
        .find(|kind| kind.name() == name)
        .ok_or_else(|| format!("elements of type {value}, not numbers"))
}

/// Attributes that are numbers or texts.
pub(super) fn attributes(owner: &str, json: &Value) -> Vec<(String, String, Attribute)> {
    let entries = json.as_object().into_iter().flatten();
    entries.filter_map(|(name, value)| Some((owner.into(), name.clone(), attribute(value)?))).collect()
}

fn attribute(value: &Value) -> Option<Attribute> {
    let list = match value {
        Value::Array(list) => &list[..],
        one => std::slice::from_ref(one),
    };
    let numbers: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
    let texts = || list.iter().map(|text| text.as_str().map(Into::into)).collect::<Option<Vec<String>>>();
    match numbers.filter(|numbers| !numbers.is_empty()) {
        Some(numbers) => Some(Attribute::Numbers(numbers)),
        None => texts().map(Attribute::Texts),
    }
}
