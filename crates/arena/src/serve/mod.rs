//! Being an engine: UCI and USI, from the side of the one who is asked.
//!
//! | file | what it holds |
//! |---|---|
//! | `command` | what a client may say |
//! | `dialect` | what differs between UCI and USI |
//! | `settings` | the options |
//! | `clock` | how much of the clock to spend on a move |
//! | `server` | [`serve()`]: the threads, and the lines that come in |
//! | `control` | the conversation |
//! | `worker` | the thread that thinks |
//! | `event`, `voice` | what may happen to the conversation, and where answers go |
//!
//! Three threads: one reads lines, one thinks, and the one that called [`serve()`] keeps the conversation. So `isready` and
//! `stop` are answered while a search runs. Whatever the client sends, it gets an answer or an `info string`, never a
//! crash; the end of its input is `quit`.

mod clock;
mod command;
mod control;
mod dialect;
mod event;
mod server;
mod settings;
mod voice;
mod worker;

pub use server::serve;
pub use settings::ServeError;
