//! `tesuji net`, `tesuji bench nn` and `tesuji bench solved` from outside.

use crate::common::{json, refusal, success};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tesuji_core::{Rules, Shape};
use tesuji_nn::{NetworkFile, NetworkInfo, Spec, Weights};

const SPEC: &str = r#"
kind = "residual"
input = { planes = 2, height = 3, width = 3 }
blocks = 1
filters = 4
policy = { filters = 2, hidden = [8], outputs = 9 }
value = { hidden = [] }
"#;

#[test]
fn the_table_of_the_shogi_paper() {
    let text = success(&["net", "describe", "dqn-what"]);
    for number in ["14238", "71568", "16002", "168033936", "1037673", "38896", "169212313"] {
        assert!(text.split_whitespace().any(|word| word == number), "{number} in {text}");
    }
    let object = json(&success(&["net", "describe", "dqn-where", "--json"]));
    let counts: Vec<u64> =
        object["layers"].as_array().unwrap().iter().filter_map(|l| l["parameters"].as_u64()).collect();
    assert_eq!(counts, [0, 14_238, 71_568, 16_002, 168_033_936, 1_037_673, 35_802]);
    assert_eq!(object["outputs"]["q"], 81);
}

#[test]
fn specifications_are_described_and_measured() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("small.toml");
    fs::write(&path, SPEC).unwrap();
    let path = path.to_str().unwrap();
    let object = json(&success(&["net", "describe", path, "--json"]));
    assert_eq!(object["spec"]["blocks"], 1);
    assert_eq!(object["outputs"], serde_json::json!({"policy": 9, "value": 1}));
    let brief = ["bench", "nn", "--net", path, "--batch", "2,3", "--seconds", "0.001", "--json"];
    let lines: Vec<serde_json::Value> = success(&brief).lines().map(json).collect();
    assert_eq!(lines.iter().map(|line| line["batch"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 3]);
    assert!(lines.iter().all(|line| line["positions_per_second"].as_f64().unwrap() > 0.0));
    let all = [&brief[..], &["--all", "--threads", "2"]].concat();
    assert_eq!(success(&all).lines().count(), 8, "two batches by four methods");
    let train = [&brief[..], &["--what", "train", "--threads", "2"]].concat();
    assert!(success(&train).lines().map(json).all(|line| line["gflops"].as_f64().unwrap() > 0.0));
}

#[test]
fn the_specification_in_the_documentation_is_a_network() {
    let page = include_str!("../../../../docs/networks.md");
    let spec = page.split("```toml").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of TOML");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("documented.toml");
    fs::write(&path, spec).unwrap();
    let object = json(&success(&["net", "describe", path.to_str().unwrap(), "--json"]));
    assert_eq!(object["outputs"], serde_json::json!({"policy": 1500, "value": 1, "reply": 1500, "moves-left": 1}));
}

#[test]
fn networks_go_to_onnx_and_back() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let spec = Spec::alpha_zero(Shape { planes: 2, height: 3, width: 3 }, 1, 4, 9);
    let weights = Weights::init(&spec.graph().unwrap(), 7);
    let about = NetworkInfo {
        spec,
        game: "tictactoe".into(),
        rules: Rules::Official,
        rules_version: 1,
        encoder: "planes".into(),
        encoder_version: 1,
        step: 5,
        agent: String::new(),
    };
    let file = NetworkFile { about, weights, state: BTreeMap::new() };
    file.save(Path::new(&at("net.safetensors"))).unwrap();
    success(&["net", "export", &at("net.safetensors"), &at("net.onnx")]);
    success(&["net", "import", &at("net.onnx"), &at("back.safetensors")]);
    assert_eq!(fs::read(at("back.safetensors")).unwrap(), fs::read(at("net.safetensors")).unwrap());
    let text = success(&["net", "describe", &at("back.safetensors")]);
    assert!(text.contains("trained for tictactoe (official rules, version 1)") && text.contains("5 training steps"));
    assert!(refusal(&["net", "export", "b", &at("b.onnx")]).contains("has no weights"));
    assert!(refusal(&["net", "import", &at("net.safetensors"), &at("x.safetensors")]).contains("bad ONNX file"));
    assert!(refusal(&["net", "import", &at("missing.onnx"), &at("x.safetensors")]).contains("cannot read"));
}

