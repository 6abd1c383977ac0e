//! What the person types: with line editing, history and completion in a terminal, line by line otherwise.

use crate::common::output::Output;
use anyhow::{Context, Result};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Editor, Helper};
use std::io::{self, BufRead, IsTerminal};

/// Where lines come from.
pub enum Prompt {
    /// A terminal: arrows edit and look back, tab completes. The history ends with the game.
    Terminal(Box<Editor<Words, MemHistory>>),
    /// A file, a pipe or a script.
    Plain,
}

impl Prompt {
    /// A terminal if both ends are one.
    pub fn new() -> Result<Prompt> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(Prompt::Plain);
        }
        let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true).build();
        let mut editor = Editor::with_history(config, MemHistory::new()).context("cannot use the terminal")?;
        editor.set_helper(Some(Words::default()));
        Ok(Prompt::Terminal(Box::new(editor)))
    }

    /// The next line; `None` at the end of the input and at Ctrl-C. `words` are what may be typed.
    pub fn line(
        &mut self,
        prompt: &str,
        words: impl FnOnce() -> Vec<String>,
        out: &mut Output,
    ) -> Result<Option<String>> {
        match self {
            Prompt::Plain => {
                out.bytes(prompt.as_bytes())?;
                out.flush()?;
                let mut line = String::new();
                let length = io::stdin().lock().read_line(&mut line).context("cannot read standard input")?;
                Ok((length > 0).then_some(line))
            }
            Prompt::Terminal(editor) => {
                out.flush()?;
                if let Some(helper) = editor.helper_mut() {
                    helper.words = words();
                }
                match editor.readline(prompt) {
                    Ok(line) => Ok(Some(line)),
                    Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
                    Err(error) => Err(error).context("cannot read the terminal"),
                }
            }
        }
    }
}

/// Completes moves and orders.
#[derive(Default)]
pub struct Words {
    words: Vec<String>,
}

impl Words {
    /// The words that begin as the line does.
    fn that_begin(&self, start: &str) -> Vec<String> {
        self.words.iter().filter(|word| word.starts_with(start)).cloned().collect()
    }
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _context: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok((0, self.that_begin(&line[..at])))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_word_is_completed() {
        let words = Words { words: ["7g7f", "7i7h", "undo"].map(str::to_owned).into() };
        assert_eq!(words.that_begin("7"), ["7g7f", "7i7h"]);
        assert_eq!(words.that_begin("u"), ["undo"]);
        assert!(words.that_begin("x").is_empty());
    }
}
