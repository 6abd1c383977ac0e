//! `tesuji play`: a person against an agent.
//!
//! | file | what it holds |
//! |---|---|
//! | `prompt` | what the person types, with line editing in a terminal |
//! | `words` | what the person is told: results, lists of moves, expected lines |

mod prompt;
mod words;

use crate::common::contest;
use crate::common::input;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::save::Saver;
use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use prompt::Prompt;
use std::path::PathBuf;
use std::sync::Arc;
use tesuji_core::{AnyGame, AnyPosition, Budget, GameLine, GameRecord, MoveId, Player, Side, Style};
use tesuji_games::formats;
use tesuji_learn::Agents;
use tesuji_learn::agents::best;
use tesuji_search::AgentSource;

const HELP: &str = "a move, or one of: undo, hint, moves, board, save FILE, resign, help, quit";
/// What may be typed beside moves.
const ORDERS: [&str; 8] = ["undo", "hint", "moves", "board", "save ", "resign", "help", "quit"];

/// Arguments of `tesuji play`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji play connect4
  tesuji play shogi uct:sims=5000 --side second --kanji
  tesuji play minishogi --save game.tsjr

In the game: a move, or undo, hint, moves, board, save FILE, resign, help, quit. A move may be written as the game's people
write it: Nf3; ７六歩, 76歩, 同銀, P-7f, Bx3c+, P*5e. In a terminal the arrow keys edit the line and look back, and tab
completes moves. Moves of TUBSTAP's units are listed with what an attack will cost both.")]
pub struct PlayArgs {
    /// A game, see `tesuji games`
    game: String,
    /// The opponent, see `tesuji agents`
    #[arg(default_value = "best")]
    agent: String,
    /// The opponent, as `analyse` and `engine` name it
    #[arg(long = "agent", value_name = "AGENT", conflicts_with = "agent")]
    named: Option<String>,
    /// Which side you play
    #[arg(long, value_enum, default_value = "first")]
    side: Seat,
    /// Start from this position
    #[arg(long, value_name = "POSITION", default_value = "startpos")]
    position: String,
    /// What the opponent may spend on a move
    #[arg(long, value_name = "BUDGET", default_value = "time=1s")]
    budget: Budget,
    /// The seed of the opponent's random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, value_name = "FILE", help = format!("Save the game here at its end; the name tells the format: {}", formats::titles()))]
    save: Option<PathBuf>,
    /// Japanese piece names, where the game has them
    #[arg(long)]
    kanji: bool,
}

/// A side on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Seat {
    /// Move first.
    First,
    /// Move second.
    Second,
}

/// Runs the subcommand.
pub fn run(args: &PlayArgs, common: &Common, out: &mut Output) -> Result<()> {
    let kit = tesuji_registry::kit(&args.game, common.rules)?;
    let agents = Agents::of(kit.as_ref());
    let game = agents.game();
    let start = input::position(game.as_ref(), &args.position)?;
    let mut opponent =
        contest::make_player(&agents, args.named.as_deref().unwrap_or(&args.agent)).map_err(anyhow::Error::msg)?;
    opponent.new_game(args.seed)?;
    let mut table = Sitting {
        line: GameLine {
            game: game.name().to_owned(),
            rules: game.rules(),
            // The history of a position with moves is kept by naming the position that they led to.
            start: if args.position == "startpos" { args.position.clone() } else { start.text() },
            moves: Vec::new(),
        },
        positions: vec![start],
        person: match args.side {
            Seat::First => Side::First,
            Seat::Second => Side::Second,
        },
        style: Style { color: out.color, kanji: args.kanji },
        budget: args.budget,
        opponent,
        resigned: false,
        game,
    };
    table.opponent.check(&table.line, &table.budget)?;
    table.play(out)?;
    if let Some(path) = &args.save {
        table.save(path, out)?;
    }
    Ok(())
}

/// A game between a person and an agent.
struct Sitting {
    game: Arc<dyn AnyGame>,
    line: GameLine,
    /// The positions since the start: one more than moves.
    positions: Vec<Box<dyn AnyPosition>>,
    person: Side,
    style: Style,
    budget: Budget,
    opponent: Box<dyn Player>,
    resigned: bool,
}

impl Sitting {
    fn now(&self) -> &dyn AnyPosition {
        self.positions[self.positions.len() - 1].as_ref()
    }

    fn play(&mut self, out: &mut Output) -> Result<()> {
        let name = self.game.side_name(self.person);
        let opponent = self.opponent.name();
        let stands_for = best::in_game(self.game.name(), &opponent);
        let stands_for = if stands_for == opponent { String::new() } else { format!(" ({stands_for})") };
        out.line(&format!("You are {name}, {opponent}{stands_for} is the opponent. Type {HELP}."))?;
        if let Some(legend) = words::legend(self.game.name()) {
            out.line(legend)?;
        }
        self.board(out)?;
        let mut prompt = Prompt::new()?;
        loop {
            if let Some(outcome) = self.now().outcome() {
                return out.line(&words::result(self.now(), outcome, self.person));
            }
            if self.now().mover() != self.person {
                self.answer(out)?;
                self.board(out)?;
                continue;
            }
            let number = self.line.moves.len() + 1;
            let Some(typed) = prompt.line(&format!("{number}. {name}> "), || self.typeable(), out)? else {
                return out.line("");
            };
            if !self.obey(typed.trim(), out)? {
                return Ok(());
            }
        }
    }

