//! The commands of a client, parsed without knowing the game.

use std::time::Duration;

/// A line of a client, parsed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    /// `uci`
    Uci,
    /// `usi`
    Usi,
    /// `isready`
    IsReady,
    /// `ucinewgame`, `usinewgame`
    NewGame,
    /// `setoption name NAME [value VALUE]`
    SetOption { name: String, value: String },
    /// `position startpos|fen TEXT|sfen TEXT [moves ...]`
    Position { start: Start, moves: Vec<String> },
    /// `go ...`
    Go(Go),
    /// `stop`
    Stop,
    /// `ponderhit`
    PonderHit,
    /// `quit`
    Quit,
    /// Commands that need no answer (`debug`, `register`, `gameover`), and empty lines.
    Nothing,
    /// Anything else, with what is wrong.
    Unknown(String),
}

/// Where a position starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// `startpos`
    Usual,
    /// `fen TEXT`, in the protocol's notation.
    Fen(String),
    /// `sfen TEXT`, in the game's own notation.
    Sfen(String),
}

/// The limits and the moves of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Go {
    /// `searchmoves`, in the protocol's notation.
    pub only: Vec<String>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub move_time: Option<Duration>,
    pub clocks: Clocks,
    pub mate: Option<Mate>,
    pub infinite: bool,
    pub ponder: bool,
}

/// `mate` in its three forms; what the number counts depends on the protocol (moves in UCI, milliseconds in USI).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mate {
    Number(u64),
    Infinite,
}

/// The clocks: `wtime`, `winc` first, then `btime`, `binc`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Clocks {
    pub left: [Option<Duration>; 2],
    pub increment: [Duration; 2],
    pub byoyomi: Duration,
    pub moves_to_go: Option<u32>,
}

/// The words that end a list of moves in `go`.
const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "byoyomi",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
];

impl Command {
    /// Reads a line.
    pub(super) fn read(line: &str) -> Command {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { return Command::Nothing };
        let rest: Vec<&str> = words.collect();
        match first {
            "uci" => Command::Uci,
            "usi" => Command::Usi,
            "isready" => Command::IsReady,
            "ucinewgame" | "usinewgame" => Command::NewGame,
            "setoption" => set_option(&rest),
            "position" => position(&rest),
            "go" => go(&rest),
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "quit" => Command::Quit,
            "debug" | "register" | "gameover" => Command::Nothing,
            other => Command::Unknown(format!("unknown command {:?}", tesuji_core::error::excerpt(other))),
        }
    }
}

/// The words up to one of these, and those behind it (without it).
fn split<'a, 'w>(words: &'a [&'w str], at: &str) -> (&'a [&'w str], Option<&'a [&'w str]>) {
    match words.iter().position(|&word| word == at) {
        Some(place) => (&words[..place], Some(&words[place + 1..])),
        None => (words, None),
    }
}

fn set_option(words: &[&str]) -> Command {
    let Some((&"name", words)) = words.split_first() else {
        return Command::Unknown("expected setoption name NAME value VALUE".to_owned());
    };
    let (name, value) = split(words, "value");
    Command::SetOption { name: name.join(" "), value: value.unwrap_or_default().join(" ") }
}

fn position(words: &[&str]) -> Command {
    let (start, moves) = split(words, "moves");
    let start = match start.split_first() {
        Some((&"startpos", _)) => Start::Usual,
        Some((&"fen", text)) if !text.is_empty() => Start::Fen(text.join(" ")),
        Some((&"sfen", text)) if !text.is_empty() => Start::Sfen(text.join(" ")),
        _ => return Command::Unknown("expected position startpos|fen FEN|sfen SFEN [moves ...]".to_owned()),
    };
    Command::Position { start, moves: moves.unwrap_or_default().iter().map(|&mv| mv.to_owned()).collect() }
}

