//! Vector registers, for any instruction set.

/// A register of numbers, so that each kernel is written once.
///
/// The methods are inlined into functions that enable the instruction set; nothing else may call them, and kernels
/// use plain loops rather than closures, which would not inherit the instruction set.
///
/// # Safety
/// `load` and `store` touch `LANES` numbers from the pointer on, and all methods need the instruction set.
pub(crate) unsafe trait Vector: Copy {
    /// Numbers in the register.
    const LANES: usize;

    /// `x` in every lane.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn splat(x: f32) -> Self;
    /// The numbers at `from`, at any alignment.
    ///
    /// # Safety
    /// There must be `LANES` readable numbers, and the instruction set.
    unsafe fn load(from: *const f32) -> Self;
    /// Puts the numbers at `to`, at any alignment.
    ///
    /// # Safety
    /// There must be room for `LANES` numbers that nothing else uses, and the instruction set.
    unsafe fn store(self, to: *mut f32);
    /// `self * b + c`.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn mul_add(self, b: Self, c: Self) -> Self;
    /// `self + b`.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn add(self, b: Self) -> Self;
    /// The larger of each lane.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn max(self, b: Self) -> Self;
}
