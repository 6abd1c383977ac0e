//! Replays `tests/corpus/PARSER/*` (at the root of the repository) through every parser of outside input.
//!
//! Files whose name begins with `good` must be accepted and those with `bad` refused, in one line; of the others, which
//! fuzzing found, it is enough that they end without a panic. New finds are added by `fuzz/run`.

mod parsers;

use std::fs;
use std::path::{Path, PathBuf};

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

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
