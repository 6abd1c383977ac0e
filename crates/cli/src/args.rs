//! The command line.

use crate::commands::{
    agents, analyse, bench, compare, completions, convert, data, doctor, elo, engine, ladder, matches, mate, moves,
    net, openings, perft, play, play_random, record, report, reproduce, runs, serve, show, strengths, teach,
    tournament, train, worker, workers,
};
use crate::common::options::Common;
use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  tesuji games                               the games, their encoders and symmetries
  tesuji show tictactoe a1 b2 c3             a board
  tesuji moves chess startpos moves e2e4     the replies to 1. e4
  tesuji perft shogi startpos 4              count move paths
  tesuji play-random bingo3d --games 100000  random games and their results
  tesuji convert games.pgn games.tsjr        games from one file format to another
  tesuji match connect4 uct:sims=400 bot     two agents, with Elo and its interval
  tesuji elo alphabeta --at 1350,1500        its rating beside Stockfish's
  tesuji data import games.pgn --out data/x  positions of games, to learn from
  tesuji play connect4                       you against an agent
  tesuji reproduce bingo3d-td --scale smoke  a paper's tables and figures, beside ours
  tesuji report runs/a --out a.html          a run or a match as a page
  tesuji teach td0                           a tabular method learns, beside the exact values
  tesuji serve --open                        all of it in a browser
  tesuji engine --game chess                 an engine for a chess program

POSITION is `startpos` or the game's own notation (FEN, SFEN, a move list, a .tbsmap file), and may
be followed by `moves M1 M2 ...`. It may be quoted or not. Bad input gives one line on standard error
and exit code 2.";

/// What `tesuji` alone prints.
pub const FIRST: &str = "\
Tesuji: a laboratory for game AI on ordinary computers. Begin with one of these:

  tesuji serve --open       play and analyse seven games in a browser
  tesuji play connect4      you against an agent, here in the terminal
  tesuji train              train minishogi from its own games; ten minutes, strength as it grows
  tesuji match minishogi best uct:sims=400 --games 20
                            two agents, and how sure the answer is
  tesuji reproduce --list   five papers, each repeated by one command
  tesuji doctor             what this machine can do

  tesuji --help             all commands; tesuji COMMAND --help has examples
";

/// A laboratory for game AI on ordinary computers.
#[derive(Debug, Parser)]
#[command(name = "tesuji", version, after_help = EXAMPLES, max_term_width = 120)]
pub struct Cli {
    /// Options of every subcommand.
    #[command(flatten)]
    pub common: Common,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the games with their players, encoders and symmetries
    Games,
    /// Show a position as a text board, with side to move, moves, heuristic and outcome
    Show(show::ShowArgs),
    /// List the legal moves of a position, sorted, one a line
    Moves(moves::MovesArgs),
    /// Count move paths: the classical test and measure of a move generator
    Perft(perft::PerftArgs),
    /// Play random games; print results, mean length and rate
    PlayRandom(play_random::PlayRandomArgs),
    /// Show the games in a file
    Record(record::RecordArgs),
    /// Convert games from one file format to another
    Convert(convert::ConvertArgs),
    /// List the agents with their options
    Agents(agents::AgentsArgs),
    /// Let an agent search a position: best move, value, principal variation
    Analyse(analyse::AnalyseArgs),
    /// Look for a forced mate
    Mate(mate::MateArgs),
    /// Play against an agent in the terminal
    Play(play::PlayArgs),
    /// Let two agents play a match: score, Elo with its interval, cost
    Match(matches::MatchArgs),
    /// Let several agents play each other: crosstable and ratings
    Tournament(tournament::TournamentArgs),
    /// Compare agents at equal CPU time, training cost beside it
    Compare(compare::CompareArgs),
    /// Rate an agent by matches against an engine of known strengths
    Elo(elo::EloArgs),
    /// Rate all agents of a game on one scale, at equal processor time; resumable
    Ladder(ladder::LadderArgs),
    /// Find openings that two judges see as even, for matches that measure the players
    Openings(openings::OpeningsArgs),
    /// Data sets of games to learn from: import, generate, describe
    Data(data::DataArgs),
    /// Describe networks; export them to ONNX and import them
    Net(net::NetArgs),
    /// Learn the strengths of move features from games, for playouts
    Strengths(strengths::StrengthsArgs),
    /// Measure how fast this machine is
    Bench(bench::BenchArgs),
    /// Train a network by self-play, deep Q-learning, TD(lambda) or from records; stop and resume at any time
    Train(train::TrainArgs),
    /// Play games for a run whose learner is another process, on this machine or elsewhere
    Worker(worker::WorkerArgs),
    /// List the workers of a cluster: rate, parts, sign of life, audits
    Workers(workers::WorkersArgs),
    /// List runs with their state and latest strength
    Runs(runs::RunsArgs),
    /// Answer a paper's question: train, play, and report ours beside the paper's
    Reproduce(reproduce::ReproduceArgs),
    /// Report a run or a match as a page; compare two
    Report(report::ReportArgs),
    /// Run tabular methods on a small game and compare them with the exact values
    Teach(teach::TeachArgs),
    /// Play, analyse, watch and train in a browser, on a page of this machine
    Serve(serve::ServeArgs),
    /// Be a UCI or USI engine for chess and shogi programs
    Engine(engine::EngineArgs),
    /// Say what this machine can do, and what is missing for which feature
    Doctor(doctor::DoctorArgs),
    /// Print completions for a shell or pages of the documentation, or write manual pages
    Completions(completions::CompletionsArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// The documents: those at the root and all pages.
    fn documents() -> Vec<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let pages = |folder: &Path| {
            let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
            entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect::<Vec<_>>()
        };
        [pages(&root), pages(&root.join("docs"))].concat()
    }

    /// Lines of code blocks and of indented code that are commands of ours, as a shell would split them.
    fn commands(text: &str) -> Vec<Vec<String>> {
        let mut in_block = false;
        let mut found = Vec::new();
        for line in text.lines() {
            in_block ^= line.starts_with("```");
            let is_code = in_block || line.starts_with("    ");
            let line = line.trim_start().trim_start_matches("$ ");
            let is_command = line.starts_with("tesuji ") && !line.contains("...") && !line.contains("[OPTIONS]");
            if let Some(words) = shlex::split(line).filter(|_| is_code && is_command) {
                let ends = |word: &String| ["|", ">", "&&", "&", ";"].contains(&word.as_str());
                found.push(words.into_iter().take_while(|word| !ends(word)).collect());
            }
        }
        found
    }

    #[test]
    fn every_command_of_the_documents_can_be_read() {
        let (mut read, mut wrong) = (0, Vec::new());
        // Examples of commands.md have their explanation behind them.
        for path in documents().into_iter().filter(|path| !path.ends_with("docs/commands.md")) {
            let text = fs::read_to_string(&path).expect("text");
            for words in commands(&text) {
                if let Err(error) = Cli::try_parse_from(&words) {
                    let problem = error.to_string().lines().next().unwrap_or_default().to_owned();
                    wrong.push(format!("{}: {}: {problem}", path.display(), words.join(" ")));
                }
                read += 1;
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(read > 60, "only {read} commands were found");
    }
}
