//! UCI and USI, the client side.
//!
//! USI grew out of UCI: the keywords differ (`usi`, `sfen`, `byoyomi`), the exchange is the same.

use super::notation;
use super::process::{Process, silent};
use crate::protocol::{Protocol, Words};
use std::time::{Duration, Instant};
use tesuji_core::player::Choice;
use tesuji_core::{Budget, GameLine, PlayerError};

/// A session after the handshake.
#[derive(Clone, Debug)]
pub(super) struct Session {
    words: Words,
    /// The engine's own name.
    pub(super) name: Option<String>,
    /// Names of the options that it offers.
    options: Vec<String>,
    /// For each of them the least and the greatest value, if it is a number.
    ranges: Vec<Option<(i64, i64)>>,
}

/// The handshake, in the protocol that the engine answers; `None` if it speaks neither but is alive (GNU).
pub(super) fn introduce(process: &mut Process, game: &str, deadline: Instant) -> Result<Option<Session>, PlayerError> {
    // Engines that know both languages (Fairy-Stockfish) are asked for the game's usual one.
    let order = match Protocol::usual(game) {
        Words::Uci => [Words::Uci, Words::Usi],
        Words::Usi => [Words::Usi, Words::Uci],
    };
    let began = Instant::now();
    for words in order {
        let (ask, done) = match words {
            Words::Uci => ("uci", "uciok"),
            Words::Usi => ("usi", "usiok"),
        };
        process.send(ask).map_err(|error| silent(error, began.elapsed()))?;
        let mut session = Session { words, name: None, options: Vec::new(), ranges: Vec::new() };
        loop {
            let line = process.receive(deadline).map_err(|error| silent(error, began.elapsed()))?;
            if let Some(name) = line.strip_prefix("id name ") {
                session.name = Some(name.trim().to_owned());
            } else if let Some(option) = line.strip_prefix("option name ") {
                session.options.push(option.split(" type ").next().unwrap_or(option).trim().to_owned());
                session.ranges.push(range(option));
            } else if line.trim() == done {
                return Ok(Some(session));
            } else if line.starts_with("Unknown command") {
                break;
            } else if line.starts_with("Illegal move") {
                // GNU Shogi takes every word for a move.
                return Ok(None);
            }
        }
    }
    Err(PlayerError::Protocol("answers neither `uci` nor `usi`".to_owned()))
}

impl Session {
    /// Sets the variant and the user's options, and waits until the engine is ready.
    pub(super) fn configure(
        &mut self,
        process: &mut Process,
        game: &str,
        options: &[(String, String)],
        deadline: Instant,
    ) -> Result<(), PlayerError> {
        let mut send = |line: String| process.send(&line).map_err(|error| silent(error, Duration::ZERO));
        // Fairy-Stockfish lists USI_Variant in USI mode, but understands only UCI_Variant.
        if let Some(variant) = Protocol::variant(game).filter(|_| self.has_variants()) {
            send(format!("setoption name UCI_Variant value {variant}"))?;
        }
        for (name, value) in options {
            let mut known = self.options.iter().zip(&self.ranges);
            let (known, range) = known.find(|(known, _)| known.eq_ignore_ascii_case(name)).ok_or_else(|| {
                PlayerError::Protocol(format!("has no option {name:?}; it has {}", self.options.join(", ")))
            })?;
            // Engines ignore such values without a word, and would play at another strength than was asked for.
            if let Some((low, high)) = range
                && !value.parse::<i64>().is_ok_and(|number| (*low..=*high).contains(&number))
            {
                return Err(PlayerError::Protocol(format!("takes {known} from {low} to {high}, not {value}")));
            }
            send(format!("setoption name {known} value {value}"))?;
        }
        self.ready(process, deadline)
    }

    /// Tells the engine that the next position belongs to another game.
    pub(super) fn new_game(&self, process: &mut Process, deadline: Instant) -> Result<(), PlayerError> {
        let command = match self.words {
            Words::Uci => "ucinewgame",
            Words::Usi => "usinewgame",
        };
        process.send(command).map_err(|error| silent(error, Duration::ZERO))?;
        self.ready(process, deadline)
    }

    fn ready(&self, process: &mut Process, deadline: Instant) -> Result<(), PlayerError> {
        let began = Instant::now();
        process.send("isready").map_err(|error| silent(error, Duration::ZERO))?;
        while process.receive(deadline).map_err(|error| silent(error, began.elapsed()))?.trim() != "readyok" {}
        Ok(())
    }

    /// Asks for a move.
    pub(super) fn go(
        &self,
        process: &mut Process,
        line: &GameLine,
        budget: &Budget,
        deadline: Instant,
    ) -> Result<Choice, PlayerError> {
        let began = Instant::now();
        let mut send = |text: &str| process.send(text).map_err(|error| silent(error, began.elapsed()));
        send(&self.position(line)?)?;
        send(&self.limits(budget))?;
        let mut choice = Choice::default();
        loop {
            let answer = process.receive(deadline).map_err(|error| silent(error, began.elapsed()))?;
            if answer.starts_with("info ") {
                read_info(&answer, &mut choice);
            } else if let Some(rest) = answer.strip_prefix("bestmove") {
                let text = rest.split_whitespace().next().unwrap_or("");
                choice.text = match text {
                    "resign" => return Err(PlayerError::Resigned),
                    "(none)" | "0000" | "null" | "" | "win" => {
                        return Err(PlayerError::Illegal(format!("bestmove {text}")));
                    }
                    text => self.understood(text, &line.game),
                };
                choice.line = choice.line.iter().map(|text| self.understood(text, &line.game)).collect();
                return Ok(choice);
            }
        }
    }

