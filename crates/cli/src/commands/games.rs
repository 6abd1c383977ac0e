//! `tesuji games`: what can be played.

use crate::common::options::Common;
use crate::common::output::Output;
use anyhow::Result;
use serde::Serialize;
use tesuji_core::{AnyGame, EncoderInfo, FeaturesInfo, Rules, Side};

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
    features: Vec<FeaturesSummary>,
}

/// What is known of sparse inputs.
#[derive(Serialize)]
struct FeaturesSummary {
    name: &'static str,
    version: u32,
    inputs: usize,
    shared: usize,
    most_active: usize,
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
        let summary = summary(tesuji_games::game(name, common.rules)?.as_ref());
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
        for features in &summary.features {
            let FeaturesSummary { name, inputs, most_active, .. } = features;
            out.line(&format!("  features   {name:<12} {inputs} inputs, at most {most_active} active"))?;
        }
    }
    Ok(())
}

/// What is known of a game.
fn summary(game: &dyn AnyGame) -> Summary {
    let encoder = |info: EncoderInfo| EncoderSummary {
        name: info.name,
        version: info.version,
        planes: info.shape.planes,
        height: info.shape.height,
        width: info.shape.width,
        policy: info.policy_len,
    };
    let features = |info: FeaturesInfo| FeaturesSummary {
        name: info.name,
        version: info.version,
        inputs: info.inputs,
        shared: info.shared_inputs,
        most_active: info.most_active,
    };
    Summary {
        name: game.name(),
        title: game.title(),
        rules: game.rules(),
        rules_version: game.rules_version(),
        players: Side::BOTH.map(|side| game.side_name(side)),
        symmetries: game.start().symmetries(),
        bot: game.bot_title(),
        encoders: game.encoders().into_iter().map(encoder).collect(),
        features: game.features().into_iter().map(features).collect(),
    }
}
