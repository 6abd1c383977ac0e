//! What the tests of the built binary share.

use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the program with nothing on its standard input.
pub fn tesuji(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tesuji")).args(args).stdin(Stdio::null()).output().expect("the binary runs")
}

/// Runs the program with `input` on its standard input.
pub fn with_input(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // The command may refuse the input before it has read all.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("the writer ends");
    output
}

/// The standard output as text.
pub fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

/// The standard output of a command that succeeds; it may say something on standard error, such as its progress.
#[track_caller]
pub fn text(args: &[&str]) -> String {
    let output = tesuji(args);
    assert!(output.status.success(), "{args:?}: {} {}", output.status, String::from_utf8_lossy(&output.stderr));
    stdout(&output).to_owned()
}

/// The standard output of a command that succeeds in silence.
#[track_caller]
pub fn success(args: &[&str]) -> String {
    let output = tesuji(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{args:?}: {} {errors}", output.status);
    stdout(&output).to_owned()
}

/// The one line of a command that is refused.
#[track_caller]
pub fn refusal(args: &[&str]) -> String {
    one_line(&tesuji(args), args)
}

/// The one line that a refused command has said.
#[track_caller]
pub fn one_line(output: &Output, args: &[&str]) -> String {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
    assert_eq!(errors.lines().count(), 1, "{args:?}: {errors}");
    assert!(errors.starts_with("error: ") && !errors.contains("panicked"), "{args:?}: {errors}");
    assert!(errors.len() < 1000, "{args:?}: {errors}");
    errors
}

/// A value in JSON.
#[track_caller]
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The path of a file of the repository.
pub fn repository(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path).to_str().expect("text").to_owned()
}
