//! The main loop: commands of the client in, answers out.

use super::clock;
use super::command::{Command, Go, Mate, Start};
use super::dialect::Dialect;
use super::event::{Answer, Event};
use super::settings::{Change, ServeError, Settings};
use super::voice::Voice;
use super::worker::{Job, Task, Worker};
use crate::protocol::Words;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use tesuji_core::{AnyGame, AnyPosition, Budget, Focus, MoveId, Outcome, Side, Stream};
use tesuji_search::mate::SolverSpec;
use tesuji_search::{AgentSource, MateSolver, Searcher};

/// A time limit that is never reached: it keeps an agent's own fallback away where the client wants an endless search.
const FOR_EVER: Duration = Duration::from_secs(1 << 30);
/// The time for a move after `ponderhit`, if the client never said how long.
const AFTER_PONDERING: Duration = Duration::from_secs(1);

/// The position that the client has set up.
enum Table {
    /// A game: where it started, the moves since, and where they led.
    Game { start: String, moves: Vec<MoveId>, position: Box<dyn AnyPosition> },
    /// Text that is no position of the game, but perhaps a mate problem.
    Problem(String),
}

/// A search under way.
struct Thinking {
    /// Whether the answer is to be kept until the client asks for it.
    hold: bool,
    /// Whether `ponderhit` makes it an ordinary search.
    pondering: bool,
    /// The time for the move, from `ponderhit` on.
    allotted: Option<Duration>,
    /// When to stop the search.
    deadline: Option<Instant>,
    /// The answer, if it is being kept.
    answer: Option<Answer>,
}

/// The state of the engine.
pub(super) struct Control<'a> {
    game: Arc<dyn AnyGame>,
    agents: &'a dyn AgentSource,
    settings: Settings,
    dialect: Dialect,
    table: Table,
    /// Games begun: each has its own random choices.
    games: u64,
    thinking: Option<Thinking>,
    voice: Voice,
    stop: Arc<AtomicBool>,
    jobs: Sender<Job>,
    events: Receiver<Event>,
    /// Events that came while we waited for an answer.
    later: VecDeque<Event>,
}

