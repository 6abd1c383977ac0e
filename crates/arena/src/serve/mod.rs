//! Being an engine: UCI and USI, from the side of the one who is asked.
//!
//! | file | what it holds |
//! |---|---|
//! | `command` | what a client may say |
//! | `dialect` | what differs between UCI and USI |
//! | `settings` | the options |
//! | `clock` | how much of the clock to spend on a move |
//! | `control` | the conversation |
//! | `worker` | the thread that thinks |
//!
//! Three threads: one reads lines, one thinks, and the one that called [`serve`] keeps the conversation. So `isready` and
//! `stop` are answered while a search runs. Whatever the client sends, it gets an answer or an `info string`, never a
//! crash; the end of its input is `quit`.

mod clock;
mod command;
mod control;
mod dialect;
mod settings;
mod worker;

pub use settings::ServeError;

use control::Control;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use tesuji_search::AgentSource;

/// Longer lines are no commands: the moves of the longest games take tens of kilobytes.
const LONGEST_LINE: usize = 1 << 20;

/// Something that happened.
enum Event {
    /// The client said something.
    Line(String),
    /// The client said something that is too long to be meant.
    TooLong,
    /// The client has gone.
    End,
    /// The thread that thinks has an answer.
    Answer(worker::Answer),
    /// The thread that thinks is gone.
    Gone,
}

/// Where answers go: lines of two threads do not mix.
#[derive(Clone)]
struct Voice(Arc<Mutex<dyn Write + Send>>);

impl Voice {
    fn say(&self, line: &str) {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A client that does not listen any more will close our input as well, which ends us.
        let _ = writeln!(output, "{line}").and_then(|()| output.flush());
    }
}

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
    let voice = Voice(Arc::new(Mutex::new(output)));
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
