//! What a person is told in a game: results, lists of moves, expected lines.

use tesuji_core::scene::{Gesture, MarkKind, Touch};
use tesuji_core::{AnyPosition, Outcome, Side};

/// What TUBSTAP's board says by its letters.
const TUBSTAP_LEGEND: &str = "units: F fighter, A attacker, P panzer, U cannon, R anti-air, I infantry, with their HP; red in upper case, \
     blue in lower case; + has acted\nground: . plain, f forest, m mountain, r road, s sea, h fortress, x no entry";

/// What the letters of a game's board mean; nothing where people know them.
pub fn legend(game: &str) -> Option<&'static str> {
    (game == "tubstap").then_some(TUBSTAP_LEGEND)
}

/// How the game ended for the person, and the line that decided it, if there is one.
pub fn result(position: &dyn AnyPosition, outcome: Outcome, person: Side) -> String {
    let who = match outcome {
        Outcome::Win(side) if side == person => "you won",
        Outcome::Win(_) => "you lost",
        Outcome::Draw => "a draw",
    };
    let scene = position.scene();
    let line = scene.marks.iter().find(|mark| mark.kind == MarkKind::Line);
    let line = line.map(|mark| format!(" ({})", mark.cells.join(" "))).unwrap_or_default();
    format!("{who}: {}{line}", position.ending())
}

/// The moves in order, those of one unit in a line, with what an attack will cost.
pub fn moves(position: &dyn AnyPosition) -> String {
    let gestures = position.gestures();
    let is_of_units = gestures.iter().any(|gesture| gesture.steps.len() > 2 && has_forecast(gesture));
    if !is_of_units && position.game().name() != "tubstap" {
        return position.sorted_moves().join(" ");
    }
    let mut units: Vec<(String, Vec<String>)> = Vec::new();
    for gesture in &gestures {
        let unit = match gesture.steps.first().map(|step| &step.touch) {
            Some(Touch::Cell(cell)) => cell.clone(),
            _ => String::new(),
        };
        let forecast = gesture.steps.iter().find_map(|step| step.forecast.as_deref());
        let text = forecast.map_or_else(|| gesture.text.clone(), |forecast| format!("{} ({forecast})", gesture.text));
        match units.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, moves)) => moves.push(text),
            None => units.push((unit, vec![text])),
        }
    }
    let lines: Vec<String> = units.into_iter().map(|(_, moves)| moves.join(" ")).collect();
    lines.join("\n")
}

fn has_forecast(gesture: &Gesture) -> bool {
    gesture.steps.iter().any(|step| step.forecast.is_some())
}

/// A move in the game's notation and, where that differs, as people write it.
pub fn both(position: &dyn AnyPosition, text: &str) -> String {
    let notation = position.parse_move(text).map(|mv| position.notation(mv));
    match notation {
        Ok(notation) if notation != text => format!("{text}, {notation}"),
        _ => text.to_owned(),
    }
}

/// What the board does not say itself: TUBSTAP's has turns and units.
pub fn notes(position: &dyn AnyPosition) -> Vec<String> {
    let mut notes = position.scene().notes;
    if position.game().name() == "tubstap" {
        notes.retain(|note| note.starts_with("HP"));
    }
    notes
}

/// A line of moves as people write them, as far as they are legal.
pub fn line(position: &dyn AnyPosition, moves: &[String]) -> Vec<String> {
    let mut position = position.boxed();
    let mut texts = Vec::new();
    for text in moves {
        let Ok(mv) = position.parse_move(text) else { break };
        texts.push(position.notation(mv));
        if position.play(mv).is_err() {
            break;
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Rules;

    fn at(game: &str, line: &str) -> Box<dyn AnyPosition> {
        tesuji_games::game(game, Rules::Official).unwrap().parse(line).unwrap()
    }

    #[test]
    fn the_winning_line_is_named() {
        let won = at("bingo3d", "a1 b1 a1 b1 a1 b1 a1");
        let outcome = won.outcome().unwrap();
        assert!(result(won.as_ref(), outcome, Side::First).starts_with("you won: "));
        assert!(result(won.as_ref(), outcome, Side::Second).ends_with("(a1.1 a1.2 a1.3 a1.4)"));
    }

    #[test]
    fn moves_of_a_unit_stand_together() {
        let text = moves(at("tubstap", "2 Ia1:10,ib1:5 0/9 10").as_ref());
        assert_eq!(text.lines().count(), 2, "{text}");
        let told = notes(at("tubstap", "startpos").as_ref());
        assert!(told.len() == 1 && told[0].contains("a lead of more than"), "{told:?}");
        assert!(text.contains("a1a1xb1 (-") && text.contains("end"), "{text}");
        assert_eq!(moves(at("tictactoe", "a1 b2").as_ref()), "a2 a3 b1 b3 c1 c2 c3");
    }

    #[test]
    fn moves_are_read_as_people_write_them() {
        let start = at("shogi", "startpos");
        let usual = start.parse_move("7g7f").unwrap();
        for text in ["☗７六歩", "７六歩", "▲７六歩", "76歩", "P-7f", "7g7f"] {
            assert_eq!(start.read_move(text, None).unwrap(), usual, "{text}");
        }
        assert!(start.read_move("５五歩", None).is_err());
        assert_eq!(both(start.as_ref(), "7g7f"), "7g7f, ☗７六歩");
        assert_eq!(line(start.as_ref(), &["7g7f".to_owned(), "nonsense".to_owned()]), ["☗７六歩"]);
        let taken = at("shogi", "startpos moves 7g7f 3c3d 8h2b+");
        let last = at("shogi", "startpos moves 7g7f 3c3d").parse_move("8h2b+").unwrap();
        assert_eq!(taken.read_move("同銀", Some(last)).unwrap(), taken.parse_move("3a2b").unwrap());
        // A knight may be called by a small letter, and a unit by its name.
        let chess = at("chess", "startpos");
        assert_eq!(chess.read_move("nf3", None).unwrap(), chess.parse_move("g1f3").unwrap());
        let war = at("tubstap", "2 Ia1:10,ib1:5 0/9 10");
        assert_eq!(war.read_move("Infantry a1 x b1", None).unwrap(), war.parse_move("a1a1xb1").unwrap());
    }
}