impl<'a> Control<'a> {
    /// Makes the agent and starts the search thread.
    pub(super) fn start(
        agents: &'a dyn AgentSource,
        agent: &str,
        seed: u64,
        voice: Voice,
        (sender, events): (Sender<Event>, Receiver<Event>),
    ) -> Result<Control<'a>, ServeError> {
        let settings = Settings::new(agent, seed);
        let (game, searcher) = (agents.game(), make(agents, &settings)?);
        let (jobs, work) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let worker = Worker {
            searcher,
            solver: solver(agents, &settings),
            known: None,
            stop: Arc::clone(&stop),
            voice: voice.clone(),
        };
        std::thread::spawn(move || worker.run(&work, sender));
        let mut control = Control {
            agents,
            settings,
            dialect: Dialect::usual(game.name()),
            table: Table::Game { start: "startpos".to_owned(), moves: Vec::new(), position: game.start() },
            game,
            games: 0,
            thinking: None,
            voice,
            stop,
            jobs,
            events,
            later: VecDeque::new(),
        };
        control.new_game();
        Ok(control)
    }

    /// Answers until the client leaves.
    pub(super) fn converse(&mut self) -> Result<(), ServeError> {
        loop {
            match self.next_event() {
                None => self.stop.store(true, Ordering::Relaxed),
                Some(Event::Line(line)) => {
                    let command = Command::read(&line);
                    if command == Command::Quit {
                        return self.finish();
                    }
                    self.obey(command)?;
                }
                Some(Event::TooLong) => self.note("a line was too long and has been ignored"),
                Some(Event::End) => return self.finish(),
                Some(Event::Answer(answer)) => self.answered(answer),
                Some(Event::Gone) => return Err(ServeError::Failed),
            }
        }
    }

    /// The next event; `None` if the time of the search is up before it comes.
    fn next_event(&mut self) -> Option<Event> {
        if let Some(event) = self.later.pop_front() {
            return Some(event);
        }
        let Some(deadline) = self.thinking.as_ref().and_then(|thinking| thinking.deadline) else {
            return Some(self.events.recv().unwrap_or(Event::Gone));
        };
        match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Disconnected) => Some(Event::Gone),
            Err(RecvTimeoutError::Timeout) => {
                if let Some(thinking) = &mut self.thinking {
                    thinking.deadline = None;
                }
                None
            }
        }
    }

    fn note(&self, text: &str) {
        self.voice.say(&format!("info string {text}"));
    }

    fn obey(&mut self, command: Command) -> Result<(), ServeError> {
        match command {
            Command::Nothing | Command::Quit => {}
            Command::Unknown(problem) => self.note(&problem),
            Command::Uci => self.introduce(Words::Uci),
            Command::Usi => self.introduce(Words::Usi),
            Command::IsReady => self.voice.say("readyok"),
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(),
            // What follows must not touch a search under way: it is ended first.
            Command::NewGame => {
                self.finish()?;
                self.new_game();
            }
            Command::SetOption { name, value } => {
                self.finish()?;
                self.set_option(&name, &value);
            }
            Command::Position { start, moves } => {
                self.finish()?;
                self.set_position(start, &moves);
            }
            Command::Go(go) => {
                self.finish()?;
                self.go(go);
            }
        }
        Ok(())
    }

    fn introduce(&mut self, words: Words) {
        let name = self.game.name();
        let Some(dialect) = Dialect::chosen(name, words) else {
            return self.note(&format!("{name} is not played by USI: say uci"));
        };
        self.dialect = dialect;
        self.voice.say(concat!("id name Tesuji ", env!("CARGO_PKG_VERSION")));
        self.voice.say("id author the Tesuji authors");
        for line in self.settings.offer(name, words, &self.agents.kinds()) {
            self.voice.say(&line);
        }
        self.voice.say(match words {
            Words::Uci => "uciok",
            Words::Usi => "usiok",
        });
    }

    fn new_game(&mut self) {
        let seed = Stream::new(self.settings.seed, "engine", self.games).next_u64();
        self.games += 1;
        let _ = self.jobs.send(Job::NewGame(seed));
    }

    fn set_option(&mut self, name: &str, value: &str) {
        let mut settings = self.settings.clone();
        match settings.set(self.game.name(), name, value) {
            Err(problem) => return self.note(&problem),
            Ok(Change::None) => {}
            Ok(Change::Forget) => self.new_game(),
            Ok(Change::Agent) => match make(self.agents, &settings) {
                Err(problem) => return self.note(&format!("option {name}: {problem}")),
                Ok(searcher) => {
                    let _ = self.jobs.send(Job::Use(searcher));
                    if settings.memory() != self.settings.memory() {
                        let _ = self.jobs.send(Job::UseSolver(solver(self.agents, &settings)));
                    }
                    self.settings.seed = settings.seed;
                    self.new_game();
                }
            },
        }
        self.settings = settings;
    }

    fn set_position(&mut self, start: Start, moves: &[String]) {
        let text = match start {
            Start::Usual => "startpos".to_owned(),
            Start::Fen(fen) => self.dialect.position_from_client(&fen),
            Start::Sfen(sfen) => sfen,
        };
        let mut position = match self.game.parse(&text) {
            Ok(position) => position,
            Err(problem) => {
                if !moves.is_empty() || self.dialect.words == Words::Uci {
                    self.note(&problem.to_string());
                }
                self.table = Table::Problem(text);
                return;
            }
        };
        let mut played = Vec::with_capacity(moves.len());
        for (word, number) in moves.iter().zip(1..) {
            let mv = legal(position.as_ref(), &self.dialect.move_from_client(word));
            match mv.filter(|&mv| position.play_on(mv).is_ok()) {
                Some(mv) => played.push(mv),
                None => {
                    let word = tesuji_core::error::excerpt(word);
                    self.note(&format!("move {number}, {word:?}, is not legal: the position before it is kept"));
                    break;
                }
            }
        }
        self.table = Table::Game { start: text, moves: played, position };
    }

    fn go(&mut self, go: Go) {
        self.stop.store(false, Ordering::Relaxed);
        if let (Some(mate), Words::Usi) = (go.mate, self.dialect.words) {
            return self.go_mate(mate);
        }
        let Table::Game { start, moves, position } = &self.table else {
            self.note("there is no position to search");
            return self.say_no_move(None);
        };
        let Some(root) = self.open(position.as_ref()) else { return };
        let side = root.mover();
        let time = clock::allot(&go.clocks, self.dialect.clock_of(side), self.settings.overhead);
        // With a time for the move besides the clocks, that is what it takes.
        let soft = time.and_then(|time| time.soft).filter(|_| go.move_time.is_none());
        let hard = match (go.move_time, time.map(|time| time.hard)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let allotted = soft.or(hard);
        // A mate in N moves is N of ours and N - 1 of theirs.
        let plies = match go.mate {
            Some(Mate::Number(moves)) => Some(u16::try_from(moves.clamp(1, 500) * 2 - 1).unwrap_or(u16::MAX)),
            Some(Mate::Infinite) | None => None,
        };
        let depth = match (go.depth, plies.map(u32::from)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let mut budget = Budget { depth: depth.map(|depth| depth.max(1)), nodes: go.nodes, ..Budget::UNLIMITED };
        let endless = go.infinite || go.ponder;
        let counted = budget.depth.is_some() || budget.nodes.is_some();
        (budget.time, budget.soft) = if endless { (Some(FOR_EVER), None) } else { (hard, soft) };
        let only: Vec<MoveId> =
            go.only.iter().filter_map(|text| legal(root.as_ref(), &self.dialect.move_from_client(text))).collect();
        if only.len() < go.only.len() {
            self.note("searchmoves: those that are not legal are left out");
        }
        let task = Task {
            // A root without its history is no continuation of the game that the search knows.
            start: position.outcome().is_none().then(|| start.clone()),
            moves: moves.clone(),
            focus: Focus { only, lines: self.settings.lines },
            root,
            budget,
            mate: plies,
            dialect: self.dialect,
        };
        self.thinking = Some(Thinking {
            hold: endless,
            pondering: go.ponder && !go.infinite,
            allotted: if counted { allotted } else { allotted.or(Some(AFTER_PONDERING)) },
            deadline: None,
            answer: None,
        });
        let _ = self.jobs.send(Job::Search(Box::new(task)));
    }

    fn go_mate(&mut self, mate: Mate) {
        let text = match &self.table {
            Table::Game { position, .. } => position.text(),
            Table::Problem(text) => text.clone(),
        };
        let time = match mate {
            Mate::Number(milliseconds) => Some(Duration::from_millis(milliseconds)),
            Mate::Infinite => None,
        };
        self.thinking = Some(Thinking { hold: false, pondering: false, allotted: None, deadline: None, answer: None });
        let job = Job::Mate { text, time, dialect: self.dialect };
        let _ = self.jobs.send(job);
    }

    /// The position as a search wants it, in a game that goes on. Where our rules have ended the game by its history but
    /// the client plays on, that is the position without its history. Where even that is over, answers at once.
    fn open(&self, position: &dyn AnyPosition) -> Option<Box<dyn AnyPosition>> {
        if position.outcome().is_none() {
            return Some(position.boxed());
        }
        let bare = self.game.parse(&position.text()).ok();
        let Some(bare) = bare else {
            self.say_no_move(None);
            return None;
        };
        match bare.outcome() {
            None => Some(bare),
            Some(outcome) => {
                self.say_no_move(Some((bare.as_ref(), outcome)));
                None
            }
        }
    }

    /// Answers `go` where there is nothing to search: a declaration, the best move by the heuristic where the client's
    /// rules let the game go on, or none.
    fn say_no_move(&self, ended: Option<(&dyn AnyPosition, Outcome)>) {
        let usi = self.dialect.words == Words::Usi;
        let best = match ended {
            Some((position, outcome)) if usi && outcome == Outcome::Win(position.mover()) => Some("win".to_owned()),
            Some((position, _)) => self.best_by_heuristic(position),
            None => None,
        };
        self.voice.say(&format!("bestmove {}", best.as_deref().unwrap_or(self.dialect.no_move())));
    }

    /// The move after which the heuristic is best for its mover, if there is any.
    fn best_by_heuristic(&self, position: &dyn AnyPosition) -> Option<String> {
        let sign = if position.mover() == Side::First { 1 } else { -1 };
        let score = |mv: &MoveId| {
            let mut child = position.boxed();
            child.play_on(*mv).expect("the position's own moves can be played");
            sign * i64::from(child.heuristic())
        };
        // The first of equals.
        let best = position.movements().into_iter().rev().max_by_key(score)?;
        Some(self.dialect.move_to_client(position.format_move(best)))
    }

    /// The answer is due at once.
    fn stop(&mut self) {
        let Some(thinking) = &mut self.thinking else { return };
        thinking.hold = false;
        match thinking.answer.take() {
            Some(answer) => self.answered(answer),
            None => self.stop.store(true, Ordering::Relaxed),
        }
    }

    /// The opponent has played the expected move: from now on the clock counts.
    fn ponder_hit(&mut self) {
        let Some(thinking) = self.thinking.as_mut().filter(|thinking| thinking.pondering) else { return };
        (thinking.hold, thinking.pondering) = (false, false);
        thinking.deadline = thinking.allotted.map(|time| Instant::now() + time);
        if let Some(answer) = thinking.answer.take() {
            self.answered(answer);
        }
    }

    fn answered(&mut self, answer: Answer) {
        match &mut self.thinking {
            Some(thinking) if thinking.hold => {
                thinking.answer = Some(answer);
                return;
            }
            _ => self.thinking = None,
        }
        self.voice.say(&match answer {
            Answer::Move { best, reply: Some(reply) } => format!("bestmove {best} ponder {reply}"),
            Answer::Move { best, reply: None } => format!("bestmove {best}"),
            Answer::Mate(text) => format!("checkmate {text}"),
        });
    }

    /// Ends a search under way and gives its answer.
    fn finish(&mut self) -> Result<(), ServeError> {
        self.stop();
        while self.thinking.is_some() {
            match self.events.recv() {
                Ok(Event::Answer(answer)) => self.answered(answer),
                Ok(Event::Gone) | Err(_) => return Err(ServeError::Failed),
                Ok(event) => self.later.push_back(event),
            }
        }
        Ok(())
    }
}

/// Makes the agent that the settings name.
fn make(agents: &dyn AgentSource, settings: &Settings) -> Result<Searcher, ServeError> {
    let searcher = agents.searcher(&settings.agent_line(&agents.kinds()), settings.seed)?;
    searcher.ok_or_else(|| ServeError::Foreign(settings.agent.clone()))
}

/// The mate solver with the memory that the settings allow, if the game has mate.
fn solver(agents: &dyn AgentSource, settings: &Settings) -> Option<Box<dyn MateSolver>> {
    agents.solver(SolverSpec::default(), settings.memory())
}

/// Reads a move that is legal by the rules of movement: clients may play on where our rules have ended the game.
fn legal(position: &dyn AnyPosition, text: &str) -> Option<MoveId> {
    if let Ok(mv) = position.parse_move(text) {
        return Some(mv);
    }
    position.movements().into_iter().find(|&mv| position.format_move(mv) == text)
}
