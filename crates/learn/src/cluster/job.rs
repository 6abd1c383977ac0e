//! A run, as a worker plays for it: its games to learn from, or games between agents.

use super::contest::Contest;
use super::part::names_a_file;
use super::transport::Transport;
use super::unit::{FORMAT, NetworkSum, Task, Unit, Work};
use crate::experiments::Experiment;
use crate::kit::GameKit;
use crate::run::{About, Anywhere, Checkpoint, Play, Ready};
use std::sync::Arc;
use tesuji_core::Rules;
use tesuji_nn::{Isa, KernelPath, Model};

/// Where a worker finds what is compiled for a game.
pub type Kits<'k> = dyn Fn(&str, Rules) -> Result<Arc<dyn GameKit>, String> + 'k;

/// Why claims were not played.
pub(super) enum Failure {
    /// Their network is not there, or not what it should be.
    Network(String),
    /// Something that will not pass.
    Fatal(String),
}

/// A run that this machine can play for.
pub(super) struct Job {
    /// What the run is.
    pub work: Work,
    kind: Kind,
}

enum Kind {
    Games {
        games: Box<dyn Anywhere>,
        about: About,
        in_flight: usize,
        /// The latest network.
        network: Option<(NetworkSum, Ready)>,
    },
    Contests {
        may_start_engines: bool,
        /// The latest one.
        contest: Option<(NetworkSum, Arc<dyn GameKit>, Contest)>,
    },
}

impl Job {
    /// Looks at a run: whether it can be played for here.
    pub fn open(work: Work, kits: &Kits<'_>, may_start_engines: bool) -> Result<Job, String> {
        let wrong = |problem: String| format!("run {}: {problem}", work.run);
        let (here, version) = (env!("CARGO_PKG_VERSION"), &work.version);
        if work.format != FORMAT || version != here {
            let format = work.format;
            let advice = "use the learner's version";
            return Err(wrong(format!("of tesuji {version} (format {format}), this is {here} ({FORMAT}): {advice}")));
        }
        let Task::Games { experiment } = &work.task else {
            return Ok(Job { work, kind: Kind::Contests { may_start_engines, contest: None } });
        };
        let experiment = Experiment::from_toml(experiment).map_err(|error| wrong(error.to_string()))?;
        if let Some(line) = experiment.selfplay.starts.iter().find(|line| names_a_file(line)) {
            return Err(wrong(format!("selfplay.starts: {line} is a file")));
        }
        let kit = kits(&experiment.game, experiment.rules).map_err(wrong)?;
        let about = experiment.network_info(kit.game().as_ref()).map_err(|error| wrong(error.to_string()))?;
        can_follow(&about, work.path, Isa::best()).map_err(wrong)?;
        let games = kit.anywhere(&experiment.setup(), &experiment.method, experiment.seed).map_err(wrong)?;
        let games = games.ok_or_else(|| wrong("its games cannot be played elsewhere".to_owned()))?;
        let kind = Kind::Games { games, about, in_flight: experiment.selfplay.in_flight, network: None };
        Ok(Job { work, kind })
    }

    /// Games that a thread plays at a time.
    pub fn in_flight(&self) -> usize {
        match &self.kind {
            Kind::Games { in_flight, .. } => *in_flight,
            Kind::Contests { .. } => 1,
        }
    }

    /// Whether its learner waits for nothing else.
    pub fn is_urgent(&self) -> bool {
        matches!(self.kind, Kind::Contests { .. })
    }

    /// Whatever plays a unit.
    pub fn play(
        &mut self,
        unit: &Unit,
        transport: &dyn Transport,
        kits: &Kits<'_>,
    ) -> Result<Box<dyn Play + '_>, Failure> {
        let wrong = |problem: String| Failure::Fatal(format!("run {}: {problem}", unit.run));
        match &mut self.kind {
            Kind::Games { games, about, network, .. } => {
                let ready = match network {
                    Some((sum, ready)) if *sum == unit.network => ready.clone(),
                    _ => {
                        let ready = made_ready(&fetch(unit, transport)?, about, self.work.path);
                        let ready = ready.map_err(Failure::Network)?;
                        *network = Some((unit.network, ready.clone()));
                        ready
                    }
                };
                let play = games.generation(unit.generation, ready);
                play.ok_or_else(|| wrong("a network of another kind".to_owned()))
            }
            Kind::Contests { may_start_engines, contest } => {
                if contest.as_ref().is_none_or(|(sum, ..)| *sum != unit.network) {
                    let sent = Contest::sent(&fetch(unit, transport)?, *may_start_engines).map_err(wrong)?;
                    let spec = &sent.terms().spec;
                    let kit = kits(&spec.game, spec.rules).map_err(wrong)?;
                    *contest = Some((unit.network, kit, sent));
                }
                let (_, kit, sent) = contest.as_ref().ok_or_else(|| wrong("no contest".to_owned()))?;
                Ok(Box::new(sent.of(kit.as_ref())))
            }
        }
    }
}

/// The bytes that a unit's games depend on.
fn fetch(unit: &Unit, transport: &dyn Transport) -> Result<Vec<u8>, Failure> {
    let bytes = transport.network(unit).map_err(Failure::Network)?;
    if NetworkSum::of(unit.network.generation, &bytes) == unit.network {
        return Ok(bytes);
    }
    Err(Failure::Network("not the network that was asked for".to_owned()))
}

/// A network of the run, made ready.
fn made_ready(bytes: &[u8], about: &About, path: KernelPath) -> Result<Ready, String> {
    let file = Checkpoint::from_bytes(bytes)?;
    about.same(&file.about(), "another network than the experiment's")?;
    Ok(match file {
        Checkpoint::Float(file) => {
            let graph = file.about.spec.graph().map_err(|error| error.to_string())?;
            Ready::Float(Arc::new(Model::new(&graph, &file.weights, path)))
        }
        Checkpoint::Integer(file) => Ready::Integer(Arc::new(file.network)),
    })
}

/// Checks that a machine whose best instruction set is this can compute the same numbers as the learner.
fn can_follow(about: &About, path: KernelPath, best: Isa) -> Result<(), String> {
    let place = |isa| Isa::ALL.iter().position(|&other| other == isa);
    // Integer networks compute the same numbers everywhere.
    if matches!(about, About::Integer(_)) || place(path.isa) <= place(best) {
        return Ok(());
    }
    let advice = "let it work elsewhere, or begin the run on a machine like this one";
    Err(format!("it uses {path}, and this machine has {best:?} at best: {advice}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_nn::ConvMethod;

    #[test]
    fn a_machine_follows_paths_that_it_has() {
        let game = tesuji_games::game("connect4", Rules::Official).unwrap();
        let about = |text: &str| Experiment::from_toml(text).unwrap().network_info(game.as_ref()).unwrap();
        let float = about("game = \"connect4\"");
        let integer = about("game = \"connect4\"\n[method]\nkind = \"nnue\"\n[network]\nkind = \"nnue\"");
        let path = |isa| KernelPath { isa, method: ConvMethod::Direct };
        assert!(can_follow(&float, path(Isa::Avx2), Isa::Avx512).is_ok());
        assert!(can_follow(&integer, path(Isa::Avx512), Isa::Portable).is_ok());
        let problem = can_follow(&float, path(Isa::Avx512), Isa::Avx2).unwrap_err();
        assert!(problem.starts_with("it uses Avx512/Direct, and this machine has Avx2 at best: "), "{problem}");
    }
}
