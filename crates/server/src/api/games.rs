//! Games with their starts and agents; networks.

use super::apart::apart;
use crate::app::App;
use crate::networks;
use crate::problem::Answer;
use crate::work::truth;
use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tesuji_core::scene::capital;
use tesuji_core::{AnyGame, Rules, Side};
use tesuji_games::formats::FORMATS;
use tesuji_games::tubstap::maps;
use tesuji_learn::AgentSpec;
use tesuji_learn::agents::best;
use tesuji_search::options::Key;

/// An option of an agent, for a form.
#[derive(Serialize)]
struct Choice {
    name: &'static str,
    default: String,
    form: String,
    help: String,
    /// The words that it may have, if they are few.
    choices: Option<Vec<String>>,
}

impl Choice {
    fn of(key: Key) -> Choice {
        let words = key.form.split('|').all(|word| !word.is_empty() && !word.contains([' ', ':']));
        let choices = (words && key.form.contains('|')).then(|| key.form.split('|').map(str::to_owned).collect());
        Choice { name: key.name, default: key.default, form: key.form, help: key.help, choices }
    }
}

/// What the list says of a game.
fn about(game: &dyn AnyGame) -> Value {
    let formats = FORMATS.iter().filter(|format| format.name != "tbsmap" && writes(format.title, game.name()));
    let mut starts = vec![json!({ "name": "startpos", "title": "the usual start" })];
    if game.name() == "tubstap" {
        starts.extend(maps::ALL.iter().skip(1).map(|map| {
            let title = if map.technical { format!("{} (technical)", map.name) } else { map.name.to_owned() };
            json!({ "name": map.name, "title": title })
        }));
        starts.push(json!({ "name": "random:1", "title": "a random map (random:SEED)" }));
    }
    json!({
        "name": game.name(),
        "title": game.title(),
        "sides": Side::BOTH.map(|side| capital(game.side_name(side))),
        "rules": Rules::ALL,
        "starts": starts,
        "formats": formats.map(|format| json!({
            "name": format.name, "title": format.title, "extension": format.extensions[0] })).collect::<Vec<_>>(),
        "best": best::line(game.name()),
        "bot": game.bot_title(),
        "truth": truth::kind(game.name()),
    })
}

/// Whether a format with this title holds games of this name.
fn writes(title: &str, game: &str) -> bool {
    title.starts_with("Tesuji") || title.to_lowercase().split(", ").any(|known| known == game)
}

/// `GET /api/games`
pub async fn list() -> Answer<Json<Vec<Value>>> {
    let games = tesuji_games::names().iter();
    let games = games.map(|name| Ok(about(tesuji_games::game(name, Rules::Official)?.as_ref())));
    games.collect::<Answer<_>>().map(Json)
}

/// `GET /api/games/{game}`
pub async fn one(State(app): State<Arc<App>>, Path(name): Path<String>) -> Answer<Json<Value>> {
    let mut game = about(tesuji_games::game(&name, Rules::Official)?.as_ref());
    let kinds = AgentSpec::kinds().into_iter().filter(|kind| kind.name != "engine");
    let agents = kinds.map(|kind| {
        json!({
            "name": kind.name, "about": kind.about, "stands_for": kind.stands_for,
            "keys": kind.keys.into_iter().map(Choice::of).collect::<Vec<_>>(),
        })
    });
    game["agents"] = agents.collect();
    game["engines"] = app.options.engines.iter().map(|(name, _)| format!("engine:{name}")).collect();
    Ok(Json(game))
}

/// `GET /api/networks`
pub async fn networks(State(app): State<Arc<App>>) -> Answer<Json<Vec<networks::Known>>> {
    apart(move || Ok(Json(networks::list(&app)))).await
}
