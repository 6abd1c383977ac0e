//! The server: security, requests, jobs. One test program of several files: each program links everything again.

mod api;
mod common;
mod described;
mod jobs;
mod security;
