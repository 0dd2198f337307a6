//! A table as an Arrow stream: the schema, one batch, the end of the stream.
//!
//! Columns are double precision without missing values, which is all that fields need: so the format, which is a few small
//! FlatBuffers before the plain numbers, is written here instead of by crates that know every type.

use flatbuffers::{FlatBufferBuilder, UnionWIPOffset, WIPOffset};

/// The media type.
pub const MEDIA_TYPE: &str = "application/vnd.apache.arrow.stream";

/// A column: its name and its numbers.
pub type Column = (String, Vec<f64>);

/// Every part begins at a multiple of this.
const ALIGNMENT: usize = 8;
/// What comes before the length of a message.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Messages of this version of the format, which has been stable since Arrow 1.0.
const VERSION_5: i16 = 4;
/// Kinds of messages and types, as their unions number them; double precision, as its enumeration does.
const SCHEMA: u8 = 1;
const RECORD_BATCH: u8 = 3;
const FLOATING_POINT: u8 = 3;
const DOUBLE: i16 = 2;

/// A table of columns of equal length.
pub fn stream(columns: &[Column]) -> Vec<u8> {
    let rows = columns.first().map_or(0, |(_, numbers)| numbers.len());
    let mut bytes = Vec::with_capacity(8 * rows * columns.len() + 256 * (columns.len() + 2));
    schema(&mut bytes, columns);
    batch(&mut bytes, columns, rows);
    bytes.extend(CONTINUATION);
    bytes.extend([0; 4]);
    bytes
}

fn schema(bytes: &mut Vec<u8>, columns: &[Column]) {
    let mut builder = FlatBufferBuilder::new();
    let fields: Vec<_> = columns.iter().map(|(name, _)| field(&mut builder, name)).collect();
    let fields = builder.create_vector(&fields);
    let table = builder.start_table();
    builder.push_slot_always(slot(1), fields);
    let schema = builder.end_table(table);
    message(bytes, builder, SCHEMA, schema.as_union_value(), 0);
}

fn field<'a>(builder: &mut FlatBufferBuilder<'a>, name: &str) -> WIPOffset<flatbuffers::Table<'a>> {
    let name = builder.create_string(name);
    let children = builder.create_vector::<WIPOffset<flatbuffers::Table>>(&[]);
    let table = builder.start_table();
    builder.push_slot(slot(0), DOUBLE, 0);
    let number = builder.end_table(table);
    let table = builder.start_table();
    builder.push_slot_always(slot(0), name);
    builder.push_slot(slot(2), FLOATING_POINT, 0);
    builder.push_slot_always(slot(3), number);
    builder.push_slot_always(slot(5), children);
    WIPOffset::new(builder.end_table(table).value())
}

fn batch(bytes: &mut Vec<u8>, columns: &[Column], rows: usize) {
    let (mut builder, size) = (FlatBufferBuilder::new(), (8 * rows) as i64);
    // Of each column: where its marks of missing values are, of which there are none, and where its numbers are.
    let buffers = (0..columns.len() as i64).flat_map(|i| [[i * size, 0], [i * size, size]]);
    let buffers = pairs(&mut builder, &buffers.collect::<Vec<_>>());
    let nodes = pairs(&mut builder, &vec![[rows as i64, 0]; columns.len()]);
    let table = builder.start_table();
    builder.push_slot(slot(0), rows as i64, 0);
    builder.push_slot_always(slot(1), nodes);
    builder.push_slot_always(slot(2), buffers);
    let batch = builder.end_table(table);
    message(bytes, builder, RECORD_BATCH, batch.as_union_value(), size * columns.len() as i64);
    bytes.extend(columns.iter().flat_map(|(_, numbers)| numbers).flat_map(|x| x.to_le_bytes()));
}

/// A vector of structures of two whole numbers: offset and length, or length and number of missing values.
fn pairs<'a>(
    builder: &mut FlatBufferBuilder<'a>,
    pairs: &[[i64; 2]],
) -> WIPOffset<flatbuffers::Vector<'a, i64>> {
    builder.start_vector::<i64>(2 * pairs.len());
    // Buffers are filled from behind.
    for number in pairs.as_flattened().iter().rev() {
        builder.push(*number);
    }
    builder.end_vector(pairs.len())
}

/// Ends a message with its header and writes it, padded; its body of `size` bytes comes next.
fn message(
    bytes: &mut Vec<u8>,
    mut builder: FlatBufferBuilder,
    kind: u8,
    header: WIPOffset<UnionWIPOffset>,
    size: i64,
) {
    let table = builder.start_table();
    builder.push_slot(slot(3), size, 0);
    builder.push_slot_always(slot(2), header);
    builder.push_slot(slot(0), VERSION_5, 0);
    builder.push_slot(slot(1), kind, 0);
    let root = builder.end_table(table);
    builder.finish_minimal(root);
    let data = builder.finished_data();
    let length = data.len().next_multiple_of(ALIGNMENT);
    bytes.extend(CONTINUATION);
    bytes.extend((length as i32).to_le_bytes());
    bytes.extend(data);
    bytes.extend(std::iter::repeat_n(0, length - data.len()));
}

/// Where a table keeps the place of its field `i`.
fn slot(i: u16) -> u16 {
    4 + 2 * i
}
