//! Who plays whom when an agent is rated on a ladder of fixed agents.

use tesuji_arena::ladder::{Ladder, Meeting};
use tesuji_arena::matches::Summary;

/// The fixed agents from the weakest to the strongest.
pub const RUNGS: [&str; 6] = [
    "random",
    "bot",
    "alphabeta:pure,depth=1",
    "alphabeta:pure,depth=2",
    "alphabeta:pure,depth=3",
    "alphabeta:pure,depth=4",
];

/// A player of a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Climber {
    /// The agent that is rated.
    Agent(String),
    /// A fixed agent.
    Rung(String),
    /// The engine at a setting, whose rating is known.
    Engine(u32),
}

/// A ladder: its players and their matches. The agent is number 0, unless it is one of the rungs.
#[derive(Clone, Debug)]
pub struct Climb {
    /// The players.
    pub players: Vec<Climber>,
    /// The matches, by the numbers of their players.
    pub pairings: Vec<(usize, usize)>,
}

impl Climb {
    /// The agent meets every rung and every setting; a rung meets the two above it, and the upper two the settings. So
    /// everybody is joined to the settings by more than one way.
    pub fn new(agent: &str, rungs: &[String], settings: &[u32]) -> Climb {
        let mut players = Vec::new();
        if !rungs.iter().any(|rung| rung == agent) {
            players.push(Climber::Agent(agent.to_owned()));
        }
        let first_rung = players.len();
        players.extend(rungs.iter().cloned().map(Climber::Rung));
        let first_setting = players.len();
        players.extend(settings.iter().copied().map(Climber::Engine));
        let (rungs, settings) = (first_rung..first_setting, first_setting..players.len());
        let mut pairings: Vec<(usize, usize)> =
            (0..first_rung).flat_map(|agent| (rungs.start..settings.end).map(move |other| (agent, other))).collect();
        for rung in rungs.clone() {
            pairings.extend((rung + 1..rung + 3).filter(|other| rungs.contains(other)).map(|other| (rung, other)));
        }
        for rung in rungs.clone().rev().take(2) {
            pairings.extend(settings.clone().map(|setting| (rung, setting)));
        }
        Climb { players, pairings }
    }

    /// The ladder with the results of its matches, in the order of the pairings.
    pub fn ladder<'s>(&self, results: impl Iterator<Item = &'s Summary>) -> Ladder {
        let anchor = |player: &Climber| match player {
            Climber::Engine(setting) => Some(f64::from(*setting)),
            Climber::Agent(_) | Climber::Rung(_) => None,
        };
        let mut ladder = Ladder::new(self.players.iter().map(anchor).collect());
        for (&(first, second), summary) in self.pairings.iter().zip(results) {
            ladder.add(Meeting { first, second, score: summary.score, pairs: summary.pairs });
        }
        ladder
    }

    /// The number of the agent that is rated.
    pub fn number_of(&self, agent: &str) -> usize {
        let is_it = |player: &Climber| match player {
            Climber::Agent(line) | Climber::Rung(line) => line == agent,
            Climber::Engine(_) => false,
        };
        self.players.iter().position(is_it).unwrap_or(0)
    }
}

impl Climber {
    /// What it is called in tables.
    pub fn name(&self) -> String {
        match self {
            Climber::Agent(line) | Climber::Rung(line) => line.clone(),
            Climber::Engine(setting) => format!("UCI_Elo {setting}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_joined_to_the_settings() {
        let rungs = ["random", "bot", "alphabeta:pure,depth=1"].map(str::to_owned);
        let climb = Climb::new("mine", &rungs, &[1350, 1500]);
        let names: Vec<String> = climb.players.iter().map(Climber::name).collect();
        assert_eq!(names, ["mine", "random", "bot", "alphabeta:pure,depth=1", "UCI_Elo 1350", "UCI_Elo 1500"]);
        let agent = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)];
        let between = [(1, 2), (1, 3), (2, 3)];
        let top = [(3, 4), (3, 5), (2, 4), (2, 5)];
        assert_eq!(climb.pairings, [&agent[..], &between, &top].concat());
        // A rung is not played against itself.
        let rung = Climb::new("bot", &rungs, &[1350]);
        assert_eq!((rung.players.len(), rung.number_of("bot")), (4, 1));
        assert_eq!(rung.pairings, [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3)]);
    }
}
