//! The pages of the documentation that are made from the program: its commands, its agents.
//!
//! `tesuji completions --markdown PAGE` prints them; a test holds the files in `docs` against it.

use clap::{Arg, Command, ValueEnum};
use std::fmt::Write;
use tesuji_learn::agents::{AgentSpec, best};

/// A page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Page {
    /// docs/commands.md
    Commands,
    /// docs/agent-options.md
    AgentOptions,
}

/// The text of a page; `command` is the whole command line.
pub fn page(page: Page, command: &mut Command) -> String {
    match page {
        Page::Commands => commands(command),
        Page::AgentOptions => agents(),
    }
}

/// What stands at the top of a page: what it is, and how it is renewed.
fn top(title: &str, page: &str) -> String {
    format!(
        "# {title}\n\nMade from the program: `tesuji completions --markdown {page} > docs/{page}.md` renews this page, and a test \
         compares them.\n\n"
    )
}

fn commands(command: &mut Command) -> String {
    command.build();
    let mut text = top("Commands", "commands");
    text += "Every command takes these options:\n\n";
    for arg in command.get_arguments().filter(|arg| arg.is_global_set() && !is_help(arg)) {
        text += &option(arg);
    }
    text += "\n`--help` shows what stands here, with examples. Bad input gives one line on standard error and exit code 2.\n";
    let children: Vec<&Command> = listed(command);
    text += "\n| command | what it does |\n|---|---|\n";
    for child in &children {
        let name = child.get_name();
        let _ = writeln!(text, "| [`{name}`](#tesuji-{name}) | {} |", about(child));
    }
    for child in children {
        section(child, "tesuji", 2, &mut text);
    }
    text
}

fn listed(command: &Command) -> Vec<&Command> {
    command.get_subcommands().filter(|child| child.get_name() != "help" && !child.is_hide_set()).collect()
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// A subcommand with its own subcommands.
fn section(command: &Command, parent: &str, level: usize, text: &mut String) {
    let name = format!("{parent} {}", command.get_name());
    let _ = write!(text, "\n{} {name}\n\n{}.\n", "#".repeat(level), about(command));
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let _ = write!(text, "\n```text\n{usage}\n```\n");
    let own = |arg: &&Arg| !arg.is_global_set() && !is_help(arg) && !arg.is_hide_set();
    if command.get_arguments().any(|arg| own(&arg)) {
        text.push('\n');
    }
    for arg in command.get_arguments().filter(own) {
        text.push_str(&option(arg));
    }
    if let Some(examples) = command.get_after_help() {
        let _ = write!(text, "\n```text\n{}\n```\n", examples.to_string().trim_end());
    }
    for child in listed(command) {
        section(child, &name, level + 1, text);
    }
}

fn is_help(arg: &Arg) -> bool {
    ["help", "version"].contains(&arg.get_id().as_str())
}

/// An argument as an item of a list.
fn option(arg: &Arg) -> String {
    let values: Vec<String> = arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
    let value = values.join(" ");
    let takes = arg.get_action().takes_values();
    let name = match (arg.get_long(), takes) {
        (Some(long), true) => format!("--{long} {value}"),
        (Some(long), false) => format!("--{long}"),
        (None, _) => value,
    };
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut line = format!("- `{}`: {}", name.trim_end(), plain(&help));
    let choices: Vec<String> = if takes {
        arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect()
    } else {
        Vec::new()
    };
    if !choices.is_empty() {
        let _ = write!(line, "; one of {}", choices.join(", "));
    }
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if takes && !defaults.is_empty() {
        let _ = write!(line, "; default {}", defaults.join(" "));
    }
    line + "\n"
}

/// A text of the program as Markdown: nothing of it is a tag or the end of a cell.
fn plain(text: &str) -> String {
    text.replace('<', "\\<").replace('|', "\\|")
}

/// With a capital letter in front.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn agents() -> String {
    let mut text = top("Options of agents", "agent-options");
    text += "An agent is one line, the same everywhere: `NAME` or `NAME:KEY=VALUE,KEY=VALUE`. What the numbers mean and which \
             options go together: [agents.md](agents.md).\n";
    for kind in AgentSpec::kinds() {
        let _ = write!(text, "\n## {}\n\n{}.\n", kind.name, sentence(&plain(kind.about)));
        if let Some(line) = kind.stands_for {
            let _ = write!(text, "\nStands for `{line}`.\n");
        }
        if kind.name == best::NAME {
            text += "\n| game | line |\n|---|---|\n";
            for (game, line) in best::BEST {
                let _ = writeln!(text, "| {game} | `{line}` |");
            }
        }
        if kind.stands_for.is_none() && !kind.keys.is_empty() {
            text += "\n| key | default | what it is | what may be written |\n|---|---|---|---|\n";
            for key in &kind.keys {
                let default = if key.default.is_empty() { String::new() } else { format!("`{}`", key.default) };
                let _ = writeln!(text, "| `{}` | {default} | {} | {} |", key.name, plain(&key.help), plain(&key.form));
            }
        }
    }
    text
}
