//! `tesuji games`: what can be played.

use crate::args::Common;
use crate::output::Output;
use anyhow::Result;
use serde::Serialize;
use tesuji_core::{Game, Position, Rules, Side};
use tesuji_games::Visitor;

/// What is known of a game.
#[derive(Serialize)]
struct Summary {
    name: &'static str,
    title: &'static str,
    rules: Rules,
    rules_version: u32,
    players: [&'static str; 2],
    symmetries: usize,
    bot: &'static str,
    encoders: Vec<EncoderSummary>,
}

/// What is known of an encoder.
#[derive(Serialize)]
struct EncoderSummary {
    name: &'static str,
    version: u32,
    planes: usize,
    height: usize,
    width: usize,
    policy: usize,
}

/// Runs the subcommand.
pub fn run(common: &Common, out: &mut Output) -> Result<()> {
    for (number, name) in tesuji_games::names().iter().enumerate() {
        let summary = tesuji_games::visit(name, common.rules, Summarise)?;
        if out.json {
            out.object(&summary)?;
            continue;
        }
        if number > 0 {
            out.line("")?;
        }
        out.line(&format!("{:<10} {}", summary.name, summary.title))?;
        let [first, second] = summary.players;
        out.line(&format!("  players    {first} (first), {second} (second)"))?;
        out.line(&format!("  rules      {}, version {}", summary.rules, summary.rules_version))?;
        out.line(&format!("  symmetries {}", summary.symmetries))?;
        out.line(&format!("  rule bot   {}", summary.bot))?;
        for encoder in &summary.encoders {
            let EncoderSummary { name, planes, height, width, policy, .. } = encoder;
            out.line(&format!("  encoder    {name:<12} {planes} planes of {height}x{width}, policy {policy}"))?;
        }
    }
    Ok(())
}

struct Summarise;

impl Visitor for Summarise {
    type Output = Summary;

    fn visit<G: Game>(self, game: G) -> Summary {
        let summarise = |encoder: Box<dyn tesuji_core::Encoder<G::Position>>| {
            let shape = encoder.shape();
            EncoderSummary {
                name: encoder.name(),
                version: encoder.version(),
                planes: shape.planes,
                height: shape.height,
                width: shape.width,
                policy: encoder.policy_len(),
            }
        };
        Summary {
            name: game.name(),
            title: game.title(),
            rules: game.rules(),
            rules_version: game.rules_version(),
            players: Side::BOTH.map(|side| game.side_name(side)),
            symmetries: game.start().symmetries(),
            bot: game.bot_title(),
            encoders: game.encoders().into_iter().map(summarise).collect(),
        }
    }
}
