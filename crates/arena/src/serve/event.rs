//! What may happen to the conversation.

/// Something that happened.
pub(super) enum Event {
    /// The client said something.
    Line(String),
    /// The client said something that is too long to be meant.
    TooLong,
    /// The client has gone.
    End,
    /// The thread that thinks has an answer.
    Answer(Answer),
    /// The thread that thinks is gone.
    Gone,
}

/// What came out of a job.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// A move, and the reply that it expects.
    Move { best: String, reply: Option<String> },
    /// What follows `checkmate`.
    Mate(String),
}
