//! Hostile command lines, files and protocol lines: nothing panics, hangs, or takes all memory.
//!
//! | file | what it holds |
//! |---|---|
//! | [`words`] | hostile words and numbers, and how good bytes are made bad |
//! | [`commands`] | command lines, as processes of the built binary |
//! | [`files`] | files of every format: positions, records, experiments, networks, data sets, journals, runs |
//! | [`protocol`] | lines of UCI and USI clients, and engines that answer nonsense |
//! | [`process`] | a process with limits on memory and time, and what is asked of its end |
//! | [`material`] | good files that hostile ones are made of |
//!
//! A case depends on the seed and its number alone. `TESUJI_HOSTILE=2000` sets how many cases are tried,
//! `TESUJI_HOSTILE_FIRST=1234` the number of the first, so that one that failed is tried again by
//! `TESUJI_HOSTILE_FIRST=1234 TESUJI_HOSTILE=1`.
#![cfg(target_os = "linux")]

mod commands;
mod files;
mod material;
mod process;
mod protocol;
mod words;

use material::Material;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tesuji_core::Stream;

/// Cases that are tried if the environment does not say.
const USUAL: u64 = 400;
/// The seed of all cases.
const SEED: u64 = 15;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}: no number")))
}

#[test]
fn nothing_that_comes_from_outside_panics_hangs_or_takes_all_memory() {
    let (first, count) = (number("TESUJI_HOSTILE_FIRST", 0), number("TESUJI_HOSTILE", USUAL));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(4);
    let material = Material::make();
    let next = AtomicU64::new(first);
    let failures = Mutex::new(BTreeMap::new());
    let counts = Mutex::new(BTreeMap::<&str, u64>::new());
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (material, next, failures, counts) = (&material, &next, &failures, &counts);
            scope.spawn(move || {
                let place = material.place(thread);
                loop {
                    let case = next.fetch_add(1, Ordering::Relaxed);
                    if case >= first + count {
                        break;
                    }
                    let mut random = Stream::new(SEED, "hostile", case);
                    let (kind, failure) = match random.below(100) {
                        0..40 => ("command lines", commands::attempt(material, &place, &mut random)),
                        40..80 => ("files", files::attempt(material, &place, &mut random)),
                        80..98 => ("conversations with our engine", protocol::attempt(material, &mut random)),
                        _ => ("matches with foreign engines", protocol::foreign(&place, &mut random)),
                    };
                    *counts.lock().unwrap().entry(kind).or_default() += 1;
                    if let Err(problem) = failure {
                        failures.lock().unwrap().insert(case, format!("{kind}: {problem}"));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    println!("{count} cases: {:?}", counts.into_inner().unwrap());
    let shown: Vec<String> =
        failures.iter().take(40).map(|(case, problem)| format!("case {case}: {problem}")).collect();
    assert!(failures.is_empty(), "{} of {count} cases failed\n{}", failures.len(), shown.join("\n"));
}
