//! The maps that come with the program.

use super::setup::Setup;
use super::tbsmap;

/// A map that can be named instead of given.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// The name.
    pub name: &'static str,
    /// Whether it is a technical map: a situation cut out of a game, for training, in which one idea is needed.
    pub technical: bool,
    text: &'static str,
}

impl BuiltIn {
    /// The map.
    pub fn setup(&self) -> Setup {
        tbsmap::parse(self.text).expect("the built-in maps are tested")
    }
}

macro_rules! maps {
    ($($name:literal $technical:literal,)*) => {
        &[$(BuiltIn { name: $name, technical: $technical, text: include_str!(concat!("maps/", $name, ".tbsmap")) }),*]
    };
}

/// Every built-in map.
///
/// `map01` and `map02` are those of the paper, as far as its pictures tell; `platform01` is the platform's standard
/// map, `bridge` (8 x 8) and `islands` (12 x 12) are ours, for all kinds of unit. The paper does not list its technical
/// maps: these are ours, like it on 6 x 6 plains with infantry only.
pub const ALL: &[BuiltIn] = maps! {
    "map01" false,
    "map02" false,
    "platform01" false,
    "bridge" false,
    "islands" false,
    "corner" true,
    "double" true,
    "queue" true,
    "first-strike" true,
    "pinch" true,
    "chase" true,
    "flee" true,
    "shield" true,
    "bait" true,
    "trade" true,
    "tempo" true,
    "numbers" true,
};

/// The built-in map of this name.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    ALL.iter().find(|map| map.name == name)
}

/// The technical maps.
pub fn technical() -> impl Iterator<Item = &'static BuiltIn> {
    ALL.iter().filter(|map| map.technical)
}
