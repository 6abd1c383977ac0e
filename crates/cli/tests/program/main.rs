//! The built program, from outside. One test program of many files: each program links everything again.

mod book;
mod cli;
#[cfg(unix)]
mod cluster;
mod common;
mod contest;
#[cfg(unix)]
mod contests;
mod costs;
mod data;
mod docs;
mod door;
mod engine;
#[cfg(unix)]
mod interrupt;
mod lab;
mod net;
mod paper_claims;
mod results;
mod save;
mod schema;
#[cfg(unix)]
mod serve;
mod sound;
mod strengths;
mod teach;
mod train;
