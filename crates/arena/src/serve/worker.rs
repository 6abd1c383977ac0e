//! The search thread.

use super::dialect::{Dialect, Scored};
use super::event::{Answer, Event};
use super::voice::Voice;
use crate::protocol::Words;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};
use tesuji_core::{AnyPosition, Budget, Focus, Found, Info, Line, MoveId, Report, Value};
use tesuji_search::handle::Solved;
use tesuji_search::mate::{self, Limits};
use tesuji_search::{MateSolver, Searcher};

/// Positions that `go mate N` may look at before the agent's own search takes over.
const MATE_NODES: u64 = 1_000_000;

/// Work for the thread.
pub(super) enum Job {
    /// Search with this from now on.
    Use(Searcher),
    /// Look for mates with this from now on.
    UseSolver(Option<Box<dyn MateSolver>>),
    /// Forget the game; the next one's random choices follow from the seed.
    NewGame(u64),
    /// Find a move.
    Search(Box<Task>),
    /// Find a mate in the position that is written like this; give up after the time.
    Mate { text: String, time: Option<Duration>, dialect: Dialect },
}

/// A position to search.
pub(super) struct Task {
    /// Where the game started; `None` if this position is not one of the game that the search knows.
    pub start: Option<String>,
    /// The moves since.
    pub moves: Vec<MoveId>,
    /// The position; its game still goes on.
    pub root: Box<dyn AnyPosition>,
    pub budget: Budget,
    pub focus: Focus<MoveId>,
    /// First look for a mate in at most this many plies.
    pub mate: Option<u16>,
    pub dialect: Dialect,
}

/// The thread's state.
pub(super) struct Worker {
    pub searcher: Searcher,
    /// None if the game has no mate.
    pub solver: Option<Box<dyn MateSolver>>,
    /// The start of the last game and the moves by which the search has been advanced.
    pub known: Option<(String, Vec<MoveId>)>,
    pub stop: Arc<AtomicBool>,
    pub voice: Voice,
}

/// Reports the end of the thread, also after a panic.
struct Farewell(Sender<Event>);

impl Drop for Farewell {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Gone);
    }
}

impl Worker {
    /// Works until the channel of jobs is closed.
    pub(super) fn run(mut self, jobs: &Receiver<Job>, events: Sender<Event>) {
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
                Job::Mate { text, time, dialect } => {
                    let limits = Limits { time, ..Limits::default() };
                    Answer::Mate(match self.mate(&text, limits).map(|solved| solved.answer) {
                        None => "notimplemented".to_owned(),
                        Some(mate::Answer::Mate(line)) => {
                            line.into_iter().map(|text| dialect.move_to_client(text)).collect::<Vec<_>>().join(" ")
                        }
                        Some(mate::Answer::NoMate) => "nomate".to_owned(),
                        Some(mate::Answer::Unknown) => "timeout".to_owned(),
                    })
                }
                Job::UseSolver(solver) => {
                    self.solver = solver;
                    continue;
                }
            };
            if farewell.0.send(Event::Answer(answer)).is_err() {
                return;
            }
        }
    }

    fn search(&mut self, task: Task) -> Answer {
        let started = Instant::now();
        if let Some(answer) = self.mate_in(&task, started) {
            return answer;
        }
        if let Some(problem) = self.searcher.search.refusal(task.root.as_ref()) {
            self.voice.say(&format!("info string {problem}"));
            return Answer::Move { best: task.dialect.no_move().to_owned(), reply: None };
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
        let mut progress = Progress { task: &task, voice: &self.voice, stop: &self.stop, started, last: None };
        let mut found = self.searcher.search.search(task.root.as_ref(), &budget, &mut progress);
        restrict(&mut found, &task.focus.only);
        progress.conclude(&found);
        let texts = line_text(task.root.as_ref(), &found.line, task.dialect);
        let best = task.dialect.move_to_client(task.root.format_move(found.best));
        let reply = texts.get(1).filter(|_| found.line[0] == found.best).cloned();
        Answer::Move { best, reply }
    }

    /// Answers `go mate N` by the mate solver, if the game has one and there is such a mate by checks.
    fn mate_in(&mut self, task: &Task, started: Instant) -> Option<Answer> {
        let limits = Limits { plies: Some(task.mate?), nodes: Some(MATE_NODES), shortest: true, ..Limits::default() };
        let Solved { answer: mate::Answer::Mate(line), nodes } = self.mate(&task.root.text(), limits)? else {
            return None;
        };
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
        let line: Vec<String> = line.into_iter().map(|text| task.dialect.move_to_client(text)).collect();
        let effort = effort(nodes, started.elapsed());
        self.voice.say(&format!("info depth {} score mate {count} {effort} pv {}", line.len(), line.join(" ")));
        Some(Answer::Move { best: line[0].clone(), reply: line.get(1).cloned() })
    }

    /// Runs the mate solver; `None` if the game has none or the position is not one for it.
    fn mate(&mut self, text: &str, limits: Limits<'_>) -> Option<Solved> {
        let stop = || self.stop.load(Ordering::Relaxed);
        self.solver.as_mut()?.solve_problem(text, &Limits { stop: &stop, ..limits }).ok()
    }
}

