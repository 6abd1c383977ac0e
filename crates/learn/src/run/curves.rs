//! What happened and what it cost, side by side: curves over generations, training steps and minutes.
//!
//! Events are the same in every repetition and hold no times; the ledger holds the times. They are joined here, when
//! somebody looks: by generation.

use super::events::{Event, GenerationEvent};
use super::ledger::{Entry, Phase};
use serde::Serialize;

/// Where a generation stands on each axis that a curve may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Place {
    /// Its number.
    pub generation: u64,
    /// Training steps behind it: the papers' iterations.
    pub steps: u64,
    /// Minutes by the clock that playing and training have taken so far; measuring is apart.
    pub minutes: f64,
    /// The same on the processor.
    pub cpu_minutes: f64,
}

/// Places of the generations of a run; one that is not known stands where the latest one before it does.
pub struct Places(Vec<Place>);

impl Places {
    /// Joins events and costs.
    pub fn of(events: &[Event], costs: &[Entry]) -> Places {
        let generations = events.iter().filter_map(|event| match event {
            Event::Generation(GenerationEvent { generation, step, .. }) => Some((*generation, *step)),
            Event::Strength(_) => None,
        });
        let place = |(generation, steps): (u64, u64)| {
            let spent = costs.iter().filter(|entry| entry.generation <= generation && entry.phase != Phase::Measuring);
            let (wall, cpu) = spent.fold((0.0, 0.0), |(wall, cpu), entry| (wall + entry.wall, cpu + entry.cpu));
            Place { generation, steps, minutes: wall / 60.0, cpu_minutes: cpu / 60.0 }
        };
        Places(generations.map(place).collect())
    }

    /// The place of a generation.
    pub fn at(&self, generation: u64) -> Place {
        let known = self.0.iter().rev().find(|place| place.generation <= generation);
        Place { generation, ..known.copied().unwrap_or_default() }
    }
}

/// What a curve goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Generations.
    Generation,
    /// Training steps.
    Steps,
    /// Minutes by the clock.
    Minutes,
    /// Minutes on the processor: what it cost, on whatever machine.
    CpuMinutes,
}

impl Axis {
    /// All of them.
    pub const ALL: [Axis; 4] = [Axis::Generation, Axis::Steps, Axis::Minutes, Axis::CpuMinutes];

    /// What stands under it.
    pub const fn name(self) -> &'static str {
        match self {
            Axis::Generation => "generation",
            Axis::Steps => "training steps (iterations)",
            Axis::Minutes => "minutes of playing and training",
            Axis::CpuMinutes => "CPU minutes of playing and training",
        }
    }

    /// A place on it.
    pub fn of(self, place: Place) -> f64 {
        match self {
            Axis::Generation => place.generation as f64,
            Axis::Steps => place.steps as f64,
            Axis::Minutes => place.minutes,
            Axis::CpuMinutes => place.cpu_minutes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::GameStatistics;
    use tesuji_nn::train::LossSums;

    #[test]
    fn events_and_costs_meet_by_generation() {
        let event = |generation, step| {
            let (play, losses) = (GameStatistics::default(), LossSums::default());
            Event::Generation(GenerationEvent::of(generation, play, [0, 0], (step, 10, 0.1), (&losses, 0.0)))
        };
        let cost = |generation, phase, wall, cpu| Entry { wall, cpu, ..Entry::new(generation, phase) };
        let costs = [
            cost(1, Phase::SelfPlay, 60.0, 30.0),
            cost(1, Phase::Inference, 0.0, 60.0),
            cost(1, Phase::Training, 30.0, 60.0),
            cost(1, Phase::Measuring, 600.0, 600.0),
            cost(2, Phase::SelfPlay, 60.0, 120.0),
        ];
        let places = Places::of(&[event(1, 10), event(2, 20)], &costs);
        assert_eq!(places.at(1), Place { generation: 1, steps: 10, minutes: 1.5, cpu_minutes: 2.5 });
        assert_eq!(places.at(2), Place { generation: 2, steps: 20, minutes: 2.5, cpu_minutes: 4.5 });
        assert_eq!(places.at(0), Place::default());
        assert_eq!(Axis::ALL.map(|axis| axis.of(places.at(2))), [2.0, 20.0, 2.5, 4.5]);
    }
}