    /// What may be typed now: moves and orders.
    fn typeable(&self) -> Vec<String> {
        let moves = self.now().moves().into_iter().map(|mv| self.now().format_move(mv));
        moves.chain(ORDERS.map(str::to_owned)).collect()
    }

    /// The move before this turn.
    fn last(&self) -> Option<MoveId> {
        let before = self.positions.len().checked_sub(2)?;
        self.positions[before].parse_move(self.line.moves.last()?).ok()
    }

    /// Does what the person typed; `false` ends the sitting.
    fn obey(&mut self, text: &str, out: &mut Output) -> Result<bool> {
        match text.split_once(' ').unwrap_or((text, "")) {
            ("", _) => {}
            ("help", _) => out.line(&format!("Type {HELP}."))?,
            ("quit", _) => return Ok(false),
            ("resign", _) => {
                self.resigned = true;
                out.line("you resigned")?;
                return Ok(false);
            }
            ("board", _) => self.board(out)?,
            ("moves", _) => out.line(&words::moves(self.now()))?,
            ("save", path) if !path.is_empty() => {
                let path = PathBuf::from(path.trim());
                if let Err(error) = self.save(&path, out) {
                    out.line(&format!("{error:#}"))?;
                }
            }
            ("hint", _) => match self.opponent.choose(&self.line, &self.budget) {
                Ok(choice) => out.line(&format!("perhaps {}", words::both(self.now(), &choice.text)))?,
                Err(error) => out.line(&format!("no hint: {error}"))?,
            },
            ("undo", _) => {
                // Back to the person's previous turn.
                if self.line.moves.is_empty() {
                    out.line("there is nothing to take back")?;
                }
                while self.line.moves.pop().is_some() {
                    self.positions.pop();
                    if self.now().mover() == self.person {
                        break;
                    }
                }
                self.board(out)?;
            }
            _ => match self.now().read_move(text, self.last()) {
                Ok(mv) => {
                    self.push(mv)?;
                    self.board(out)?;
                }
                Err(error) => out.line(&format!("{error}; type {HELP}"))?,
            },
        }
        Ok(true)
    }

    fn answer(&mut self, out: &mut Output) -> Result<()> {
        let choice = self.opponent.choose(&self.line, &self.budget)?;
        let mv = self.now().parse_move(&choice.text).context("the opponent's move")?;
        let value = choice.value.map_or(String::new(), |value| format!("  ({value:+.2} for itself)"));
        let (name, number) = (self.game.side_name(self.person.other()), self.line.moves.len() + 1);
        out.line(&format!("{number}. {name} plays {}{value}", words::both(self.now(), &choice.text)))?;
        let expected = words::line(self.now(), &choice.line);
        if expected.len() > 1 {
            out.line(&format!("   and expects {}", expected[1..].join(" ")))?;
        }
        self.push(mv)
    }

    fn push(&mut self, mv: MoveId) -> Result<()> {
        let mut next = self.now().boxed();
        let text = next.format_move(mv);
        next.play(mv)?;
        self.line.moves.push(text);
        self.positions.push(next);
        Ok(())
    }

    fn board(&self, out: &mut Output) -> Result<()> {
        out.line("")?;
        out.line(&self.now().render(self.style))?;
        for note in words::notes(self.now()) {
            out.line(&note)?;
        }
        out.line("")
    }

    fn save(&self, path: &std::path::Path, out: &mut Output) -> Result<()> {
        let mut record =
            GameRecord::new(self.game.name(), self.game.rules(), self.game.rules_version(), &self.line.start);
        for (position, text) in self.positions.iter().zip(&self.line.moves) {
            record.push(position.parse_move(text)?);
        }
        ensure!(!record.moves.is_empty(), "no moves to save");
        record.outcome = self.now().outcome();
        record.ending = self.now().ending().to_owned();
        if self.resigned {
            record.outcome = Some(tesuji_core::Outcome::Win(self.person.other()));
            record.ending = "resignation".to_owned();
        }
        let names = match self.person {
            Side::First => ["you".to_owned(), self.opponent.name()],
            Side::Second => [self.opponent.name(), "you".to_owned()],
        };
        record.tag_players(Side::BOTH.map(|side| self.game.side_name(side)), names);
        Saver::new(self.game.as_ref(), path)?.write([Ok(record)])?;
        out.line(&format!("saved to {}", path.display()))
    }
}
