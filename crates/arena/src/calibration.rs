//! Where the scale of an engine's strength settings holds.
//!
//! An engine that limits its strength to a rating was calibrated once, at some time control, between two ratings.
//! Outside of that, with less time or fewer nodes, the numbers still come out and mean something else.

use std::time::Duration;
use tesuji_core::Budget;

/// The range and the conditions of a calibration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calibration {
    /// The lowest rating of the scale.
    pub lowest: u32,
    /// The highest rating of the scale.
    pub highest: u32,
    /// The time that a move had at least.
    pub time: Duration,
    /// The conditions, for people.
    pub conditions: &'static str,
    /// From a setting on, the depth in plies and the nodes that it needs; in ascending order.
    pub needs: &'static [(u32, u32, u64)],
}

/// Stockfish's `UCI_Elo`. It chooses its move at a depth that grows with the setting: depth 7 at 2000, about 20,000
/// nodes; depth 10 at 2200, more than 100,000. What is below is estimated from that.
pub const STOCKFISH: Calibration = Calibration {
    lowest: 1350,
    highest: 2850,
    time: Duration::from_millis(600),
    conditions: "60 s + 0.6 s",
    needs: &[(0, 3, 1_000), (1700, 5, 5_000), (2000, 7, 20_000), (2200, 10, 100_000)],
};

impl Calibration {
    /// The calibration of an engine, by its command: known of Stockfish only.
    pub fn of(command: &str) -> Option<Calibration> {
        let program = command.split_whitespace().next()?.rsplit(['/', '\\']).next()?;
        program.to_ascii_lowercase().starts_with("stockfish").then_some(STOCKFISH)
    }

    /// Depth and nodes that a setting needs.
    pub fn needs(&self, setting: u32) -> (u32, u64) {
        let known = self.needs.iter().rev().find(|(from, ..)| *from <= setting);
        known.map_or((0, 0), |&(_, depth, nodes)| (depth, nodes))
    }

    /// What is wrong with playing at this setting with this budget for a move, a line each.
    pub fn warnings(&self, setting: u32, budget: &Budget) -> Vec<String> {
        let mut warnings = Vec::new();
        let Calibration { lowest, highest, time, conditions, .. } = self;
        if !(*lowest..=*highest).contains(&setting) {
            warnings.push(format!("UCI_Elo {setting} is outside the calibrated range, {lowest} to {highest}"));
        }
        let (depth, nodes) = self.needs(setting);
        if let Some(given) = budget.nodes.filter(|&given| given < nodes) {
            warnings.push(format!("UCI_Elo {setting} needs {nodes} nodes a move or more, and had {given}"));
        }
        if let Some(given) = budget.depth.filter(|&given| given < depth) {
            warnings.push(format!("UCI_Elo {setting} needs depth {depth} or more, and had {given}"));
        }
        let shortest = [budget.time, budget.cpu].into_iter().flatten().min();
        if let Some(given) = shortest.filter(|given| given < time) {
            warnings.push(format!(
                "UCI_Elo {setting} is calibrated at {conditions}, and had {given:?} a move: what that is worth depends on \
                 the machine"
            ));
        }
        warnings
    }

    /// Whether a rating is on the scale: `Err` with what it is beyond, `below 1350`, if it is not.
    ///
    /// # Errors
    /// If it is beyond one of the ends.
    pub fn holds(&self, rating: f64) -> Result<(), String> {
        match rating {
            _ if rating < f64::from(self.lowest) => Err(format!("below {}", self.lowest)),
            _ if rating > f64::from(self.highest) => Err(format!("above {}", self.highest)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stockfish_is_known_by_its_command() {
        for command in ["stockfish", "/usr/games/stockfish", "Stockfish_16 bench", "/a/b/stockfish-15.1"] {
            assert_eq!(Calibration::of(command), Some(STOCKFISH), "{command}");
        }
        for command in ["", "fairy-stockfish", "/opt/stockfish/gnuchess"] {
            assert_eq!(Calibration::of(command), None, "{command}");
        }
    }

    #[test]
    fn settings_and_budgets_outside_the_calibration_are_told() {
        let nodes = |nodes| Budget { nodes: Some(nodes), ..Budget::UNLIMITED };
        let time = |ms| Budget { time: Some(Duration::from_millis(ms)), ..Budget::UNLIMITED };
        let told = |setting, budget: Budget| STOCKFISH.warnings(setting, &budget).join("; ");
        assert_eq!(told(1350, nodes(1_000)), "");
        assert_eq!(told(2000, nodes(20_000)), "");
        assert_eq!(told(2850, nodes(100_000)), "");
        assert!(told(2000, nodes(19_999)).contains("needs 20000 nodes a move or more, and had 19999"));
        assert!(told(2200, nodes(20_000)).contains("needs 100000 nodes"));
        assert!(told(1500, nodes(500)).contains("needs 1000 nodes"));
        assert!(told(1320, nodes(100_000)).contains("outside the calibrated range, 1350 to 2850"));
        assert!(told(3000, nodes(100_000)).contains("outside"));
        assert!(told(1500, time(20)).contains("calibrated at 60 s + 0.6 s, and had 20ms"));
        assert_eq!(told(1500, time(600)), "");
        assert!(told(2200, Budget::depth(9)).contains("needs depth 10"));
        assert_eq!(STOCKFISH.holds(1349.9), Err("below 1350".to_owned()));
        assert_eq!(STOCKFISH.holds(f64::NEG_INFINITY), Err("below 1350".to_owned()));
        assert_eq!(STOCKFISH.holds(2900.0), Err("above 2850".to_owned()));
        assert_eq!(STOCKFISH.holds(1350.0), Ok(()));
    }
}
