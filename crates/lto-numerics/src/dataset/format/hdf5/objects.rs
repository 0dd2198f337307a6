//! A walk over the object headers of an HDF5 file. The crate's own interface returns attributes of groups and
//! of the file only as single texts; the headers hold all of them.

use rust_hdf5::format::btree_v1::{BTreeV1Config, BTreeV1Node};
use rust_hdf5::format::dense_link::read_dense_links;
use rust_hdf5::format::global_heap::GlobalHeapCollection;
use rust_hdf5::format::local_heap::{LocalHeapHeader, local_heap_get_string};
use rust_hdf5::format::messages::continuation::ContinuationMessage;
use rust_hdf5::format::messages::link::{LinkMessage, LinkTarget};
use rust_hdf5::format::messages::link_info::LinkInfoMessage;
use rust_hdf5::format::messages::{MSG_LINK, MSG_LINK_INFO, MSG_OBJ_HEADER_CONTINUATION, MSG_SYMBOL_TABLE};
use rust_hdf5::format::object_header::{OHDR_SIGNATURE, ObjectHeader};
use rust_hdf5::format::superblock::{SuperblockV0V1, SuperblockV2V3, detect_superblock_version};
use rust_hdf5::format::symbol_table::SymbolTableNode;
use rust_hdf5::format::{BlockReader, FormatContext, FormatError, FormatResult};
use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Most headers fit; a longer one states its length.
const HEADER_PROBE: usize = 1024;
/// Nesting beyond this is a damaged file.
const MAX_DEPTH: usize = 64;

/// One message of an object header.
pub(super) struct Message {
    /// Its type, one of the crate's `MSG_…`.
    pub(super) kind: u8,
    /// Bit 1: the body is stored elsewhere.
    pub(super) flags: u8,
    /// Its body.
    pub(super) body: Vec<u8>,
}

/// The metadata of one open file.
pub(super) struct Objects {
    file: File,
    /// The base of all addresses: the size of the user block.
    base: u64,
    length: u64,
    /// Bytes that may still be read. Valid metadata is read about once; loops in damaged metadata end here.
    allowance: u64,
    pub(super) context: FormatContext,
    trees: BTreeV1Config,
    root: u64,
    /// The heap collection read last: the texts of one object usually share one.
    heap: Option<(u64, GlobalHeapCollection)>,
}

impl BlockReader for Objects {
    fn read_block(&mut self, offset: u64, len: usize) -> FormatResult<Vec<u8>> {
        let damaged = |what: &str| FormatError::InvalidData(format!("metadata at {offset:#x}: {what}"));
        let at = self.base.checked_add(offset).filter(|&at| at < self.length);
        let at = at.ok_or_else(|| damaged("lies beyond the end of the file"))?;
        let len = (len as u64).min(self.length - at);
        self.allowance = self.allowance.checked_sub(len).ok_or_else(|| damaged("contains a cycle"))?;
        let mut block = Vec::new();
        self.file
            .seek(SeekFrom::Start(at))
            .and_then(|_| (&mut self.file).take(len).read_to_end(&mut block))
            .map_err(|e| damaged(&e.to_string()))?;
        Ok(block)
    }
}

impl Objects {
    /// Opens a file whose superblock starts at byte `base`.
    pub(super) fn open(path: &Path, base: u64) -> FormatResult<Self> {
        let unreadable = |e: std::io::Error| FormatError::InvalidData(e.to_string());
        let file = File::open(path).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        let mut objects = Self {
            file,
            base,
            length,
            allowance: length.saturating_mul(16).saturating_add(1 << 20),
            context: FormatContext::default_v3(),
            trees: BTreeV1Config::default(),
            root: 0,
            heap: None,
        };
        let block = objects.read_block(0, 1024)?;
        let (sizes, root) = match detect_superblock_version(&block)? {
            0 | 1 => {
                let superblock = SuperblockV0V1::decode(&block)?;
                objects.trees.sym_leaf_k = superblock.sym_leaf_k;
                objects.trees.snode_internal_k = superblock.btree_internal_k;
                (
                    (superblock.sizeof_offsets, superblock.sizeof_lengths),
                    superblock.root_symbol_table_entry.obj_header_addr,
                )
            }
            _ => {
                let superblock = SuperblockV2V3::decode(&block)?;
                (
                    (superblock.sizeof_offsets, superblock.sizeof_lengths),
                    superblock.root_group_object_header_address,
                )
            }
        };
        objects.context = FormatContext { sizeof_addr: sizes.0, sizeof_size: sizes.1 };
        objects.root = root;
        Ok(objects)
    }

