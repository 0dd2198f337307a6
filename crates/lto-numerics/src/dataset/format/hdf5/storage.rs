//! How HDF5 datasets are stored: described for people, and checked before anything is allocated.

use super::Content;
use super::element::{is_text, number};
use crate::dataset::format::inflate::MAX_EXPANSION;
use crate::dataset::format::scalar::Kind;
use crate::dataset::format::{ArrayInfo, ElementType};
use rust_hdf5::{ChunkIndex, Filter, H5Dataset, H5File, StorageLayout};

/// Unwritten parts of a dataset take no space in the file, so up to this many bytes of a slice or a chunk are
/// accepted whatever the file's size.
const ALWAYS_ALLOWED: u64 = 64 << 20;

/// Each chunk of a slice takes time, written or not: this many are accepted whatever the file's size.
const MOST_CHUNKS: u64 = 1 << 20;

/// Bytes of memory per entry of a chunk index.
const INDEX_ENTRY: u64 = 24;

/// Name of a filter, and whether it can be decoded here.
fn filter_name(filter: &Filter) -> (String, bool) {
    let (name, supported) = match filter.id {
        1 => ("gzip", true),
        2 => ("shuffle", true),
        3 => ("fletcher32", true),
        4 => ("szip", true),
        5 => ("nbit", true),
        6 => ("scale-offset", true),
        32000 => ("lzf", true),
        307 => ("bzip2", false),
        32001 => ("blosc", false),
        32004 => ("lz4", false),
        32008 => ("bitshuffle", false),
        32013 => ("zfp", false),
        32015 => ("zstd", false),
        id => return (format!("filter {id}"), false),
    };
    (name.into(), supported)
}

/// Lists a dataset without reading its values.
pub(super) fn describe(file: &H5File, name: &str) -> rust_hdf5::Result<(ArrayInfo, Content)> {
    let dataset = file.dataset(name)?;
    let kind = number(&dataset.datatype()?).map(|scalar| scalar.kind);
    let layout = dataset.storage_layout()?;
    let filters = dataset.filters()?;
    let mut storage = match (layout, dataset.chunk_dims()) {
        (StorageLayout::Chunked, Some(chunk)) => format!("chunked {chunk:?}"),
        (StorageLayout::Chunked, None) => "chunked".into(),
        (StorageLayout::Compact, _) => "compact".into(),
        (StorageLayout::Contiguous, _) => "contiguous".into(),
        (StorageLayout::Virtual, _) => "virtual".into(),
    };
    for filter in &filters {
        storage += ", ";
        storage += &filter_name(filter).0;
    }
    let mut shape = dataset.shape();
    let fits = shape.iter().try_fold(8usize, |bytes, &n| bytes.checked_mul(n));
    let elsewhere = layout == StorageLayout::Virtual || !dataset.external_files()?.is_empty();
    let unknown = filters.iter().map(filter_name).find(|(_, supported)| !supported);
    let element = kind.map_or(ElementType::Other, Kind::element);
    let content = if dataset.is_null() {
        shape = vec![0];
        Content::Null
    } else if fits.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        let problem = format!("the shape {shape:?} has more elements than any file can hold");
        shape.clear();
        Content::Damaged(problem)
    } else if elsewhere {
        Content::Unsupported("its values are in other files; copy them into one (h5repack does)".into())
    } else if let Some((filter, _)) = unknown {
        Content::Unsupported(format!(
            "compressed by {filter}, which is not supported; rewrite it with `h5repack -f GZIP=4 old.hdf5 new.hdf5`"
        ))
    } else {
        match kind {
            Some(kind) => Content::Numbers(kind, dataset, None),
            None if is_text(&dataset.datatype()?) => Content::Texts(dataset),
            None => Content::Other,
        }
    };
    Ok((ArrayInfo { name: name.into(), shape, element, storage }, content))
}

/// Refuses a slice, a chunk or a list of chunks larger than a file of `length` bytes can hold: a damaged size
/// must not become an allocation.
pub(super) fn check(
    dataset: &H5Dataset,
    kind: Kind,
    count: &[usize],
    length: u64,
) -> rust_hdf5::Result<Result<(), String>> {
    let compressed = dataset.filters()?.iter().any(|filter| !matches!(filter.id, 2 | 3));
    // Deflate is the strongest of the supported compressions.
    let ratio = if compressed { MAX_EXPANSION } else { 1 };
    let limit = length.saturating_mul(ratio).max(ALWAYS_ALLOWED);
    let chunk = dataset.chunk_dims().unwrap_or_default();
    for (what, extent) in [("a slice", count), ("its chunks", &chunk)] {
        let bytes = extent.iter().try_fold(kind.size() as u64, |bytes, &n| bytes.checked_mul(n as u64));
        if bytes.is_none_or(|bytes| bytes > limit) {
            return Ok(Err(format!("{what} of {extent:?} cannot come from a file of {length} bytes")));
        }
    }
    if dataset.is_chunked() && chunk.contains(&0) {
        return Ok(Err(format!("its chunks of {chunk:?} are empty")));
    }
    let touched = count.iter().zip(&chunk).map(|(&n, &along)| n.div_ceil(along) as u64);
    if touched.fold(1, u64::saturating_mul) > length.max(MOST_CHUNKS) {
        return Ok(Err(format!(
            "a slice of {count:?} has more chunks of {chunk:?} than a file of {length} bytes"
        )));
    }
    if dataset.chunk_index()? == Some(ChunkIndex::ExtensibleArray) {
        // This index is read whole, and has an entry for every chunk that the largest shape could have.
        let (shape, largest) = (dataset.shape(), dataset.max_shape()?);
        let extents = shape.iter().zip(&largest).map(|(&now, most)| most.unwrap_or(now));
        let chunks = extents.zip(&chunk).map(|(n, &along)| n.div_ceil(along) as u64);
        let entries = chunks.fold(1, u64::saturating_mul);
        if entries.saturating_mul(INDEX_ENTRY) > length.max(ALWAYS_ALLOWED) {
            return Ok(Err(format!(
                "its index has room for {entries} chunks of {chunk:?}, more than a file of {length} bytes can list; \
                 rewrite it with a smaller maximum shape"
            )));
        }
    }
    Ok(Ok(()))
}
