//! Workspace of kernels, kept by each thread: fresh pages cost more than the work on small tensors.

use std::cell::RefCell;

/// Numbers in a cache line.
const LINE: usize = 16;

thread_local! {
    static FREE: RefCell<Vec<Vec<f32>>> = const { RefCell::new(Vec::new()) };
}

/// Numbers lent by this thread, given back when dropped. (Not a function that takes a closure: a kernel's closure would
/// be compiled without the kernel's instruction set.)
pub struct Scratch {
    buffer: Vec<f32>,
    n: usize,
}

impl Scratch {
    /// `n` numbers of arbitrary values.
    pub fn new(n: usize) -> Self {
        let mut buffer = FREE.with_borrow_mut(Vec::pop).unwrap_or_default();
        if buffer.len() < n + LINE {
            buffer.resize(n + LINE, 0.0);
        }
        Self { buffer, n }
    }

    /// The numbers, beginning with a cache line.
    pub fn get(&mut self) -> &mut [f32] {
        let begin = self.buffer.as_ptr().align_offset(LINE * size_of::<f32>()).min(LINE);
        &mut self.buffer[begin..begin + self.n]
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        FREE.with_borrow_mut(|free| free.push(std::mem::take(&mut self.buffer)));
    }
}
