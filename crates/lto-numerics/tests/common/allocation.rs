//! An allocator that remembers the largest single request and refuses what goes beyond a limit, for tests that a damaged
//! file cannot make a reader ask for absurd memory. A binary installs it with `#[global_allocator]`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static LARGEST: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The system's allocator, watched.
pub struct Watched;

/// Bytes of the largest single allocation of this process so far.
#[allow(dead_code)]
pub fn largest() -> usize {
    LARGEST.load(Relaxed)
}

/// From now on, what would make all allocations together larger than this fails.
#[allow(dead_code)]
pub fn limit(bytes: usize) {
    LIMIT.store(bytes, Relaxed);
}

/// Whether there is room for `more` bytes in place of `less`; counts them.
fn admit(more: usize, less: usize) -> bool {
    LARGEST.fetch_max(more, Relaxed);
    let room = LIMIT.load(Relaxed).saturating_add(less).saturating_sub(LIVE.load(Relaxed));
    if more <= room {
        LIVE.fetch_add(more.wrapping_sub(less), Relaxed);
    }
    more <= room
}

// SAFETY: every call is passed on to the system's allocator unchanged, or answered by null, which means no memory.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !admit(layout.size(), 0) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !admit(layout.size(), 0) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !admit(size, layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}
