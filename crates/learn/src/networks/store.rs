//! Networks made ready, each one once.

use super::encoder::{encoder_info, features_info};
use super::foreign;
use super::place::{INTEGER, Place};
use crate::run::Checkpoint;
use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tesuji_core::handle::AnyGame;
use tesuji_nn::nnue::{NnueInfo, NnueNetwork};
use tesuji_nn::{ConvMethod, Graph, Isa, KernelPath, Model, NetworkFile, NetworkInfo};

/// Networks that a store keeps although nobody uses them: those of players who are made anew for each game, and not all
/// generations of a run.
const MOST_IDLE: usize = 8;

/// A network made ready, of either kind.
#[derive(Clone)]
pub enum Opened {
    /// A network in floats.
    Float(Arc<Network>),
    /// An integer network.
    Integer(Arc<IntegerNetwork>),
}

impl Opened {
    fn place(&self) -> &Place {
        match self {
            Opened::Float(network) => &network.place,
            Opened::Integer(network) => &network.place,
        }
    }

    /// The line of the agent that is stored with it.
    fn agent(&self) -> &str {
        match self {
            Opened::Float(network) => &network.info.agent,
            Opened::Integer(network) => &network.info.agent,
        }
    }

    /// Whether nobody but this has it.
    fn is_idle(&self) -> bool {
        match self {
            Opened::Float(network) => Arc::strong_count(network) == 1 && Arc::strong_count(&network.model) == 1,
            Opened::Integer(network) => Arc::strong_count(network) == 1 && Arc::strong_count(&network.network) == 1,
        }
    }
}

/// An integer network made ready.
pub struct IntegerNetwork {
    /// What it is for, and what it is made of.
    pub info: NnueInfo,
    /// The network itself, which threads share.
    pub network: Arc<NnueNetwork>,
    /// Where it was.
    pub place: Place,
}

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
    /// Networks in memory, by name.
    given: BTreeMap<String, Checkpoint>,
    /// By which instruction set networks in floats compute, if nothing is looked for on the disk; otherwise by the best.
    closed: Option<Isa>,
    /// The latest one last.
    known: Mutex<Vec<Known>>,
}

