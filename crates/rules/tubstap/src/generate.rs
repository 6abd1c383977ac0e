//! Random maps, the same for the same stream of random numbers.

use super::board::{Cell, LONGEST};
use super::map::Ground;
use super::setup::Setup;
use super::terrain::{Movement, Terrain};
use super::units::{FULL_HP, Kind, Unit};
use std::fmt;
use std::str::FromStr;
use tesuji_core::{ParseError, Side, Stream};

/// The turn limit of the paper's maps, and of random ones up to their size.
const PAPER_LIMIT: u16 = 16;
/// The width and height of the paper's maps.
const PAPER_SIZE: usize = 6;
/// The platform's usual threshold.
const THRESHOLD: u32 = 10;
/// The smallest side of a general map.
const SHORTEST: usize = 4;
/// The most units a side of a general map.
const MOST_GENERAL_UNITS: usize = 12;

/// A kind of random map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// So many infantry against so many on an open 6 x 6 plain, with random HP and places (the paper's); which side
    /// has how many is random too.
    Infantry(usize, usize),
    /// One of the paper's three: 1 v 1, 1 v 2, 2 v 2.
    Paper,
    /// A map of the given size, or a random one, with terrain and armies of all kinds of unit.
    General(Option<(usize, usize)>),
}

impl Recipe {
    /// The paper's three.
    pub const PAPER: [Recipe; 3] = [Recipe::Infantry(1, 1), Recipe::Infantry(1, 2), Recipe::Infantry(2, 2)];
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Recipe::Infantry(one, other) => write!(f, "{one}v{other}"),
            Recipe::Paper => f.write_str("paper"),
            Recipe::General(None) => f.write_str("general"),
            Recipe::General(Some((width, height))) => write!(f, "{width}x{height}"),
        }
    }
}

impl FromStr for Recipe {
    type Err = ParseError;

    /// Reads `paper`, `general`, `MvN` (M against N infantry, at most 8 each) or `WxH` (a size, 4 to 16 each).
    fn from_str(text: &str) -> Result<Recipe, ParseError> {
        let pair = |separator, least, most| -> Option<(usize, usize)> {
            let (one, other) = text.split_once(separator)?;
            let (one, other) = (one.parse().ok()?, other.parse().ok()?);
            let fits = |number: &usize| (least..=most).contains(number);
            (fits(&one) && fits(&other)).then_some((one, other))
        };
        match text {
            "paper" => Ok(Recipe::Paper),
            "general" => Ok(Recipe::General(None)),
            _ => pair('v', 1, 8)
                .map(|(one, other)| Recipe::Infantry(one, other))
                .or_else(|| pair('x', SHORTEST, LONGEST).map(|size| Recipe::General(Some(size))))
                .ok_or_else(|| {
                    ParseError::new("kind of random map", text, "expected paper, general, 1v1 to 8v8 or 4x4 to 16x16")
                }),
        }
    }
}

/// A random map: always playable, that is, valid, with units of both sides that can reach and attack each other.
pub fn generate(recipe: Recipe, random: &mut Stream) -> Setup {
    match recipe {
        Recipe::Infantry(one, other) => infantry(one, other, random),
        Recipe::Paper => {
            let recipe = Recipe::PAPER[random.below(Recipe::PAPER.len())];
            generate(recipe, random)
        }
        Recipe::General(size) => {
            let mut length = || SHORTEST + random.below(LONGEST - SHORTEST + 1);
            let (width, height) = size.unwrap_or_else(|| (length(), length()));
            general(width, height, random)
        }
    }
}

/// The paper's random maps.
fn infantry(one: usize, other: usize, random: &mut Stream) -> Setup {
    let ground = Ground::filled(PAPER_SIZE, PAPER_SIZE, Terrain::Plain).expect("6 x 6 is a size");
    let numbers = if random.below(2) == 0 { [one, other] } else { [other, one] };
    let mut cells: Vec<Cell> = ground.iter().collect();
    random.shuffle(&mut cells);
    let mut units = Vec::new();
    for (side, number) in Side::BOTH.into_iter().zip(numbers) {
        for cell in cells.split_off(cells.len() - number) {
            units.push((side, Unit { cell, kind: Kind::Infantry, hp: random_hp(random), acted: false }));
        }
    }
    Setup { ground, turn_limit: PAPER_LIMIT, threshold: Some(THRESHOLD), units, turn: 0, ply: 0 }
}

fn random_hp(random: &mut Stream) -> u8 {
    1 + random.below(usize::from(FULL_HP)) as u8
}

/// A map with terrain and mixed armies.
fn general(width: usize, height: usize, random: &mut Stream) -> Setup {
    // Every unit starts on one stretch of land that vehicles can cross, and each side has infantry, which can fight
    // each other: so the sides can always meet.
    let (ground, mut land) = loop {
        let ground = random_ground(width, height, random);
        let land = largest_land(&ground);
        if land.len() * 2 >= width * height {
            break (ground, land);
        }
    };
    let most = MOST_GENERAL_UNITS.min(land.len() / 4);
    let number = 1 + random.below(most);
    random.shuffle(&mut land);
    // Red starts nearer to one end of a random axis than blue, as armies do.
    let along_x = random.below(2) == 0;
    let red_first = random.below(2) == 0;
    land.sort_by_key(|cell| if along_x { cell.x() } else { cell.y() });
    if !red_first {
        land.reverse();
    }
    let kinds: Vec<Kind> = (0..number)
        .map(|index| if index == 0 { Kind::Infantry } else { Kind::ALL[random.below(Kind::ALL.len())] })
        .collect();
    let half = land.len() / 2;
    let mut units = Vec::new();
    for (side, part) in Side::BOTH.into_iter().zip([&mut land[..half].to_vec(), &mut land[half..].to_vec()]) {
        random.shuffle(part);
        for (&kind, &cell) in kinds.iter().zip(part.iter()) {
            units.push((side, Unit { cell, kind, hp: random_hp(random), acted: false }));
        }
    }
    let turn_limit = PAPER_LIMIT.max(2 * (width + height) as u16);
    Setup { ground, turn_limit, threshold: Some(THRESHOLD), units, turn: 0, ply: 0 }
}

/// Mostly plain, with patches of everything else.
fn random_ground(width: usize, height: usize, random: &mut Stream) -> Ground {
    // Out of 32.
    const SHARES: [(Terrain, usize); 6] = [
        (Terrain::Forest, 6),
        (Terrain::Mountain, 3),
        (Terrain::Sea, 2),
        (Terrain::Road, 2),
        (Terrain::Fortress, 1),
        (Terrain::NoEntry, 1),
    ];
    let mut ground = Ground::filled(width, height, Terrain::Plain).expect("the recipe's sizes are checked");
    for cell in ground.iter() {
        let mut drawn = random.below(32);
        for (terrain, share) in SHARES {
            if drawn < share {
                ground.set(cell, terrain);
                break;
            }
            drawn -= share;
        }
    }
    ground
}

/// The greatest connected set of cells that vehicles can enter.
fn largest_land(ground: &Ground) -> Vec<Cell> {
    let mut seen = [false; LONGEST * LONGEST];
    let mut largest = Vec::new();
    for start in ground.iter() {
        let mut land = Vec::new();
        let mut open = vec![start];
        while let Some(cell) = open.pop() {
            if seen[cell.index()] || ground.at(cell).cost(Movement::Vehicle).is_none() {
                continue;
            }
            seen[cell.index()] = true;
            land.push(cell);
            open.extend(ground.iter().filter(|other| other.distance(cell) == 1));
        }
        if land.len() > largest.len() {
            largest = land;
        }
    }
    largest
}
