//! Inner products of rows with rows: the weight gradients of all products.

use super::simd::{self, Kernel, Lanes, MAX_LANES};

/// Tiles are at most this many rows of each operand: 16 sums, which with 8 rows of operands fit 32 registers.
pub const BLOCK: usize = 4;

/// One stretch of columns in both operands.
#[derive(Clone, Copy)]
pub struct Stretch {
    /// Where row 0 of the left operand begins.
    pub left: usize,
    /// Where row 0 of the right operand begins.
    pub right: usize,
}

/// `sums[i, j] += Σ_stretches Σ_columns left[i, column] · right[j, column]`.
#[derive(Clone, Copy)]
pub struct Dots<'a> {
    /// Left rows.
    pub left: &'a [f32],
    /// Number of left rows and the distance between them.
    pub left_rows: (usize, usize),
    /// Right rows.
    pub right: &'a [f32],
    /// Number of right rows and the distance between them.
    pub right_rows: (usize, usize),
    /// Columns of every stretch, a multiple of [`MAX_LANES`].
    pub columns: usize,
}

impl Dots<'_> {
    /// Adds to `sums[i · strides.0 + j · strides.1]`.
    ///
    /// # Safety
    /// `V`'s instruction set is available; all rows of all stretches lie in the operands.
    #[inline(always)]
    pub unsafe fn add<V: Lanes>(&self, stretches: &[Stretch], sums: &mut [f32], strides: (usize, usize)) {
        debug_assert!(self.columns.is_multiple_of(MAX_LANES));
        simd::run(V::ISA, Add { dots: self, stretches, sums, strides });
    }

    #[inline(always)]
    fn tiles<V: Lanes>(&self, stretches: &[Stretch], sums: &mut [f32], strides: (usize, usize)) {
        let mut i = 0;
        while i < self.left_rows.0 {
            let step = if self.left_rows.0 - i >= BLOCK { BLOCK } else { 1 };
            let mut j = 0;
            while j < self.right_rows.0 {
                let left = self.right_rows.0 - j;
                let at = (i, j);
                // SAFETY: as promised to `Dots::add`.
                j += unsafe {
                    match (step, left) {
                        (BLOCK, BLOCK..) if V::BLOCK > BLOCK => {
                            self.tile::<V, BLOCK, BLOCK>(at, stretches, sums, strides)
                        }
                        (BLOCK, 2..) => self.tile::<V, BLOCK, 2>(at, stretches, sums, strides),
                        (BLOCK, _) => self.tile::<V, BLOCK, 1>(at, stretches, sums, strides),
                        (_, BLOCK..) => self.tile::<V, 1, BLOCK>(at, stretches, sums, strides),
                        _ => self.tile::<V, 1, 1>(at, stretches, sums, strides),
                    }
                };
            }
            i += step;
        }
    }

    /// One register tile at left row `i`, right row `j`; returns how many right rows it did.
    ///
    /// # Safety
    /// As [`Dots::add`].
    #[inline(always)]
    unsafe fn tile<V: Lanes, const I: usize, const J: usize>(
        &self,
        (i, j): (usize, usize),
        stretches: &[Stretch],
        sums: &mut [f32],
        strides: (usize, usize),
    ) -> usize {
        // SAFETY: all rows of all stretches lie in the operands, as promised, and columns are whole vectors.
        unsafe {
            let mut tile = [[V::splat(0.0); J]; I];
            let (left_stride, right_stride) = (self.left_rows.1, self.right_rows.1);
            for stretch in stretches {
                let left = self.left.as_ptr().add(stretch.left + i * left_stride);
                let right = self.right.as_ptr().add(stretch.right + j * right_stride);
                let mut column = 0;
                while column < self.columns {
                    let mut b = [V::splat(0.0); J];
                    for (j, b) in b.iter_mut().enumerate() {
                        *b = V::load(right.add(j * right_stride + column));
                    }
                    for (i, tile) in tile.iter_mut().enumerate() {
                        let a = V::load(left.add(i * left_stride + column));
                        for (sum, b) in tile.iter_mut().zip(b) {
                            *sum = a.mul_add(b, *sum);
                        }
                    }
                    column += V::N;
                }
            }
            for (di, tile) in tile.into_iter().enumerate() {
                let mut four = [V::splat(0.0); BLOCK];
                four[..J].copy_from_slice(&tile);
                let found = V::sums(four);
                for (dj, sum) in found[..J].iter().enumerate() {
                    sums[(i + di) * strides.0 + (j + dj) * strides.1] += sum;
                }
            }
        }
        J
    }
}

/// [`Dots::add`].
struct Add<'a> {
    dots: &'a Dots<'a>,
    stretches: &'a [Stretch],
    sums: &'a mut [f32],
    strides: (usize, usize),
}

impl Kernel for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        self.dots.tiles::<V>(self.stretches, self.sums, self.strides);
    }
}
