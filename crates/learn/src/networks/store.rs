//! Networks made ready, each one once.

use super::encoder::encoder_info;
use super::place::Place;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tesuji_core::handle::AnyGame;
use tesuji_nn::{ConvMethod, Graph, Isa, KernelPath, Model, NetworkFile, NetworkInfo};

/// Networks that a store keeps although nobody uses them: those of players who are made anew for each game, and not all
/// generations of a run.
const MOST_IDLE: usize = 8;

/// A network made ready.
pub struct Network {
    /// What it is for, and what it is made of.
    pub info: NetworkInfo,
    /// The network itself, which threads share.
    pub model: Arc<Model>,
    /// It as a graph.
    pub graph: Graph,
    /// Where it was.
    pub place: Place,
}

/// Opens networks by name. A network is read once and shared by all who ask for it, unless its file has changed since.
#[derive(Default)]
pub struct NetworkStore {
    /// How 3x3 convolutions are computed, whatever is asked for.
    method: Option<ConvMethod>,
    /// The latest one last.
    known: Mutex<Vec<Known>>,
}

struct Known {
    method: ConvMethod,
    stamp: Option<Stamp>,
    network: Arc<Network>,
}

impl Known {
    /// Whether nobody but the store has it.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.network) == 1 && Arc::strong_count(&self.network.model) == 1
    }
}

/// By what a file that has changed is known: its length and when it was written.
type Stamp = (u64, SystemTime);

impl NetworkStore {
    /// An empty store.
    pub fn new() -> NetworkStore {
        NetworkStore::default()
    }

    /// An empty store whose networks compute 3x3 convolutions by this method, whatever is asked for. Methods differ in
    /// the last bits of their outputs.
    pub fn with_method(method: ConvMethod) -> NetworkStore {
        NetworkStore { method: Some(method), known: Mutex::default() }
    }

    /// The network of a name (see [`Place::of`]), made ready for a game by this method.
    ///
    /// # Errors
    /// If there is none, it cannot be read or does not fit the game, in one line.
    pub fn open(&self, game: &dyn AnyGame, name: &str, method: ConvMethod) -> Result<Arc<Network>, String> {
        let network = self.network(Place::of(name)?, self.method.unwrap_or(method))?;
        fits(&network.info, game).map_err(|problem| format!("{}: {problem}", network.place))?;
        Ok(network)
    }

    /// The network at a place. The lock is held while it is read, so that threads that want the same one wait for it
    /// rather than read it again.
    fn network(&self, place: Place, method: ConvMethod) -> Result<Arc<Network>, String> {
        let stamp = match &place {
            Place::File(path) => stamp(path),
            Place::BuiltIn(_) => None,
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = known.iter().position(|known| known.network.place == place && known.method == method) {
            let found = known.remove(at);
            if found.stamp == stamp {
                let network = Arc::clone(&found.network);
                known.push(found);
                return Ok(network);
            }
        }
        let network = Arc::new(prepare(place, method)?);
        if known.iter().filter(|known| known.is_idle()).count() >= MOST_IDLE
            && let Some(oldest) = known.iter().position(Known::is_idle)
        {
            known.remove(oldest);
        }
        known.push(Known { method, stamp, network: Arc::clone(&network) });
        Ok(network)
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let data = fs::metadata(path).ok()?;
    Some((data.len(), data.modified().ok()?))
}

/// Reads a network and makes it ready.
fn prepare(place: Place, method: ConvMethod) -> Result<Network, String> {
    let NetworkFile { about, weights, .. } = place.read()?;
    let graph = about.spec.graph().map_err(|error| format!("{place}: {error}"))?;
    let model = Arc::new(Model::new(&graph, &weights, KernelPath { isa: Isa::best(), method }));
    Ok(Network { info: about, model, graph, place })
}

/// Checks that a network is for this game, and for encoders as they are now.
fn fits(info: &NetworkInfo, game: &dyn AnyGame) -> Result<(), String> {
    if info.game != game.name() {
        return Err(format!("trained for {}, not for {}", info.game, game.name()));
    }
    let encoder = encoder_info(game, &info.encoder)?;
    info.check(game.name(), game.rules_version(), encoder.name, encoder.version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Rules;
    use tesuji_games::chess::Chess;
    use tesuji_games::shogi::Minishogi;

    #[test]
    fn a_network_is_read_once_and_again_when_its_file_has_changed() {
        let game = Minishogi::new(Rules::Official);
        let store = NetworkStore::new();
        let first = store.open(&game, "minishogi", ConvMethod::Direct).unwrap();
        let same = |other: &Arc<Network>| Arc::ptr_eq(&first.model, &other.model);
        assert!(same(&store.open(&game, "minishogi", ConvMethod::Direct).unwrap()));
        assert!(!same(&store.open(&game, "minishogi", ConvMethod::Winograd3).unwrap()));

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("copy.safetensors");
        let name = path.to_str().unwrap();
        let file = Place::of("minishogi").unwrap().read().unwrap();
        file.save(&path).unwrap();
        let copy = store.open(&game, name, ConvMethod::Direct).unwrap();
        assert!(Arc::ptr_eq(&copy, &store.open(&game, name, ConvMethod::Direct).unwrap()));
        let about = NetworkInfo { step: 123_456_789, ..file.about };
        NetworkFile { about, ..file }.save(&path).unwrap();
        assert_eq!(store.open(&game, name, ConvMethod::Direct).unwrap().info.step, 123_456_789);
    }

    #[test]
    fn a_network_of_another_game_is_refused_by_name() {
        let error = NetworkStore::new().open(&Chess::new(Rules::Official), "minishogi", ConvMethod::Direct);
        let problem = error.err().unwrap();
        assert!(problem.contains("trained for minishogi, not for chess"), "{problem}");
    }
}
