//! Fields as answers, in the form that the client asks for.

use super::arrow;
use crate::error::{Error, Result};
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use lto_numerics::Points;
use lto_numerics::dataset::write::npy_header;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// The form of an answer, by the header `Accept`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Everything, as text.
    Json,
    /// The values as a NumPy array in double precision.
    Npy,
    /// The values alone in single precision, little-endian.
    Octets,
    /// A table as `lto predict` writes it to a CSV file, as an Arrow stream.
    Arrow,
}

impl Form {
    /// The form that the headers ask for.
    pub fn of(headers: &HeaderMap) -> Self {
        let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let forms = [
            ("application/x-npy", Self::Npy),
            ("application/octet-stream", Self::Octets),
            (arrow::MEDIA_TYPE, Self::Arrow),
        ];
        forms.into_iter().find(|(name, _)| accepted.contains(name)).map_or(Self::Json, |(_, form)| form)
    }
}

/// A field at some times.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct FieldAnswer {
    /// The time of the readings, where it is not part of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub s: Option<f64>,
    /// The times; of a steady model none.
    pub times: Vec<f64>,
    /// Shape of the values: times, channels, and the axes of the grid or the number of points.
    pub shape: Vec<usize>,
    /// The values, row-major; `null` where a model has diverged.
    #[schema(value_type = Vec<Option<f64>>)]
    pub values: Vec<f64>,
    /// The lower end of the band.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<Vec<f64>>,
    /// The upper end of the band.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<Vec<f64>>,
    /// How each time was reached: `direct`, `chain` or `rollout`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<&'static str>,
    /// What is wrong with readings that were accepted anyway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// The points of the values.
    #[serde(skip)]
    pub places: Option<Arc<Points>>,
    /// The names of the channels.
    #[serde(skip)]
    pub channels: Vec<String>,
}

/// A whole answer, ready to be sent.
#[derive(Debug)]
pub struct Answer {
    /// The media type.
    pub content_type: &'static str,
    /// The shape of the values, for forms that do not say it themselves.
    pub shape: Option<String>,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// A value as JSON.
    ///
    /// # Errors
    /// None for values that JSON can hold.
    pub fn json(value: &impl Serialize) -> Result<Self> {
        let bytes = serde_json::to_vec(value).map_err(|error| Error::internal(error.to_string()))?;
        Ok(Self { content_type: "application/json", shape: None, bytes })
    }
}

impl FieldAnswer {
    /// The answer in a form. With a band, binary forms have one more axis in front: prediction, lower, upper.
    ///
    /// # Errors
    /// As [`Answer::json`].
    pub fn into_answer(self, form: Form) -> Result<Answer> {
        match form {
            Form::Json => return Answer::json(&self),
            Form::Arrow => {
                let bytes = arrow::stream(&self.columns());
                return Ok(Answer { content_type: arrow::MEDIA_TYPE, shape: None, bytes });
            }
            Form::Octets | Form::Npy => {}
        }
        let Self { values, lower, upper, mut shape, .. } = self;
        let parts = match (&lower, &upper) {
            (Some(lower), Some(upper)) => vec![&values, lower, upper],
            _ => vec![&values],
        };
        if parts.len() > 1 {
            shape.insert(0, parts.len());
        }
        let numbers = parts.into_iter().flatten();
        Ok(match form {
            Form::Octets => Answer {
                content_type: "application/octet-stream",
                shape: Some(shape.iter().map(usize::to_string).collect::<Vec<_>>().join(",")),
                bytes: numbers.flat_map(|&x| (x as f32).to_le_bytes()).collect(),
            },
            _ => Answer {
                content_type: "application/x-npy",
                shape: None,
                bytes: npy_header("<f8", &shape)
                    .into_iter()
                    .chain(numbers.flat_map(|x| x.to_le_bytes()))
                    .collect(),
            },
        })
    }

    /// One row for each time and point: the time unless steady, the coordinates, the channels, the ends of their bands.
    fn columns(&self) -> Vec<arrow::Column> {
        let Some(places) = &self.places else { return Vec::new() };
        let (n, frames) = (places.len(), self.shape[0]);
        let each = |values: &[f64]| values.iter().flat_map(|&x| std::iter::repeat_n(x, n)).collect();
        let mut columns: Vec<arrow::Column> = Vec::new();
        if !self.times.is_empty() {
            columns.push(("t".into(), each(&self.times)));
        }
        let coordinates = places.coordinates();
        for (d, axis) in places.domain().axes().iter().enumerate() {
            let along = coordinates.iter().skip(d).step_by(places.dim()).copied().collect::<Vec<f64>>();
            columns.push((axis.name.clone(), along.repeat(frames)));
        }
        let channel = |values: &[f64], c: usize| {
            let own = values.chunks_exact(n).skip(c).step_by(self.channels.len());
            own.flatten().copied().collect::<Vec<f64>>()
        };
        let named = self.channels.iter().enumerate();
        columns.extend(named.clone().map(|(c, name)| (name.clone(), channel(&self.values, c))));
        if let (Some(lower), Some(upper)) = (&self.lower, &self.upper) {
            let ends = |(c, name): (usize, &String)| {
                [("lower", lower), ("upper", upper)]
                    .map(|(end, all)| (format!("{name}_{end}"), channel(all, c)))
            };
            columns.extend(named.flat_map(ends));
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(accept: &str) -> Form {
        Form::of(&HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]))
    }

    #[test]
    fn the_client_chooses_the_form() {
        assert_eq!(form("application/x-npy, application/json"), Form::Npy);
        assert_eq!(form("application/octet-stream"), Form::Octets);
        assert_eq!(form("application/vnd.apache.arrow.stream"), Form::Arrow);
        assert_eq!(form("*/*"), Form::Json);
        assert_eq!(Form::of(&HeaderMap::new()), Form::Json);
    }

    #[test]
    fn bands_are_one_more_axis() {
        let field = |band: Option<Vec<f64>>| FieldAnswer {
            shape: vec![1, 1, 2],
            values: vec![1.0, 2.0],
            lower: band.clone(),
            upper: band,
            ..FieldAnswer::default()
        };
        let plain = field(None).into_answer(Form::Octets).unwrap();
        assert_eq!(plain.shape.as_deref(), Some("1,1,2"));
        assert_eq!(plain.bytes, [1f32.to_le_bytes(), 2f32.to_le_bytes()].concat());
        let with = field(Some(vec![0.5, 0.25])).into_answer(Form::Octets).unwrap();
        assert_eq!((with.shape.as_deref(), with.bytes.len()), (Some("3,1,1,2"), 24));
        let npy = field(None).into_answer(Form::Npy).unwrap().bytes;
        assert!(npy.starts_with(b"\x93NUMPY") && npy.ends_with(&2f64.to_le_bytes()));
        let text = String::from_utf8(field(None).into_answer(Form::Json).unwrap().bytes).unwrap();
        assert_eq!(text, r#"{"times":[],"shape":[1,1,2],"values":[1.0,2.0]}"#);
    }
}
