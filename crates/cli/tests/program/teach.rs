//! `tesuji teach` from outside.

use crate::common::{json, one_line, success, tesuji};
use serde_json::Value;

const METHODS: [&str; 9] = [
    "evaluation",
    "first-visit",
    "every-visit",
    "td0",
    "n-step",
    "td-lambda",
    "policy-iteration",
    "value-iteration",
    "q-learning",
];

/// The one line of a lesson that is refused before anything is printed.
#[track_caller]
fn refusal(args: &[&str]) -> String {
    let output = tesuji(args);
    assert!(output.stdout.is_empty(), "{args:?}");
    one_line(&output, args)
}

/// The objects of a command that prints JSON.
#[track_caller]
fn objects(args: &[&str]) -> Vec<Value> {
    let text = success(&[args, &["--json"]].concat());
    text.lines().map(json).collect()
}

/// The last point of a lesson.
fn last(lesson: &Value) -> &Value {
    lesson["points"].as_array().and_then(|points| points.last()).expect("a point")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn the_methods_are_listed_and_all_learn() {
    let text = success(&["teach", "--list"]);
    let listed = objects(&["teach", "--list"]);
    assert_eq!(listed.iter().map(|method| method["method"].as_str().unwrap()).collect::<Vec<_>>(), METHODS);
    let lessons = objects(&["teach", "all", "--walk", "5", "--episodes", "3000"]);
    assert_eq!(lessons.len(), METHODS.len());
    for (lesson, name) in lessons.iter().zip(METHODS) {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name}");
        assert_eq!(lesson["method"], name);
        let last = last(lesson);
        let limit = if lesson["unit"] == "episodes" { 0.08 } else { 1e-9 };
        assert!(number(&last["rms"]) < limit && last["seen"] == 5, "{name}: {last}");
        assert!(number(&last["rms"]) < number(&lesson["points"][0]["rms"]), "{name}");
        let exact = if lesson["goal"] == "optimum" { 1.0 } else { 0.0 };
        assert!((number(&lesson["exact"]) - exact).abs() < 1e-12, "{name}");
    }
    let compared = success(&["teach", "all", "--walk", "5", "--episodes", "10"]);
    assert!(METHODS.iter().all(|name| compared.contains(name)), "{compared}");
}

#[test]
fn tictactoe_is_learned_to_its_exact_values() {
    let lesson = &objects(&["teach", "evaluation"])[0];
    assert_eq!((lesson["states"].as_u64(), lesson["ends"].as_u64()), (Some(5478), Some(958)));
    assert!((number(&lesson["exact"]) - 0.296_825).abs() < 1e-6);
    assert!((number(&last(lesson)["start"]) - 0.296_825).abs() < 1e-6);
    let centre = lesson["moves"].as_array().and_then(|moves| moves.iter().find(|mv| mv["move"] == "b2")).unwrap();
    assert!((number(&centre["learned"]) - 0.5).abs() < 1e-9, "{centre}");
    let lesson = &objects(&["teach", "value-iteration"])[0];
    let last = last(lesson);
    assert_eq!((number(&last["start"]), number(&last["largest"]), last["mistakes"].as_u64()), (0.0, 0.0, Some(0)));
}

