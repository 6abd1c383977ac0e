//! The thread that thinks.

use super::dialect::{Dialect, Judged, Words};
use super::{Event, Voice};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};
use tesuji_core::{Budget, Focus, Found, Game, Info, Line, MateBoard, MateVisitor, MoveOf, Position, Report, Value};
use tesuji_search::agent::Searcher;
use tesuji_search::mate::dfpn::Dfpn;
use tesuji_search::mate::{self, Limits};

/// Positions that `go mate N` may look at before the agent's own search takes over.
const MATE_NODES: u64 = 1_000_000;

/// Work for the thread.
pub(super) enum Job<G: Game> {
    /// Think with this from now on.
    Use(Searcher<G::Position>),
    /// Forget the game; the next one's random choices follow from the seed.
    NewGame(u64),
    /// Find a move.
    Search(Box<Task<G>>),
    /// Find a mate in the position that is written like this; give up after the time.
    Mate { text: String, time: Option<Duration>, dialect: Dialect, memory: usize },
}

/// A position to think about.
pub(super) struct Task<G: Game> {
    /// Where the game started; `None` if this position is not one of the game that the search knows.
    pub start: Option<String>,
    /// The moves since.
    pub moves: Vec<MoveOf<G>>,
    /// The position; its game still goes on.
    pub root: G::Position,
    pub budget: Budget,
    pub focus: Focus<MoveOf<G>>,
    /// First look for a mate in at most this many plies.
    pub mate: Option<u16>,
    pub dialect: Dialect,
    pub memory: usize,
}

/// What came out of a job.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// A move, and the reply that it expects.
    Move { best: String, reply: Option<String> },
    /// What follows `checkmate`.
    Mate(String),
}

/// The thread's state.
pub(super) struct Worker<G: Game> {
    pub game: G,
    pub searcher: Searcher<G::Position>,
    pub solver: Option<Dfpn>,
    /// The start of the last game and the moves that the search has been told of.
    pub known: Option<(String, Vec<MoveOf<G>>)>,
    pub stop: Arc<AtomicBool>,
    pub voice: Voice,
}

/// Says that the thread is gone, however it went.
struct Farewell(Sender<Event>);

impl Drop for Farewell {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Gone);
    }
}

impl<G: Game> Worker<G> {
    /// Works until there is nobody left to give work.
    pub(super) fn run(mut self, jobs: &Receiver<Job<G>>, events: Sender<Event>) {
        let farewell = Farewell(events);
        for job in jobs {
            let answer = match job {
                Job::Use(searcher) => {
                    (self.searcher, self.known) = (searcher, None);
                    continue;
                }
                Job::NewGame(seed) => {
                    self.searcher.search.new_game(seed);
                    self.known = None;
                    continue;
                }
                Job::Search(task) => self.search(*task),
                Job::Mate { text, time, dialect, memory } => {
                    let limits = Limits { time, ..Limits::default() };
                    Answer::Mate(match self.mate(&text, limits, memory) {
                        None => "notimplemented".to_owned(),
                        Some((MateFound::Line(line), _)) => {
                            line.into_iter().map(|text| dialect.told(text)).collect::<Vec<_>>().join(" ")
                        }
                        Some((MateFound::None, _)) => "nomate".to_owned(),
                        Some((MateFound::Unknown, _)) => "timeout".to_owned(),
                    })
                }
            };
            if farewell.0.send(Event::Answer(answer)).is_err() {
                return;
            }
        }
    }

    fn search(&mut self, task: Task<G>) -> Answer {
        let started = Instant::now();
        if let Some(answer) = self.mate_in(&task, started) {
            return answer;
        }
        if let Some((start, moves)) = &self.known
            && task.start.as_ref() == Some(start)
            && task.moves.starts_with(moves)
        {
            task.moves[moves.len()..].iter().for_each(|&mv| self.searcher.search.advance(mv));
        }
        self.known = task.start.clone().map(|start| (start, task.moves.clone()));
        self.searcher.search.focus(&task.focus);
        let budget = self.searcher.budget(&task.budget);
        let mut told =
            Told { game: &self.game, task: &task, voice: &self.voice, stop: &self.stop, started, last: None };
        let mut found = self.searcher.search.search(&task.root, &budget, &mut told);
        restrict(&mut found, &task.focus.only);
        told.conclude(&found);
        let texts = in_words(&task.root, &found.line, task.dialect);
        let best = task.dialect.told(task.root.format_move(found.best));
        let reply = texts.get(1).filter(|_| found.line[0] == found.best).cloned();
        Answer::Move { best, reply }
    }

    /// Answers `go mate N` by the mate solver, if the game has one and there is such a mate by checks.
    fn mate_in(&mut self, task: &Task<G>, started: Instant) -> Option<Answer> {
        let limits = Limits { plies: Some(task.mate?), nodes: Some(MATE_NODES), shortest: true, ..Limits::default() };
        let text = self.game.format_position(&task.root);
        let (MateFound::Line(line), nodes) = self.mate(&text, limits, task.memory)? else { return None };
        let first = line.first()?.clone();
        let allowed = |text: &str| {
            task.focus.only.is_empty() || task.root.parse_move(text).is_ok_and(|mv| task.focus.only.contains(&mv))
        };
        if !allowed(&first) {
            return None;
        }
        let count = match task.dialect.words {
            Words::Uci => line.len().div_ceil(2),
            Words::Usi => line.len(),
        };
        let line: Vec<String> = line.into_iter().map(|text| task.dialect.told(text)).collect();
        let effort = effort(nodes, started.elapsed());
        self.voice.say(&format!("info depth {} score mate {count} {effort} pv {}", line.len(), line.join(" ")));
        Some(Answer::Move { best: line[0].clone(), reply: line.get(1).cloned() })
    }

