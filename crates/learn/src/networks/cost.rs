//! What a network's training cost.

use super::place::Place;
use crate::run::{self, ledger};
use std::path::Path;

/// The processor time that the training of a network took, in seconds, by the ledger that lies beside it: self-play and
/// training, up to its generation, without the matches that measured it. `None` if there is no ledger. What the network
/// had cost that a run began with is not in it.
pub fn training_cost(name: &str) -> Option<f64> {
    let Place::File(path) = Place::of(name).ok()? else { return None };
    let folder = path.parent()?;
    let generation = || path.file_stem()?.to_str()?.parse::<u64>().ok();
    match folder.file_name() {
        Some(networks) if networks == "networks" => spent(folder.parent()?, generation()?),
        _ => spent(folder, u64::MAX),
    }
}

/// The processor time of a ledger up to a generation.
fn spent(root: &Path, last: u64) -> Option<f64> {
    let entries = run::read_costs(root).ok()?;
    let counted = entries.iter().filter(|entry| entry.generation <= last && entry.phase != ledger::Phase::Measuring);
    let seconds: f64 = counted.map(|entry| entry.cpu).sum();
    (seconds > 0.0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_ledger_is_read_up_to_the_generation() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        fs::create_dir(root.join("networks")).unwrap();
        let line = |generation: u64, phase: &str, cpu: f64| {
            format!("{{\"generation\":{generation},\"phase\":\"{phase}\",\"wall\":1.0,\"cpu\":{cpu}}}\n")
        };
        let lines = [
            line(1, "self-play", 2.0),
            line(1, "measuring", 50.0),
            line(2, "inference", 3.0),
            line(2, "training", 4.0),
        ];
        fs::write(root.join("costs.jsonl"), lines.concat()).unwrap();
        for generation in 1..=2 {
            fs::write(run::network_path(root, generation), b"weights").unwrap();
        }
        let cost = |name: String| training_cost(&name);
        let name = root.display().to_string();
        assert_eq!((cost(format!("{name}@1")), cost(format!("{name}@2"))), (Some(2.0), Some(9.0)));
        assert_eq!(cost(name), Some(9.0));
        // A kept network has its ledger beside it; a lone file has none.
        fs::write(root.join("network.safetensors"), b"weights").unwrap();
        assert_eq!(cost(root.join("network.safetensors").display().to_string()), Some(9.0));
        fs::remove_file(root.join("costs.jsonl")).unwrap();
        assert_eq!(cost(root.join("network.safetensors").display().to_string()), None);
        assert_eq!(training_cost("no such network"), None);
    }
}
