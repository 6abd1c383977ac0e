//! The events of the main loop.

/// An event of the main loop.
pub(super) enum Event {
    /// A line from the client.
    Line(String),
    /// A line that was too long and has been dropped.
    TooLong,
    /// The end of the input.
    End,
    /// The search thread has an answer.
    Answer(Answer),
    /// The search thread has ended.
    Gone,
}

/// The result of a job.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// A move, and the reply that it expects.
    Move { best: String, reply: Option<String> },
    /// What follows `checkmate`.
    Mate(String),
}
