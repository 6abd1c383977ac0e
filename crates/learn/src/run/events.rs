//! What happened in a run: the same in every repetition.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tesuji_core::{GameRecord, Outcome, Side};
use tesuji_nn::train::LossSums;

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
    /// Mean cross-entropy of the policy, over the samples of this generation that have one for a target; none if there
    /// are no such samples: a network without a policy, say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_loss: Option<f32>,
    /// Mean Kullback-Leibler divergence of the policy over the same samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divergence: Option<f32>,
    /// Squared error of the value.
    pub value_loss: f32,
    /// c |w|^2, at the end of the generation.
    #[serde(default)]
    pub l2_loss: f32,
    /// The total loss as TUBSTAP's paper has it: (z - v)^2 + KL(pi || p) + c |w|^2.
    #[serde(default)]
    pub total_loss: f32,
    /// Share of samples where argmax p = argmax pi, of those with a pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_accuracy: Option<f32>,
    /// Share of samples where v z > 0, of those whose z is not 0.
    pub value_accuracy: f32,
    /// How the network did on games held out, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TestScore>,
    /// How an integer network did on games held out, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
}

impl GenerationEvent {
    /// A generation by what was played, the window's games and positions, (steps so far, of this generation, the last
    /// one's rate), and the losses of its steps with the L2 term.
    pub fn of(
        generation: u64,
        play: GameStatistics,
        window: [u64; 2],
        (step, steps, rate): (u64, u64, f32),
        (sums, l2_loss): (&LossSums, f32),
    ) -> GenerationEvent {
        let means = sums.means();
        let policy = |mean: f32| (means.targets.policy > 0).then_some(mean);
        GenerationEvent {
            generation,
            play,
            window,
            step,
            steps,
            rate,
            policy_loss: policy(means.policy),
            divergence: policy(means.divergence),
            value_loss: means.value,
            l2_loss,
            total_loss: means.value + means.divergence + l2_loss,
            policy_accuracy: policy(means.policy_accuracy),
            value_accuracy: means.value_accuracy,
            test: None,
            held_out: None,
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
    /// Share of positions in which the played move was the most probable legal one; none if the network has no policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top1: Option<f64>,
    /// Share of positions in which it was among the five most probable legal ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top5: Option<f64>,
    /// Mean of -log p of the played move, among the legal ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_entropy: Option<f64>,
    /// Mean squared error of the value.
    pub value_error: f64,
    /// Share of decided games in which the value has the right sign.
    pub value_accuracy: f64,
}

/// How an integer network did on games of its generation that it has not learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// Positions.
    pub positions: u64,
    /// Mean loss before the generation's training.
    pub before: f64,
    /// Mean loss after it.
    pub loss: f64,
    /// Mean difference between the scores of the floats and of the integers made of them.
    pub quantisation: f64,
    /// Share of the generation's positions in which the search's value and the game's result have the same sign, where
    /// both have one.
    pub agreement: f64,
    /// The score for one unit of the logistic scale; 0 in events of older versions.
    #[serde(default)]
    pub scale: u32,
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