fn go(words: &[&str]) -> Command {
    let mut go = Go::default();
    let mut rest = words;
    while let Some((&word, behind)) = rest.split_first() {
        rest = behind;
        let number = rest.first().and_then(|text| text.parse::<i64>().ok());
        // Clocks of clients may show less than nothing.
        let count = number.map(|number| number.max(0) as u64);
        let time = count.map(Duration::from_millis);
        match word {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                let end = rest.iter().position(|word| GO_WORDS.contains(word)).unwrap_or(rest.len());
                go.only = rest[..end].iter().map(|&mv| mv.to_owned()).collect();
                rest = &rest[end..];
                continue;
            }
            "mate" => go.mate = Some(count.map_or(Mate::Infinite, Mate::Number)),
            "depth" => go.depth = count.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
            "nodes" => go.nodes = count,
            "movetime" => go.move_time = time,
            "wtime" => go.clocks.left[0] = time,
            "btime" => go.clocks.left[1] = time,
            "winc" => go.clocks.increment[0] = time.unwrap_or_default(),
            "binc" => go.clocks.increment[1] = time.unwrap_or_default(),
            "byoyomi" => go.clocks.byoyomi = time.unwrap_or_default(),
            "movestogo" => go.clocks.moves_to_go = count.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
            _ => continue,
        }
        if number.is_some() && !matches!(word, "infinite" | "ponder") {
            rest = &rest[1..];
        }
    }
    // USI says `go mate infinite`, which is no endless search for a move.
    if go.mate.is_some() {
        go.infinite = false;
    }
    Command::Go(go)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_go(text: &str) -> Go {
        match Command::read(text) {
            Command::Go(go) => go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_form_of_go_is_read() {
        let ms = Duration::from_millis;
        let go = read_go("go wtime 1000 btime -5 winc 10 binc 20 movestogo 7 depth 3 nodes 99");
        assert_eq!(go.clocks.left, [Some(ms(1000)), Some(ms(0))]);
        assert_eq!((go.clocks.increment, go.clocks.moves_to_go), ([ms(10), ms(20)], Some(7)));
        assert_eq!((go.depth, go.nodes), (Some(3), Some(99)));
        let go = read_go("go btime 0 wtime 0 byoyomi 500 ponder");
        assert!(go.ponder && go.clocks.byoyomi == ms(500));
        let go = read_go("go searchmoves e2e4 d2d4 movetime 250");
        assert_eq!((go.only, go.move_time), (vec!["e2e4".to_owned(), "d2d4".to_owned()], Some(ms(250))));
        assert!(read_go("go infinite").infinite);
        assert_eq!(read_go("go mate 3").mate, Some(Mate::Number(3)));
        for text in ["go mate infinite", "go mate"] {
            let go = read_go(text);
            assert_eq!((go.mate, go.infinite), (Some(Mate::Infinite), false));
        }
        // Nonsense is passed over; a word is not taken for the number of the one before.
        let go = read_go("go depth x nodes depth 4 99999999999999999999 movetime");
        assert_eq!((go.depth, go.nodes, go.move_time), (Some(4), None, None));
    }

    #[test]
    fn options_and_positions_are_read() {
        let name = |name: &str, value: &str| Command::SetOption { name: name.to_owned(), value: value.to_owned() };
        assert_eq!(Command::read("setoption name Move Overhead value 5"), name("Move Overhead", "5"));
        assert_eq!(Command::read(" setoption name Clear Hash"), name("Clear Hash", ""));
        let moves = vec!["7g7f".to_owned()];
        assert_eq!(
            Command::read("position startpos moves 7g7f"),
            Command::Position { start: Start::Usual, moves: moves.clone() }
        );
        assert_eq!(
            Command::read("position sfen 4k/5 b - 1 moves 7g7f"),
            Command::Position { start: Start::Sfen("4k/5 b - 1".to_owned()), moves }
        );
        for text in ["setoption", "setoption value 3", "position", "position fen", "position moves", "xyz", "\u{0}"] {
            assert!(matches!(Command::read(text), Command::Unknown(_)), "{text:?}");
        }
        assert_eq!(Command::read(""), Command::Nothing);
        assert_eq!(Command::read("gameover win"), Command::Nothing);
    }
}
