//! `tesuji strengths`: from games to playouts.

use crate::common::{refusal, text};
use serde_json::Value;

#[test]
fn strengths_are_learned_from_games_and_played_by() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (games, file) = (path("games.tsjr"), path("minishogi.strengths"));
    let searcher = "alphabeta:depth=2";
    text(&["match", "minishogi", searcher, searcher, "--games", "30", "--seed", "3", "--save", &games]);
    let table = text(&["strengths", "minishogi", &games, "--out", &file]);
    assert!(table.contains("promotes") && table.contains("of 30 games"), "{table}");
    let learned: Value = serde_json::from_str(&text(&["strengths", "minishogi", &games, "--json"])).unwrap();
    let number = |value: &Value| value.as_f64().unwrap();
    assert!(number(&learned["surprise"]) < number(&learned["surprise_before"]), "{learned}");
    let strength = |name: &str| {
        let features = learned["features"].as_array().unwrap();
        number(&features.iter().find(|feature| feature["feature"] == name).unwrap()["strength"])
    };
    // A search of two plies takes what it can and leaves nothing where it is attacked.
    assert!(strength("takes something dearer") > 1.5 && strength("goes where it is attacked") < 0.8, "{learned}");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.starts_with("tesuji-strengths 1 minishogi\n"), "{written}");
    let player = format!("uct:sims=30,rollout=strength,strengths={file}");
    let result = text(&["match", "minishogi", &player, "random", "--games", "4", "--threads", "2", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&result).unwrap()["games"], 4);
    // By other strengths other moves are drawn: the file is not ignored.
    let analyse = |player: &str| {
        let found = text(&["analyse", "minishogi", "startpos", "--agent", player, "--json"]);
        let found: Value = serde_json::from_str(found.lines().last().unwrap()).unwrap();
        found["policy"].clone()
    };
    let long = player.replace("sims=30", "sims=300");
    assert_ne!(analyse(&long), analyse("uct:sims=300,rollout=strength"));

    let agent = |options: &str| refusal(&["match", "shogi", &format!("uct:{options}"), "random"]);
    for (problem, named) in [
        (agent(&format!("rollout=strength,strengths={file}")), "of minishogi"),
        (agent(&format!("strengths={file}")), "rollout=strength"),
        (agent("rollout=strength,strengths=nowhere"), "nowhere"),
        (agent(&format!("rollout=strength,strengths={games}")), "games.tsjr"),
        (refusal(&["strengths", "chess", &games]), "not of chess"),
        (refusal(&["strengths", "minishogi", &path("none.tsjr")]), "none.tsjr"),
        (refusal(&["strengths", "minishogi", &games, "--rounds", "0"]), "--rounds"),
    ] {
        assert!(problem.contains(named), "{named}: {problem}");
    }
}
