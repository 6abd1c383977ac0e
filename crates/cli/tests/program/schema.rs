//! docs/json.md against what the program prints: every key that is printed is there, and every key that is there is printed.

use crate::common::{json, repository, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The types of the keys of a section, by `a.b` and `a[].b`.
fn documented(section: &str) -> BTreeMap<String, String> {
    let page = fs::read_to_string(repository("docs/json.md")).expect("the page");
    let (_, rest) = page.split_once(&format!("\n## {section}\n")).unwrap_or_else(|| panic!("no section {section}"));
    let own = rest.split("\n## ").next().unwrap_or_default();
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        let key = cells.next()?.trim_end_matches('`').to_owned();
        Some((key, cells.next()?.trim().to_owned()))
    };
    own.lines().filter_map(row).collect()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// Goes through an object; a key with the type `map` has keys of its own that are data.
fn walk(object: &Value, before: &str, known: &BTreeMap<String, String>, seen: &mut BTreeSet<String>) {
    for (name, value) in object.as_object().expect("an object") {
        let path = format!("{before}{name}");
        let types = known.get(&path).unwrap_or_else(|| panic!("docs/json.md has no {path}: {value}"));
        let found = if types == "map" && value.is_object() { "map" } else { kind(value) };
        assert!(types.split(" or ").any(|one| one == found), "{path} is {types} in docs/json.md, but {value}");
        seen.insert(path.clone());
        match value {
            Value::Object(_) if types != "map" => walk(value, &format!("{path}."), known, seen),
            Value::Array(items) => {
                for item in items.iter().filter(|item| item.is_object()) {
                    walk(item, &format!("{path}[]."), known, seen);
                }
            }
            _ => (),
        }
    }
}

#[track_caller]
fn check(section: &str, printed: &[String]) {
    let known = documented(section);
    let mut seen = BTreeSet::new();
    let lines: Vec<&str> = printed.iter().flat_map(|text| text.lines()).collect();
    assert!(!lines.is_empty());
    for line in lines {
        walk(&json(line), "", &known, &mut seen);
    }
    let documented: BTreeSet<String> = known.into_keys().collect();
    assert_eq!(documented, seen, "{section}: keys of docs/json.md, keys that were printed");
}

#[test]
fn a_match_has_the_keys_of_the_page() {
    let game = ["match", "connect4", "uct:sims=20", "bot", "--games", "4", "--json"];
    check("tesuji match", &[text(&game), text(&[&game[..], &["--sprt", "0,10"]].concat())]);
}

#[test]
fn an_analysis_has_the_keys_of_the_page() {
    let tree = text(&["analyse", "connect4", "d", "d", "c", "--agent", "uct:sims=100", "--json"]);
    let proven = text(&["analyse", "tictactoe", "--agent", "alphabeta:pure,depth=9", "--json"]);
    check("tesuji analyse", &[tree, proven]);
}

#[test]
fn runs_have_the_keys_of_the_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let (runs, run) = (folder.path().to_str().expect("text"), folder.path().join("a"));
    text(&["train", "td-tictactoe", "--dummy", "--out", run.to_str().expect("text")]);
    check("tesuji runs", &[text(&["runs", runs, "--json"])]);
}

#[test]
fn the_doctor_has_the_keys_of_the_page() {
    check("tesuji doctor", &[text(&["doctor", "--json"])]);
}