/// Makes the answer of a search that looks at all moves one of those that are allowed: the likeliest.
fn restrict(found: &mut Found<MoveId>, only: &[MoveId]) {
    if only.is_empty() || only.contains(&found.best) {
        return;
    }
    let share = |mv: &MoveId| found.policy.iter().find(|(other, _)| other == mv).map_or(0.0, |&(_, share)| share);
    let best = only.iter().copied().reduce(|best, mv| if share(&mv) > share(&best) { mv } else { best });
    if let Some(best) = best {
        (found.best, found.line, found.value, found.proof) = (best, vec![best], Value::ZERO, None);
    }
}

/// A line in the client's notation.
fn line_text(root: &dyn AnyPosition, line: &[MoveId], dialect: Dialect) -> Vec<String> {
    root.format_line(line).into_iter().map(|text| dialect.move_to_client(text)).collect()
}

/// `nodes N nps N time N`.
fn effort(nodes: u64, time: Duration) -> String {
    let rate = (nodes as f64 / time.as_secs_f64().max(1e-6)) as u64;
    format!("nodes {nodes} nps {rate} time {}", time.as_millis())
}

/// Forwards search progress to the client, and the client's `stop` to the search.
struct Progress<'a> {
    task: &'a Task,
    voice: &'a Voice,
    stop: &'a AtomicBool,
    started: Instant,
    /// Depth, nodes and line of the last report.
    last: Option<(u32, u64, Vec<MoveId>)>,
}

impl Progress<'_> {
    fn say(&self, number: usize, depth: u32, nodes: u64, scored: &Scored<'_>) {
        let Task { root, dialect, focus, .. } = self.task;
        let score = dialect.score(root.as_ref(), scored);
        let number = if focus.lines > 1 { format!("multipv {number} ") } else { String::new() };
        let effort = effort(nodes, self.started.elapsed());
        let line = line_text(root.as_ref(), scored.line, *dialect).join(" ");
        self.voice.say(&format!("info depth {depth} {number}score {score} {effort} pv {line}"));
    }

    /// The final report, if the answer differs from the report before.
    fn conclude(&mut self, found: &Found<MoveId>) {
        let known = |(depth, nodes, line): &(u32, u64, Vec<MoveId>)| {
            *depth == found.depth && *nodes == found.nodes && *line == found.line
        };
        if !self.last.as_ref().is_some_and(known) {
            let scored = Scored { value: found.value, proof: found.proof, line: &found.line };
            self.say(1, found.depth, found.nodes, &scored);
        }
    }
}

impl Report<MoveId> for Progress<'_> {
    fn info(&mut self, info: &Info<MoveId>) {
        let scored = Scored { value: info.value, proof: info.proof, line: &info.line };
        self.say(1, info.depth, info.nodes, &scored);
        self.last = Some((info.depth, info.nodes, info.line.clone()));
    }

    fn others(&mut self, lines: &[Line<MoveId>]) {
        let Some((depth, nodes, _)) = self.last else { return };
        for (line, number) in lines.iter().zip(2..) {
            let scored = Scored { value: line.value, proof: line.proof, line: &line.line };
            self.say(number, depth, nodes, &scored);
        }
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
