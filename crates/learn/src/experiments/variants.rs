//! Experiments by name: a file or one that comes with the program, one of its variants, and values that are changed.

use super::builtin::BUILT_IN;
use super::experiment::{Experiment, ExperimentError, parse};
use std::path::Path;

/// An experiment that was found by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What a run of it is called: NAME or NAME-VARIANT, of a file its name without the ending.
    pub name: String,
    /// The experiment.
    pub experiment: Experiment,
}

/// The file that is asked for, and its variant or nothing.
fn file(asked: &str) -> Option<(&Path, &str)> {
    let whole = Path::new(asked);
    let split = || asked.rsplit_once('/').map(|(path, variant)| (Path::new(path), variant));
    whole.is_file().then_some((whole, "")).or_else(|| split().filter(|(path, _)| path.is_file()))
}

impl Experiment {
    /// Loads an experiment: a file (`FILE.toml` or `FILE.toml/VARIANT`), or one that comes with the program, `NAME` or
    /// `NAME/VARIANT`; each of `changes` is `KEY=VALUE`, such as `selfplay.simulations=200`.
    ///
    /// # Errors
    /// If there is none of that name, it cannot be read, or the values make no sense; in one line that names it.
    pub fn load(asked: &str, changes: &[String]) -> Result<Found, ExperimentError> {
        let named = |ExperimentError(problem): ExperimentError| ExperimentError(format!("{asked}: {problem}"));
        if let Some((path, variant)) = file(asked) {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|error| ExperimentError(format!("cannot read {path:?}: {error}")))?;
            let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
            let name = if variant.is_empty() { stem } else { format!("{stem}-{variant}") };
            return Ok(Found { name, experiment: read(&text, variant, changes).map_err(named)? });
        }
        let (name, variant) = asked.split_once('/').unwrap_or((asked, ""));
        let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) else {
            return Err(unknown(asked, name));
        };
        let experiment = read(text, variant, changes).map_err(named)?;
        Ok(Found { name: asked.replace('/', "-"), experiment })
    }
}

/// The error for a name that is neither a file nor an experiment of the program; the names that have most of its parts
/// are told.
fn unknown(asked: &str, name: &str) -> ExperimentError {
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    let shared = |known: &str| parts.iter().filter(|part| known.contains(**part)).count();
    let most = BUILT_IN.iter().map(|(known, _)| shared(known)).max().unwrap_or(0);
    let near: Vec<&str> = BUILT_IN.iter().map(|(known, _)| *known).filter(|known| shared(known) == most).collect();
    let near = if most == 0 { String::new() } else { format!("; perhaps {}", near.join(", ")) };
    let problem = "neither a file nor one that comes with the program (`tesuji train --list` has all)";
    ExperimentError(format!("no experiment {asked:?}: {problem}{near}"))
}

/// The names of the variants of an experiment file.
///
/// # Errors
/// If it is not TOML.
pub fn variants(text: &str) -> Result<Vec<String>, ExperimentError> {
    Ok(split(text)?.1.keys().cloned().collect())
}

/// An experiment file without its variants, and these.
fn split(text: &str) -> Result<(toml::Table, toml::Table), ExperimentError> {
    let mut table = parse(text)?;
    let variants = match table.remove("variants") {
        Some(toml::Value::Table(variants)) => variants,
        Some(_) => return Err(ExperimentError("`variants` is no section".to_owned())),
        None => toml::Table::new(),
    };
    Ok((table, variants))
}

