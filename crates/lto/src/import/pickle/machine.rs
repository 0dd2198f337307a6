//! The stack machine that runs pickles.

use super::{Id, Object};
use std::collections::HashMap;

/// The most operations in a pickle, enough for tens of thousands of tensors: each takes about ten bytes of
/// memory, even if only one in the file.
const MOST_OPERATIONS: usize = 1 << 21;
/// The most letters in the name of a class or function, which may be built from remembered texts again and
/// again.
const LONGEST_NAME: usize = 256;

/// Functions and classes a pickle may name; storages are checked later.
const ORDERED_DICT: &str = "collections.OrderedDict";
const TENSOR: &str = "torch._utils._rebuild_tensor_v2";
const PARAMETER: &str = "torch._utils._rebuild_parameter";

/// The stack machine that runs pickles.
pub struct Machine<'a> {
    input: &'a [u8],
    objects: Vec<Object>,
    stack: Vec<Id>,
    marks: Vec<usize>,
    memo: HashMap<u32, Id>,
}

impl<'a> Machine<'a> {
    /// At the beginning of a pickle.
    pub fn new(input: &'a [u8]) -> Self {
        Self { input, objects: Vec::new(), stack: Vec::new(), marks: Vec::new(), memo: HashMap::new() }
    }

    /// All objects, and the outermost of them.
    ///
    /// # Errors
    /// What is damaged or refused, in words.
    pub fn run(mut self) -> Result<(Vec<Object>, Id), String> {
        for _ in 0..MOST_OPERATIONS {
            if !self.step()? {
                let root = self.pop()?;
                return Ok((self.objects, root));
            }
        }
        Err(format!("it has more than {MOST_OPERATIONS} operations, which no state dict needs"))
    }

    /// Does one operation; false at the end.
    fn step(&mut self) -> Result<bool, String> {
        match self.byte()? {
            // PROTO and FRAME are not needed.
            0x80 => drop(self.take(1)?),
            0x95 => drop(self.take(8)?),
            b'.' => return Ok(false),
            b'(' => self.marks.push(self.stack.len()),
            b'0' => drop(self.pop()?),
            value @ (b'N' | 0x88 | 0x89 | b'K' | b'M' | b'J' | 0x8a | b'G' | b'X' | 0x8c) => {
                let object = self.value(value)?;
                self.push(object);
            }
            collection @ (b']' | b')' | b'}' | b't' | 0x85..=0x87) => self.collect(collection)?,
            addition @ (b'a' | b'e' | b's' | b'u') => self.add(addition)?,
            memory @ (b'q' | b'r' | 0x94 | b'h' | b'j') => self.memory(memory)?,
            reference @ (b'c' | 0x93 | b'Q' | b'R' | 0x81 | b'b') => self.refer(reference)?,
            other => return Err(format!("it has the operation 0x{other:02x}, which no state dict needs")),
        }
        Ok(true)
    }

    /// Nothing, numbers and texts.
    fn value(&mut self, operation: u8) -> Result<Object, String> {
        Ok(match operation {
            0x88 | 0x89 => Object::Bool(operation == 0x88),
            b'K' => Object::Int(self.byte()?.into()),
            b'M' => Object::Int(u16::from_le_bytes(self.array()?).into()),
            b'J' => Object::Int(i32::from_le_bytes(self.array()?).into()),
            0x8a => Object::Int(self.long()?),
            b'G' => Object::Float(f64::from_be_bytes(self.array()?)),
            b'X' => {
                let n = u32::from_le_bytes(self.array()?) as usize;
                self.text(n)?
            }
            0x8c => {
                let n = usize::from(self.byte()?);
                self.text(n)?
            }
            _ => Object::None,
        })
    }

    /// New lists, tuples and dictionaries.
    fn collect(&mut self, operation: u8) -> Result<(), String> {
        let object = match operation {
            b'}' => Object::Dictionary(Vec::new()),
            b't' => Object::Sequence(self.since_mark()?),
            count @ 0x85..=0x87 => {
                let n = usize::from(count - 0x84);
                let first = self.stack.len().checked_sub(n).ok_or("it is damaged: its stack is empty")?;
                Object::Sequence(self.stack.split_off(first))
            }
            _ => Object::Sequence(Vec::new()),
        };
        self.push(object);
        Ok(())
    }

    /// Entries added to the list or dictionary on top.
    fn add(&mut self, operation: u8) -> Result<(), String> {
        match operation {
            b'a' => {
                let item = self.pop()?;
                self.extend(vec![item])
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.insert(vec![key, value])
            }
            b'e' => {
                let items = self.since_mark()?;
                self.extend(items)
            }
            _ => {
                let items = self.since_mark()?;
                self.insert(items)
            }
        }
    }

