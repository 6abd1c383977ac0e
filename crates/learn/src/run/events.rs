//! What happened in a run: the same in every repetition.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tesuji_core::{GameRecord, Outcome, Side};
use tesuji_nn::train::Losses;

/// The tag of a game in which nobody resigns, with who would have.
pub const WOULD_RESIGN: &str = "would-resign";

/// The tag with the number of mates that the solver found.
pub const MATES: &str = "mates";

/// One line of `events.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A generation was played and learned from.
    Generation(GenerationEvent),
    /// Strength was measured.
    Strength(StrengthEvent),
}

impl Event {
    /// The generation that it is about.
    pub fn generation(&self) -> u64 {
        match self {
            Event::Generation(event) => event.generation,
            Event::Strength(event) => event.generation,
        }
    }
}

/// A generation: its games and its training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationEvent {
    /// Its number, from 1.
    pub generation: u64,
    /// What its games were like.
    pub play: GameStatistics,
    /// Games and positions in the window.
    pub window: [u64; 2],
    /// Training steps so far.
    pub step: u64,
    /// Training steps of this generation.
    pub steps: u64,
    /// The learning rate of the last one.
    pub rate: f32,
    /// Means over the steps: cross-entropy of the policy.
    pub policy_loss: f32,
    /// Kullback-Leibler divergence of the policy.
    pub divergence: f32,
    /// Squared error of the value.
    pub value_loss: f32,
    /// Share of samples where argmax p = argmax pi.
    pub policy_accuracy: f32,
    /// Share of samples where v z > 0.
    pub value_accuracy: f32,
    /// How the network did on games held out, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TestScore>,
}

impl GenerationEvent {
    /// A generation by what was played, the window's games and positions, (steps so far, of this generation, the last
    /// one's rate), and the sums of the losses of its steps.
    pub fn of(
        generation: u64,
        play: GameStatistics,
        window: [u64; 2],
        (step, steps, rate): (u64, u64, f32),
        sums: &Losses,
    ) -> GenerationEvent {
        let count = steps.max(1) as f32;
        GenerationEvent {
            generation,
            play,
            window,
            step,
            steps,
            rate,
            policy_loss: sums.policy / count,
            divergence: sums.divergence / count,
            value_loss: sums.value / count,
            policy_accuracy: sums.policy_accuracy / count,
            value_accuracy: sums.value_accuracy / count,
            test: None,
        }
    }
}

/// A match against a fixed opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthEvent {
    /// The generation that played.
    pub generation: u64,
    /// Its line.
    pub agent: String,
    /// The opponent's line.
    pub opponent: String,
    /// Games won, drawn, lost.
    pub score: [u64; 3],
    /// Games that differ from all others.
    pub distinct: u64,
    /// The Elo difference and its 95% interval; absent where it is infinite.
    pub elo: [Option<f64>; 3],
}

/// How the network did on games that it has not learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestScore {
    /// Positions.
    pub positions: u64,
    /// Share of positions in which the played move was the most probable legal one.
    pub top1: f64,
    /// Share of positions in which it was among the five most probable legal ones.
    pub top5: f64,
    /// Mean of -log p of the played move, among the legal ones.
    pub cross_entropy: f64,
    /// Mean squared error of the value.
    pub value_error: f64,
    /// Share of decided games in which the value has the right sign.
    pub value_accuracy: f64,
}

/// What the games of a generation were like: the same wherever and however they were played.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameStatistics {
    /// Games.
    pub games: u64,
    /// Positions to learn from.
    pub positions: u64,
    /// Mean length.
    pub mean_plies: f64,
    /// Shortest and longest game.
    pub plies: [u64; 2],
    /// Won by the first player, drawn, won by the second.
    pub outcomes: [u64; 3],
    /// How many games ended for which reason.
    pub endings: BTreeMap<String, u64>,
    /// Mates that the solver found.
    pub mates: u64,
    /// Games that went on although a side would have resigned.
    pub controls: u64,
    /// Of these, games that the side did not lose.
    pub wrong_resignations: u64,
}

impl GameStatistics {
    /// Counts records.
    pub fn of<'r>(records: impl IntoIterator<Item = &'r GameRecord>) -> GameStatistics {
        let mut all = GameStatistics { plies: [u64::MAX, 0], ..GameStatistics::default() };
        let mut total = 0;
        for record in records {
            let plies = record.moves.len() as u64;
            all.games += 1;
            total += plies;
            all.positions += positions(record) as u64;
            all.plies = [all.plies[0].min(plies), all.plies[1].max(plies)];
            all.outcomes[match record.outcome {
                Some(Outcome::Win(Side::First)) => 0,
                Some(Outcome::Win(Side::Second)) => 2,
                _ => 1,
            }] += 1;
            *all.endings.entry(record.ending.clone()).or_default() += 1;
            let tag = |name: &str| record.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value);
            all.mates += tag(MATES).and_then(|mates| mates.parse::<u64>().ok()).unwrap_or(0);
            if let Some(side) = tag(WOULD_RESIGN) {
                all.controls += 1;
                let loser = if side == "first" { Side::First } else { Side::Second };
                all.wrong_resignations += u64::from(record.outcome != Some(Outcome::Win(loser.other())));
            }
        }
        all.plies[0] = all.plies[0].min(all.plies[1]);
        all.mean_plies = total as f64 / all.games.max(1) as f64;
        all
    }
}

/// Positions of a record that there is something to learn from.
pub fn positions(record: &GameRecord) -> usize {
    record.moves.iter().filter(|played| played.thought.is_some()).count()
}
