//! `tesuji workers`: who plays for the runs of a place.

use crate::common::cluster::{Place, Role};
use crate::common::output::Output;
use crate::common::table::Table;
use anyhow::{Result, anyhow};
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use tesuji_learn::cluster::{Heartbeat, Tally, Transport};

/// Arguments of `tesuji workers`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji workers dir:/shared/c4
  tesuji workers dir:/shared/c4 --json       a line for each worker

`age` is the time since the worker's latest sign of life, by the clocks of both machines. `taken` are parts that are in a
run, `audited` those that a second worker made to the same bytes, `bad` those that could not be used. A worker that is
banned made other games than the learner's machine; nothing of it is taken any more.")]
pub struct WorkersArgs {
    /// Where the learner is: dir:PATH or nats://HOST:PORT
    place: Place,
}

/// What is known of a worker.
#[derive(Default)]
struct Row {
    heartbeat: Option<Heartbeat>,
    tally: Tally,
}

/// Runs the subcommand.
pub fn run(args: &WorkersArgs, out: &mut Output) -> Result<()> {
    let transport = args.place.open(Role::Guest)?;
    let rows = rows(transport.as_ref()).map_err(|problem| anyhow!(problem))?;
    let mut table = Table::new().right(2..9);
    table.row(["worker", "state", "threads", "age", "parts", "positions/s", "taken", "audited", "bad"]);
    for (name, Row { heartbeat, tally }) in &rows {
        let state = match heartbeat {
            _ if tally.banned.is_some() => "banned",
            None => "gone",
            Some(heartbeat) if heartbeat.run.is_empty() => "waiting",
            Some(_) => "playing",
        };
        if out.json {
            let age = heartbeat.as_ref().map(|heartbeat| heartbeat.age().as_secs());
            let rate = heartbeat.as_ref().map(Heartbeat::rate);
            out.object(&json!({
                "worker": name, "state": state, "age": age, "positions_per_second": rate, "heartbeat": heartbeat,
                "taken": tally.parts, "audited": tally.audited, "bad": tally.bad, "banned": tally.banned,
            }))?;
            continue;
        }
        let of = |text: &dyn Fn(&Heartbeat) -> String| heartbeat.as_ref().map_or_else(|| "-".to_owned(), text);
        table.row([
            name.clone(),
            state.to_owned(),
            of(&|heartbeat| heartbeat.threads.to_string()),
            of(&|heartbeat| format!("{} s", heartbeat.age().as_secs())),
            of(&|heartbeat| heartbeat.parts.to_string()),
            of(&|heartbeat| format!("{:.0}", heartbeat.rate())),
            tally.parts.to_string(),
            tally.audited.to_string(),
            tally.bad.to_string(),
        ]);
    }
    if out.json {
        return Ok(());
    }
    if rows.is_empty() {
        return out.line("no workers; `tesuji worker PLACE` starts one");
    }
    out.bytes(table.text().as_bytes())?;
    for (name, row) in &rows {
        if let Some(why) = &row.tally.banned {
            out.line(&format!("{name} is banned: {why}"))?;
        }
    }
    Ok(())
}

/// The workers that are there, and those that a learner knows.
fn rows(transport: &dyn Transport) -> Result<BTreeMap<String, Row>, String> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for heartbeat in transport.heartbeats()? {
        let row = rows.entry(heartbeat.worker.clone()).or_default();
        row.heartbeat = Some(heartbeat);
    }
    for (name, tally) in transport.tallies()?.into_values().flatten() {
        let sum = &mut rows.entry(name).or_default().tally;
        sum.parts += tally.parts;
        sum.audited += tally.audited;
        sum.bad += tally.bad;
        sum.banned = sum.banned.take().or(tally.banned);
    }
    Ok(rows)
}
