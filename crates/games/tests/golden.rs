//! A golden playthrough of every registered game: `tests/golden/GAME.txt` at the root of the repository.
//!
//! Any change of rules, notation, keys, heuristics or encoders shows as a difference here, so that none happens
//! unnoticed. Moves are chosen among the *sorted* notations: the order in which a generator lists them may change.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use tesuji_core::random::mix;
use tesuji_core::{Encoder, Game, Position, Rules, Stream, game};
use tesuji_games::{Visitor, names, visit};

const REWRITE: &str = "TESUJI_REWRITE_GOLDEN=1 cargo test -p tesuji-games --test golden";
/// Positions that are described in full, at most about.
const DESCRIBED: usize = 24;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

#[test]
fn playthroughs_are_golden() {
    let rewrite = std::env::var_os("TESUJI_REWRITE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    for name in names() {
        let path = folder().join(format!("{name}.txt"));
        let text: String = Rules::ALL.map(|rules| visit(name, rules, Playthrough).expect("a registered name")).concat();
        if rewrite {
            fs::write(&path, text).expect("the golden folder is writable");
            continue;
        }
        match fs::read_to_string(&path) {
            Err(_) => wrong.push(format!("tests/golden/{name}.txt is missing")),
            Ok(golden) => wrong.extend(first_difference(name, &golden, &text)),
        }
    }
    assert!(wrong.is_empty(), "{}\nIf the change is wanted: {REWRITE}", wrong.join("\n"));
}

#[test]
fn no_playthrough_is_left_over() {
    for entry in fs::read_dir(folder()).expect("the golden folder") {
        let path = entry.expect("a folder entry").path();
        let game = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        assert!(names().contains(&game), "{path:?} belongs to no registered game");
    }
}

fn first_difference(name: &str, golden: &str, text: &str) -> Option<String> {
    if golden == text {
        return None;
    }
    let same = golden.lines().zip(text.lines()).take_while(|(golden, text)| golden == text).count();
    let line = |text: &str| text.lines().nth(same).unwrap_or("(end)").to_owned();
    let number = same + 1;
    Some(format!("tests/golden/{name}.txt line {number}:\n  golden {}\n  now    {}", line(golden), line(text)))
}

/// One random game, described.
struct Playthrough;

impl Visitor for Playthrough {
    type Output = String;

    fn visit<G: Game>(self, game: G) -> String {
        // The official game begins at the start, the paper's where self-play may begin.
        let mut random = Stream::new(1, "golden", 0);
        let mut position = match game.rules() {
            Rules::Official => game.start(),
            Rules::Paper => game.varied_start(&mut random),
        };
        let mut positions = vec![position.clone()];
        let mut moves = Vec::new();
        while position.outcome().is_none() {
            let texts = game::sorted_moves(&position);
            let text = &texts[random.below(texts.len())];
            let mv = position.parse_move(text).expect("a move as the position wrote it");
            moves.push(text.clone());
            position.play(mv);
            positions.push(position.clone());
        }

        let mut out = format!("game {}, {} rules version {}\n", game.name(), game.rules(), game.rules_version());
        let step = positions.len().div_ceil(DESCRIBED);
        for (position, moves) in positions.iter().step_by(step).zip(moves.chunks(step)) {
            describe(&game, position, &mut out);
            writeln!(out, "play {}", moves.join(" ")).expect("strings take all text");
        }
        describe(&game, &position, &mut out);
        out + "\n"
    }
}

fn describe<G: Game>(game: &G, position: &G::Position, out: &mut String) {
    let mut line = |text: String| writeln!(out, "{text}").expect("strings take all text");
    line(format!("\nposition {}", game.format_position(position)));
    for row in game.render(position, Default::default()).lines() {
        line(format!("  {row}").trim_end().to_owned());
    }
    line(format!("ply {}, key {:016x}, {} to move", position.ply(), position.key(), position.mover()));
    line(format!("heuristic {}, in check {}", game.heuristic(position), position.in_check()));
    line(format!("moves {}", game::sorted_moves(position).join(" ")));
    match position.outcome() {
        Some(outcome) => line(format!("outcome {outcome}: {}", position.ending())),
        None => {
            for encoder in game.encoders().into_iter().filter(|encoder| encoder.accepts(position)) {
                let (name, shape) = (encoder.name(), encoder.shape());
                let size = format!("{}x{}x{}", shape.planes, shape.height, shape.width);
                let sum = checksum(&*encoder, position);
                line(format!("encoder {name} version {}, {size}, checksum {sum:016x}", encoder.version()));
            }
        }
    }
}

/// A hash of every view and of the policy indices of the moves, sorted by notation.
fn checksum<P: Position>(encoder: &dyn Encoder<P>, position: &P) -> u64 {
    let mut sum = 0;
    let mut fold = |word: u64| sum = mix(sum ^ word);
    let mut planes = vec![0.0; encoder.shape().len()];
    for view in 0..encoder.views(position) {
        encoder.encode(position, view, &mut planes);
        planes.iter().for_each(|number| fold(u64::from(number.to_bits())));
    }
    for text in game::sorted_moves(position) {
        let mv = position.parse_move(&text).expect("a move as the position wrote it");
        let (view, index) = encoder.index(position, mv);
        fold((view as u64) << 32 | index as u64);
    }
    sum
}
