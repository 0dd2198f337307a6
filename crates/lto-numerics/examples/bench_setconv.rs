//! Time and peak memory of the set convolution, as tab-separated lines `case, n_points, seconds, bytes`, for
//! `bench/setconv.sh`. Peak memory is that of all allocations of one call beyond what was held before it, results
//! included.

use lto_numerics::{Domain, Grid, Placement, PointDesign, Points, Result, SetConv};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counting what is held.
struct Counting;

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(held, Relaxed);
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The fastest of several calls, and the peak memory of one.
fn measure(
    case: &str,
    setconv: &SetConv,
    context: &Points,
    query: &Points,
    rng: &mut ChaCha8Rng,
) -> Result<()> {
    let values: Vec<f64> = (0..context.len()).map(|_| rng.random_range(-1.0..1.0)).collect();
    let (mut seconds, mut bytes) = (f64::INFINITY, 0);
    let begin = Instant::now();
    // For a second or three calls, whichever is more, but no more than ten seconds.
    for round in 0.. {
        let held = HELD.load(Relaxed);
        PEAK.store(held, Relaxed);
        let start = Instant::now();
        let channels = setconv.apply(context, &values, query)?;
        seconds = start.elapsed().as_secs_f64().min(seconds);
        bytes = PEAK.load(Relaxed) - held;
        drop(channels);
        let elapsed = begin.elapsed().as_secs_f64();
        if elapsed > 10.0 || (round >= 2 && elapsed > 1.0) {
            break;
        }
    }
    println!("{case}\t{}\t{seconds}\t{bytes}", context.len());
    Ok(())
}

fn main() -> Result<()> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let plain = Domain::unit(2, false)?;
    let vertices = Grid::cubic(plain.clone(), 421, Placement::Vertex)?;
    let mut indices: Vec<usize> = (0..vertices.len()).collect();
    for place in 0..44_521 {
        indices.swap(place, rng.random_range(place..vertices.len()));
    }
    indices.truncate(44_521);
    let encoder = Points::grid(Grid::cubic(plain, 64, Placement::Vertex)?);
    let masked = Points::masked(vertices.clone(), indices)?;
    let native = Points::grid(vertices.strided(2)?);
    measure("211 x 211 grid onto 64 x 64, l = 0.1", &SetConv::new(0.1)?, &native, &encoder, rng)?;
    measure("44,521 of 421 x 421 onto 64 x 64, l = 0.1", &SetConv::new(0.1)?, &masked, &encoder, rng)?;
    measure(
        "44,521 scattered onto 64 x 64, l = 0.1",
        &SetConv::new(0.1)?,
        &masked.to_scattered(),
        &encoder,
        rng,
    )?;

    let periodic = Domain::unit(2, true)?;
    let query = Points::grid(Grid::cubic(periodic.clone(), 256, Placement::Left)?);
    for length_scale in [0.02, 0.1] {
        for n in [10_000, 100_000, 1_000_000] {
            let context = PointDesign::Iid.points(&periodic, n, rng)?;
            let case = format!("{n} scattered onto 256 x 256, l = {length_scale}");
            measure(&case, &SetConv::new(length_scale)?, &context, &query, rng)?;
        }
    }
    Ok(())
}
