//! Programs that end when we do, even if we are killed.
//!
//! Linux sends a program the signal that it asked for when the *thread* that started it ends. So all of them are started
//! by one thread, which lives as long as the process. Elsewhere a program that ignores the end of its input is left when
//! we are killed.

use std::io;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

/// A program to start, and whom to tell.
type Request = (Command, Sender<io::Result<Child>>);

/// Starts a program that is killed when this process ends.
///
/// # Errors
/// As [`Command::spawn`].
pub(super) fn spawn(command: Command) -> io::Result<Child> {
    static STARTER: OnceLock<Sender<Request>> = OnceLock::new();
    let starter = STARTER.get_or_init(|| {
        let (sender, requests) = channel::<Request>();
        // If there is no such thread, nobody answers below.
        let _ = std::thread::Builder::new().name("engines".to_owned()).spawn(move || {
            for (mut command, answer) in requests {
                end_with_us(&mut command);
                let _ = answer.send(command.spawn());
            }
        });
        sender
    });
    let (answer, started) = channel();
    let gone = |_| io::Error::other("no thread to start it");
    starter.send((command, answer)).map_err(|_| io::Error::other("no thread to start it"))?;
    started.recv().map_err(gone)?
}

/// Asks for the signal.
#[cfg(target_os = "linux")]
fn end_with_us(command: &mut Command) {
    use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
    use std::os::unix::process::CommandExt;
    let parent = getpid();
    let ask = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // We may have ended before it was asked for.
        if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    };
    // SAFETY: between fork and exec only system calls are made (prctl, getppid); nothing is allocated, and no lock is
    // taken.
    unsafe {
        command.pre_exec(ask);
    }
}

/// There is no such signal.
#[cfg(not(target_os = "linux"))]
fn end_with_us(_command: &mut Command) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn programs_outlive_the_thread_that_wanted_them() {
        let child = std::thread::spawn(|| {
            let mut command = Command::new("sleep");
            command.arg("600");
            spawn(command)
        });
        let mut child = child.join().unwrap().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let alive = matches!(child.try_wait(), Ok(None));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(alive);
    }

    #[test]
    fn programs_that_are_missing_are_told() {
        assert_eq!(spawn(Command::new("/no/such/program")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
