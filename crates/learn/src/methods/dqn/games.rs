//! The games of deep Q-learning: all of it that knows their types.

use super::memory::{OneByOne, TransitionMemory, Transitions};
use super::options::DqnOptions;
use super::replay::Replay;
use super::transitions::{Games, Transition};
use crate::agents::dqn::{Action, Layout, QEvaluator, Reader, Rows};
use crate::methods::replayed::accepted;
use crate::play::epsilon::Playing;
use crate::play::{Chooser, EpsilonPlan, EpsilonPlay, RootSolver};
use crate::run::ledger::PlayCost;
use crate::run::{Play, parallel};
use std::any::Any;
use std::sync::Arc;
use tesuji_core::game::parse_line;
use tesuji_core::{Encoder, Game, GameRecord, Move, Position};
use tesuji_nn::{Model, Worker};

/// The transitions of a game, read by an encoder.
pub struct Memory<G: Game> {
    games: Games<G>,
    reader: Arc<Reader<G::Position>>,
}

impl<G: Game> Memory<G> {
    /// An empty memory.
    pub fn new(game: &G, encoder: Arc<dyn Encoder<G::Position>>, options: DqnOptions) -> Memory<G> {
        let reader = Arc::new(Reader::new(encoder, options.pairs));
        Memory { games: Games::new(game.clone(), options, 0), reader }
    }
}

impl<G: Game> TransitionMemory for Memory<G> {
    fn layout(&self) -> Layout {
        self.reader.layout()
    }

    fn replay(&self) -> &Replay {
        self.games.replay()
    }

    fn replay_mut(&mut self) -> &mut Replay {
        self.games.replay_mut()
    }

    fn reset(&mut self, count: u64) {
        self.games.reset(count);
    }

    fn push(&mut self, generation: u64, record: &GameRecord) -> Result<(), String> {
        let start = parse_line(self.games.game(), &record.start).map_err(|error| error.to_string())?;
        accepted(self.reader.encoder(), &start)?;
        self.games.push(generation, record)
    }

    fn begin(&mut self, generation: u64, start: &dyn Any) {
        let start = start.downcast_ref::<G::Position>().expect("a position of this game");
        self.games.begin(generation, start.clone());
    }

    fn play(&mut self, bits: u32, random: bool) {
        if let Some(mv) = Move::from_bits(bits) {
            self.games.play(mv, random);
        }
    }

    fn finish(&mut self) {
        self.games.finish();
    }

    fn transitions(&self, slots: &[usize]) -> Box<dyn Transitions + '_> {
        let list = parallel::map(slots.len(), &|number| self.games.transition(slots[number]));
        Box::new(Drawn { reader: &self.reader, list })
    }

    fn generation<'a>(&'a self, plan: EpsilonPlan<'a>, model: Arc<Model>) -> Box<dyn Play + 'a> {
        let chooser = move || -> Box<dyn Chooser<G::Position>> {
            let worker = Worker::new(Arc::clone(&model));
            Box::new(Greedy { reader: Arc::clone(&self.reader), worker, views: Vec::new(), evaluations: 0 })
        };
        Box::new(EpsilonPlay { games: plan.of(self.games.game()), chooser: Box::new(chooser) })
    }

    fn one_by_one<'a>(&self, plan: EpsilonPlan<'a>) -> Box<dyn OneByOne + 'a> {
        let game = self.games.game().clone();
        let solver = plan.of(&game).series.solver();
        Box::new(Alone { game, plan, reader: Arc::clone(&self.reader), solver, playing: None })
    }
}

/// Transitions that were drawn.
struct Drawn<'a, P: Position> {
    reader: &'a Arc<Reader<P>>,
    list: Vec<Transition<P>>,
}

impl<P: Position> Drawn<'_, P> {
    fn next(&self, number: usize) -> &P {
        let next = self.list[number].next.as_ref();
        next.map(|(position, _)| position).expect("asked where there is a next position")
    }
}

