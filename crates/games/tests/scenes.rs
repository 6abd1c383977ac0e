//! Scenes and gestures of every game: what a page draws and offers is exactly the position and its legal moves.

use std::collections::HashSet;
use tesuji_core::scene::{Scene, Touch};
use tesuji_core::{AnyPosition, Rules, Stream};

/// Random positions of each game under each set of rules.
const POSITIONS: usize = 200;

fn each_position(mut look: impl FnMut(&str, &dyn AnyPosition)) {
    for &name in tesuji_games::names() {
        for rules in Rules::ALL {
            let game = tesuji_games::game(name, rules).unwrap();
            let mut random = Stream::new(18, "scenes", name.len() as u64);
            let mut position = game.start();
            for _ in 0..POSITIONS {
                look(name, position.as_ref());
                let moves = position.moves();
                if moves.is_empty() {
                    position = game.varied_start(&mut random);
                } else {
                    position.play(moves[random.below(moves.len())]).unwrap();
                }
            }
        }
    }
}

/// The ids of the cells, each once.
fn cells(scene: &Scene) -> HashSet<&str> {
    let all: Vec<&str> = scene.boards.iter().flat_map(|board| &board.cells).map(|cell| cell.id.as_str()).collect();
    let set: HashSet<&str> = all.iter().copied().collect();
    assert_eq!(all.len(), set.len(), "a cell's id is used twice");
    set
}

#[test]
fn boards_are_whole_and_everything_lies_on_a_cell() {
    each_position(|name, position| {
        let scene = position.scene();
        let cells = cells(&scene);
        for board in &scene.boards {
            assert_eq!(board.cells.len(), board.columns * board.rows, "{name}");
            assert_eq!((board.column_labels.len(), board.row_labels.len()), (board.columns, board.rows), "{name}");
            for (number, cell) in board.cells.iter().enumerate() {
                assert_eq!((cell.column, cell.row), (number % board.columns, number / board.columns), "{name}");
            }
        }
        let mut taken = HashSet::new();
        for piece in &scene.pieces {
            assert!(cells.contains(piece.cell.as_str()), "{name}: a piece on {:?}", piece.cell);
            assert!(taken.insert(&piece.cell), "{name}: two pieces on {:?}", piece.cell);
            assert!(!piece.text.is_empty() && !piece.kind.is_empty());
        }
        for cell in scene.marks.iter().flat_map(|mark| &mark.cells) {
            assert!(cells.contains(cell.as_str()), "{name}: a mark on {cell:?}");
        }
        assert_eq!(scene.to_move.is_none(), position.outcome().is_some(), "{name}");
    });
}

#[test]
fn every_legal_move_has_its_own_gesture() {
    each_position(|name, position| {
        let scene = position.scene();
        let cells = cells(&scene);
        let gestures = position.gestures();
        let moves: Vec<String> = position.moves().into_iter().map(|mv| position.format_move(mv)).collect();
        let texts: Vec<&String> = gestures.iter().map(|gesture| &gesture.text).collect();
        assert_eq!(texts, moves.iter().collect::<Vec<_>>(), "{name}");
        let hand: Vec<&str> = scene
            .hands
            .iter()
            .filter(|hand| Some(hand.owner) == scene.to_move)
            .flat_map(|hand| hand.pieces.iter().map(|piece| piece.kind))
            .collect();
        // What has been touched on the way to each move, and to all moves together.
        let mut paths = HashSet::new();
        let mut ends = HashSet::new();
        for gesture in &gestures {
            assert!(!gesture.steps.is_empty() && !gesture.notation.is_empty(), "{name}: {gesture:?}");
            let mut path = String::new();
            for step in &gesture.steps {
                match &step.touch {
                    Touch::Cell(id) => assert!(cells.contains(id.as_str()), "{name}: no cell {id:?}"),
                    Touch::Hand(kind) => assert!(hand.contains(kind), "{name}: no {kind:?} in hand"),
                    Touch::Choice(word) => assert!(!word.is_empty()),
                }
                paths.insert(path.clone());
                path += &format!("{:?} ", step.touch);
            }
            assert!(ends.insert(path), "{name}: two moves by the same steps: {gesture:?}");
        }
        assert!(ends.is_disjoint(&paths), "{name}: a gesture is the beginning of another");
        let notations: HashSet<&String> = gestures.iter().map(|gesture| &gesture.notation).collect();
        assert_eq!(notations.len(), gestures.len(), "{name}: two moves are written alike at {}", position.text());
    });
}

