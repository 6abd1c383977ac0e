//! Games of `tesuji data generate` that other processes play.

use crate::common::crew::CrewArgs;
use anyhow::{Result, bail};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tesuji_core::GameRecord;
use tesuji_learn::GameKit;
use tesuji_learn::cluster::unit::to_name;
use tesuji_learn::cluster::{Contest, Foreman, NetworkSum, Networks, Purpose, Seat, Task, Terms, Transport};
use tesuji_learn::data::generate::{AT_ONCE, Plan};
use tesuji_learn::run::{Order, PlayedGame, Workers};
use tesuji_nn::{ConvMethod, Isa, KernelPath};

/// Games that a worker plays at a time.
const PART: u64 = 8;

/// Whom a finished game and its number are handed to.
pub type Keep<'k> = dyn FnMut(u64, GameRecord) -> Result<(), String> + 'k;

/// Games between agents that other processes play.
pub struct Hosted<'t> {
    foreman: Foreman<'t>,
    kit: &'t dyn GameKit,
    /// What workers are sent.
    bytes: Vec<u8>,
    contest: Contest,
}

impl<'t> Hosted<'t> {
    /// The games of a plan, which go to this directory.
    pub fn new(
        crew: &CrewArgs,
        transport: &'t dyn Transport,
        kit: &'t dyn GameKit,
        (plan, out): (&Plan, &Path),
    ) -> Result<Hosted<'t>> {
        let (game, spec, method) = (kit.game(), plan.spec.clone(), ConvMethod::Direct);
        let seats = spec.players.clone().map(Seat::Line);
        let terms = Terms { purpose: Purpose::Data, spec, seats, method };
        if let Some(problem) = terms.refusal() {
            bail!("--workers: {problem}");
        }
        let mut networks = Networks::new();
        terms.add_networks(game.as_ref(), &mut networks).map_err(anyhow::Error::msg)?;
        let bytes = terms.to_bytes(&networks);
        let task = Task::of_agents(game.name(), terms.spec.players.iter().map(String::as_str), None);
        let directory = out.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        // Other games, or more of them, are another piece of work.
        let sum = NetworkSum::of(0, &[bytes.as_slice(), &plan.games.to_le_bytes()].concat()).crc32;
        let name = format!("{}-{sum:08x}", to_name(&directory));
        let contest = Contest::sent(&bytes, true).map_err(anyhow::Error::msg)?;
        let mut foreman = crew.host(transport, &name, task, game);
        foreman.repeats(contest.of(kit).repeats());
        Ok(Hosted { foreman, kit, bytes, contest })
    }

    /// Has games played; `keep` gets each.
    pub fn play(
        &mut self,
        plan: &Plan,
        numbers: Range<u64>,
        stop: &AtomicBool,
        keep: &mut Keep<'_>,
    ) -> Result<(), String> {
        let generation = numbers.start / AT_ONCE;
        let todo: Vec<u64> = numbers.collect();
        let order = Order {
            generation,
            games: plan.games,
            todo: &todo,
            size: PART,
            before: 0,
            network: &|| self.bytes.clone(),
            path: KernelPath { isa: Isa::best(), method: ConvMethod::Direct },
            threads: plan.threads,
            stop,
        };
        let mut done = |played: PlayedGame| keep(played.index, played.record);
        let here = self.contest.of(self.kit);
        self.foreman.play(&order, &here, &mut done, &mut |line| eprintln!("{line}")).map(drop)
    }
}
