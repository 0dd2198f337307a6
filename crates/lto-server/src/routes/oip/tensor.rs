//! Tensors of the Open Inference Protocol: numbers in JSON, or bytes after it.

use crate::error::{Error, Result};
use crate::wire::parse;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// A tensor that comes in.
#[derive(Deserialize, ToSchema)]
pub struct Input {
    name: String,
    shape: Vec<usize>,
    /// `FP32` or `FP64`.
    datatype: String,
    #[serde(default)]
    parameters: InputParameters,
    /// The numbers, row-major, flat or nested; without them, bytes after the JSON.
    #[schema(value_type = Option<Vec<f64>>)]
    data: Option<Flat>,
}

/// Where a tensor's numbers are.
#[derive(Default, Deserialize, ToSchema)]
pub struct InputParameters {
    binary_data_size: Option<usize>,
}

/// A tensor that goes out.
#[derive(Serialize, ToSchema)]
pub struct Output {
    name: &'static str,
    datatype: &'static str,
    shape: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<OutputSize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Option<f32>>>)]
    data: Option<Vec<f32>>,
}

/// Bytes of a tensor after the JSON.
#[derive(Serialize, ToSchema)]
pub struct OutputSize {
    binary_data_size: usize,
}

impl Output {
    /// A tensor of single precision, and its bytes if they go after the JSON.
    pub fn new(name: &'static str, shape: Vec<usize>, values: Vec<f64>, binary: bool) -> (Self, Vec<u8>) {
        let output = Self { name, datatype: "FP32", shape, parameters: None, data: None };
        let values = values.into_iter().map(|value| value as f32);
        if binary {
            let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
            let parameters = Some(OutputSize { binary_data_size: bytes.len() });
            (Self { parameters, ..output }, bytes)
        } else {
            (Self { data: Some(values.collect()), ..output }, Vec::new())
        }
    }
}

/// The JSON of a body, and the bytes after it; `length` is the header that says where it ends.
///
/// # Errors
/// A length that is none, or longer than the body; text that is not JSON of this form.
pub fn split<'a, T: DeserializeOwned>(body: &'a [u8], length: Option<&str>) -> Result<(T, &'a [u8])> {
    let Some(length) = length else { return Ok((parse(body)?, &[])) };
    let at = length.trim().parse().ok().filter(|&at: &usize| at <= body.len()).ok_or_else(|| {
        let all = body.len();
        Error::malformed(
            "tensor",
            format!("Inference-Header-Content-Length is {length:?}, the body has {all} bytes"),
        )
    })?;
    let (json, binary) = body.split_at(at);
    Ok((parse(json)?, binary))
}

/// The tensors of a request by name: numbers, and how many there are in a row.
pub struct Inputs(Vec<(String, (Vec<f64>, usize))>);

impl Inputs {
    /// Reads all tensors; `binary` are the bytes after the JSON.
    ///
    /// # Errors
    /// A type that is not known, a shape that does not fit the numbers, bytes that are missing or left over.
    pub fn read(inputs: Vec<Input>, mut binary: &[u8]) -> Result<Self> {
        let mut read: Vec<(String, (Vec<f64>, usize))> = Vec::with_capacity(inputs.len());
        for input in inputs {
            let Input { name, shape, datatype, parameters, data } = input;
            let refuse = |problem: String| Err(Error::malformed("tensor", format!("{name}: {problem}")));
            let size = match datatype.as_str() {
                "FP32" => 4,
                "FP64" => 8,
                other => return refuse(format!("its type is {other:?}; FP32 and FP64 are known")),
            };
            let numbers = match (data, parameters.binary_data_size) {
                (Some(Flat(numbers)), None) => numbers,
                (None, Some(n)) if n <= binary.len() && n.is_multiple_of(size) => {
                    let (own, rest) = binary.split_at(n);
                    binary = rest;
                    numbers(own, size)
                }
                (None, Some(n)) => {
                    let left = binary.len();
                    return refuse(format!("binary_data_size is {n}, {left} bytes are left of the body"));
                }
                _ => return refuse("has neither or both of data and binary_data_size".into()),
            };
            let expected = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
            if expected != Some(numbers.len()) {
                return refuse(format!("its shape is {shape:?}, but it has {} numbers", numbers.len()));
            }
            if read.iter().any(|(other, _)| *other == name) {
                return refuse("is given twice".into());
            }
            let width = match shape[..] {
                [_, width] => width,
                [] | [_] => 1,
                _ => return refuse(format!("its shape is {shape:?}, but it has at most two axes")),
            };
            read.push((name, (numbers, width)));
        }
        match binary.len() {
            0 => Ok(Self(read)),
            left => Err(Error::malformed("tensor", format!("{left} bytes are left over after all tensors"))),
        }
    }