    /// Calls `visit` with the name (empty for the root) and the header messages of every object, once per
    /// name; groups under their first name only. Objects with damaged headers are skipped.
    pub(super) fn walk(&mut self, mut visit: impl FnMut(&mut Self, &str, &[Message])) {
        let mut groups = HashSet::new();
        let mut pending = vec![(String::new(), self.root, 0)];
        while let Some((name, address, depth)) = pending.pop() {
            let Ok(messages) = self.header(address) else { continue };
            visit(self, &name, &messages);
            let Ok(mut children) = self.children(&messages) else { continue };
            if children.is_empty() || depth == MAX_DEPTH || !groups.insert(address) {
                continue;
            }
            // Last in, first out: reversing keeps the file's order.
            children.reverse();
            pending.extend(children.into_iter().map(|(child, address)| {
                let path = if name.is_empty() { child } else { format!("{name}/{child}") };
                (path, address, depth + 1)
            }));
        }
    }

    /// Object `index` of the global heap collection at `address`.
    pub(super) fn heap_object(&mut self, address: u64, index: u32) -> FormatResult<Vec<u8>> {
        let collection = match self.heap.take() {
            Some((at, collection)) if at == address => collection,
            _ => {
                let start = self.read_block(address, 64)?;
                let size = GlobalHeapCollection::decode_size(&start, &self.context)?;
                let block = self.read_block(address, size)?;
                GlobalHeapCollection::decode(&block, &self.context)?.0
            }
        };
        let object = u16::try_from(index).ok().and_then(|index| collection.get_object(index));
        let object = object.map(<[u8]>::to_vec);
        self.heap = Some((address, collection));
        object.ok_or_else(|| FormatError::InvalidData(format!("no heap object {index} at {address:#x}")))
    }

    /// All messages of the object header at `address`, continuation blocks included.
    fn header(&mut self, address: u64) -> FormatResult<Vec<Message>> {
        let mut block = self.read_block(address, HEADER_PROBE)?;
        if let Err(FormatError::BufferTooShort { needed, .. }) = ObjectHeader::decode_any(&block) {
            block = self.read_block(address, needed)?;
        }
        let (header, _) = ObjectHeader::decode_any(&block)?;
        let version_2 = block.starts_with(&OHDR_SIGNATURE);
        let ordered = version_2 && header.has_creation_order();
        let mut messages: Vec<Message> = header
            .messages
            .into_iter()
            .map(|m| Message { kind: m.msg_type, flags: m.flags, body: m.data })
            .collect();
        let (mut seen, mut next) = (HashSet::new(), 0);
        while let Some(message) = messages.get(next) {
            next += 1;
            if message.kind != MSG_OBJ_HEADER_CONTINUATION {
                continue;
            }
            let (continuation, _) = ContinuationMessage::decode(&message.body, &self.context)?;
            if seen.insert(continuation.offset) {
                let length = usize::try_from(continuation.length).unwrap_or(usize::MAX);
                let block = self.read_block(continuation.offset, length)?;
                messages.extend(continued(&block, version_2, ordered));
            }
        }
        Ok(messages)
    }

