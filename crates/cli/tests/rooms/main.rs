//! Folders are rooms: modules of a folder do not depend on each other in a circle.
//!
//! In each folder of each crate the rooms are its modules, each with everything below it, and the folder's own file
//! (`lib.rs`, `mod.rs`). One depends on another if a path anywhere in it leads there, through re-exports too. What a
//! folder merely declares or re-exports is no dependency of its own file. Code for tests does not count.

mod checks;
mod graph;
mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Cycles that are known: the crate's folder, and the rooms. Remove what is mended; add nothing.
const KNOWN: &[(&str, &[&str])] = &[];

/// The folders of all crates, those of crates in crates too.
fn crates(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("src") && !path.ends_with("target") {
            if path.join("Cargo.toml").is_file() && path.join("src").is_dir() {
                found.push(path.to_str().expect("text").to_owned());
            }
            crates(&path, found);
        }
    }
}

/// The root files of a crate: its library, its binaries.
fn roots(folder: &str) -> Vec<String> {
    let mut roots = vec![format!("{folder}/src/lib.rs"), format!("{folder}/src/main.rs")];
    roots.retain(|root| Path::new(root).is_file());
    let binaries = fs::read_dir(format!("{folder}/src/bin")).into_iter().flatten();
    roots.extend(binaries.map(|entry| entry.expect("an entry").path().to_str().expect("text").to_owned()));
    roots
}

#[test]
fn modules_do_not_depend_on_each_other_in_a_circle() {
    let workspace = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).expect("the workspace");
    let mut folders = Vec::new();
    crates(&workspace.join("crates"), &mut folders);
    folders.sort_unstable();
    assert!(folders.len() > 5, "these are not all crates: {folders:?}");
    let prefix = format!("{}/", workspace.display());
    let read = |path: &str| fs::read_to_string(workspace.join(path)).ok();
    let mut problems = String::new();
    let mut met: BTreeSet<usize> = BTreeSet::new();
    for folder in folders {
        let roots = roots(&folder);
        assert!(!roots.is_empty(), "{folder}: neither a library nor a binary");
        for root in roots {
            let name = folder.replacen(&prefix, "", 1);
            let modules = source::modules(&root.replacen(&prefix, "", 1), &read);
            for cycle in graph::Crate::new(modules).cycles() {
                match KNOWN.iter().position(|(of, rooms)| *of == name && cycle.rooms.iter().eq(rooms.iter())) {
                    Some(index) => _ = met.insert(index),
                    None => problems += &format!("{name}: a cycle of {cycle}"),
                }
            }
        }
    }
    for (index, known) in KNOWN.iter().enumerate().filter(|(index, _)| !met.contains(index)) {
        problems += &format!("KNOWN[{index}] is not needed any more: {known:?}\n");
    }
    assert!(problems.is_empty(), "\n{problems}");
}
