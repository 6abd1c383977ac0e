//! One table: ours, the peer's, their ratio and the floor that we have set ourselves.
//!
//! Both sides of a line run in turn in this process, on one thread; the best of several rounds counts, in time on the
//! processor, so that other work on the machine matters little. Ends with 1 if a line is below its floor.

use cpu_time::ThreadTime;
use std::process::ExitCode;
use std::time::Duration;
use tesuji_bench::fairy::Fairy;
use tesuji_bench::ours::{Work, perft_work, playout_work};
use tesuji_bench::{CHESS, MINISHOGI, Mode, SHOGI, peers};
use tesuji_core::Rules;

/// Rounds of each comparison.
const ROUNDS: u32 = 15;

/// A round runs the work until this time is over: long against the clock, short against a scheduler's time slice.
const ROUND: Duration = Duration::from_millis(20);

/// One line of the table: speeds are a second.
struct Line {
    what: String,
    ours: f64,
    peer: Option<(&'static str, f64)>,
    floor: Option<f64>,
}

impl Line {
    /// Our speed over the peer's, or over the floor where that is a speed.
    fn measure(&self) -> f64 {
        self.peer.map_or(self.ours, |(_, speed)| self.ours / speed)
    }

    fn print(&self) {
        let peer = self.peer.map_or((String::from("-"), String::from("-"), String::from("-")), |(name, speed)| {
            (name.to_owned(), speed_text(speed), format!("{:.2}", self.ours / speed))
        });
        let floor = self.floor.map_or(String::from("-"), |floor| match self.peer {
            Some(_) => format!("{floor:.2}"),
            None => speed_text(floor),
        });
        let verdict = match self.floor {
            Some(floor) if self.measure() < floor => "BELOW",
            Some(_) => "ok",
            None => "",
        };
        let ours = speed_text(self.ours);
        println!("{:<28} {ours:>9}  {:<16} {:>9} {:>7} {floor:>9} {verdict}", self.what, peer.0, peer.1, peer.2);
    }
}

fn speed_text(speed: f64) -> String {
    if speed >= 1e6 { format!("{:.1} M", speed / 1e6) } else { format!("{:.1} k", speed / 1e3) }
}

/// Units of work a second in one round.
fn round(work: &mut Work) -> f64 {
    let start = ThreadTime::now();
    let mut done = 0;
    loop {
        done += work();
        let time = start.elapsed();
        if time >= ROUND {
            return done as f64 / time.as_secs_f64();
        }
    }
}

/// The best speeds of works that are run in turn.
fn best(works: &mut [Work]) -> Vec<f64> {
    let mut speeds = vec![0.0_f64; works.len()];
    for _ in 0..ROUNDS {
        for (work, speed) in works.iter_mut().zip(&mut speeds) {
            *speed = speed.max(round(work));
        }
    }
    speeds
}

/// A peer: its name, how to set it to work, and the floors for bulk counting and for playing.
struct Peer {
    name: &'static str,
    work: fn(&str, u32, Mode) -> Result<Work, String>,
    floors: [Option<f64>; 2],
}

const SHOGI_PEERS: [Peer; 2] = [
    Peer { name: "haitaka", work: peers::haitaka, floors: [Some(1.0), Some(1.0)] },
    Peer { name: "rsshogi", work: peers::rsshogi, floors: [None, Some(1.8)] },
];

const CHESS_PEERS: [Peer; 2] = [
    Peer { name: "shakmaty", work: peers::shakmaty, floors: [None, None] },
    Peer { name: "cozy-chess", work: peers::cozy_chess, floors: [None, None] },
];

fn perft_lines(game: &str, positions: &[(&str, &str, u32)], others: &[Peer]) -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    for &(name, text, depth) in positions {
        for mode in Mode::ALL {
            let mut works = vec![perft_work(game, text, depth, mode)?];
            for peer in others {
                works.push((peer.work)(text, depth, mode)?);
            }
            let counts: Vec<u64> = works.iter_mut().map(|work| work()).collect();
            if counts.iter().any(|&count| count != counts[0]) {
                return Err(format!("{game} {name} depth {depth}: the counts differ: {counts:?}"));
            }
            let speeds = best(&mut works);
            for (peer, &speed) in others.iter().zip(&speeds[1..]) {
                lines.push(Line {
                    what: format!("{game} {name} {}", mode.name()),
                    ours: speeds[0],
                    peer: Some((peer.name, speed)),
                    floor: peer.floors[usize::from(mode == Mode::Playing)],
                });
            }
        }
    }
    Ok(lines)
}

fn minishogi_lines() -> Result<Vec<Line>, String> {
    const DEPTH: u32 = 6;
    let mut fairy = Fairy::start()?;
    let mut ours = [perft_work("minishogi", MINISHOGI, DEPTH, Mode::Bulk)?];
    let (count, mut theirs) = (ours[0](), 0.0_f64);
    for _ in 0..3 {
        let (nodes, time) = fairy.perft(DEPTH)?;
        if nodes != count {
            return Err(format!("minishogi depth {DEPTH}: we count {count}, Fairy-Stockfish {nodes}"));
        }
        theirs = theirs.max(nodes as f64 / time.as_secs_f64());
    }
    let speed = best(&mut ours)[0];
    let what = "minishogi start bulk".to_owned();
    Ok(vec![Line { what, ours: speed, peer: Some(("fairy-stockfish", theirs)), floor: Some(10.0) }])
}

fn playout_line(game: &str, rules: Rules, games: u64, floor: Option<f64>) -> Result<Vec<Line>, String> {
    let mut works = [playout_work(game, "startpos", rules, games)?];
    let ours = best(&mut works)[0];
    Ok(vec![Line { what: format!("{game} playouts ({rules})"), ours, peer: None, floor }])
}

/// A part of the table.
type Section = fn() -> Result<Vec<Line>, String>;

fn main() -> ExitCode {
    println!("{:<28} {:>9}  {:<16} {:>9} {:>7} {:>9}", "a second", "ours", "peer", "", "ratio", "floor");
    let sections: [Section; 8] = [
        || perft_lines("shogi", &SHOGI, &SHOGI_PEERS),
        minishogi_lines,
        || perft_lines("chess", &CHESS, &CHESS_PEERS),
        || playout_line("bingo3d", Rules::Official, 1000, Some(5e6)),
        || playout_line("connect4", Rules::Official, 1000, None),
        || playout_line("tubstap", Rules::Official, 100, Some(30e3)),
        || playout_line("tubstap", Rules::Paper, 100, Some(30e3)),
        || playout_line("chess", Rules::Official, 10, None),
    ];
    let mut good = true;
    for section in sections {
        match section() {
            Ok(lines) => {
                for line in lines {
                    line.print();
                    good &= line.floor.is_none_or(|floor| line.measure() >= floor);
                }
            }
            Err(error) => {
                eprintln!("error: {error}");
                good = false;
            }
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
