//! A foreign program as a process that exchanges lines with us.
//!
//! Two threads stand between us and its pipes, so that neither a program that says nothing nor one that does not listen
//! can hold us up: we wait for lines until a deadline, and lines that we send wait until the program reads them.

use super::orphan;
use crate::cost;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tesuji_core::PlayerError;

/// Longer lines are cut: no protocol needs them, and a runaway engine must not fill our memory.
const LONGEST_LINE: usize = 1 << 16;
/// Lines of the engine that wait for us; beyond that its own pipe fills and it waits for us.
const WAITING_LINES: usize = 4096;
/// Lines of ours that wait for the engine; beyond that it does not listen. A game of GNU Shogi is a line a move.
const UNREAD_LINES: usize = 16384;
/// Lines that a program may say for one of ours: far more than the longest search tells, and soon read.
const MOST_LINES: u32 = 500_000;
/// How long a program may take to leave after `quit`.
const FAREWELL: Duration = Duration::from_millis(300);

/// Why nothing was read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Silence {
    /// Nothing came before the deadline.
    #[error("no answer in time")]
    Timeout,
    /// The program has closed its output: it has ended or crashed.
    #[error("the program has ended")]
    Closed,
    /// The program talks without end.
    #[error("more than {MOST_LINES} lines without an answer")]
    Babble,
}

/// The error that a match records for an engine that did not answer.
pub(super) fn silent(error: Silence, waited: Duration) -> PlayerError {
    match error {
        Silence::Timeout => PlayerError::Timeout(waited),
        Silence::Closed => PlayerError::Crashed(error.to_string()),
        Silence::Babble => PlayerError::Protocol(error.to_string()),
    }
}

/// The programs that run, so that they can be ended where nothing is dropped any more.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Kills every foreign program at once, without `quit`: to be called before `std::process::exit`.
pub fn kill_all() {
    for id in RUNNING.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        kill_group(id);
    }
}

/// Kills a program with its children.
fn kill_group(id: u32) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) {
        // The group may be gone already: then there is nobody left to end.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = id;
}

/// A running program. Dropping it ends the program and its whole process group.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: Option<SyncSender<String>>,
    lines: Receiver<String>,
    /// Lines that have come since we said something.
    heard: u32,
}

impl Process {
    /// Starts a command line (split as a shell would, without its expansions).
    ///
    /// # Errors
    /// If the line cannot be split or the program cannot be started; the text names the program.
    pub fn start(command_line: &str) -> Result<Process, String> {
        let words = shlex::split(command_line).ok_or_else(|| format!("unbalanced quotes in {command_line:?}"))?;
        let (program, arguments) = words.split_first().ok_or("the command is empty")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        {
            // A group of its own: Ctrl-C in our terminal must not reach it before we have told it to stop, and its own
            // children can be ended with it.
            use std::os::unix::process::CommandExt;
            command.process_group(0);
        }
        let mut child = orphan::spawn(command).map_err(|error| format!("cannot start {program:?}: {error}"))?;
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(child.id());
        let output = child.stdout.take().ok_or("no output pipe")?;
        let input = child.stdin.take().ok_or("no input pipe")?;
        let (sender, lines) = sync_channel(WAITING_LINES);
        std::thread::spawn(move || read_lines(output, &sender));
        let (sender, unread) = sync_channel(UNREAD_LINES);
        std::thread::spawn(move || write_lines(input, &unread));
        Ok(Process { child, input: Some(sender), lines, heard: 0 })
    }

    /// Sends one line, without waiting until the program reads it: one that never does misses the deadline of its
    /// answer.
    ///
    /// # Errors
    /// If the program has closed its input, or has not read what it was sent for a long time.
    pub fn send(&mut self, line: &str) -> Result<(), Silence> {
        self.heard = 0;
        let input = self.input.as_ref().ok_or(Silence::Closed)?;
        input.try_send(format!("{line}\n")).map_err(|error| match error {
            TrySendError::Full(_) => Silence::Timeout,
            TrySendError::Disconnected(_) => Silence::Closed,
        })
    }