#[test]
fn a_lesson_is_a_table_and_a_curve_that_line_up() {
    let text = success(&["teach", "td0", "--walk", "19", "--episodes", "300"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("td0: ") && lines[1].contains("V(s) += alpha [R + gamma V(s') - V(s)]"), "{text}");
    assert!(lines[3].contains("random play") && lines[3].contains("alpha 1/n^0.7") && lines[3].contains("seed 1"));
    let head = lines.iter().position(|line| line.contains("rms error  largest")).expect("a head");
    let counts: Vec<&str> = lines[head + 1..]
        .iter()
        .map_while(|line| line.split_whitespace().next())
        .take_while(|&word| word != "exact")
        .collect();
    assert_eq!(counts, ["1", "2", "5", "10", "20", "50", "100", "200", "300"]);
    for line in &lines[head..=head + counts.len()] {
        assert_eq!(line.len(), lines[head].len(), "{line}");
    }
    let axis = lines.iter().position(|line| line.contains('└')).expect("an axis");
    let column = |line: &str, wanted: char| line.chars().position(|character| character == wanted);
    for line in &lines[axis - 10..axis] {
        assert_eq!(column(line, '│'), column(lines[axis], '└'), "{line}");
        assert!(line.chars().count() <= lines[axis].chars().count(), "{line}");
    }
    assert!(lines[axis + 1].trim_start().starts_with("1 ") && lines[axis + 1].ends_with(" episodes"));
}

#[test]
fn the_seed_decides() {
    let lesson = |seed| success(&["teach", "q-learning", "--episodes", "500", "--seed", seed]);
    assert_eq!(lesson("7"), lesson("7"));
    assert_ne!(lesson("7"), lesson("8"));
}

#[test]
fn options_reach_the_methods() {
    let lesson = |args: &[&str]| {
        let args = [&["teach"], args, &["--walk", "9", "--episodes", "50"]].concat();
        objects(&args)[0]["points"].clone()
    };
    assert_eq!(lesson(&["n-step", "--steps", "1"]), lesson(&["td0"]));
    for [a, b] in [
        [&["td-lambda"][..], &["td-lambda", "--lambda", "0.1"]],
        [&["td-lambda"], &["td-lambda", "--traces", "replacing"]],
        [&["td-lambda"], &["td-lambda", "--alpha", "0.1"]],
        [&["td-lambda"], &["td-lambda", "--gamma", "0.9"]],
        [&["td-lambda"], &["td-lambda", "--exploring-starts"]],
        [&["n-step"], &["n-step", "--steps", "7"]],
        [&["q-learning"], &["q-learning", "--epsilon", "1"]],
    ] {
        assert_ne!(lesson(a), lesson(b), "{b:?}");
    }
}

#[test]
fn the_ends_of_greater_games_can_be_learned() {
    let from = "a c a a g a c a b e c b a b b g f f g g d b f b c e";
    let lesson = &objects(&["teach", "policy-iteration", "--game", "connect4", "--from", from])[0];
    assert_eq!((lesson["states"].as_u64(), lesson["position"].as_str()), (Some(31_981), Some(from)));
    assert_eq!((number(&last(lesson)["largest"]), last(lesson)["mistakes"].as_u64()), (0.0, Some(0)));
    let few = refusal(&["teach", "evaluation", "--game", "connect4", "--from", from, "--states", "31980"]);
    assert!(few.contains("more than 31980 states"), "{few}");
}

#[test]
fn plots_are_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("error.svg");
    let text = path.to_str().unwrap();
    success(&["teach", "td0", "--episodes", "50", "--plot", text]);
    let svg = std::fs::read_to_string(&path).unwrap();
    assert!(svg.contains("<svg") && svg.contains("td0") && svg.contains("largest error") && svg.contains("episodes"));
    success(&["teach", "all", "--episodes", "50", "--plot", text]);
    let svg = std::fs::read_to_string(&path).unwrap();
    assert!(METHODS.iter().all(|name| svg.contains(name)) && svg.contains("transitions"));
    std::fs::remove_file(&path).unwrap();
    refusal(&["teach", "td0", "--game", "chess", "--plot", text]);
    assert!(refusal(&["teach", "td0", "--plot", "error.png"]).contains(".svg"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn bad_input_is_refused_in_one_line() {
    for (args, part) in [
        (&["teach"][..], "METHOD"),
        (&["teach", "guessing"], "td-lambda"),
        (&["teach", "td0", "--game", "go"], "tictactoe"),
        (&["teach", "td0", "--game", "chess"], "more than 100000 states: tabular methods need a small game such as"),
        (&["teach", "td0", "--game", "connect4"], "--from"),
        (&["teach", "td0", "--from", "a1 a1"], "move 2"),
        (&["teach", "td0", "--from", "a1 a2 b1 b2 c1"], "the game is over there: three in a row"),
        (&["teach", "td0", "--game", "chess", "--from", "8/8/4k3/8/8/4K3/4R3/8 w - - 99 100"], "history"),
        (&["teach", "td0", "--walk", "0"], "1 to 199"),
        (&["teach", "td0", "--walk", "5", "--game", "chess"], "--walk"),
        (&["teach", "td0", "--walk", "5", "--from", "a1"], "--walk"),
        (&["teach", "td0", "--lambda", "0.5"], "td-lambda"),
        (&["teach", "evaluation", "--episodes", "5"], "does not use --episodes"),
        (&["teach", "td-lambda", "--epsilon", "0.5"], "q-learning"),
        (&["teach", "td-lambda", "--lambda", "1.5"], "0 to 1"),
        (&["teach", "td-lambda", "--traces", "none"], "replacing"),
        (&["teach", "td0", "--gamma", "0"], "from 0.000001 to 1"),
        (&["teach", "td0", "--gamma", "nan"], "from 0.000001 to 1"),
        (&["teach", "td0", "--alpha", "2"], "1/n^P"),
        (&["teach", "td0", "--episodes", "0"], "--episodes"),
        (&["teach", "n-step", "--steps", "0"], "--steps"),
        (&["teach", "td0", "--states", "0"], "--states"),
        (&["teach", "td0", "--plot", "/no/such/folder/a.svg"], "cannot write"),
    ] {
        let error = refusal(args);
        assert!(error.contains(part), "{args:?}: {error}");
    }
}

#[test]
fn the_help_explains() {
    let text = success(&["teach", "--help"]);
    for part in ["Usage: tesuji teach", "Examples:", "--json", "--walk", "mistakes", "docs/teach.md"] {
        assert!(text.contains(part), "{part}");
    }
}
