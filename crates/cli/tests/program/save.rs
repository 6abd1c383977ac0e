//! Games of matches, tournaments and sittings in files.

use crate::common::{refusal, text, with_input};
use std::path::Path;

/// Plays a short match and saves it; returns the file that holds its first game.
fn save(folder: &Path, game: &str, name: &str, first_file: &str) -> String {
    let path = folder.join(name);
    text(&["match", game, "bot", "random", "--games", "2", "--max-plies", "30", "--save", path.to_str().unwrap()]);
    folder.join(first_file).to_str().unwrap().to_owned()
}

#[test]
fn every_format_holds_names_moves_and_results() {
    let folder = tempfile::tempdir().unwrap();
    for (game, name, first_file) in [
        ("chess", "games.pgn", "games.pgn"),
        ("shogi", "game.kif", "game-0001.kif"),
        ("shogi", "games.csa", "games.csa"),
        ("minishogi", "mini.kif", "mini-0001.kif"),
        ("minishogi", "mini.csa", "mini.csa"),
        ("tubstap", "war.tbsreplay", "war-0001.tbsreplay"),
        ("tubstap", "war.tsjr", "war.tsjr"),
        ("connect4", "games.tsjr", "games.tsjr"),
    ] {
        let path = save(folder.path(), game, name, first_file);
        let games = text(&["record", &path]);
        let several = name == first_file;
        assert_eq!(games.lines().count(), if several { 2 } else { 1 }, "{name}: {games}");
        let shown = text(&["record", &path, "--number", "1"]);
        let names: Vec<&str> =
            ["bot", "random"].into_iter().filter(|name| shown.lines().any(|line| line.ends_with(name))).collect();
        assert_eq!(names, ["bot", "random"], "{name}: {shown}");
        assert!(shown.contains("result     ") && shown.contains(game), "{name}: {shown}");
        if name.ends_with("pgn") || name.ends_with("tsjr") {
            assert!(!shown.contains("no result"), "{name}: {shown}");
        }
    }
    // Nothing half-written is left.
    let left = std::fs::read_dir(folder.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "partial"));
    assert_eq!(left.count(), 0);
}

#[test]
fn the_first_player_of_each_game_is_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "chess", "games.pgn", "games.pgn");
    let pgn = std::fs::read_to_string(path).unwrap();
    let white: Vec<&str> = pgn.lines().filter(|line| line.starts_with("[White ")).collect();
    assert_eq!(white, ["[White \"bot\"]", "[White \"random\"]"], "{pgn}");
    assert!(pgn.contains("[Result \"") && pgn.contains("[Termination \""), "{pgn}");
}

#[test]
fn tournaments_and_sittings_are_saved_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let words = ["tournament", "tictactoe", "random", "bot", "minimax", "--games", "2", "--save"];
    text(&[&words[..], &[&path("all.tsjr")]].concat());
    assert_eq!(text(&["record", &path("all.tsjr")]).lines().count(), 6);

    let sitting = with_input(&["play", "chess", "bot", "--save", &path("mine.pgn")], b"e2e4\nresign\n");
    assert!(sitting.status.success());
    let pgn = std::fs::read_to_string(path("mine.pgn")).unwrap();
    for word in ["[White \"you\"]", "[Black \"bot\"]", "[Result \"0-1\"]", "[Termination \"resignation\"]", "1. e4"] {
        assert!(pgn.contains(word), "{word} is missing in {pgn}");
    }
}

#[test]
fn what_cannot_be_saved_is_refused_before_it_is_played() {
    let folder = tempfile::tempdir().unwrap();
    for (game, name, word) in [
        ("chess", "games.kif", "chess"),
        ("connect4", "games.pgn", "connect4"),
        ("shogi", "games", "does not tell the format"),
        ("chess", "games.pgn.zst", "leave out .zst"),
        ("tubstap", "games.tbsmap", "holds no moves"),
        ("chess", "no/such/folder/games.pgn", "cannot write"),
    ] {
        let path = folder.path().join(name);
        // A match that would take for ever.
        let words = ["match", game, "random", "random", "--games", "10000000", "--save", path.to_str().unwrap()];
        let errors = refusal(&words);
        assert!(errors.contains(word), "{name}: {errors}");
        assert!(!path.exists());
    }
}

#[test]
fn records_of_other_rules_are_neither_shown_nor_converted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.tsjr");
    let mut record = tesuji_core::GameRecord::new("tictactoe", tesuji_core::Rules::Official, 999, "startpos");
    record.push(Cell(0));
    std::fs::write(&path, record.to_bytes()).unwrap();
    let path = path.to_str().unwrap();
    let copy = folder.path().join("new.tsjr");
    for words in [&["record", path][..], &["convert", path, copy.to_str().unwrap()]] {
        let errors = refusal(words);
        assert!(errors.contains("version 999 of the rules of tictactoe"), "{words:?}: {errors}");
    }
    assert!(!copy.exists());
}

/// A move in its numeric form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Cell(u32);

impl tesuji_core::Move for Cell {
    fn to_bits(self) -> u32 {
        self.0
    }

    fn from_bits(bits: u32) -> Option<Cell> {
        Some(Cell(bits))
    }
}
