//! Fuzzes the parser that `TESUJI_PARSER` names; `fuzz/run` does so for each in turn.
//!
//! One target, because the parsers are listed in one place: the corpus test's table. What has a checksum gets a right
//! one after each mutation: otherwise hardly any input would come past it.

#![no_main]

#[path = "../../crates/games/tests/corpus/frames.rs"]
mod frames;
#[path = "../../crates/games/tests/corpus/parsers.rs"]
mod parsers;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
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

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let size = fuzzer_mutate(data, size, max_size);
    // Wrong lengths and checksums are worth a look as well.
    if *PARSER == "record" && seed % 16 != 0 {
        frames::mend(&mut data[..size]);
    }
    size
});
