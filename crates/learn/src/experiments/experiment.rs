//! A whole experiment.

use super::measure::Measure;
use super::network::NetworkConfig;
use crate::methods::{Method, Setup, Training};
use crate::networks::{NetworkKind, encoder_info};
use crate::play::SelfPlay;
use crate::run::{self, Keep, RunError, StopRule};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tesuji_core::{AnyGame, Rules};
use tesuji_nn::NetworkInfo;

/// A run: which game, which network, how games are played, how they are learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// One line for people.
    #[serde(default)]
    pub about: String,
    /// The game's registered name.
    pub game: String,
    /// The rules in force.
    #[serde(default)]
    pub rules: Rules,
    /// Where every random choice comes from.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// How long to go on if the command line does not say: `10m`, `2h` or a number of generations.
    #[serde(default = "default_budget")]
    pub budget: String,
    /// The way of learning.
    #[serde(default)]
    pub method: Method,
    /// The network.
    #[serde(default)]
    pub network: NetworkConfig,
    /// How games are played.
    #[serde(default)]
    pub selfplay: SelfPlay,
    /// How they are learned from.
    #[serde(default)]
    pub training: Training,
    /// How strength is measured on the way.
    #[serde(default)]
    pub measure: Measure,
    /// What is kept on disk.
    #[serde(default)]
    pub keep: Keep,
}

fn default_seed() -> u64 {
    1
}

fn default_budget() -> String {
    "10m".to_owned()
}

/// An experiment that cannot be run, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad experiment: {0}")]
pub struct ExperimentError(pub String);

impl Experiment {
    /// Reads an experiment file.
    ///
    /// # Errors
    /// If it is not TOML, has unknown keys, or values that make no sense.
    pub fn from_toml(text: &str) -> Result<Experiment, ExperimentError> {
        Experiment::from_table(parse(text)?)
    }

    /// Reads an experiment that is TOML already.
    ///
    /// # Errors
    /// If it has unknown keys, or values that make no sense.
    pub fn from_table(mut table: toml::Table) -> Result<Experiment, ExperimentError> {
        for (section, kind) in [("network", NetworkKind::default().name()), ("method", Method::default().name())] {
            if let Some(section) = table.get_mut(section).and_then(toml::Value::as_table_mut) {
                section.entry("kind").or_insert_with(|| kind.into());
            }
        }
        let experiment: Experiment = table.try_into().map_err(|error| ExperimentError(in_one_line(&error)))?;
        experiment.check().map_err(ExperimentError)?;
        Ok(experiment)
    }

    /// The whole experiment, defaults included, as a file.
    ///
    /// # Panics
    /// Never: experiments are plain data.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("experiments are plain data")
    }

    /// The experiment of a run, if there is one.
    ///
    /// # Errors
    /// If the file is there but cannot be read, or the run is of another format.
    pub fn of_run(root: &Path) -> Result<Option<Experiment>, RunError> {
        let Some(text) = run::read_experiment(root)? else { return Ok(None) };
        let experiment = Experiment::from_toml(&text);
        experiment.map(Some).map_err(|error| RunError::at(&root.join("experiment.toml"), error))
    }

    fn check(&self) -> Result<(), String> {
        self.selfplay.check()?;
        self.training.check()?;
        let kind = self.network.kind();
        if self.training.batch < 2 && kind == NetworkKind::Residual {
            return Err("training.batch = 1: batch norm needs at least 2".to_owned());
        }
        if !self.method.networks().contains(&kind) {
            let names: Vec<&str> = self.method.networks().iter().map(|kind| kind.name()).collect();
            let (method, kind, wanted) = (self.method.name(), kind.name(), names.join(" or "));
            return Err(format!("network.kind = {kind}: method.kind = {method} needs {wanted}"));
        }
        self.method.check(&self.training)?;
        self.budget.parse::<StopRule>()?;
        self.measure.budget.parse::<tesuji_core::Budget>().map_err(|error| error.to_string())?;
        Ok(())
    }

    /// What the network files of a run say: the network, whole, and what it is for.
    ///
    /// # Errors
    /// If the game has no such encoder, or the encoder does not fit the network.
    pub fn network_info(&self, game: &dyn AnyGame) -> Result<NetworkInfo, ExperimentError> {
        let encoder = encoder_info(game, self.network.encoder()).map_err(ExperimentError)?;
        Ok(NetworkInfo {
            spec: self.network.spec(&encoder, self.method.pairs()).map_err(ExperimentError)?,
            game: game.name().to_owned(),
            rules: game.rules(),
            rules_version: game.rules_version(),
            encoder: encoder.name.to_owned(),
            encoder_version: encoder.version,
            step: 0,
        })
    }

    /// What a learner is given of it.
    pub fn setup(&self) -> Setup {
        let [reply, moves_left] = self.network.auxiliary_heads();
        Setup {
            selfplay: self.selfplay.clone(),
            training: self.training.clone(),
            encoder: self.network.encoder().to_owned(),
            network: self.network.kind(),
            reply,
            moves_left,
        }
    }

    /// The line of the agent that its networks are measured as, with NET for the network; `None` for `pv` as its
    /// self-play has it.
    pub fn agent_line(&self) -> Option<&str> {
        match self.measure.agent.as_str() {
            "" => self.method.agent(self.network.kind()),
            line => Some(line),
        }
    }
}

