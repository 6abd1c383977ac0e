//! Agents as the page may name them: no file and no program but those that the server knows.

use crate::app::{App, cores};
use crate::networks;
use crate::problem::{Answer, Problem};
use tesuji_learn::AgentSpec;
use tesuji_search::agent::split;

/// No line of an agent is longer.
const LONGEST: usize = 400;
/// What a table or a tree may take, in megabytes.
const MOST_MEGABYTES: u64 = 512;

/// The line of an agent with the networks and engines that it names put in.
///
/// # Errors
/// If it names a file, a program or a network that the server does not know, or too much memory.
pub fn resolve(app: &App, line: &str) -> Answer<String> {
    let wrong = |problem: String| Problem::bad(format!("agent {:?}: {problem}", tesuji_core::error::excerpt(line)));
    if line.len() > LONGEST {
        return Err(wrong(format!("longer than {LONGEST} characters")));
    }
    let (name, text) = split(line);
    if name == "engine" {
        let known = app.options.engines.iter().find(|(known, _)| known == text);
        let known = known.ok_or_else(|| {
            wrong("no such engine; start the server with --allow-engine NAME=COMMAND and write engine:NAME".to_owned())
        })?;
        return Ok(format!("engine:{}", known.1));
    }
    let kinds = AgentSpec::kinds();
    // `best` stands for another kind, whose keys are those of the game's table: none of them is a file.
    let keys = kinds.iter().find(|kind| kind.name == name).map(|kind| kind.keys.as_slice()).unwrap_or_default();
    let mut pairs = Vec::new();
    for pair in text.split(',').filter(|pair| !pair.is_empty()) {
        let Some((key, value)) = pair.split_once('=') else {
            pairs.push(pair.to_owned());
            continue;
        };
        let network = |id: &str| networks::path(app, id).map_err(|problem| wrong(problem.text));
        let megabytes = || value.parse::<u64>().is_ok_and(|number| number > MOST_MEGABYTES);
        let threads = || value.parse::<u64>().is_ok_and(|number| number > cores() as u64);
        pairs.push(match key {
            "net" => format!("net={}", network(value)?),
            "eval" => match value.strip_prefix("net:") {
                Some(id) => format!("eval=net:{}", network(id)?),
                None => pair.to_owned(),
            },
            "hash" | "memory" | "cache" if megabytes() => {
                return Err(wrong(format!("{key}: at most {MOST_MEGABYTES} megabytes here")));
            }
            "threads" if threads() => {
                return Err(wrong(format!("threads: at most {} here", cores())));
            }
            _ => {
                let is_name = |known: &&tesuji_search::options::Key| known.name == key && known.form == "a name";
                if name == "best" && key == "strengths" || keys.iter().any(|known| is_name(&known)) {
                    return Err(wrong(format!("{key}: files cannot be named here")));
                }
                pair.to_owned()
            }
        });
    }
    Ok(if pairs.is_empty() { name.to_owned() } else { format!("{name}:{}", pairs.join(",")) })
}
