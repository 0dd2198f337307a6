//! Pickles as data: lists, dictionaries, texts, numbers and tensors are understood, and nothing is ever
//! called. Anything else a pickle names is refused by name.
//!
//! Objects live in one list and refer to each other by number: however deep or knotted a hostile pickle is, nothing recurses.
//! The number of operations and the length of names are limited, so that a small file takes little memory.

mod machine;

use machine::Machine;

/// Number of an object.
pub type Id = usize;

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// `None`.
    None,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list or a tuple.
    Sequence(Vec<Id>),
    /// A dictionary, in its order.
    Dictionary(Vec<(Id, Id)>),
    /// A class or function by name, never looked up.
    Name(String),
    /// Data stored elsewhere in the file, by the tuple that describes it.
    Stored(Id),
    /// A tensor, by the tuple that `torch._utils._rebuild_tensor_v2` would be called with.
    Tensor(Id),
}

impl Object {
    /// Its kind, in a word.
    fn kind(&self) -> &'static str {
        match self {
            Object::None => "nothing",
            Object::Bool(_) => "a truth value",
            Object::Int(_) | Object::Float(_) => "a number",
            Object::Text(_) => "a text",
            Object::Sequence(_) => "a list",
            Object::Dictionary(_) => "a dictionary",
            Object::Name(_) => "a name",
            Object::Stored(_) => "a storage",
            Object::Tensor(_) => "a tensor",
        }
    }
}

/// All objects of a pickle.
#[derive(Debug)]
pub struct Pickle {
    objects: Vec<Object>,
    root: Id,
}

impl Pickle {
    /// Reads a pickle.
    ///
    /// # Errors
    /// What is damaged or refused, in words.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let (objects, root) = Machine::new(bytes).run()?;
        Ok(Self { objects, root })
    }

    /// An object.
    pub fn get(&self, id: Id) -> &Object {
        self.objects.get(id).unwrap_or(&Object::None)
    }

    /// The outermost object.
    pub fn root(&self) -> Id {
        self.root
    }

    /// The entries of a dictionary whose keys are texts; none for anything else.
    pub fn entries(&self, id: Id) -> Vec<(&str, Id)> {
        let Object::Dictionary(entries) = self.get(id) else { return Vec::new() };
        let text = |&(key, value): &(Id, Id)| match self.get(key) {
            Object::Text(key) => Some((key.as_str(), value)),
            _ => None,
        };
        entries.iter().filter_map(text).collect()
    }

    /// A sequence of sizes.
    pub fn sizes(&self, id: Id) -> Option<Vec<usize>> {
        let Object::Sequence(items) = self.get(id) else { return None };
        items.iter().map(|&item| self.size(item)).collect()
    }

    /// A number that is not negative.
    pub fn size(&self, id: Id) -> Option<usize> {
        match self.get(id) {
            Object::Int(value) => usize::try_from(*value).ok(),
            _ => None,
        }
    }
}
