//! What differs from the paper, listed from data: the experiments key by key, the values of the scales, the machine.

use crate::entry::{Data, Entry};
use crate::file::{Reproduction, Scale, Step};
use crate::template::{Values, scalar};
use std::collections::BTreeMap;
use tesuji_learn::Experiment;
use tesuji_report::{Block, Cell, Head, Table};

/// The blocks of the section.
pub fn differs(file: &Reproduction, scale: Scale, entries: &[Entry]) -> Vec<Block> {
    let mut rows = Vec::new();
    let mut row = |what: String, ours: String, paper: String| {
        rows.push(vec![Cell::text(what), Cell::text(ours), Cell::text(paper)])
    };
    row("machine".to_owned(), machine(), file.hardware.clone());
    let values = |scale: Scale| file.scales.get(&scale).map(|info| info.values.clone()).unwrap_or_default();
    let (ours, paper) = (values(scale), values(Scale::Paper));
    for (name, value) in &paper {
        if let Some(own) = ours.get(name).filter(|own| *own != value) {
            row(name.clone(), scalar(own), scalar(value));
        }
    }
    let filler = Values(ours.clone().into_iter().collect());
    for step in &file.steps {
        let Step::Train(step) = step else { continue };
        // Every run of a step differs from the paper's in the same way, but for its axis.
        let run = entries.iter().find_map(|entry| match &entry.data {
            Data::Run { experiment, .. } if entry.step == step.name => Some(experiment),
            _ => None,
        });
        let named = filler.fill(&step.paper).unwrap_or_default();
        let Some((run, paper)) = run.zip(Experiment::load(&named, &[]).ok()) else { continue };
        for (key, own, theirs) in changed(run, &paper.experiment) {
            row(format!("{}: {key}", step.name), own, theirs);
        }
    }
    let heads = ["what", "here", "in the paper"].map(Head::ours).to_vec();
    let caption = "From the files themselves: this scale's values beside the paper's, and each run's experiment beside the one with the paper's numbers.";
    let mut blocks = vec![Block::Table(Table { caption: caption.to_owned(), heads, rows })];
    if !file.silent.is_empty() {
        blocks.push(Block::Text("Where the paper is silent or unclear, this was taken:".to_owned()));
        blocks.push(Block::List(file.silent.clone()));
    }
    blocks
}

/// The keys in which two experiments differ, with both values.
fn changed(ours: &Experiment, paper: &Experiment) -> Vec<(String, String, String)> {
    let leaves = |experiment: &Experiment| {
        let table: toml::Table = experiment.to_toml().parse().unwrap_or_default();
        let mut leaves = BTreeMap::new();
        for (section, value) in &table {
            // What is measured on the way, kept on disk or said in words is no part of the method.
            if !["about", "measure", "keep", "budget", "seed"].contains(&section.as_str()) {
                collect(section, value, &mut leaves);
            }
        }
        leaves
    };
    let (own, theirs) = (leaves(ours), leaves(paper));
    let mut keys: Vec<&String> = own.keys().chain(theirs.keys()).collect();
    keys.sort();
    keys.dedup();
    let text = |value: Option<&String>| value.cloned().unwrap_or_else(|| "-".to_owned());
    let differing = keys.into_iter().filter(|key| own.get(*key) != theirs.get(*key));
    differing.map(|key| (key.clone(), text(own.get(key)), text(theirs.get(key)))).collect()
}

fn collect(name: &str, value: &toml::Value, leaves: &mut BTreeMap<String, String>) {
    match value {
        toml::Value::Table(table) => {
            table.iter().for_each(|(key, value)| collect(&format!("{name}.{key}"), value, leaves))
        }
        // Where data and networks are is nobody's method.
        _ if name == "method.data" || name == "network.initial" => {}
        value => {
            leaves.insert(name.to_owned(), scalar(value));
        }
    }
}

/// The processor, as the system names it.
pub fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")).and_then(|line| line.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let noun = if cores == 1 { "core" } else { "cores" };
    format!("{}, {cores} {noun}", name.map_or("an unknown processor", |(_, name)| name.trim()))
}
