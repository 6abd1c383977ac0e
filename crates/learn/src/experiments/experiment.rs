//! A whole experiment.

use super::measure::Measure;
use super::network::NetworkConfig;
use crate::agents::AgentSpec;
use crate::methods::{Method, Setup, Training};
use crate::networks::{NetworkKind, encoder_info, features_info};
use crate::play::options::FpuConfig;
use crate::play::{MateOption, SelfPlay};
use crate::ranges::{self, KeyRanges};
use crate::run::{self, About, Keep, RunError, StopRule};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tesuji_core::{AnyGame, Rules};
use tesuji_nn::NetworkInfo;
use tesuji_nn::nnue::NnueInfo;

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
    /// The learning method.
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
        check_ranges(&table).map_err(ExperimentError)?;
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

    /// The whole experiment as a file, with the range of each number as a comment behind it.
    ///
    /// # Panics
    /// Never: experiments are plain data.
    pub fn to_annotated_toml(&self) -> String {
        let kind = |section: &str| match section {
            "network" => self.network.kind().name(),
            "method" => self.method.name(),
            _ => "",
        };
        let mut text = self.to_toml();
        if self.selfplay.lag == 0 {
            // Left out of the files of runs, whose bytes are those of versions that did not know it.
            text = text.replacen("[selfplay]\n", "[selfplay]\nlag = 0\n", 1);
        }
        ranges::annotate(&text, &|section| section_ranges(section, kind(section)))
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
        if self.selfplay.lag > 0 && !self.method.lags() {
            let (lag, method) = (self.selfplay.lag, self.method.name());
            let why = "its games need the newest network; lag is for alphazero and nnue";
            return Err(format!("selfplay.lag = {lag}: method.kind = {method}: {why}"));
        }
        self.method.check(&self.training)?;
        self.budget.parse::<StopRule>()?;
        self.measure.budget.parse::<tesuji_core::Budget>().map_err(|error| error.to_string())?;
        Ok(())
    }

    /// What the network files of a run say: the network, whole, and what it is for.
    ///
    /// # Errors
    /// If the game has no such encoder or sparse inputs, or they do not fit the network.
    pub fn network_info(&self, game: &dyn AnyGame) -> Result<About, ExperimentError> {
        if let NetworkConfig::Nnue(config) = &self.network {
            let features = features_info(game, &config.features).map_err(ExperimentError)?;
            return Ok(About::Integer(NnueInfo {
                spec: config.spec(&features, game.heuristic_scale()).map_err(ExperimentError)?,
                game: game.name().to_owned(),
                rules: game.rules(),
                rules_version: game.rules_version(),
                step: 0,
                agent: self.agent(),
            }));
        }
        let encoder = encoder_info(game, self.network.encoder()).map_err(ExperimentError)?;
        Ok(About::Float(NetworkInfo {
            spec: self.network.spec(&encoder, self.method.pairs()).map_err(ExperimentError)?,
            game: game.name().to_owned(),
            rules: game.rules(),
            rules_version: game.rules_version(),
            encoder: encoder.name.to_owned(),
            encoder_version: encoder.version,
            step: 0,
            agent: self.agent(),
        }))
    }

    /// What a learner is given of it.
    pub fn setup(&self) -> Setup {
        let [reply, moves_left] = self.network.auxiliary_heads();
        Setup {
            selfplay: self.selfplay.clone(),
            training: self.training.clone(),
            encoder: self.network.encoder().to_owned(),
            initial: !self.network.initial().is_empty(),
            network: self.network.kind(),
            reply,
            moves_left,
        }
    }

    /// The line of the agent that its networks are measured as, with NET for the network: what is stored with them.
    pub fn agent(&self) -> String {
        self.agent_line().map_or_else(|| self.as_trained(), str::to_owned)
    }

    /// `pv` with tree search as self-play has it, less what is there to explore: noise, temperature, forced playouts.
    fn as_trained(&self) -> String {
        let (play, simulations) = (&self.selfplay, self.measure.simulations);
        let fpu = match play.fpu {
            FpuConfig::Less(reduction) => reduction.to_string(),
            FpuConfig::As(_) => "none".to_owned(),
        };
        let mut line = format!("pv:net=NET,sims={simulations},c={},fpu={fpu}", play.c_puct);
        let mut add = |sets: bool, key: &str, value: &dyn std::fmt::Display| {
            if sets {
                line.push_str(&format!(",{key}={value}"));
            }
        };
        add(play.b_attack != 0.0, "battack", &play.b_attack);
        add(play.whole_units, "wholeunits", &"on");
        add(play.gumbel.is_some(), "gumbel", &play.gumbel.unwrap_or_default());
        // A run that evaluates leaves one by one means it; how many others take together is a matter of speed.
        add(play.leaves == 1, "batch", &1);
        add(!play.solver, "solver", &"off");
        add(!play.reuse, "reuse", &"off");
        add(play.mate != MateOption::NONE, "mate", &play.mate);
        add(play.mate_beside > 0, "beside", &play.mate_beside);
        line
    }

    /// The line of the agent that its networks are measured as, with NET for the network; `None` for `pv` as its
    /// self-play has it.
    pub fn agent_line(&self) -> Option<&str> {
        match self.measure.agent.as_str() {
            "" => self.method.agent(self.network.kind()),
            line => Some(line),
        }
    }

    /// The lines that would start a foreign program when a run in this directory is worked on, each with its key.
    pub fn programs(&self, root: &Path) -> Vec<(&'static str, String)> {
        let opponents = self.measure.opponents.iter().map(|line| ("measure.opponents", line.clone()));
        let agent = self.measure.agent.replace("NET", &root.display().to_string());
        let lines = opponents.chain([("measure.agent", agent)]);
        lines.filter(|(_, line)| matches!(AgentSpec::parse(line), Ok(AgentSpec::Engine(_)))).collect()
    }
}