/// Reads an experiment file with one of its variants, if one is named, and changes values.
fn read(text: &str, variant: &str, changes: &[String]) -> Result<Experiment, ExperimentError> {
    let (mut table, variants) = split(text)?;
    if !variant.is_empty() {
        let Some(toml::Value::Table(chosen)) = variants.get(variant) else {
            let names: Vec<&str> = variants.keys().map(String::as_str).collect();
            return Err(ExperimentError(format!("no variant {variant:?}; there are: {}", names.join(", "))));
        };
        for (key, value) in chosen {
            set(&mut table, key, value.clone())?;
        }
    }
    for change in changes {
        let Some((key, text)) = change.split_once('=') else {
            return Err(ExperimentError(format!("--set {change:?}: expected KEY=VALUE")));
        };
        // What is not TOML is a string, so that words need no quotes.
        let value = format!("v = {text}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("v"));
        set(&mut table, key, value.unwrap_or_else(|| toml::Value::String(text.to_owned())))?;
    }
    Experiment::from_table(table)
}

/// Sets `a.b` in a table.
fn set(table: &mut toml::Table, key: &str, value: toml::Value) -> Result<(), ExperimentError> {
    let mut parts: Vec<&str> = key.split('.').collect();
    let last = parts.pop().unwrap_or_default();
    let mut at = table;
    for part in parts {
        let below = at.entry(part).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        let table = below.as_table_mut();
        at = table.ok_or_else(|| ExperimentError(format!("{key:?}: {part:?} is no section")))?;
    }
    at.insert(last.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::section_ranges;
    use crate::ranges::{declared, visit};

    /// Every number of an experiment, defaults included, has a range and keeps it.
    fn every_number_has_a_range(name: &str, experiment: &Experiment) {
        let table: toml::Table = experiment.to_toml().parse().unwrap();
        for (section, value) in table.iter().filter(|(section, _)| *section != "seed") {
            let kind = value.get("kind").and_then(toml::Value::as_str).unwrap_or_default();
            let ranges = section_ranges(section, kind);
            let seen = visit("", value, false, &mut |key, _| match declared(&ranges, key) {
                Some(_) => Ok(()),
                None => Err(format!("{name}: {section}.{key} has no range")),
            });
            assert_eq!(seen, Ok(()));
        }
    }

    #[test]
    fn variants_of_a_file_are_found_behind_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, "game = \"tictactoe\"\nbudget = \"1\"\n[variants.longer]\nbudget = \"2\"\n").unwrap();
        let path = path.to_str().unwrap();
        assert_eq!(Experiment::load(path, &[]).unwrap().name, "mine");
        let longer = Experiment::load(&format!("{path}/longer"), &[]).unwrap();
        assert_eq!(longer.name, "mine-longer");
        assert_ne!(longer.experiment, Experiment::load(path, &[]).unwrap().experiment);
        let refused = Experiment::load(&format!("{path}/other"), &[]).unwrap_err();
        assert!(refused.0.contains("there are: longer"), "{}", refused.0);
    }

    #[test]
    fn every_experiment_that_comes_with_the_program_loads_and_so_does_every_variant() {
        assert!(BUILT_IN.len() >= 20);
        for (name, text) in BUILT_IN {
            let found = Experiment::load(name, &[]).unwrap();
            assert_eq!(found.name, *name);
            assert_eq!(Experiment::from_toml(&found.experiment.to_toml()).unwrap(), found.experiment, "{name}");
            for variant in variants(text).unwrap() {
                let varied = Experiment::load(&format!("{name}/{variant}"), &[]).unwrap();
                assert_eq!(varied.name, format!("{name}-{variant}"));
                assert_ne!(varied.experiment, found.experiment, "{}", varied.name);
            }
            every_number_has_a_range(name, &found.experiment);
            let mut small = found.experiment.clone();
            small.shrink();
            assert_eq!(Experiment::from_toml(&small.to_toml()).unwrap(), small, "{name}");
        }
    }

    #[test]
    fn values_are_changed_and_unknown_ones_refused() {
        let load = |name: &str, change: &str| Experiment::load(name, &[change.to_owned()]);
        let changed = load("dqn-tictactoe", "method.steps=3").unwrap().experiment;
        assert_ne!(changed, Experiment::load("dqn-tictactoe", &[]).unwrap().experiment);
        assert_eq!(load("minishogi-quick", "selfplay.mate=none").unwrap().experiment.selfplay.mate.to_string(), "none");
        for (name, change, named) in [
            ("minishogi-quick", "selfplay.sims=3", "sims"),
            ("minishogi-quick", "seed.x=3", "seed"),
            ("minishogi-quick", "seed", "KEY=VALUE"),
            ("minishogi-slow", "seed=3", "minishogi-quick"),
            ("minishogi-laptop/none", "seed=3", "without-solver"),
        ] {
            let error = load(name, change).unwrap_err().to_string();
            assert!(error.contains(named) && !error.contains('\n'), "{error}");
        }
    }
}