    /// A tensor that must be there.
    ///
    /// # Errors
    /// It is not.
    pub fn required(&mut self, name: &str) -> Result<(Vec<f64>, usize)> {
        self.optional(name).ok_or_else(|| Error::malformed("tensor", format!("the tensor {name} is missing")))
    }

    /// A tensor, if it is there.
    pub fn optional(&mut self, name: &str) -> Option<(Vec<f64>, usize)> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.swap_remove(at).1)
    }

    /// Refuses tensors that nobody asked for.
    ///
    /// # Errors
    /// There is one.
    pub fn nothing_left(&self) -> Result<()> {
        match self.0.first() {
            Some((name, _)) => Err(Error::malformed("tensor", format!("there is no input {name:?}"))),
            None => Ok(()),
        }
    }
}

/// Little-endian numbers of 4 or 8 bytes.
fn numbers(bytes: &[u8], size: usize) -> Vec<f64> {
    match size {
        4 => bytes.as_chunks::<4>().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect(),
        _ => bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
    }
}

/// Numbers of nested arrays, one after the other.
struct Flat(Vec<f64>);

impl<'de> Deserialize<'de> for Flat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut numbers = Vec::new();
        Append(&mut numbers).deserialize(deserializer)?;
        Ok(Self(numbers))
    }
}

/// Appends what it reads.
struct Append<'a>(&'a mut Vec<f64>);

impl<'de> DeserializeSeed<'de> for Append<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Append<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("numbers, flat or nested")
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.0.push(number);
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.0.push(number as f64);
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.0.push(number as f64);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Append(self.0))?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str, binary: &[u8]) -> Result<Inputs> {
        let body = [json.as_bytes(), binary].concat();
        let (inputs, rest): (Vec<Input>, &[u8]) = split(&body, Some(&json.len().to_string()))?;
        Inputs::read(inputs, rest)
    }

    #[test]
    fn numbers_are_nested_flat_or_bytes() {
        let json = r#"[{"name": "a", "shape": [2, 2], "datatype": "FP64", "data": [[1, 2.5], [-3, 4]]},
            {"name": "b", "shape": [3], "datatype": "FP32", "parameters": {"binary_data_size": 12}},
            {"name": "c", "shape": [1], "datatype": "FP64", "parameters": {"binary_data_size": 8}}]"#;
        let bytes = [1f32, 2.0, 3.0].map(f32::to_le_bytes).concat();
        let mut inputs = read(json, &[&bytes[..], &0.5f64.to_le_bytes()].concat()).unwrap();
        assert_eq!(inputs.required("a").unwrap(), (vec![1.0, 2.5, -3.0, 4.0], 2));
        assert_eq!(inputs.required("b").unwrap(), (vec![1.0, 2.0, 3.0], 1));
        assert!(inputs.nothing_left().is_err());
        assert_eq!(inputs.optional("c"), Some((vec![0.5], 1)));
        assert!(inputs.nothing_left().is_ok() && inputs.required("a").is_err());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let tensor = |shape: &str, rest: &str| format!(r#"[{{"name": "a", "shape": {shape}, {rest}}}]"#);
        for (shape, rest, told) in [
            ("[2]", r#""datatype": "FP64", "data": [1]"#, "has 1 numbers"),
            ("[1]", r#""datatype": "BYTES", "data": [1]"#, "FP32 and FP64"),
            ("[1]", r#""datatype": "FP64""#, "neither or both"),
            ("[1]", r#""datatype": "FP64", "parameters": {"binary_data_size": 16}"#, "8 bytes are left"),
            ("[1]", r#""datatype": "FP64", "parameters": {"binary_data_size": 7}"#, "8 bytes are left"),
            ("[1]", r#""datatype": "FP64", "data": [1]"#, "8 bytes are left over"),
            ("[1, 1, 1]", r#""datatype": "FP64", "data": [1]"#, "at most two axes"),
            ("[18446744073709551615, 2]", r#""datatype": "FP64", "data": [1]"#, "has 1 numbers"),
        ] {
            let error = read(&tensor(shape, rest), &[0; 8]).err().unwrap().to_string();
            assert!(error.contains(told), "{error}");
        }
        assert!(
            split::<Vec<Input>>(b"[]", Some("3")).is_err() && split::<Vec<Input>>(b"[]", Some("x")).is_err()
        );
    }
}
