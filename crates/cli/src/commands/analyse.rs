//! `tesuji analyse`: an agent's search of a position.

use crate::common::input::{self, Positions};
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::ranges;
use crate::common::table::Table;
use anyhow::{Result, bail, ensure};
use clap::Args;
use serde_json::json;
use std::time::Instant;
use tesuji_core::error::excerpt;
use tesuji_core::{AnyPosition, Budget, Considered, Found, MoveId, Quiet};
use tesuji_learn::Agents;
use tesuji_search::AgentSource;

/// Arguments of `tesuji analyse`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji analyse connect4 d d c --agent uct:sims=10000
  tesuji analyse chess --agent alphabeta --budget time=2s
  tesuji analyse shogi --file positions.txt --agent alphabeta:depth=3 --json
  tesuji analyse tubstap --agent pv:net=tubstap --budget sims=500

A tree search shows of each move its prior (with a network: the policy, which `policy:net=...` plays by), its visits,
their share, and its value for the side to move. --json has them as \"moves\", and a probability for each legal move,
adding up to 1, as \"policy\".")]
pub struct AnalyseArgs {
    /// A game, see `tesuji games`
    game: String,
    #[command(flatten)]
    positions: Positions,
    /// The agent that searches, see `tesuji agents`
    #[arg(long, default_value = "best")]
    agent: String,
    /// How long: `time=1s`, `sims=1000`, `nodes=100000`, `depth=5`, or several joined by commas
    #[arg(long, default_value = "time=1s")]
    budget: Budget,
    /// The seed of random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many moves to list
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = ranges::lines::<usize>())]
    moves: usize,
}

/// Runs the subcommand.
pub fn run(args: &AnalyseArgs, common: &Common, out: &mut Output) -> Result<()> {
    let kit = tesuji_registry::kit(&args.game, common.rules)?;
    let agents = Agents::of(kit.as_ref());
    let Some(mut searcher) = agents.searcher(&args.agent, args.seed)? else {
        bail!("{:?} only plays; analyse with an agent of our own", args.agent);
    };
    args.positions.each(out, |text, out| {
        let position = input::position(agents.game().as_ref(), text)?;
        ensure!(position.outcome().is_none(), "the game is over there: {}", position.ending());
        if let Some(problem) = searcher.search.refusal(position.as_ref()) {
            bail!("{:?} cannot search {:?}: {problem}", args.agent, excerpt(text));
        }
        searcher.search.new_game(args.seed);
        let clock = Instant::now();
        let found = searcher.search.search(position.as_ref(), &searcher.budget(&args.budget), &mut Quiet);
        let considered = searcher.search.considered();
        let analysis = Analysis { position: position.as_ref(), found: &found, considered: &considered, clock };
        if out.json { analysis.print_json(out) } else { analysis.print(args.moves, out) }
    })
}

struct Analysis<'a> {
    position: &'a dyn AnyPosition,
    found: &'a Found<MoveId>,
    /// Of a tree search: the policy before it and the visits, side by side.
    considered: &'a [Considered<MoveId>],
    clock: Instant,
}

impl Analysis<'_> {
    /// The moves with their probability, the likeliest first.
    fn policy(&self) -> Vec<(String, f32)> {
        let mut policy: Vec<(String, f32)> =
            self.found.policy.iter().map(|&(mv, share)| (self.position.format_move(mv), share)).collect();
        policy.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        policy
    }

    /// The moves of a tree search with their share of the visits, the most visited first, then by their prior.
    fn shares(&self) -> Vec<(&Considered<MoveId>, f64)> {
        let all: u64 = self.considered.iter().map(|of| of.visits).sum();
        let mut shares: Vec<_> = self.considered.iter().map(|of| (of, of.visits as f64 / all.max(1) as f64)).collect();
        shares.sort_by(|(a, _), (b, _)| b.visits.cmp(&a.visits).then_with(|| b.prior.total_cmp(&a.prior)));
        shares
    }

    /// A tree search's moves: what the policy said of them before, and what the search made of them.
    fn print_shares(&self, most: usize, out: &mut Output) -> Result<()> {
        let mut table = Table::new().right(1..5);
        table.row(["  move", "prior", "visits", "share", "value"]);
        for (of, share) in self.shares().into_iter().take(most) {
            let value = of.value.map(|value| format!("{:+.3}", value.for_side(self.position.mover())));
            table.row([
                format!("  {}", self.position.format_move(of.mv)),
                format!("{:.1}%", 100.0 * of.prior),
                of.visits.to_string(),
                format!("{:.1}%", 100.0 * share),
                value.unwrap_or_else(|| "-".to_owned()),
            ]);
        }
        out.bytes(table.text().as_bytes())
    }

    fn print(&self, most: usize, out: &mut Output) -> Result<()> {
        let (found, mover) = (self.found, self.position.mover());
        let mut table = Table::new();
        table.row(["position".to_owned(), self.position.text()]);
        table.row(["best".to_owned(), self.position.format_move(found.best)]);
        let value = found.value.for_side(mover);
        table.row([
            "value".to_owned(),
            format!("{value:+.3} for {}, who is to move", self.position.game().side_name(mover)),
        ]);
        if let Some(outcome) = found.proof {
            table.row(["proved".to_owned(), outcome.to_string()]);
        }
        table.row(["line".to_owned(), self.position.format_line(&found.line).join(" ")]);
        let seconds = self.clock.elapsed().as_secs_f64();
        let rate = found.nodes as f64 / seconds.max(1e-9) / 1e3;
        let work = format!("{} nodes, {} simulations, depth {}", found.nodes, found.simulations, found.depth);
        table.row(["work".to_owned(), format!("{work}, {seconds:.2} s, {rate:.0} thousand nodes/s")]);
        if !self.considered.is_empty() {
            out.bytes(table.text().as_bytes())?;
            return self.print_shares(most, out);
        }
        for (text, share) in self.policy().into_iter().take(most).filter(|&(_, share)| share > 0.0) {
            table.row([format!("  {text}"), format!("{:5.1}%", 100.0 * share)]);
        }
        out.bytes(table.text().as_bytes())
    }

    fn print_json(&self, out: &mut Output) -> Result<()> {
        let (found, mover) = (self.found, self.position.mover());
        let moves = self.shares().into_iter().map(|(of, share)| {
            json!({
                "move": self.position.format_move(of.mv), "prior": of.prior, "visits": of.visits, "share": share,
                "value": of.value.map(|value| value.for_side(mover)),
            })
        });
        out.object(&json!({
            "position": self.position.text(),
            "best": self.position.format_move(found.best),
            "value": found.value.for_side(self.position.mover()), "value_first": found.value,
            "proof": found.proof.map(crate::common::words::outcome_word), "line": self.position.format_line(&found.line),
            "nodes": found.nodes, "simulations": found.simulations, "evaluations": found.evaluations,
            "depth": found.depth, "seconds": self.clock.elapsed().as_secs_f64(), "policy": self.policy(),
            "moves": moves.collect::<Vec<_>>(),
        }))
    }
}
