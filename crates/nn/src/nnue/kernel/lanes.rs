//! Registers of 16-bit integers, for any instruction set.

/// A register of 16-bit integers, so that each kernel is written once.
///
/// The methods are inlined into functions that enable the instruction set; nothing else may call them, and kernels use
/// plain loops rather than closures, which would not inherit the instruction set.
///
/// # Safety
/// `load` and `store` touch `LANES` numbers from the pointer on, and all methods need the instruction set.
pub(super) unsafe trait Lanes: Copy {
    /// Numbers in the register.
    const LANES: usize;

    /// A register of 32-bit sums.
    type Sums: Copy;

    /// The numbers at `from`, at any alignment.
    ///
    /// # Safety
    /// There must be `LANES` readable numbers, and the instruction set.
    unsafe fn load(from: *const i16) -> Self;
    /// Puts the numbers at `to`, at any alignment.
    ///
    /// # Safety
    /// There must be room for `LANES` numbers that nothing else uses, and the instruction set.
    unsafe fn store(self, to: *mut i16);
    /// The sum, modulo 2^16.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn add(self, b: Self) -> Self;
    /// The difference, modulo 2^16.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn sub(self, b: Self) -> Self;
    /// Cut to 0..=255, then squared and halved, or else times 128: at most 32,640.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn activate(self, squared: bool) -> Self;
    /// Sums of nothing.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn zero() -> Self::Sums;
    /// Adds the products to the sums, in any order: nothing overflows, so the total is the same.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn dot(self, weights: Self, sums: Self::Sums) -> Self::Sums;
    /// The sum of the sums.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn total(sums: Self::Sums) -> i32;
    /// The sum of each of four sums.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn totals(sums: [Self::Sums; 4]) -> [i32; 4];
}
