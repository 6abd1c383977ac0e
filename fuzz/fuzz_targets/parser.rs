//! Fuzzes the parser that `TESUJI_PARSER` names; `fuzz/run` does so for each in turn.
//!
//! One target, because the parsers are listed in one place: the corpus test's table.

#![no_main]

#[path = "../../crates/games/tests/corpus/parsers.rs"]
mod parsers;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static PARSER: LazyLock<String> = LazyLock::new(|| {
    let names = parsers::names();
    let name = std::env::var("TESUJI_PARSER").unwrap_or_default();
    assert!(names.contains(&name), "TESUJI_PARSER must be one of {}", names.join(", "));
    name
});

fuzz_target!(|bytes: &[u8]| {
    // Refusals are as good as acceptance; panics, hangs and memory are what we look for.
    let _ = parsers::run(&PARSER, bytes);
});
