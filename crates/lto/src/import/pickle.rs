//! Pickles as data: lists, dictionaries, texts, numbers and tensors are understood, and nothing is ever called. What else a
//! pickle names is refused by its name.
//!
//! Objects live in one list and refer to each other by number: however deep or knotted a hostile pickle is, nothing recurses.
//! Every object costs at least a byte of the file, so that memory stays in proportion to it.

use std::collections::HashMap;

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
    /// What the file stores elsewhere, by the tuple that describes it.
    Stored(Id),
    /// A tensor, by the tuple that `torch._utils._rebuild_tensor_v2` would be called with.
    Tensor(Id),
}

impl Object {
    /// What it is, in a word.
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

/// Functions and classes that a pickle may name; storages are looked at later.
const ORDERED_DICT: &str = "collections.OrderedDict";
const TENSOR: &str = "torch._utils._rebuild_tensor_v2";
const PARAMETER: &str = "torch._utils._rebuild_parameter";

impl Pickle {
    /// Reads a pickle.
    ///
    /// # Errors
    /// What is damaged, or refused, in words.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut machine = Machine {
            input: bytes,
            objects: Vec::new(),
            stack: Vec::new(),
            marks: Vec::new(),
            memo: HashMap::new(),
        };
        while machine.step()? {}
        let root = machine.pop()?;
        Ok(Self { objects: machine.objects, root })
    }

    /// An object.
    pub fn get(&self, id: Id) -> &Object {
        self.objects.get(id).unwrap_or(&Object::None)
    }

    /// The outermost object.
    pub fn root(&self) -> Id {
        self.root
    }

    /// The entries of a dictionary whose keys are texts; none of anything else.
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

/// A stack machine, as pickles are written for.
struct Machine<'a> {
    input: &'a [u8],
    objects: Vec<Object>,
    stack: Vec<Id>,
    marks: Vec<usize>,
    memo: HashMap<u32, Id>,
}

