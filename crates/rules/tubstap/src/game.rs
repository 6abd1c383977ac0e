//! The game.

use super::action::Action;
use super::battle::Battle;
use super::encoder::{FifthPlane, Paper, Rich};
use super::features::Units;
use super::generate::{self, Recipe};
use super::map::EndRules;
use super::setup::Setup;
use super::{bot, heuristic, maps, notation, render, scene, tbsmap};
use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use tesuji_core::{
    Encoder, Encoders, Features, GameRules, Heuristics, MateHooks, ParseError, Render, RuleBot, Rules, Scene, Side,
    Step, Stream, Style,
};

/// TUBSTAP under one set of rules.
///
/// `official`: as on the platform: a side may end its turn early, and at the turn limit the side with clearly more HP
/// wins. `paper`: every unit acts in every turn, and every game at the limit is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Tubstap {
    rules: Rules,
}

impl Tubstap {
    /// The game.
    pub fn new(rules: Rules) -> Tubstap {
        Tubstap { rules }
    }

    /// The battle that starts from a built-in or random map.
    fn battle(&self, setup: &Setup) -> Battle {
        setup.battle(EndRules::of(self.rules)).expect("built-in and random maps are playable")
    }

    /// Reads a map file's text.
    fn parse_map(&self, text: &str) -> Result<Battle, ParseError> {
        let setup = tbsmap::parse(text)?;
        setup.battle(EndRules::of(self.rules)).map_err(|problem| ParseError::new("tbsmap", "", problem))
    }

    /// Reads a map file.
    fn read_map(&self, path: &str) -> Result<Battle, ParseError> {
        let wrong = |problem: String| ParseError::new("map file", path, problem);
        let bytes = read_bounded(path).map_err(|error| wrong(error.to_string()))?;
        let text = tbsmap::decode(&bytes).map_err(|error| wrong(error.problem().to_owned()))?;
        self.parse_map(&text).map_err(|error| wrong(error.to_string()))
    }
}

/// The bytes of a regular file, one more than [`tbsmap::LONGEST_FILE`] at most.
fn read_bounded(path: &str) -> std::io::Result<Vec<u8>> {
    let file = File::open(path)?;
    // Pipes and devices could block for ever.
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(tbsmap::LONGEST_FILE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl GameRules for Tubstap {
    type Position = Battle;

    fn handle(&self) -> Arc<dyn tesuji_core::AnyGame> {
        Arc::new(*self)
    }

    fn name(&self) -> &'static str {
        "tubstap"
    }

    fn title(&self) -> &'static str {
        "TUBSTAP, a turn-based strategy game of two armies"
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn side_name(&self, side: Side) -> &'static str {
        render::side_name(side)
    }

    fn start(&self) -> Battle {
        self.battle(&maps::ALL[0].setup())
    }

    /// One of the paper's random maps or a technical map, each kind as often as the others.
    fn varied_start(&self, random: &mut Stream) -> Battle {
        let technical: Vec<_> = maps::technical().collect();
        let setup = match Recipe::PAPER.get(random.below(Recipe::PAPER.len() + 1)) {
            Some(&recipe) => generate::generate(recipe, random),
            None => technical[random.below(technical.len())].setup(),
        };
        self.battle(&setup)
    }

    /// Reads the notation of [`notation`], the name of a built-in map, `random:SEED[:KIND]` (kinds as in
    /// [`Recipe::from_str`](std::str::FromStr)), the text of a map file or the path of one that ends in `.tbsmap`.
    fn parse_position(&self, text: &str) -> Result<Battle, ParseError> {
        let text = text.trim();
        if let Some(map) = maps::find(text) {
            return Ok(self.battle(&map.setup()));
        }
        if let Some(rest) = text.strip_prefix("random:") {
            let (seed, recipe) = match rest.split_once(':') {
                Some((seed, kind)) => (seed, kind.parse()?),
                None => (rest, Recipe::Paper),
            };
            let seed = seed.parse().map_err(|_| ParseError::new("seed of a random map", seed, "expected a number"))?;
            return Ok(self.battle(&generate::generate(recipe, &mut Stream::new(seed, "tubstap map", 0))));
        }
        if text.contains("SIZEX[") {
            return self.parse_map(text);
        }
        if text.to_ascii_lowercase().ends_with(".tbsmap") {
            return self.read_map(text);
        }
        if !text.contains(char::is_whitespace) {
            let names: Vec<&str> = maps::ALL.iter().map(|map| map.name).collect();
            let problem =
                format!("expected a position, random:SEED[:KIND], a .tbsmap file or a map: {}", names.join(", "));
            return Err(ParseError::new("TUBSTAP position", text, problem));
        }
        notation::parse_position(text, EndRules::of(self.rules))
    }

    fn format_position(&self, position: &Battle) -> String {
        notation::format_position(position)
    }
}

impl Render for Tubstap {
    fn render(&self, position: &Battle, style: Style) -> String {
        render::render(position, style)
    }

    fn scene(&self, position: &Battle) -> Scene {
        scene::scene(position)
    }

    fn steps(&self, position: &Battle, mv: Action, _moves: &[Action]) -> Vec<Step> {
        scene::steps(position, mv)
    }

    fn notation(&self, position: &Battle, mv: Action) -> String {
        scene::notation(position, mv)
    }
}

impl Heuristics for Tubstap {
    fn heuristic(&self, position: &Battle) -> i32 {
        heuristic::heuristic(position)
    }

    fn heuristic_scale(&self) -> f32 {
        // Six HP of infantry.
        600.0
    }
}

impl RuleBot for Tubstap {
    fn bot_move(&self, position: &Battle, moves: &[Action], random: &mut Stream) -> Action {
        bot::choose(position, moves, random)
    }

    fn bot_title(&self) -> &'static str {
        "MaxActEval: the best attack by damage, counter-damage and threat, else a good place"
    }
}

impl MateHooks for Tubstap {}

impl Encoders for Tubstap {
    fn encoders(&self) -> Vec<Box<dyn Encoder<Battle>>> {
        vec![
            Box::new(Rich::six(self.rules)),
            Box::new(Paper::new(FifthPlane::Terrain, self.rules)),
            Box::new(Paper::new(FifthPlane::TurnsLeft, self.rules)),
            Box::new(Rich::sixteen(self.rules)),
        ]
    }

    fn features(&self) -> Vec<Box<dyn Features<Battle>>> {
        vec![Box::new(Units::EIGHT), Box::new(Units::SIXTEEN)]
    }
}
