//! Tesuji in a browser: a page for every game, served on this machine.
//!
//! The page is in `web`; it knows no rule. Positions come as scenes and gestures ([`tesuji_core::scene`]), everything
//! that takes a while is a job whose news come by one stream of events a tab. docs/serve.md is for users, docs/api.md
//! lists the requests.
//!
//! | file | what it holds |
//! |---|---|
//! | [`app`] | [`App`]: what every request sees; [`Options`] |
//! | [`api`] | the requests |
//! | [`describe`] | types and requests described: OpenAPI, the page's types, docs/api.md |
//! | [`assets`] | the page's files |
//! | [`guard`], [`rate`] | what every request passes: rate, `Host`, token, `Origin` |
//! | [`secrets`] | the tokens |
//! | [`hub`] | the event streams of open tabs |
//! | [`jobs`] | everything that takes a while: the list, the threads |
//! | [`work`] | what jobs do: searches, solvers, matches, runs, lessons |
//! | [`networks`], [`agents`] | networks, runs and agents as the page may name them |
//! | [`serve`](mod@serve) | the server itself: listens, answers, ends |
//! | [`memory`] | memory that searches have freed goes back to the system |
//! | [`played`] | a position from its game, start and moves |
//! | [`input`], [`problem`] | bodies of requests; why a request is refused |

pub mod agents;
pub mod api;
pub mod app;
pub mod assets;
pub mod describe;
pub mod guard;
pub mod hub;
pub mod input;
pub mod jobs;
pub mod memory;
pub mod networks;
pub mod played;
pub mod problem;
pub mod rate;
pub mod secrets;
pub mod serve;
pub mod work;

pub use app::{App, Options};
pub use serve::{Server, router};