    fn position(&self, line: &GameLine) -> Result<String, PlayerError> {
        let start = match (line.start.as_str(), self.words, Protocol::board(&line.game)) {
            ("startpos", ..) => "startpos".to_owned(),
            (fen, Words::Uci, None) => format!("fen {fen}"),
            (sfen, Words::Usi, _) => format!("sfen {sfen}"),
            (sfen, Words::Uci, Some(_)) => {
                let fen = notation::sfen_to_fen(sfen)
                    .ok_or_else(|| PlayerError::Protocol(format!("cannot put {sfen:?} into UCI")))?;
                format!("fen {fen}")
            }
        };
        let mut text = format!("position {start}");
        if !line.moves.is_empty() {
            text.push_str(" moves");
            for mv in &line.moves {
                text.push(' ');
                text.push_str(&self.told(mv, &line.game));
            }
        }
        Ok(text)
    }

    fn told(&self, text: &str, game: &str) -> String {
        match (self.words, Protocol::board(game)) {
            (Words::Uci, Some(size)) => notation::usi_to_uci(text, size).unwrap_or_else(|| text.to_owned()),
            _ => text.to_owned(),
        }
    }

    fn understood(&self, text: &str, game: &str) -> String {
        match (self.words, Protocol::board(game)) {
            (Words::Uci, Some(size)) => notation::uci_to_usi(text, size).unwrap_or_else(|| text.to_owned()),
            _ => text.to_owned(),
        }
    }

    /// Whether it plays several games (Fairy-Stockfish).
    fn has_variants(&self) -> bool {
        self.options.iter().any(|name| name.ends_with("_Variant"))
    }

    fn limits(&self, budget: &Budget) -> String {
        let mut text = "go".to_owned();
        let time = budget.time.or(budget.cpu);
        if let Some(time) = time.or(budget.is_unlimited().then_some(Duration::from_secs(1))) {
            match self.words {
                // USI has nothing else for the time of a move.
                Words::Usi if !self.has_variants() => text.push_str(" btime 0 wtime 0 byoyomi"),
                // Fairy-Stockfish takes byoyomi for an increment, and thinks for a fifth of it.
                _ => text.push_str(" movetime"),
            }
            text.push_str(&format!(" {}", time.as_millis().max(1)));
        }
        // A foreign engine has no simulations: its nodes are what comes nearest.
        if let Some(nodes) = budget.nodes.or(budget.simulations) {
            text.push_str(&format!(" nodes {nodes}"));
        }
        if let Some(depth) = budget.depth {
            text.push_str(&format!(" depth {depth}"));
        }
        text
    }
}

/// The least and the greatest value of an option that is a number.
fn range(option: &str) -> Option<(i64, i64)> {
    let (_, form) = option.split_once(" type spin")?;
    let words: Vec<&str> = form.split_whitespace().collect();
    let number = |key: &str| words.windows(2).find(|pair| pair[0] == key)?[1].parse().ok();
    Some((number("min")?, number("max")?))
}

/// Takes score, nodes and line from an `info` line; the last one counts.
fn read_info(text: &str, choice: &mut Choice) {
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "nodes" => choice.nodes = words.next().and_then(|n| n.parse().ok()).unwrap_or(choice.nodes),
            "cp" => {
                if let Some(centipawns) = words.next().and_then(|n| n.parse::<f32>().ok()) {
                    // The expected score of the Elo formula at one pawn = 100 Elo, stretched to -1..1.
                    choice.value = Some(2.0 / (1.0 + 10.0_f32.powf(-centipawns / 400.0)) - 1.0);
                }
            }
            "mate" => {
                let losing = words.next().is_some_and(|n| n.starts_with('-'));
                choice.value = Some(if losing { -1.0 } else { 1.0 });
            }
            "string" => return,
            "pv" => {
                choice.line = words.by_ref().map(str::to_owned).collect();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_become_limits_that_the_engine_keeps() {
        let session =
            |words, option: &str| Session { words, name: None, options: vec![option.to_owned()], ranges: vec![None] };
        let time = Budget { time: Some(Duration::from_millis(100)), ..Budget::UNLIMITED };
        assert_eq!(session(Words::Uci, "Hash").limits(&time), "go movetime 100");
        assert_eq!(session(Words::Usi, "USI_Hash").limits(&time), "go btime 0 wtime 0 byoyomi 100");
        assert_eq!(session(Words::Usi, "USI_Variant").limits(&time), "go movetime 100");
        assert_eq!(session(Words::Usi, "USI_Hash").limits(&Budget::UNLIMITED), "go btime 0 wtime 0 byoyomi 1000");
        let nodes = Budget { nodes: Some(500), depth: Some(7), ..Budget::UNLIMITED };
        assert_eq!(session(Words::Uci, "Hash").limits(&nodes), "go nodes 500 depth 7");
    }

    #[test]
    fn info_lines_are_read() {
        let mut choice = Choice::default();
        read_info("info depth 5 score cp 100 nodes 1234 nps 99 pv e2e4 e7e5", &mut choice);
        assert_eq!(choice.nodes, 1234);
        assert!((choice.value.unwrap() - 0.28).abs() < 0.01);
        assert_eq!(choice.line, ["e2e4", "e7e5"]);
        read_info("info score mate -3", &mut choice);
        assert_eq!(choice.value, Some(-1.0));
        read_info("info string nodes 7", &mut choice);
        read_info("info nodes x cp", &mut choice);
        assert_eq!(choice.nodes, 1234);
    }
}
