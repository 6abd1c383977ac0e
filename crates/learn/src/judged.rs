//! `minimax`, `alphabeta` and `uct` with `eval=net:NETWORK`: the classical searches with leaves judged by a network.

use crate::network;
use crate::value::ValueNetwork;
use std::sync::Mutex;
use tesuji_core::{Game, ParseError};
use tesuji_nn::{ConvMethod, Worker};
use tesuji_search::Agents;
use tesuji_search::agent::{Agent, AgentKind, KindInfo};
use tesuji_search::classical::{AlphaBetaKind, MinimaxKind, UctKind, judged};
use tesuji_search::score::LeafJudge;

/// The classical searches where their line says `eval=net:`. Comes before [`Classical`](tesuji_search::Classical) in a
/// set of agents, which documents them and makes all others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Judged;

/// The value of `eval` that means a network.
const NET: &str = "eval=net:";

impl Agents for Judged {
    fn kinds(&self) -> Vec<KindInfo> {
        Vec::new()
    }

    fn build<G: Game>(
        &self,
        game: &G,
        name: &str,
        text: &str,
        seed: u64,
    ) -> Option<Result<Agent<G::Position>, ParseError>> {
        if ![MinimaxKind::NAME, AlphaBetaKind::NAME, UctKind::NAME].contains(&name) {
            return None;
        }
        let network = text.split(',').find_map(|option| option.strip_prefix(NET))?;
        let rest: Vec<&str> = text.split(',').filter(|option| !option.starts_with(NET)).collect();
        let networks = two(game, network).map_err(|problem| ParseError::new("agent", text, problem));
        match networks {
            Err(error) => Some(Err(error)),
            Ok([for_judge, for_tree]) => {
                let for_judge = Mutex::new(for_judge);
                let judge = LeafJudge::new(move |position: &G::Position| {
                    let mut network = for_judge.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    network.values(std::iter::once(position)).first().copied().unwrap_or_default()
                });
                judged(game, (name, &rest.join(",")), seed, judge, for_tree)
            }
        }
    }
}

/// The network twice: the exact searches ask about one position at a time, the tree about several.
fn two<G: Game>(game: &G, name: &str) -> Result<[ValueNetwork<G::Position>; 2], String> {
    let (place, loaded) = network::by_name(game, name, ConvMethod::Direct)?;
    let one = || ValueNetwork::new(loaded.encoder.clone(), Worker::new(loaded.model.clone()));
    let of_path = |problem: String| format!("{place}: {problem}");
    Ok([one().map_err(of_path)?, one().map_err(of_path)?])
}
