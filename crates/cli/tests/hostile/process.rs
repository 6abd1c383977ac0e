//! A process with limits, and what is asked of its end.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Kilobytes of address space.
const MEMORY: &str = "6000000";
/// Seconds of processor time: what works longer than this hangs. Counted by the system, whatever else the machine does.
const PROCESSOR: &str = "5";
/// A command that may work for long (a match of a million games) is told to stop after this time, as by Ctrl-C, and again
/// after the second.
const INTERRUPTS: [Duration; 2] = [Duration::from_millis(1000), Duration::from_millis(2500)];
/// What neither works nor ends hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the program in a directory; the error says what is wrong with its end.
pub fn run(arguments: &[String], input: &[u8], place: &Path) -> Result<(), String> {
    // A command line cannot hold a NUL.
    let arguments: Vec<String> = arguments.iter().map(|word| word.replace('\u{0}', "")).collect();
    let wrong = |problem: String| Err(format!("{arguments:?}: {problem}"));
    let [input_file, output, errors] = ["stdin", "stdout", "stderr"].map(|name| place.join(name));
    std::fs::write(&input_file, input).expect("a file of ours");
    let open = |path: &Path| File::create(path).expect("a file of ours");
    let limits =
        format!("ulimit -v {MEMORY} && ulimit -t {PROCESSOR} && ulimit -f 400000 && ulimit -c 0 && exec \"$0\" \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &limits, env!("CARGO_BIN_EXE_tesuji")])
        .args(&arguments)
        .current_dir(place)
        .stdin(File::open(&input_file).expect("a file of ours"))
        .stdout(Stdio::from(open(&output)))
        .stderr(Stdio::from(open(&errors)))
        .spawn()
        .expect("a shell runs");
    let Some((status, interrupts)) = wait(&mut child) else {
        let _ = child.kill();
        let _ = child.wait();
        return wrong("hangs".to_owned());
    };
    let said = String::from_utf8_lossy(&std::fs::read(&errors).expect("a file of ours")).into_owned();
    if said.contains("panicked at") || said.contains("memory allocation") || said.contains("overflowed its stack") {
        return wrong(said);
    }
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(()),
        // Bad input is told in words.
        (Some(2), _) if said.contains("error: ") || said.contains("Usage:") => Ok(()),
        (Some(130), _) | (None, Some(2)) if interrupts > 0 => Ok(()),
        (None, Some(9 | 24)) => wrong(format!("works for more than {PROCESSOR} s, whatever it is told: {said}")),
        (code, signal) => wrong(format!("exit code {code:?}, signal {signal:?}: {said}")),
    }
}

/// Waits for the end; says how often it had to be asked for. `None` if it does not come.
fn wait(child: &mut Child) -> Option<(ExitStatus, usize)> {
    let began = Instant::now();
    let mut interrupts = 0;
    loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return Some((status, interrupts));
        }
        let elapsed = began.elapsed();
        if elapsed > PATIENCE {
            return None;
        }
        if INTERRUPTS.get(interrupts).is_some_and(|&after| elapsed > after) {
            interrupts += 1;
            let process = rustix::process::Pid::from_child(child);
            // It may have ended in the meantime.
            let _ = rustix::process::kill_process(process, rustix::process::Signal::INT);
        }
        std::thread::sleep(Duration::from_millis(if elapsed < Duration::from_millis(100) { 1 } else { 10 }));
    }
}
