//! All parameters of an operator as one vector.

use crate::operator::Operator;
use crate::parameters::Named;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

struct Slot {
    name: String,
    shape: Vec<usize>,
    range: Range<usize>,
}

/// Where each parameter lies in the vector.
pub struct FlatLayout {
    slots: Vec<Slot>,
    by_name: HashMap<String, usize>,
    len: usize,
}

impl FlatLayout {
    /// The layout of an operator's parameters, and their values.
    pub fn of(operator: &dyn Operator) -> (Self, Vec<f32>) {
        let mut layout = Self { slots: Vec::new(), by_name: HashMap::new(), len: 0 };
        let mut values = Vec::new();
        for parameter in operator.parameters() {
            let start = values.len();
            values.extend(parameter.values);
            layout.by_name.insert(parameter.name.clone(), layout.slots.len());
            layout.slots.push(Slot {
                name: parameter.name,
                shape: parameter.shape,
                range: start..values.len(),
            });
        }
        layout.len = values.len();
        (layout, values)
    }

    /// Puts named values in their places; 0 where there are none.
    pub fn gather(&self, named: &[Named], flat: &mut Vec<f32>) {
        flat.clear();
        flat.resize(self.len, 0.0);
        for Named { name, values, .. } in named {
            if let Some(slot) = self.by_name.get(name).map(|&i| &self.slots[i])
                && slot.range.len() == values.len()
            {
                flat[slot.range.clone()].copy_from_slice(values);
            }
        }
    }

    /// The values by name, each with a prefix.
    pub fn named<'a>(&'a self, prefix: &'a str, flat: &'a [f32]) -> impl Iterator<Item = Named> + 'a {
        self.slots.iter().map(move |slot| Named {
            name: format!("{prefix}{}", slot.name),
            shape: slot.shape.clone(),
            values: flat[slot.range.clone()].to_vec(),
        })
    }

    /// The inverse of [`FlatLayout::named`].
    ///
    /// # Errors
    /// A tensor that is missing or has another shape.
    pub fn collect(&self, prefix: &str, tensors: &HashMap<String, Named>) -> Result<Vec<f32>, String> {
        let mut flat = Vec::with_capacity(self.len);
        for slot in &self.slots {
            let name = format!("{prefix}{}", slot.name);
            let found =
                tensors.get(&name).ok_or_else(|| format!("{name} is missing; was the model changed?"))?;
            if found.shape != slot.shape {
                return Err(format!("{name} has shape {:?}, the model needs {:?}", found.shape, slot.shape));
            }
            flat.extend(&found.values);
        }
        Ok(flat)
    }

    /// An operator with these parameters.
    pub fn store(&self, operator: &dyn Operator, flat: &[f32]) -> Arc<dyn Operator> {
        operator.with_parameters(&mut |name, _| {
            let slot = &self.slots[*self.by_name.get(name)?];
            Some(flat[slot.range.clone()].to_vec())
        })
    }
}
