//! Being an engine: UCI and USI, the engine side.
//!
//! | file | what it holds |
//! |---|---|
//! | `command` | the commands of a client |
//! | `dialect` | what differs between UCI and USI |
//! | `settings` | the options |
//! | `clock` | how much of the clock to spend on a move |
//! | `server` | [`serve()`]: the threads, and the lines that come in |
//! | `control` | the main loop: commands in, answers out |
//! | `worker` | the search thread |
//! | `event`, `voice` | the events of the main loop, and the output |
//!
//! Three threads: one reads lines, one searches, and the one that called [`serve()`] runs the main loop. So `isready`
//! and `stop` are answered while a search runs. Whatever the client sends, it gets an answer or an `info string`, never
//! a crash; the end of its input is `quit`.

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