    /// Names and header addresses of a group's direct links (not soft or external ones).
    fn children(&mut self, messages: &[Message]) -> FormatResult<Vec<(String, u64)>> {
        let mut children = Vec::new();
        let context = self.context;
        for message in messages {
            let links = match message.kind {
                MSG_LINK => vec![LinkMessage::decode(&message.body, &context)?.0],
                MSG_LINK_INFO => {
                    let (info, _) = LinkInfoMessage::decode(&message.body, &context)?;
                    read_dense_links(&info, &context, self)?
                }
                MSG_SYMBOL_TABLE => {
                    children.extend(self.symbol_table(&message.body)?);
                    continue;
                }
                _ => continue,
            };
            children.extend(links.into_iter().filter_map(|link| match link.target {
                LinkTarget::Hard { address } => Some((link.name, address)),
                _ => None,
            }));
        }
        Ok(children)
    }

    /// The links of a group in the old format: a B-tree of symbol nodes, names in a local heap.
    fn symbol_table(&mut self, body: &[u8]) -> FormatResult<Vec<(String, u64)>> {
        let (addresses, lengths) = (self.context.sizeof_addr as usize, self.context.sizeof_size as usize);
        let (Some(tree), Some(heap)) = (address(body, 0, addresses), address(body, addresses, addresses))
        else {
            return Err(FormatError::BufferTooShort { needed: 2 * addresses, available: body.len() });
        };
        let heap = LocalHeapHeader::decode(&self.read_block(heap, 64)?, addresses, lengths)?;
        let names = self.read_block(heap.data_addr, usize::try_from(heap.data_size).unwrap_or(usize::MAX))?;
        let (mut children, mut seen, mut pending) = (Vec::new(), HashSet::new(), vec![(tree, true)]);
        while let Some((address, is_tree)) = pending.pop() {
            if !seen.insert(address) {
                continue;
            }
            if is_tree {
                let block = self.read_block(address, self.trees.snode_btree_node_size(addresses, lengths))?;
                let node = BTreeV1Node::decode(&block, addresses, lengths, self.trees.snode_max_entries())?;
                pending.extend(node.children.iter().rev().map(|&child| (child, node.level > 0)));
            } else {
                let block =
                    self.read_block(address, self.trees.symbol_table_node_size(addresses, lengths))?;
                let entries = self.trees.sym_leaf_max_entries();
                for entry in SymbolTableNode::decode(&block, addresses, lengths, entries)?.entries {
                    let name = local_heap_get_string(&names, entry.name_offset)?;
                    children.push((name, entry.obj_header_addr));
                }
            }
        }
        Ok(children)
    }
}

/// The little-endian address of `width` bytes at `at`.
fn address(body: &[u8], at: usize, width: usize) -> Option<u64> {
    let mut address = [0; 8];
    address.get_mut(..width)?.copy_from_slice(body.get(at..at + width)?);
    Some(u64::from_le_bytes(address))
}

/// The messages of a continuation block; any that does not fit is left out.
fn continued(block: &[u8], version_2: bool, ordered: bool) -> Vec<Message> {
    let mut messages = Vec::new();
    // Version 2: "OCHK", messages of 4- or 6-byte envelopes, checksum. Version 1: messages of 8-byte envelopes.
    let (mut rest, envelope) = if version_2 {
        (block.get(4..block.len().saturating_sub(4)).unwrap_or_default(), if ordered { 6 } else { 4 })
    } else {
        (block, 8)
    };
    while rest.len() >= envelope {
        let (kind, size, flags) = if version_2 {
            (rest[0], u16::from_le_bytes([rest[1], rest[2]]), rest[3])
        } else {
            (rest[0], u16::from_le_bytes([rest[2], rest[3]]), rest[4])
        };
        let Some(body) = rest.get(envelope..envelope + usize::from(size)) else { break };
        messages.push(Message { kind, flags, body: body.to_vec() });
        rest = &rest[envelope + usize::from(size)..];
    }
    messages
}
