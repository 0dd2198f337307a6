//! Damaged copies of a good file: truncations, and seeded mutations of the kind that breaks parsers (flipped
//! bits, extreme integers where a length may be, bytes removed or repeated). The same seed gives the same
//! bytes, so a finding can be kept as a test.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Integers that overflow, wrap or demand absurd memory when a parser believes them.
const EXTREME: [u64; 10] =
    [0, 1, 0x7f, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 60, i64::MAX as u64, u64::MAX];

/// The prefixes of `bytes` of length 0, `step`, 2 `step`, …, each shorter than `bytes`.
pub fn truncations(bytes: &[u8], step: usize) -> impl Iterator<Item = &[u8]> {
    (0..bytes.len()).step_by(step.max(1)).map(|n| &bytes[..n])
}

/// The mutations with the seeds `first_seed .. first_seed + n`, each with its seed.
pub fn mutations(bytes: &[u8], first_seed: u64, n: u64) -> impl Iterator<Item = (u64, Vec<u8>)> + '_ {
    (first_seed..first_seed + n).map(move |seed| (seed, mutation(bytes, seed)))
}

/// One to four random edits of `bytes`. Half of them fall into the first 512 bytes, where headers are.
pub fn mutation(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut out = bytes.to_vec();
    for _ in 0..rng.random_range(1..=4) {
        if out.is_empty() {
            break;
        }
        let end = if rng.random() { out.len().min(512) } else { out.len() };
        let at = rng.random_range(0..end);
        edit(&mut out, at, &mut rng);
    }
    out
}

fn edit(out: &mut Vec<u8>, at: usize, rng: &mut impl Rng) {
    let room = out.len() - at;
    match rng.random_range(0..6) {
        0 => out[at] ^= 1 << rng.random_range(0..8),
        1 => out[at] = rng.random(),
        2 | 3 => {
            let value = EXTREME[rng.random_range(0..EXTREME.len())];
            let width = [1, 2, 4, 8][rng.random_range(0..4)].min(room);
            let little = value.to_le_bytes();
            out[at..at + width].copy_from_slice(&little[..width]);
            if rng.random() {
                out[at..at + width].reverse();
            }
        }
        4 => {
            out.drain(at..at + rng.random_range(1..=room.min(64)));
        }
        _ => {
            let piece = out[at..at + rng.random_range(1..=room.min(64))].to_vec();
            out.splice(at..at, piece);
        }
    }
}