    /// The memo.
    fn memory(&mut self, operation: u8) -> Result<(), String> {
        let key = match operation {
            b'q' | b'h' => u32::from(self.byte()?),
            b'r' | b'j' => u32::from_le_bytes(self.array()?),
            _ => u32::try_from(self.memo.len()).unwrap_or(u32::MAX),
        };
        if matches!(operation, b'h' | b'j') { self.recall(key) } else { self.remember(key) }
    }

    /// Names, calls, and what is stored elsewhere.
    fn refer(&mut self, operation: u8) -> Result<(), String> {
        match operation {
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                let object = named(module, name)?;
                self.push(object);
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let object = match (&self.objects[module], &self.objects[name]) {
                    (Object::Text(module), Object::Text(name)) => named(module, name)?,
                    _ => return Err("it is damaged: a name is not text".into()),
                };
                self.push(object);
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
            // State of an object: an ordered dictionary carries version numbers, which are not needed.
            _ => drop(self.pop()?),
        }
        Ok(())
    }

    /// A call in a pickle. Nothing is called: the few known functions stand for data.
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
    fn long(&mut self) -> Result<i64, String> {
        let n = usize::from(self.byte()?);
        let bytes = self.take(n)?;
        if n > 8 {
            return Err(format!("it has a whole number of {n} bytes"));
        }
        let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
        let mut all = [if negative { 0xff } else { 0 }; 8];
        all[..n].copy_from_slice(bytes);
        Ok(i64::from_le_bytes(all))
    }

    fn text(&mut self, n: usize) -> Result<Object, String> {
        let text = std::str::from_utf8(self.take(n)?).map_err(|_| "it is damaged: a text is not UTF-8")?;
        Ok(Object::Text(text.into()))
    }

    fn line(&mut self) -> Result<&'a str, String> {
        let n =
            self.input.iter().position(|byte| *byte == b'\n').ok_or("it is damaged: it ends too early")?;
        let line = std::str::from_utf8(self.take(n)?).map_err(|_| "it is damaged: a name is not UTF-8")?;
        self.take(1)?;
        Ok(line)
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8], String> {
        let (taken, left) = self.input.split_at_checked(n).ok_or("it is damaged: it ends too early")?;
        self.input = left;
        Ok(taken)
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
        "it would call {name}, which is refused: only tensors in dictionaries are read. Save \
         model.state_dict(), not the model"
    )
}

/// A class or function by name.
fn named(module: &str, name: &str) -> Result<Object, String> {
    if module.len() + name.len() > LONGEST_NAME {
        return Err(format!("it names something with more than {LONGEST_NAME} letters"));
    }
    Ok(Object::Name(format!("{module}.{name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(pickle: &[u8]) -> String {
        Machine::new(pickle).run().map(|_| ()).unwrap_err()
    }

    /// Small files that would fill memory: one byte per object, names built from one remembered text again
    /// and again, one byte per memo entry.
    #[test]
    fn small_pickles_make_few_objects_and_short_names() {
        assert!(refused(&vec![b'N'; 1 << 26]).contains("operations"));
        assert!(refused(&[&b"N"[..], &vec![0x94; 1 << 26]].concat()).contains("operations"));
        let long = [&b"X"[..], &(1u32 << 20).to_le_bytes(), &vec![b'a'; 1 << 20], b"q\x00"].concat();
        let names = b"h\x00h\x00\x93".repeat(1000);
        assert!(refused(&[long, names].concat()).contains("letters"));
        let line = [&b"c"[..], &vec![b'a'; 1000], b"\nb\n."].concat();
        assert!(refused(&line).contains("letters"));
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        // {"a": (1, -2, 2.5, None, True)}, as protocol 2 writes it.
        let pickle = b"\x80\x02}q\x00X\x01\x00\x00\x00aq\x01(K\x01J\xfe\xff\xff\xffG@\x04\x00\x00\x00\x00\x00\x00N\x88tq\x02s.";
        let (objects, root) = Machine::new(pickle).run().unwrap();
        let Object::Dictionary(entries) = &objects[root] else { panic!("{:?}", objects[root]) };
        assert_eq!(objects[entries[0].0], Object::Text("a".into()));
        let Object::Sequence(items) = &objects[entries[0].1] else { panic!("no tuple") };
        let items: Vec<&Object> = items.iter().map(|&id| &objects[id]).collect();
        let expected =
            [Object::Int(1), Object::Int(-2), Object::Float(2.5), Object::None, Object::Bool(true)];
        assert_eq!(items, expected.iter().collect::<Vec<_>>());
    }
}