struct Known {
    method: ConvMethod,
    stamp: Option<Stamp>,
    network: Opened,
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
        NetworkStore { method: Some(method), ..NetworkStore::default() }
    }

    /// The same with networks in memory, which are found before all others.
    #[must_use]
    pub fn with_networks(self, given: BTreeMap<String, Checkpoint>) -> NetworkStore {
        NetworkStore { given, ..self }
    }

    /// The same, which opens no file: it has the networks that were given to it and those that come with the program. They
    /// compute by this instruction set, which the machine must have.
    #[must_use]
    pub fn closed(self, isa: Isa) -> NetworkStore {
        NetworkStore { closed: Some(isa), ..self }
    }

    /// The place that a name means here.
    fn place(&self, name: &str) -> Result<Place, String> {
        if self.given.contains_key(name) {
            return Ok(Place::Given(name.to_owned()));
        }
        if self.closed.is_none() {
            return Place::of(name);
        }
        Place::built_in(name).ok_or_else(|| format!("no network {name:?} came with the work"))
    }

    /// The network of a name (see [`Place::of`]), made ready for a game by this method.
    ///
    /// # Errors
    /// If there is none, it cannot be read or does not fit the game, in one line.
    pub fn open(&self, game: &dyn AnyGame, name: &str, method: ConvMethod) -> Result<Arc<Network>, String> {
        match self.open_either(game, name, method)? {
            Opened::Float(network) => Ok(network),
            Opened::Integer(network) => Err(format!("{}: {INTEGER}", network.place)),
        }
    }

    /// The integer network of a name (see [`Place::of`]), made ready for a game.
    ///
    /// # Errors
    /// If there is none, it cannot be read, is another kind of network or does not fit the game, in one line.
    pub fn open_integer(&self, game: &dyn AnyGame, name: &str) -> Result<Arc<IntegerNetwork>, String> {
        match self.open_either(game, name, ConvMethod::Direct)? {
            Opened::Integer(network) => Ok(network),
            Opened::Float(network) => Err(format!("{}: not an integer network (kind nnue)", network.place)),
        }
    }

    /// The network of a name of whichever kind, made ready for a game; one in floats by this method.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_either(&self, game: &dyn AnyGame, name: &str, method: ConvMethod) -> Result<Opened, String> {
        let network = self.network(self.place(name)?, self.method.unwrap_or(method), Some(game))?;
        let fits = match &network {
            Opened::Float(network) => fits(network, game),
            Opened::Integer(network) => integer_fits(&network.info, game),
        };
        fits.map_err(|problem| format!("{}: {problem}", network.place()))?;
        Ok(network)
    }

    /// The line of the agent that is stored with a network, see [`NetworkInfo::agent`]; empty if there is none, or no
    /// such network: whoever opens it will say so. It is read by this method if nobody has read it yet.
    pub fn stored_agent(&self, name: &str, method: ConvMethod) -> String {
        let Ok(place) = self.place(name) else { return String::new() };
        let stamp = place.stamp();
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let read = known.iter().find(|known| *known.network.place() == place && known.stamp == stamp);
        if let Some(read) = read {
            return read.network.agent().to_owned();
        }
        drop(known);
        self.network(place, self.method.unwrap_or(method), None)
            .map_or_else(|_| String::new(), |network| network.agent().to_owned())
    }

    /// The network at a place. The lock is held while it is read, so that threads that want the same one wait for it
    /// rather than read it again.
    fn network(&self, place: Place, method: ConvMethod, game: Option<&dyn AnyGame>) -> Result<Opened, String> {
        let stamp = place.stamp();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Integer networks have no convolutions.
        let is_it = |known: &Known| {
            let ready = known.method == method || matches!(known.network, Opened::Integer(_));
            ready && *known.network.place() == place
        };
        if let Some(at) = known.iter().position(is_it) {
            let found = known.remove(at);
            if found.stamp == stamp {
                let network = found.network.clone();
                known.push(found);
                return Ok(network);
            }
        }
        let network = self.prepare(place, method, game)?;
        if known.iter().filter(|known| known.network.is_idle()).count() >= MOST_IDLE
            && let Some(oldest) = known.iter().position(|known| known.network.is_idle())
        {
            known.remove(oldest);
        }
        known.push(Known { method, stamp, network: network.clone() });
        Ok(network)
    }

    /// Reads a network and makes it ready. The game is asked what the network of another program is for.
    fn prepare(&self, place: Place, method: ConvMethod, game: Option<&dyn AnyGame>) -> Result<Opened, String> {
        let checkpoint = match (&place, game) {
            (Place::File(path), Some(game)) if foreign::is_onnx(path) => {
                Checkpoint::Float(Box::new(foreign::open(path, game, "")?))
            }
            (Place::Given(name), _) => self.given.get(name).cloned().ok_or_else(|| format!("{place}: not here"))?,
            _ => place.checkpoint()?,
        };
        let NetworkFile { about, weights, .. } = match checkpoint {
            Checkpoint::Float(file) => *file,
            Checkpoint::Integer(file) => {
                let network = Arc::new(file.network);
                return Ok(Opened::Integer(Arc::new(IntegerNetwork { info: file.about, network, place })));
            }
        };
        let graph = about.spec.graph().map_err(|error| format!("{place}: {error}"))?;
        let isa = self.closed.unwrap_or_else(Isa::best);
        let model = Arc::new(Model::new(&graph, &weights, KernelPath { isa, method }));
        Ok(Opened::Float(Arc::new(Network { info: about, model, graph, place })))
    }
}

