//! Attributes of an HDF5 file, its groups and its datasets, as numbers and texts.

use super::element::number;
use super::objects::{Message, Objects};
use crate::dataset::format::Attribute;
use crate::dataset::format::scalar::Line;
use rust_hdf5::DatatypeMessage;
use rust_hdf5::format::FormatResult;
use rust_hdf5::format::dense_attr::read_dense_attributes;
use rust_hdf5::format::global_heap::{decode_vlen_reference, vlen_reference_size};
use rust_hdf5::format::messages::attr_info::AttributeInfoMessage;
use rust_hdf5::format::messages::attribute::{AttributeEntry, AttributeMessage};
use rust_hdf5::format::messages::datatype::fixed_string_content;
use rust_hdf5::format::messages::{MSG_ATTR_INFO, MSG_ATTRIBUTE, MSG_FLAG_SHARED};
use std::path::Path;

/// All attributes that are numbers or texts, by `(owner, name)`. Others (references, compounds) and damaged
/// ones are left out: an attribute only describes the data, which can be read without it.
pub(super) fn read(path: &Path, base: u64) -> FormatResult<Vec<(String, String, Attribute)>> {
    let mut attributes = Vec::new();
    Objects::open(path, base)?.walk(|objects, owner, messages| {
        for message in entries(objects, messages) {
            if let Some(value) = value(objects, &message) {
                attributes.push((owner.to_string(), message.name, value));
            }
        }
    });
    Ok(attributes)
}

/// The attribute messages of an object, from its header or its heap, in order of creation if the file records
/// it.
fn entries(objects: &mut Objects, messages: &[Message]) -> Vec<AttributeMessage> {
    let context = objects.context;
    let mut entries = Vec::new();
    for message in messages.iter().filter(|m| m.flags & MSG_FLAG_SHARED == 0) {
        match message.kind {
            MSG_ATTRIBUTE => entries.extend(AttributeEntry::parse(&message.body, &context)),
            MSG_ATTR_INFO => {
                if let Ok((info, _)) = AttributeInfoMessage::decode(&message.body, &context) {
                    entries.extend(read_dense_attributes(&info, &context, objects).unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    entries.sort_by_key(|entry| entry.creation_index());
    entries.iter().filter_map(|entry| entry.readable().cloned()).collect()
}

fn value(objects: &mut Objects, attribute: &AttributeMessage) -> Option<Attribute> {
    let data = &attribute.data;
    match &attribute.datatype {
        DatatypeMessage::FixedString { size, padding, .. } => {
            let size = usize::try_from(*size).ok().filter(|&size| size > 0)?;
            let text =
                |bytes| fixed_string_content(bytes, *padding).map(|t| String::from_utf8_lossy(t).into());
            data.chunks_exact(size).map(text).collect::<Option<_>>().map(Attribute::Texts)
        }
        DatatypeMessage::VarLenString { .. } => {
            let references = data.chunks_exact(vlen_reference_size(&objects.context));
            references.map(|r| heap_text(objects, r)).collect::<Option<_>>().map(Attribute::Texts)
        }
        datatype => {
            let scalar = number(datatype)?;
            let count = data.len() / scalar.kind.size();
            let mut numbers = vec![0.0; count];
            scalar.decode(data, &mut numbers, Line { count, step: 1, out_step: 1 });
            Some(Attribute::Numbers(numbers))
        }
    }
}

/// The text a reference into the global heap points at.
fn heap_text(objects: &mut Objects, reference: &[u8]) -> Option<String> {
    let (length, collection, index) = decode_vlen_reference(reference, &objects.context).ok()?;
    if length == 0 {
        return Some(String::new());
    }
    let text = objects.heap_object(collection, index).ok()?;
    Some(String::from_utf8_lossy(&text).into())
}