    /// The next line, waiting until the deadline at most.
    ///
    /// # Errors
    /// If none comes in time, the program has ended, or it talks without end.
    pub fn receive(&mut self, deadline: Instant) -> Result<String, Silence> {
        self.heard += 1;
        if self.heard > MOST_LINES {
            return Err(Silence::Babble);
        }
        let wait = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(wait).map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::Timeout,
            RecvTimeoutError::Disconnected => Silence::Closed,
        })
    }

    /// Processor time used so far, where the system reports it.
    pub fn cpu(&self) -> Option<Duration> {
        cost::process_cpu(self.child.id())
    }

    /// Greatest memory so far in bytes, where the system reports it.
    pub fn peak_memory(&self) -> Option<u64> {
        cost::process_peak_memory(self.child.id())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.send("quit");
        // Closing the input ends the engines that do not know `quit`.
        drop(self.input.take());
        let patience = Instant::now() + FAREWELL;
        while Instant::now() < patience {
            // Drain the output, lest the program hang on a full pipe instead of leaving.
            while self.lines.try_recv().is_ok() {}
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        kill_group(self.child.id());
        let _ = self.child.kill();
        let _ = self.child.wait();
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).retain(|&id| id != self.child.id());
    }
}

/// Writes lines until the program or the sender is gone; then closes the program's input.
fn write_lines(mut input: ChildStdin, lines: &Receiver<String>) {
    // One write for a whole line: some engines read unbuffered.
    while let Ok(line) = lines.recv() {
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Passes lines on until the program or the listener is gone.
fn read_lines(output: ChildStdout, sender: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        let Ok(buffer) = output.fill_buf() else { return };
        if buffer.is_empty() {
            break;
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        let room = LONGEST_LINE.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = part.len() + usize::from(end.is_some());
        output.consume(used);
        if end.is_some() {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            if sender.send(text).is_err() {
                return;
            }
        }
    }
    if !line.is_empty() {
        let _ = sender.send(String::from_utf8_lossy(&line).trim_end().to_owned());
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[test]
    fn lines_come_back() {
        let mut cat = Process::start("cat").unwrap();
        cat.send("hello").unwrap();
        assert_eq!(cat.receive(soon()), Ok("hello".to_owned()));
        assert_eq!(cat.receive(Instant::now() + Duration::from_millis(20)), Err(Silence::Timeout));
    }

    #[test]
    fn the_end_of_a_program_is_noticed() {
        let mut done = Process::start("true").unwrap();
        assert_eq!(done.receive(soon()), Err(Silence::Closed));
        assert!(Process::start("/no/such/program").unwrap_err().contains("/no/such/program"));
        assert!(Process::start("a 'b").is_err());
        assert!(Process::start("").is_err());
    }

    #[test]
    fn endless_lines_are_cut() {
        let mut flood = Process::start("sh -c 'head -c 3000000 /dev/zero | tr \"\\0\" x; echo; echo end'").unwrap();
        assert_eq!(flood.receive(soon()).unwrap().len(), LONGEST_LINE);
        assert_eq!(flood.receive(soon()), Ok("end".to_owned()));
    }

    #[test]
    fn whoever_talks_without_end_is_not_listened_to() {
        let mut babbler = Process::start("yes info").unwrap();
        let said = std::iter::from_fn(|| Some(babbler.receive(soon()))).find_map(Result::err);
        assert_eq!(said, Some(Silence::Babble));
    }

    #[test]
    fn whoever_does_not_listen_holds_nobody_up() {
        let mut deaf = Process::start("sleep 600").unwrap();
        let line = "position ".to_owned() + &"x".repeat(1 << 20);
        for _ in 0..4 {
            deaf.send(&line).unwrap();
        }
        assert_eq!(deaf.receive(Instant::now() + Duration::from_millis(20)), Err(Silence::Timeout));
        // Dropping it does not wait either.
    }

    #[test]
    fn nobody_is_left_behind() {
        // A program that ignores everything, with a child of its own.
        let mut stubborn = Process::start("sh -c 'trap \"\" TERM; sleep 600 & echo $!; wait; sleep 600'").unwrap();
        let grandchild = stubborn.receive(soon()).unwrap();
        drop(stubborn);
        // Killed, but perhaps not yet buried: gone, or a zombie that waits for the init process.
        let alive = || {
            let state = std::fs::read_to_string(format!("/proc/{grandchild}/stat")).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z ")
        };
        let patience = soon();
        while alive() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!alive());
    }
}
