//! Fairy-Stockfish's perft, timed on the processor as ours is.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Linux counts processor time in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);

/// A running Fairy-Stockfish that plays minishogi.
pub struct Fairy {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Fairy {
    /// Starts the program, from the path or from where Debian keeps games.
    ///
    /// # Errors
    /// If it is not installed or does not answer.
    pub fn start() -> Result<Fairy, String> {
        let spawn = |name: &str| Command::new(name).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawn("fairy-stockfish")
            .or_else(|_| spawn("/usr/games/fairy-stockfish"))
            .map_err(|error| format!("fairy-stockfish: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("fairy-stockfish: no pipes".to_owned());
        };
        let mut fairy = Fairy { child, input, output: BufReader::new(output) };
        fairy.send("setoption name UCI_Variant value minishogi\nisready")?;
        fairy.wait("readyok")?;
        Ok(fairy)
    }

    /// Counts paths from the start: the number of nodes and the time.
    ///
    /// # Errors
    /// If the program does not answer.
    pub fn perft(&mut self, depth: u32) -> Result<(u64, Duration), String> {
        self.send("position startpos")?;
        let before = self.processor_time()?;
        self.send(&format!("go perft {depth}"))?;
        let line = self.wait("Nodes searched")?;
        let time = self.processor_time()?.saturating_sub(before);
        let nodes = line.rsplit(' ').next().and_then(|text| text.trim().parse().ok());
        Ok((nodes.ok_or_else(|| format!("fairy-stockfish: no count in {line:?}"))?, time))
    }

    fn send(&mut self, text: &str) -> Result<(), String> {
        writeln!(self.input, "{text}").map_err(|error| format!("fairy-stockfish: {error}"))
    }

    fn wait(&mut self, start: &str) -> Result<String, String> {
        let mut line = String::new();
        while !line.starts_with(start) {
            line.clear();
            match self.output.read_line(&mut line) {
                Ok(0) => return Err(format!("fairy-stockfish ended before {start:?}")),
                Ok(_) => {}
                Err(error) => return Err(format!("fairy-stockfish: {error}")),
            }
        }
        Ok(line)
    }

    /// User and system time of all its threads.
    fn processor_time(&self) -> Result<Duration, String> {
        let path = format!("/proc/{}/stat", self.child.id());
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        // The name in parentheses may hold anything; the times are fields 14 and 15 of the line.
        let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
        let ticks: Result<Vec<u32>, _> = fields.map(str::parse).collect();
        Ok(TICK * ticks.map_err(|error| format!("{path}: {error}"))?.iter().sum())
    }
}

impl Drop for Fairy {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to do.
        let _ = self.send("quit");
        let _ = self.child.wait();
    }
}