/// The file is as PyTorch writes it; crates/nn/tests/onnx/foreign.py made it.
#[test]
fn a_network_of_another_program_plays() {
    let theirs = concat!(env!("CARGO_MANIFEST_DIR"), "/../nn/tests/onnx/folded.onnx");
    let directory = tempfile::tempdir().unwrap();
    let ours = directory.path().join("ours.safetensors").to_str().unwrap().to_owned();
    assert!(refusal(&["net", "import", theirs, &ours]).contains("--game GAME must say for which game"));
    let misfit = refusal(&["net", "import", theirs, &ours, "--game", "connect4"]);
    assert!(misfit.contains("2x3x3 to 9 moves fits no encoder of connect4: planes is 2x6x7 to 7"), "{misfit}");
    let encoder = ["--game", "tictactoe", "--encoder", "none"];
    assert!(refusal(&[&["net", "import", theirs, &ours], &encoder[..]].concat()).contains("has no encoder \"none\""));
    success(&["net", "import", theirs, &ours, "--game", "tictactoe"]);
    assert!(success(&["net", "describe", &ours]).contains("trained for tictactoe"));
    let analysed = |net: &str| {
        let agent = format!("policy:net={net}");
        json(&success(&["analyse", "tictactoe", "--agent", &agent, "--json"]))["policy"].clone()
    };
    assert_eq!(analysed(theirs), analysed(&ours));
    let agent = format!("pv:net={theirs},sims=20");
    success(&["match", "tictactoe", &agent, "random", "--games", "2"]);
    assert!(refusal(&["match", "connect4", &agent, "random", "--games", "2"]).contains("fits no encoder"));
}

#[test]
fn what_is_no_network_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = directory.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    assert!(refusal(&["net", "describe", "nothing"]).contains("shapes without weights: a, b, c, d"));
    assert!(refusal(&["net", "describe", "missing.toml"]).contains("cannot read"));
    assert!(refusal(&["net", "describe", "missing.safetensors"]).contains("No such file"));
    assert!(refusal(&["net", "describe", &file("x.safetensors", "rubbish")]).contains("bad weight file"));
    assert!(refusal(&["net", "describe", &file("x.toml", "kind = \"tree\"")]).contains("not a network"));
    let zero = SPEC.replace("filters = 4", "filters = 0");
    assert!(refusal(&["net", "describe", &file("zero.toml", &zero)]).contains("filters must be between 1 and"));
    assert!(refusal(&["bench", "nn", "--batch", "0"]).contains("--batch"));
    assert!(refusal(&["bench", "nn", "--seconds", "0"]).contains("--seconds"));
}

#[test]
fn a_deep_search_keeps_the_best_result_and_random_moves_do_not() {
    let measured = |agent: &str| {
        let brief = ["bench", "solved", "--agent", agent, "--positions", "30", "--plies", "28..32", "--json"];
        json(success(&[&brief[..], &["--budget", "nodes=2000000"]].concat()).trim())
    };
    let (search, random) = (measured("alphabeta:pure,depth=16"), measured("random"));
    assert_eq!((search["positions"].as_u64(), search["right"].as_u64()), (Some(30), Some(30)), "{search}");
    assert!(random["right"].as_u64().is_some_and(|right| right < 30), "{random}");
    assert_eq!(search, measured("alphabeta:pure,depth=16"));
    assert!(refusal(&["bench", "solved", "--plies", "7..9"]).contains("from 8 to 36"));
    assert!(refusal(&["bench", "solved", "--agent", "engine:stockfish"]).contains("an agent of our own"));
}
