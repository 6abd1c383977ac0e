//! Starts the threads of the engine and reads its input.

use super::control::Control;
use super::event::Event;
use super::settings::ServeError;
use super::voice::Voice;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{self, Sender};
use tesuji_search::AgentSource;

/// Longer lines are no commands: the moves of the longest games take tens of kilobytes.
const LONGEST_LINE: usize = 1 << 20;

/// Plays a game for a client that speaks UCI or USI, until it says `quit` or its input ends.
///
/// # Errors
/// If the agent cannot be made, or its search fails.
pub fn serve(
    agents: &dyn AgentSource,
    agent: &str,
    seed: u64,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), ServeError> {
    let (sender, events) = mpsc::channel();
    let voice = Voice::new(output);
    let mut control = Control::start(agents, agent, seed, voice, (sender.clone(), events))?;
    std::thread::spawn(move || read_lines(input, &sender));
    control.converse()
}

/// Passes lines on until the input ends or nobody listens.
fn read_lines(input: impl Read, events: &Sender<Event>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut line);
        let event = match read {
            Ok(0) | Err(_) => Event::End,
            Ok(_) if line.len() == LONGEST_LINE && line.last() != Some(&b'\n') => {
                if !skip_line(&mut input) {
                    let _ = events.send(Event::End);
                    return;
                }
                Event::TooLong
            }
            Ok(_) => Event::Line(String::from_utf8_lossy(&line).into_owned()),
        };
        let over = matches!(event, Event::End);
        if events.send(event).is_err() || over {
            return;
        }
    }
}

/// Passes over the rest of a line; `false` if the input ends before.
fn skip_line(input: &mut impl BufRead) -> bool {
    loop {
        let Ok(buffer) = input.fill_buf() else { return false };
        if buffer.is_empty() {
            return false;
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let used = end.map_or(buffer.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return true;
        }
    }
}