/// Reads TOML; an error is one line with its place.
pub(super) fn parse(text: &str) -> Result<toml::Table, ExperimentError> {
    text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let place = line.map_or_else(String::new, |line| format!("line {line}: "));
        ExperimentError(format!("{place}{}", error.message().replace('\n', ", ")))
    })
}

/// An error with the section that it is in, in one line.
fn in_one_line(error: &toml::de::Error) -> String {
    error.to_string().trim_end().replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_read_what_they_write() {
        let experiment = Experiment::from_toml("game = \"connect4\"\n[selfplay]\nmate = \"dfpn:500\"\n").unwrap();
        assert_eq!(experiment.selfplay.mate.to_string(), "dfpn:500");
        assert_eq!(Experiment::from_toml(&experiment.to_toml()).unwrap(), experiment);
    }

    #[test]
    fn a_missing_kind_is_the_usual_one() {
        let bare = Experiment::from_toml("game = \"chess\"").unwrap();
        let sections = Experiment::from_toml("game = \"chess\"\n[network]\nblocks = 4\n[method]\n").unwrap();
        assert_eq!(bare, sections);
        assert_eq!((bare.network.kind(), bare.method.name()), (NetworkKind::Residual, "alphazero"));
    }

    #[test]
    fn experiments_refuse_nonsense() {
        for (text, named) in [
            ("", "game"),
            ("game = \"chess\"\nsped = 1", "sped"),
            ("game = \"chess\"\nbudget =", "line 2"),
            ("game = \"chess\"\n[selfplay]\nsims = 1", "sims"),
            ("game = \"chess\"\n[selfplay]\nsimulations = 0", "simulations"),
            ("game = \"chess\"\n[selfplay]\nmate = \"dfs\"", "dfs"),
            ("game = \"chess\"\n[training]\nwindow_positions = 0", "window"),
            ("game = \"chess\"\nbudget = \"soon\"", "soon"),
            ("game = \"chess\"\n[network]\nhidden = [8]", "hidden"),
            ("game = \"chess\"\n[network]\nkind = \"dense\"\nblocks = 8", "blocks"),
            ("game = \"chess\"\n[network]\nkind = \"deep\"", "deep"),
            ("game = \"chess\"\n[method]\nkind = \"td\"\nlamda = 0.5", "lamda"),
            ("game = \"chess\"\n[method]\nlambda = 0.5", "lambda"),
            ("game = \"chess\"\n[method]\nkind = \"magic\"", "magic"),
            ("game = \"chess\"\n[dqn]\nsteps = 3", "dqn"),
        ] {
            let error = Experiment::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(named) && !error.contains('\n'), "{text:?}: {error}");
        }
    }
}