impl Place {
    /// By what it is known whether the network there has changed; nothing for those that cannot.
    fn stamp(&self) -> Option<Stamp> {
        let Place::File(path) = self else { return None };
        let data = fs::metadata(path).ok()?;
        Some((data.len(), data.modified().ok()?))
    }
}

/// Checks that a network is for this game, and for encoders as they are now.
fn fits(Network { info, graph, .. }: &Network, game: &dyn AnyGame) -> Result<(), String> {
    if info.game != game.name() {
        return Err(format!("trained for {}, not for {}", info.game, game.name()));
    }
    let encoder = encoder_info(game, &info.encoder)?;
    info.check(game.name(), game.rules_version(), encoder.name, encoder.version)?;
    // Rules may tell how many moves there are (TUBSTAP's). Where they do not, a network plays by other rules too.
    let moves = ["policy", "q"].iter().find_map(|name| graph.output(name)).map(|output| graph.output_len(output));
    if info.rules != game.rules() && moves.is_some_and(|moves| moves != encoder.policy_len) {
        return Err(format!(
            "trained by the rules {:?}, which have other moves than {:?}: --rules {} plays by them",
            info.rules.name(),
            game.rules().name(),
            info.rules
        ));
    }
    Ok(())
}

/// Checks that an integer network is for this game, and for its sparse inputs as they are now.
fn integer_fits(info: &NnueInfo, game: &dyn AnyGame) -> Result<(), String> {
    if info.game != game.name() {
        return Err(format!("trained for {}, not for {}", info.game, game.name()));
    }
    let (spec, features) = (&info.spec, features_info(game, &info.spec.features)?);
    info.check(game.name(), game.rules_version(), features.name, features.version)?;
    if (spec.inputs, spec.most_active) != (features.inputs, features.most_active) {
        return Err(format!(
            "made for {} inputs, the features {} have {}",
            spec.inputs, features.name, features.inputs
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Rules;
    use tesuji_games::chess::Chess;
    use tesuji_games::shogi::Minishogi;
    use tesuji_games::tubstap::Tubstap;

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
    fn a_closed_store_opens_no_file() {
        let (game, directory) = (Minishogi::new(Rules::Official), tempfile::tempdir().unwrap());
        let path = directory.path().join("copy.safetensors");
        let (name, file) = (path.to_str().unwrap(), Place::of("minishogi").unwrap().checkpoint().unwrap());
        file.save(&path).unwrap();
        let closed = NetworkStore::new().closed(Isa::Portable);
        assert!(closed.open(&game, "minishogi", ConvMethod::Direct).is_ok());
        let problem = closed.open(&game, name, ConvMethod::Direct).err().unwrap();
        assert!(problem.contains("came with the work"), "{problem}");
        assert_eq!(closed.stored_agent(name, ConvMethod::Direct), "");
        let given = NetworkStore::new().with_networks([(name.to_owned(), file)].into()).closed(Isa::Portable);
        let opened = given.open(&game, name, ConvMethod::Direct).unwrap();
        assert_eq!(opened.place, Place::Given(name.to_owned()));
    }

    #[test]
    fn a_network_of_another_game_is_refused_by_name() {
        let error = NetworkStore::new().open(&Chess::new(Rules::Official), "minishogi", ConvMethod::Direct);
        let problem = error.err().unwrap();
        assert!(problem.contains("trained for minishogi, not for chess"), "{problem}");
    }

    #[test]
    fn a_network_of_rules_with_other_moves_is_refused_with_the_way_out() {
        let open =
            |name: &str, rules: Rules| NetworkStore::new().open(&Tubstap::new(rules), name, ConvMethod::Direct).err();
        assert_eq!((open("tubstap", Rules::Official), open("tubstap-paper", Rules::Paper)), (None, None));
        let refused =
            [("tubstap", Rules::Paper, "--rules official"), ("tubstap-paper", Rules::Official, "--rules paper")];
        for (name, rules, way_out) in refused {
            let problem = open(name, rules).unwrap();
            assert!(problem.contains(way_out), "{problem}");
        }
    }
}