impl Machine<'_> {
    /// Does one operation; false at the end.
    fn step(&mut self) -> Result<bool, String> {
        match self.byte()? {
            // PROTO and FRAME say nothing that is needed.
            0x80 => drop(self.take(1)?),
            0x95 => drop(self.take(8)?),
            b'.' => return Ok(false),
            b'(' => self.marks.push(self.stack.len()),
            b'0' => drop(self.pop()?),
            b'N' => self.push(Object::None),
            0x88 => self.push(Object::Bool(true)),
            0x89 => self.push(Object::Bool(false)),
            b'K' => {
                let value = i64::from(self.byte()?);
                self.push(Object::Int(value));
            }
            b'M' => {
                let value = i64::from(u16::from_le_bytes(self.array()?));
                self.push(Object::Int(value));
            }
            b'J' => {
                let value = i64::from(i32::from_le_bytes(self.array()?));
                self.push(Object::Int(value));
            }
            0x8a => self.long()?,
            b'G' => {
                let value = f64::from_be_bytes(self.array()?);
                self.push(Object::Float(value));
            }
            b'X' => {
                let n = u32::from_le_bytes(self.array()?) as usize;
                self.text(n)?;
            }
            0x8c => {
                let n = usize::from(self.byte()?);
                self.text(n)?;
            }
            b']' | b')' => self.push(Object::Sequence(Vec::new())),
            b'}' => self.push(Object::Dictionary(Vec::new())),
            b't' => {
                let items = self.since_mark()?;
                self.push(Object::Sequence(items));
            }
            count @ 0x85..=0x87 => {
                let n = usize::from(count - 0x84);
                let first = self.stack.len().checked_sub(n).ok_or("it is damaged: its stack is empty")?;
                let items = self.stack.split_off(first);
                self.push(Object::Sequence(items));
            }
            b'a' => {
                let item = self.pop()?;
                self.extend(vec![item])?;
            }
            b'e' => {
                let items = self.since_mark()?;
                self.extend(items)?;
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.insert(vec![key, value])?;
            }
            b'u' => {
                let items = self.since_mark()?;
                self.insert(items)?;
            }
            b'q' => {
                let key = u32::from(self.byte()?);
                self.remember(key)?;
            }
            b'r' => {
                let key = u32::from_le_bytes(self.array()?);
                self.remember(key)?;
            }
            0x94 => self.remember(u32::try_from(self.memo.len()).unwrap_or(u32::MAX))?,
            b'h' => {
                let key = u32::from(self.byte()?);
                self.recall(key)?;
            }
            b'j' => {
                let key = u32::from_le_bytes(self.array()?);
                self.recall(key)?;
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.push(Object::Name(format!("{module}.{name}")));
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                match (&self.objects[module], &self.objects[name]) {
                    (Object::Text(module), Object::Text(name)) => {
                        let name = format!("{module}.{name}");
                        self.push(Object::Name(name));
                    }
                    _ => return Err("it is damaged: a name is no text".into()),
                }
            }
            b'Q' => {
                let id = self.pop()?;
                self.push(Object::Stored(id));
            }
            b'R' => self.call()?,
            0x81 => {
                let (_, class) = (self.pop()?, self.pop()?);
                return Err(refused(self.name(class)?));
            }
            // State of an object: an ordered dictionary carries version numbers, which are of no use.
            b'b' => {
                self.pop()?;
            }
            other => return Err(format!("it has the operation 0x{other:02x}, which no state dict needs")),
        }
        Ok(true)
    }

    /// What a pickle would call. Nothing is called: the few that are known are data of a kind.
    fn call(&mut self) -> Result<(), String> {
        let (arguments, function) = (self.pop()?, self.pop()?);
        let name = self.name(function)?;
        let Object::Sequence(given) = &self.objects[arguments] else {
            return Err(format!("it is damaged: it calls {name} with {}", self.objects[arguments].kind()));
        };
        match (name, &given[..]) {
            (ORDERED_DICT, []) => self.push(Object::Dictionary(Vec::new())),
            (TENSOR, _) => self.push(Object::Tensor(arguments)),
            (PARAMETER, &[tensor, ..]) => self.stack.push(tensor),
            _ => return Err(refused(name)),
        }
        Ok(())
    }

    fn name(&self, id: Id) -> Result<&str, String> {
        match &self.objects[id] {
            Object::Name(name) => Ok(name),
            other => Err(format!("it is damaged: it calls {}", other.kind())),
        }
    }

    fn push(&mut self, object: Object) {
        self.stack.push(self.objects.len());
        self.objects.push(object);
    }

    /// The topmost object above the last mark.
    fn pop(&mut self) -> Result<Id, String> {
        let floor = self.marks.last().copied().unwrap_or(0);
        match self.stack.pop() {
            Some(id) if self.stack.len() >= floor => Ok(id),
            _ => Err("it is damaged: its stack is empty".into()),
        }
    }

    fn since_mark(&mut self) -> Result<Vec<Id>, String> {
        let mark = self.marks.pop().filter(|&mark| mark <= self.stack.len());
        Ok(self.stack.split_off(mark.ok_or("it is damaged: a mark is missing")?))
    }

    fn top(&mut self) -> Result<&mut Object, String> {
        let top = self.stack.last().and_then(|&id| self.objects.get_mut(id));
        top.ok_or_else(|| "it is damaged: its stack is empty".into())
    }

    fn extend(&mut self, new: Vec<Id>) -> Result<(), String> {
        match self.top()? {
            Object::Sequence(items) => items.extend(new),
            other => return Err(format!("it is damaged: it appends to {}", other.kind())),
        }
        Ok(())
    }

    fn insert(&mut self, new: Vec<Id>) -> Result<(), String> {
        match self.top()? {
            Object::Dictionary(entries) => entries.extend(new.chunks_exact(2).map(|pair| (pair[0], pair[1]))),
            other => return Err(format!("it is damaged: it puts entries into {}", other.kind())),
        }
        Ok(())
    }

    fn remember(&mut self, key: u32) -> Result<(), String> {
        let id = *self.stack.last().ok_or("it is damaged: its stack is empty")?;
        self.memo.insert(key, id);
        Ok(())
    }

    fn recall(&mut self, key: u32) -> Result<(), String> {
        let id = *self.memo.get(&key).ok_or("it is damaged: it recalls what it never remembered")?;
        self.stack.push(id);
        Ok(())
    }

    /// A whole number of up to eight bytes, in two's complement.
    fn long(&mut self) -> Result<(), String> {
        let n = usize::from(self.byte()?);
        let bytes = self.take(n)?;
        if n > 8 {
            return Err(format!("it has a whole number of {n} bytes"));
        }
        let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
        let mut all = [if negative { 0xff } else { 0 }; 8];
        all[..n].copy_from_slice(bytes);
        self.push(Object::Int(i64::from_le_bytes(all)));
        Ok(())
    }

    fn text(&mut self, n: usize) -> Result<(), String> {
        let text = std::str::from_utf8(self.take(n)?).map_err(|_| "it is damaged: a text is not UTF-8")?;
        let text = text.to_string();
        self.push(Object::Text(text));
        Ok(())
    }

    fn line(&mut self) -> Result<String, String> {
        let n =
            self.input.iter().position(|byte| *byte == b'\n').ok_or("it is damaged: it ends too early")?;
        let line = std::str::from_utf8(self.take(n)?).map_err(|_| "it is damaged: a name is not UTF-8")?;
        let line = line.to_string();
        self.take(1)?;
        Ok(line)
    }

    fn byte(&mut self) -> Result<u8, String> {
        Ok(self.array::<1>()?[0])
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let bytes = self.take(N)?;
        bytes.try_into().map_err(|_| "it is damaged: it ends too early".into())
    }
}

fn refused(name: &str) -> String {
    format!(
        "it wants to call {name}, which is not done: only tensors in dictionaries are read. Save model.state_dict(), not \
         the model"
    )
}

impl<'a> Machine<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], String> {
        let (taken, left) = self.input.split_at_checked(n).ok_or("it is damaged: it ends too early")?;
        self.input = left;
        Ok(taken)
    }
}
