//! A quick judgement: material.

use super::battle::Battle;
use super::units::Kind;
use tesuji_core::Side;

/// What one HP of each kind of unit is worth, in hundredths of an infantry's, in the order of [`Kind`].
///
/// Ours, and set by judgement: nobody has measured them yet.
const WORTH: [i32; 6] = [220, 320, 260, 240, 260, 100];

/// The advantage of the first player (red), in hundredths of one infantry HP.
pub fn heuristic(battle: &Battle) -> i32 {
    let material =
        |side| -> i32 { battle.army(side).units().iter().map(|unit| i32::from(unit.hp) * worth(unit.kind)).sum() };
    material(Side::First) - material(Side::Second)
}

/// What one HP of a kind of unit is worth, in hundredths of an infantry's.
pub const fn worth(kind: Kind) -> i32 {
    WORTH[kind.index()]
}