    /// Runs the mate solver; `None` if the game has none or the position is not one for it.
    fn mate(&mut self, text: &str, limits: Limits<'_>, memory: usize) -> Option<(MateFound, u64)> {
        let stop = || self.stop.load(Ordering::Relaxed);
        let solver = self.solver.get_or_insert_with(|| Dfpn::new(memory));
        solver.clear();
        self.game.mate_problem(text, Solve { solver, limits: Limits { stop: &stop, ..limits } })?.ok()
    }
}

/// An answer of the mate solver, in words.
enum MateFound {
    Line(Vec<String>),
    None,
    Unknown,
}

struct Solve<'a> {
    solver: &'a mut Dfpn,
    limits: Limits<'a>,
}

impl MateVisitor for Solve<'_> {
    type Output = (MateFound, u64);

    fn visit<B: MateBoard>(self, board: &B) -> (MateFound, u64) {
        let (answer, nodes) = self.solver.solve(board, &self.limits);
        let found = match answer {
            // Nothing is claimed that has not been played through.
            mate::Answer::Mate(line) if mate::is_mating_line(board, &line) => {
                let mut board = board.clone();
                MateFound::Line(
                    line.into_iter()
                        .map(|mv| {
                            let text = board.format_move(mv);
                            board.play(mv);
                            text
                        })
                        .collect(),
                )
            }
            mate::Answer::NoMate => MateFound::None,
            mate::Answer::Mate(_) | mate::Answer::Unknown => MateFound::Unknown,
        };
        (found, nodes)
    }
}

/// Makes the answer of a search that looks at all moves one of those that are allowed: the likeliest.
fn restrict<M: Copy + PartialEq>(found: &mut Found<M>, only: &[M]) {
    if only.is_empty() || only.contains(&found.best) {
        return;
    }
    let share = |mv: &M| found.policy.iter().find(|(other, _)| other == mv).map_or(0.0, |&(_, share)| share);
    let best = only.iter().copied().reduce(|best, mv| if share(&mv) > share(&best) { mv } else { best });
    if let Some(best) = best {
        (found.best, found.line, found.value, found.proof) = (best, vec![best], Value::ZERO, None);
    }
}

/// A line in the client's notation.
fn in_words<P: Position>(root: &P, line: &[P::Move], dialect: Dialect) -> Vec<String> {
    let mut position = root.clone();
    let mut texts = Vec::with_capacity(line.len());
    for &mv in line {
        texts.push(dialect.told(position.format_move(mv)));
        position.play(mv);
    }
    texts
}

/// `nodes N nps N time N`.
fn effort(nodes: u64, time: Duration) -> String {
    let rate = (nodes as f64 / time.as_secs_f64().max(1e-6)) as u64;
    format!("nodes {nodes} nps {rate} time {}", time.as_millis())
}

/// Tells the client what the search tells us, and the search when the client has had enough.
struct Told<'a, G: Game> {
    game: &'a G,
    task: &'a Task<G>,
    voice: &'a Voice,
    stop: &'a AtomicBool,
    started: Instant,
    /// Depth, nodes and line of the last word.
    last: Option<(u32, u64, Vec<MoveOf<G>>)>,
}

impl<G: Game> Told<'_, G> {
    fn say(&self, number: usize, depth: u32, nodes: u64, judged: &Judged<'_, G>) {
        let Task { root, dialect, focus, .. } = self.task;
        let score = dialect.score(self.game, root, judged);
        let number = if focus.lines > 1 { format!("multipv {number} ") } else { String::new() };
        let effort = effort(nodes, self.started.elapsed());
        let line = in_words(root, judged.line, *dialect).join(" ");
        self.voice.say(&format!("info depth {depth} {number}score {score} {effort} pv {line}"));
    }

    /// The last word, if the answer says more than the word before.
    fn conclude(&mut self, found: &Found<MoveOf<G>>) {
        let known = |(depth, nodes, line): &(u32, u64, Vec<MoveOf<G>>)| {
            *depth == found.depth && *nodes == found.nodes && *line == found.line
        };
        if !self.last.as_ref().is_some_and(known) {
            let judged = Judged { value: found.value, proof: found.proof, line: &found.line };
            self.say(1, found.depth, found.nodes, &judged);
        }
    }
}

impl<G: Game> Report<MoveOf<G>> for Told<'_, G> {
    fn info(&mut self, info: &Info<MoveOf<G>>) {
        let judged = Judged { value: info.value, proof: info.proof, line: &info.line };
        self.say(1, info.depth, info.nodes, &judged);
        self.last = Some((info.depth, info.nodes, info.line.clone()));
    }

    fn others(&mut self, lines: &[Line<MoveOf<G>>]) {
        let Some((depth, nodes, _)) = self.last else { return };
        for (line, number) in lines.iter().zip(2..) {
            let judged = Judged { value: line.value, proof: line.proof, line: &line.line };
            self.say(number, depth, nodes, &judged);
        }
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