fn at(game: &str, line: &str) -> Box<dyn AnyPosition> {
    tesuji_games::game(game, Rules::Official).unwrap().parse(line).unwrap()
}

fn json(value: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap()
}

#[test]
fn scenes_show_what_is_there() {
    let shogi = at("shogi", "startpos moves 7g7f 3c3d 8h2b+ 3a2b");
    let scene = json(&shogi.scene());
    assert_eq!(scene["hands"][0]["pieces"][0]["kind"], "bishop");
    assert_eq!(scene["boards"][0]["row_labels"][8], "九");
    assert_eq!((&scene["sides"][0], &scene["to_move"]), (&"Black".into(), &0.into()));
    let drop = shogi.gestures().into_iter().find(|gesture| gesture.text == "B*5e").unwrap();
    assert_eq!(drop.notation, "☗５五角");
    assert_eq!(json(&drop.steps), serde_json::json!([{"hand": "bishop"}, {"cell": "5e"}]));
    let capture = at("shogi", "startpos moves 7g7f 3c3d").gestures();
    let choices: Vec<_> = capture.iter().filter(|gesture| gesture.text.starts_with("8h2b")).map(json).collect();
    assert_eq!(choices.len(), 2);
    assert!(choices.iter().any(|gesture| gesture["steps"][2]["choice"] == "promote"));
    assert!(choices.iter().any(|gesture| gesture["notation"] == "☗２二角不成"));

    let chess = at("chess", "8/P7/8/8/8/8/k1K5/8 w - - 0 1");
    let queen = chess.gestures().into_iter().find(|gesture| gesture.text == "a7a8q").unwrap();
    assert_eq!(queen.notation, "a8=Q#");
    assert_eq!(json(&queen.steps)[2]["choice"], "queen");
    assert_eq!(json(&at("chess", "startpos moves e2e4 f7f6 d2d4 g7g5 d1h5").scene())["marks"][0]["cells"][0], "e8");

    let bingo = at("bingo3d", "a1 b1 a1 b1 a1 b1 a1");
    assert_eq!(json(&bingo.scene())["marks"][0]["cells"], serde_json::json!(["a1.1", "a1.2", "a1.3", "a1.4"]));
    assert_eq!(json(&at("bingo3d", "a1 b1").gestures()[0].steps), serde_json::json!([{"cell": "a1.2"}]));

    let rack = at("connect4", "d e d e d e d");
    assert_eq!(json(&rack.scene())["marks"][0]["cells"], serde_json::json!(["d1", "d2", "d3", "d4"]));
    assert_eq!(json(&at("tictactoe", "a1 a2 b2 a3 c3").scene())["marks"][0]["kind"], "line");

    let battle = at("tubstap", "2 Ia1:10,ib1:5 0/9 10");
    let attack = battle.gestures().into_iter().find(|gesture| gesture.text == "a1a1xb1").unwrap();
    let steps = json(&attack.steps);
    assert_eq!(steps[2]["cell"], "b1");
    assert!(steps[2]["forecast"].as_str().unwrap().ends_with(" HP"), "{steps}");
    assert_eq!(json(&battle.scene())["pieces"][1]["hp"], 5);
    assert!(battle.gestures().iter().any(|gesture| json(&gesture.steps)[0]["choice"] == "end turn"));
}
