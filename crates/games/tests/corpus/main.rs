//! Replays `tests/corpus/PARSER/*` (at the root of the repository) through every parser of outside input.
//!
//! Files whose name begins with `good` must be accepted and those with `bad` refused, in one line; of the others, which
//! fuzzing found, it is enough that they end without a panic. New finds are added by `fuzz/run`.

mod frames;
mod parsers;

use std::fs;
use std::path::{Path, PathBuf};
use tesuji_core::{GameRecord, Stream};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

#[test]
fn the_corpus_holds_no_surprise() {
    for name in parsers::names() {
        let Ok(entries) = fs::read_dir(folder().join(&name)) else {
            // The conformance suite tries every game's notation; file formats have only this.
            assert!(name.contains('-'), "tests/corpus/{name} is missing");
            continue;
        };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder entry").path()).collect();
        paths.sort();
        let with = |start: &str| paths.iter().any(|path| file_name(path).starts_with(start));
        assert!(with("good") && with("bad"), "tests/corpus/{name} needs good and bad examples");
        for path in paths {
            let bytes = fs::read(&path).expect("a readable file");
            println!("{}", path.display());
            match parsers::run(&name, &bytes) {
                Ok(()) => assert!(!file_name(&path).starts_with("bad"), "{path:?} was accepted"),
                Err(error) => {
                    assert!(!file_name(&path).starts_with("good"), "{path:?}: {error}");
                    assert!(!error.contains('\n') && error.chars().count() < 800, "{path:?}: {error}");
                }
            }
        }
    }
}

#[test]
fn every_corpus_has_its_parser() {
    let names = parsers::names();
    for entry in fs::read_dir(folder()).expect("the corpus folder") {
        let path = entry.expect("a folder entry").path();
        assert!(names.iter().any(|name| *name == file_name(&path)), "{path:?} belongs to no parser");
    }
}

/// Fuzzing mutates records and mends their frames: then nothing is refused for its checksum, and the parser behind it is
/// reached.
#[test]
fn mutated_records_that_are_mended_come_past_the_checksum() {
    let good = fs::read(folder().join("record/good-chess.tsjr")).expect("a record");
    let mut random = Stream::new(1, "frames", 0);
    let (mut read, mut unmended) = (0, 0);
    for _ in 0..500 {
        let mut bytes = good.repeat(2);
        for _ in 0..1 + random.below(4) {
            let place = random.below(bytes.len());
            bytes[place] ^= 1 << random.below(8);
        }
        bytes.truncate(bytes.len() - random.below(3));
        unmended += usize::from(GameRecord::read_all(&bytes).1.is_ok());
        frames::mend(&mut bytes);
        let (_, end) = GameRecord::read_all(&bytes);
        let problem = end.map_or_else(|error| error.to_string(), |()| String::new());
        read += usize::from(problem.is_empty());
        for word in ["checksum", "truncated", "version", "length", "not a record"] {
            assert!(!problem.contains(word), "{problem}");
        }
        let _ = parsers::run("record", &bytes);
    }
    assert!(read > 50 && unmended < 10, "{read} of 500 records are read, {unmended} unmended");
    // What is right stays as it is.
    let mut again = good.clone();
    frames::mend(&mut again);
    assert_eq!(again, good);
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
