//! Positions and files.

use super::apart::apart;
use crate::input::Input;
use crate::played::{Line, Played, line_of, outcome, start};
use crate::problem::{Answer, Problem};
use axum::Json;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use tesuji_core::{AnyGame, GameRecord, Outcome, Rules, Side, Stream};
use tesuji_games::formats::{self, FORMATS, Format};

/// `POST /api/position`
pub async fn show(Input(line): Input<Line>) -> Answer<Json<Value>> {
    apart(move || {
        let Played { position, moves, notation, last, .. } = line.play()?;
        let mut scene = position.scene();
        scene.last = last;
        Ok(Json(json!({
            "scene": scene, "gestures": position.gestures(), "outcome": outcome(position.outcome()),
            "ending": position.ending(), "notation": notation, "moves": moves, "text": position.text(),
            "ply": position.ply(), "in_check": position.in_check(),
        })))
    })
    .await
}

/// What a random position is made of.
#[derive(Deserialize)]
pub struct RandomInput {
    game: String,
    #[serde(default)]
    rules: Rules,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    plies: u32,
}

/// `POST /api/random`
pub async fn random(Input(input): Input<RandomInput>) -> Answer<Json<Value>> {
    apart(move || {
        let game = tesuji_games::game(&input.game, input.rules)?;
        let mut random = Stream::new(input.seed, "position", 0);
        let mut position = game.varied_start(&mut random);
        let start = position.text();
        let mut moves = Vec::new();
        for _ in 0..input.plies.min(1_000) {
            let legal = position.moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[random.below(legal.len())];
            moves.push(position.format_move(mv));
            position.play(mv)?;
        }
        let start = if start == game.start().text() { "startpos".to_owned() } else { start };
        Ok(Json(json!({ "game": input.game, "rules": input.rules, "start": start, "moves": moves })))
    })
    .await
}

/// What is pasted.
#[derive(Deserialize)]
pub struct ImportInput {
    text: String,
    game: Option<String>,
    #[serde(default)]
    rules: Rules,
    format: Option<String>,
}

/// `POST /api/import`
pub async fn import(Input(input): Input<ImportInput>) -> Answer<Json<Value>> {
    apart(move || input.read().map(Json)).await
}

impl ImportInput {
    /// Reads a line of a game that is named, a file, or a line of whatever game.
    fn read(&self) -> Answer<Value> {
        let text = self.text.trim();
        if text.is_empty() {
            return Err(Problem::bad("text: nothing to read"));
        }
        if let Some(name) = &self.format {
            return self.read_file(Format::choose(Some(name), "")?);
        }
        let games: Vec<&str> = match &self.game {
            Some(game) => vec![game.as_str()],
            None => tesuji_games::names().to_vec(),
        };
        // Files first: TUBSTAP would read the map of a replay and leave the moves out.
        let mut problem = None;
        for format in FORMATS.iter().filter(|format| looks_like(format.name, text)) {
            match self.read_file(format) {
                Ok(read) => return Ok(read),
                Err(error) => problem = problem.or(Some(error)),
            }
        }
        for game in games {
            match self.read_line(game, text) {
                Ok(read) => return Ok(read),
                // Of all games the error would be that of some other one.
                Err(error) if self.game.is_some() => problem = problem.or(Some(error)),
                Err(_) => {}
            }
        }
        let unknown = "text: neither a position nor moves of any game, nor a file of a known format";
        Err(problem.unwrap_or_else(|| Problem::bad(unknown)))
    }

    /// `POSITION [moves M1 M2 ...]`, or moves alone.
    fn read_line(&self, name: &str, text: &str) -> Answer<Value> {
        let game = tesuji_games::game(name, self.rules)?;
        let text = text.strip_prefix("position ").unwrap_or(text);
        let text = text.strip_prefix("sfen ").or_else(|| text.strip_prefix("fen ")).unwrap_or(text);
        let (head, moves) = text.split_once(" moves ").unwrap_or((text, ""));
        let line = |start: &str, moves: &str| Line {
            game: name.to_owned(),
            rules: self.rules,
            start: start.to_owned(),
            moves: moves.split_whitespace().map(str::to_owned).collect(),
        };
        let read = line(head, moves).play();
        let read = read.or_else(|error| line("startpos", text).play().map_err(|_| error))?;
        // Games whose positions are written as moves: the moves are wanted, so that one can go back.
        let plain = line("startpos", head)
            .play()
            .ok()
            .filter(|plain| head != "startpos" && moves.is_empty() && plain.position.key() == read.position.key());
        let read = plain.unwrap_or(read);
        Ok(json!({
            "game": game.name(), "rules": self.rules, "start": read.start, "moves": read.moves, "format": "line",
            "tags": [],
        }))
    }

    fn read_file(&self, format: &Format) -> Answer<Value> {
        let mut records = format.read(self.text.clone().into_bytes(), self.rules)?;
        let record = records.next().ok_or_else(|| Problem::bad("text: a file without games"))??;
        let line = line_of(&record)?;
        if self.game.as_ref().is_some_and(|game| *game != line.game) {
            return Err(Problem::bad(format!("text: a game of {}", line.game)));
        }
        Ok(json!({
            "game": line.game, "rules": line.rules, "start": line.start, "moves": line.moves, "format": format.name,
            "tags": record.tags,
        }))
    }
}

/// Whether a text may be a file of a format.
fn looks_like(format: &str, text: &str) -> bool {
    match format {
        "pgn" => text.starts_with('[') || text.contains("1."),
        "kif" => text.contains('：') || text.contains("手数"),
        "csa" => text.lines().any(|line| line.starts_with("PI") || line.starts_with("P1") || line.starts_with("V2")),
        "replay" | "tbsmap" => text.contains("SIZEX["),
        _ => false,
    }
}

/// A game and the format to write it in.
#[derive(Deserialize)]
pub struct ExportInput {
    #[serde(flatten)]
    line: Line,
    format: String,
    /// Who played, the first player first.
    #[serde(default)]
    players: Option<[String; 2]>,
    /// The result and its reason, where the position does not say it: somebody resigned.
    #[serde(default)]
    resigned: Option<usize>,
}

/// `POST /api/export`
pub async fn export(Input(input): Input<ExportInput>) -> Answer<Response> {
    apart(move || {
        let format = Format::choose(Some(&input.format), "")?;
        let bytes = format.write(&input.record()?)?;
        let name = format!("attachment; filename=\"{}.{}\"", input.line.game, format.extensions[0]);
        let headers =
            [(header::CONTENT_TYPE, "application/octet-stream".to_owned()), (header::CONTENT_DISPOSITION, name)];
        Ok((headers, bytes).into_response())
    })
    .await
}

impl ExportInput {
    fn record(&self) -> Answer<GameRecord> {
        let played = self.line.play()?;
        let game: &dyn AnyGame = played.game.as_ref();
        let mut record = formats::unplayed(game, &start(game, &self.line.start)?.text());
        played.ids.iter().for_each(|&mv| record.push(mv));
        record.outcome = played.position.outcome();
        record.ending = played.position.ending().to_owned();
        if let Some(loser) = self.resigned.filter(|_| record.outcome.is_none()).and_then(|side| Side::BOTH.get(side)) {
            record.outcome = Some(Outcome::Win(loser.other()));
            record.ending = "resignation".to_owned();
        }
        if let Some(names) = &self.players {
            let plain = |name: &String| name.chars().filter(|letter| !letter.is_control()).take(100).collect();
            record.tag_players(Side::BOTH.map(|side| game.side_name(side)), [plain(&names[0]), plain(&names[1])]);
        }
        Ok(record)
    }
}
