//! Help texts at the width of the terminal, and the words of parsers in plain English.

use clap::Command;
use std::ffi::OsString;

/// The command with texts behind the options that flow: our source breaks their lines at 120 columns, and in a narrower
/// terminal clap would break them a second time, in the middle of nowhere.
pub fn flowing(command: Command) -> Command {
    let texts: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let after = command.get_after_help().map(|text| flow(&text.to_string()));
    let command = match after {
        Some(text) => command.after_help(text),
        None => command,
    };
    texts.iter().fold(command, |command, name| command.mut_subcommand(name, flowing))
}

/// Lines of prose that follow each other as one. Indented lines (examples, tables) and headings stay as they are.
fn flow(text: &str) -> String {
    let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
    let mut flowed = String::new();
    let mut before = "";
    for line in text.lines() {
        if !flowed.is_empty() {
            flowed.push(if is_prose(before) && is_prose(line) && !before.ends_with(':') { ' ' } else { '\n' });
        }
        flowed += line;
        before = line;
    }
    flowed
}

/// The subcommands that the arguments name, in order: `match`, or `data import`.
pub fn subcommands(command: &Command, arguments: &[OsString]) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = command;
    for argument in arguments.iter().skip(1) {
        let Some(next) = argument.to_str().and_then(|word| at.find_subcommand(word)) else {
            continue;
        };
        // `help` has no help of its own.
        if next.get_name() != "help" {
            names.push(next.get_name().to_owned());
        }
        at = next;
    }
    names
}

/// A message with the words of the standard library's parsers of numbers in those that people use.
pub fn plain(message: &str) -> String {
    [
        ("invalid digit found in string", "expected a whole number"),
        ("cannot parse integer from empty string", "expected a whole number"),
        ("number too large to fit in target type", "the number is too large"),
        ("number too small to fit in target type", "the number is too small"),
        ("invalid float literal", "expected a number"),
        ("cannot parse float from empty string", "expected a number"),
    ]
    .into_iter()
    .fold(message.to_owned(), |message, (theirs, ours)| message.replace(theirs, ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_flows_and_examples_stay() {
        let text = "Examples:\n  tesuji a\n  tesuji b\n\nA long\nsentence.\n\nSolvers:\n  x  y\n\nThe end.";
        let flowed = "Examples:\n  tesuji a\n  tesuji b\n\nA long sentence.\n\nSolvers:\n  x  y\n\nThe end.";
        assert_eq!(flow(text), flowed);
        assert_eq!(flow("Formats:\na, b\nc"), "Formats:\na, b c");
    }

    #[test]
    fn subcommands_are_found_behind_options() {
        let data = Command::new("data").subcommand(Command::new("import"));
        let command = Command::new("tesuji").subcommand(data).subcommand(Command::new("match"));
        let found = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            subcommands(&command, &words).join(" ")
        };
        assert_eq!(found("tesuji data import x --out y"), "data import");
        assert_eq!(found("tesuji --json match chess a"), "match");
        assert_eq!(found("tesuji nothing"), "");
    }
}