impl<P: Position> Transitions for Drawn<'_, P> {
    fn action(&self, number: usize) -> Action {
        let Transition { position, mv, .. } = &self.list[number];
        self.reader.action(position, *mv)
    }

    fn encode(&self, number: usize, view: usize, input: &mut [f32]) {
        self.reader.encoder().encode(&self.list[number].position, view, input);
    }

    fn reward(&self, number: usize) -> f32 {
        self.list[number].reward
    }

    fn factor(&self, number: usize) -> Option<f32> {
        self.list[number].next.as_ref().map(|&(_, factor)| factor)
    }

    fn encode_next(&self, number: usize, out: &mut Vec<f32>) -> usize {
        self.reader.encode(self.next(number), out)
    }

    fn best_next(&self, number: usize, rows: Rows<'_>) -> (Action, [f32; 2]) {
        let (position, mut moves) = (self.next(number), Vec::new());
        position.moves(&mut moves);
        let (mv, values) = self.reader.best(position, &moves, rows);
        (self.reader.action(position, mv), values)
    }

    fn searched_next(&self, numbers: &[usize], worker: Worker, simulations: u64) -> Vec<f32> {
        let mut evaluator = QEvaluator::new(Arc::clone(self.reader), worker);
        numbers.iter().map(|&number| evaluator.searched(self.next(number), simulations)).collect()
    }
}

/// Chooses the greatest Q of a network that stands still.
struct Greedy<P: Position> {
    reader: Arc<Reader<P>>,
    worker: Worker,
    views: Vec<f32>,
    evaluations: u64,
}

impl<P: Position> Chooser<P> for Greedy<P> {
    fn choose(&mut self, asked: &[(&P, &[P::Move])]) -> Vec<P::Move> {
        self.views.clear();
        let counts: Vec<usize> =
            asked.iter().map(|(position, _)| self.reader.encode(position, &mut self.views)).collect();
        if counts.is_empty() {
            return Vec::new();
        }
        self.worker.run(&self.views);
        let mut first = 0;
        let chosen = asked.iter().zip(counts).map(|(&(position, moves), count)| {
            let rows = Rows::of(&self.worker, first, count);
            first += count;
            self.reader.best(position, moves, rows).0
        });
        let chosen = chosen.collect();
        self.evaluations += first as u64;
        chosen
    }

    fn evaluations(&self) -> u64 {
        self.evaluations
    }
}

/// Games one by one.
struct Alone<'a, G: Game> {
    game: G,
    plan: EpsilonPlan<'a>,
    reader: Arc<Reader<G::Position>>,
    solver: Option<RootSolver>,
    /// The game under way.
    playing: Option<Playing<G::Position>>,
}

/// Why there must be a game under way.
const BEGUN: &str = "asked behind the begin of a game";

impl<G: Game> OneByOne for Alone<'_, G> {
    fn begin(&mut self, index: u64) {
        self.playing = Some(self.plan.of(&self.game).new_game(index));
    }

    fn position(&self) -> &dyn Any {
        &self.playing.as_ref().expect(BEGUN).game.position
    }

    fn is_over(&mut self) -> bool {
        self.playing.as_mut().expect(BEGUN).game.is_over()
    }

    fn plays_alone(&mut self, cost: &mut PlayCost) -> bool {
        let playing = self.playing.as_mut().expect(BEGUN);
        self.plan.of(&self.game).plays_alone(playing, &mut self.solver, cost)
    }

    fn encode(&self, out: &mut Vec<f32>) -> usize {
        self.reader.encode(&self.playing.as_ref().expect(BEGUN).game.position, out)
    }

    fn play_best(&mut self, rows: Rows<'_>) {
        let playing = self.playing.as_mut().expect(BEGUN);
        let (position, moves) = playing.asked();
        let (mv, _) = self.reader.best(position, moves, rows);
        playing.game.play(mv, None);
    }

    fn latest(&self) -> Option<(u32, bool)> {
        let playing = self.playing.as_ref()?;
        Some((playing.game.latest()?.to_bits(), playing.latest_was_random()))
    }

    fn record(&mut self) -> GameRecord {
        self.playing.take().expect(BEGUN).into_record()
    }
}