/// The ranges of a section's numbers; `kind` is that of the section, if it has kinds.
pub(super) fn section_ranges(section: &str, kind: &str) -> KeyRanges {
    match section {
        "method" => Method::ranges(kind),
        "network" => NetworkConfig::ranges(kind),
        "selfplay" => SelfPlay::ranges(),
        "training" => Training::ranges(),
        "measure" => Measure::ranges(),
        "keep" => Keep::ranges(),
        _ => KeyRanges::new(),
    }
}

/// Checks the numbers of an experiment as they are written.
fn check_ranges(table: &toml::Table) -> Result<(), String> {
    table.iter().try_for_each(|(section, value)| {
        let kind = value.get("kind").and_then(toml::Value::as_str).unwrap_or_default();
        ranges::check(section, &section_ranges(section, kind), value)
    })
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
    fn a_lag_is_shown_always_and_written_only_if_there_is_one() {
        let lag = |lag: &str| Experiment::from_toml(&format!("game = \"chess\"\n[selfplay]\n{lag}")).unwrap();
        let shown = |experiment: &Experiment| {
            let text = experiment.to_annotated_toml();
            assert_eq!(Experiment::from_toml(&text).unwrap(), *experiment);
            text.lines().find(|line| line.starts_with("lag")).map(str::to_owned)
        };
        assert!(!lag("").to_toml().contains("lag"));
        assert!(lag("lag = 2").to_toml().contains("\nlag = 2\n"));
        for (experiment, wanted) in [(lag(""), "lag = 0 "), (lag("lag = 2"), "lag = 2 ")] {
            assert!(shown(&experiment).is_some_and(|line| line.starts_with(wanted) && line.contains("100")));
        }
        assert_eq!([1, 2, 3, 4].map(|generation| lag("lag = 2").selfplay.player_of(generation)), [0, 0, 0, 1]);
    }

    #[test]
    fn programs_are_found_wherever_an_experiment_names_them() {
        let none = Experiment::from_toml("game = \"chess\"").unwrap();
        assert!(none.programs(Path::new("runs/x")).is_empty());
        let text = "game = \"chess\"\n[measure]\nopponents = [\"bot\", \"engine:sh\"]\nagent = \"engine:NET\"";
        let some = Experiment::from_toml(text).unwrap().programs(Path::new("runs/x"));
        assert_eq!(some, [("measure.opponents", "engine:sh".into()), ("measure.agent", "engine:runs/x".into())]);
    }

    #[test]
    fn a_missing_kind_is_the_usual_one() {
        let bare = Experiment::from_toml("game = \"chess\"").unwrap();
        let sections = Experiment::from_toml("game = \"chess\"\n[network]\nblocks = 4\n[method]\n").unwrap();
        assert_eq!(bare, sections);
        assert_eq!((bare.network.kind(), bare.method.name()), (NetworkKind::Residual, "alphazero"));
    }

    #[test]
    fn the_agent_plays_as_it_was_trained() {
        let agent = |text: &str| Experiment::from_toml(&format!("game = \"tubstap\"\n{text}")).unwrap().agent();
        assert_eq!(agent(""), "pv:net=NET,sims=100,c=1.5,fpu=0.2");
        let paper = "[selfplay]\nc_puct = 0.8\nb_attack = 3.7\nfpu = \"draw\"\nsolver = false\nleaves = 1\n\
                     mate = \"dfpn:9\"\n[measure]\nsimulations = 500";
        let line = "pv:net=NET,sims=500,c=0.8,fpu=none,battack=3.7,batch=1,solver=off,mate=dfpn:9";
        assert_eq!(agent(paper), line);
        assert!(crate::agents::AgentSpec::parse(line).is_ok());
        assert_eq!(agent("[measure]\nagent = \"policy:net=NET\""), "policy:net=NET");
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
            ("game = \"chess\"\n[selfplay]\nmate_beside = 5", "mate_beside"),
            ("game = \"chess\"\n[network]\npolicy_order = \"last\"", "dense-first"),
            ("game = \"chess\"\n[training]\nwindow_positions = 0", "window"),
            ("game = \"chess\"\nbudget = \"soon\"", "soon"),
            ("game = \"chess\"\n[network]\nhidden = [8]", "hidden"),
            ("game = \"chess\"\n[network]\nkind = \"dense\"\nblocks = 8", "blocks"),
            ("game = \"chess\"\n[network]\nkind = \"deep\"", "deep"),
            ("game = \"chess\"\n[method]\nkind = \"td\"\nlamda = 0.5", "lamda"),
            ("game = \"chess\"\n[method]\nlambda = 0.5", "lambda"),
            ("game = \"chess\"\n[method]\nkind = \"magic\"", "magic"),
            ("game = \"chess\"\n[dqn]\nsteps = 3", "dqn"),
            ("game = \"chess\"\n[selfplay]\nlag = 101", "from 0 to 100"),
            (
                "game = \"chess\"\n[selfplay]\nlag = 1\n[method]\nkind = \"dqn\"\n[network]\nkind = \"dqn\"",
                "selfplay.lag = 1: method.kind = dqn",
            ),
        ] {
            let error = Experiment::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(named) && !error.contains('\n'), "{text:?}: {error}");
        }
    }
}
