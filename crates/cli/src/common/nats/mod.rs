//! NATS JetStream between the learner and its workers.
//!
//! | on the server | what it is |
//! |---|---|
//! | stream `TESUJI_WORK` | units: a work queue; what is not acknowledged or kept alive in time is delivered again |
//! | stream `TESUJI_PARTS` | parts that were delivered; refuses new ones when it is full |
//! | key-value `tesuji_runs`, `tesuji_tallies` | what runs are; what learners know of their workers |
//! | key-value `tesuji_learners` | the learner of each run, for a few seconds at a time |
//! | key-value `tesuji_workers` | the latest sign of life of each worker; old ones go |
//! | object store `tesuji_networks` | networks |
//! | object store `tesuji_parts` | parts that are too long for a message, those set aside, dead letters |
//!
//! | file | what it holds |
//! |---|---|
//! | [`connection`] | the server: how to reach it, what is made on it |
//! | [`learner`] | what a learner does with it |
//! | [`worker`] | what a worker does with it |
//!
//! Calls are tried again for a while when the server does not answer: it may be restarted at any moment.

mod connection;
mod learner;
mod worker;

pub use connection::Nats;

use std::collections::{BTreeMap, BTreeSet};
use tesuji_learn::cluster::{Arrived, Claim, Heartbeat, Tallies, Transport, Unit, Verdict, Work, seal};

impl Transport for Nats {
    fn open_run(&self, work: &Work) -> Result<(), String> {
        self.call(|| self.take_lock(&work.run))?;
        self.keep_lock(&work.run);
        self.call(|| self.make_known(work))
    }

    fn close_run(&self, run: &str) -> Result<(), String> {
        self.drop_lock(run);
        self.call(|| self.forget_run(run))
    }

    fn begin_generation(&self, run: &str, _generation: u64, (before, network): (u64, &[u8])) -> Result<(), String> {
        self.call(|| self.purge(format!("tesuji.work.{run}.>")))?;
        self.call(|| self.put_network(run, before, network))
    }

    fn offer(&self, unit: &Unit) -> Result<(), String> {
        self.call(|| self.publish_unit(unit))
    }

    fn withdraw(&self, unit: &Unit) -> Result<(), String> {
        self.call(|| self.purge(format!("tesuji.work.{}.{:06}.{:04}.*", unit.run, unit.generation, unit.part)))
    }

    fn bury(&self, unit: &Unit) -> Result<(), String> {
        let (name, letter) = (format!("dead/{}/{}", unit.run, unit.id()), seal::seal(unit, &[]));
        self.call(|| self.put_object("tesuji_parts", &name, &letter))
    }

    fn arrived(&self, run: &str) -> Result<Vec<Arrived>, String> {
        self.call(|| self.fetch_parts(run))
    }

    fn settle(&self, run: &str, arrived: &Arrived, verdict: Verdict) -> Result<(), String> {
        self.call(|| self.settle_part(run, arrived, verdict))
    }

    fn take_back(&self, _run: &str, _is_alive: &dyn Fn(&str) -> bool) -> Result<Vec<(String, String)>, String> {
        // The server does it.
        Ok(Vec::new())
    }

    fn parts_under_way(&self, run: &str) -> Result<Option<BTreeSet<(u64, u64)>>, String> {
        self.call(|| self.list_parts(run)).map(Some)
    }

    fn write_tallies(&self, run: &str, tallies: &Tallies) -> Result<(), String> {
        self.call(|| self.put_note("tesuji_tallies", run, tallies))
    }

    fn runs(&self) -> Result<Vec<Work>, String> {
        let runs: BTreeMap<String, Result<Work, String>> = self.call(|| self.notes("tesuji_runs"))?;
        // One that cannot be read is of another version, or for other machines.
        runs.into_iter().map(|(name, work)| work.map_err(|error| format!("run {name}: {error}"))).collect()
    }

    fn tallies(&self) -> Result<BTreeMap<String, Tallies>, String> {
        let tallies = self.call(|| self.notes("tesuji_tallies"))?;
        Ok(tallies.into_iter().filter_map(|(run, tallies)| Some((run, tallies.ok()?))).collect())
    }

    fn heartbeats(&self) -> Result<Vec<Heartbeat>, String> {
        let beats: BTreeMap<String, Result<Heartbeat, String>> = self.call(|| self.notes("tesuji_workers"))?;
        // One that cannot be read is that of nobody.
        let beats = beats.into_iter().filter_map(|(name, beat)| Some((name, beat.ok()?)));
        Ok(beats.filter(|(name, beat)| *name == beat.worker).map(|(_, beat)| beat).collect())
    }

    fn waiting(&self, run: &str) -> Result<usize, String> {
        self.call(|| self.count_waiting(run))
    }

    fn claim(&self, run: &str, worker: &str, accept: &dyn Fn(&Unit) -> bool) -> Result<Option<Claim>, String> {
        self.call(|| self.claim_unit(run, worker, accept))
    }

    fn network(&self, unit: &Unit) -> Result<Vec<u8>, String> {
        // One that is not there will not come: the learner has gone on.
        self.wait(self.get_object("tesuji_networks", &learner::network_name(&unit.run, unit.network.generation)))
    }

    fn deliver(&self, claim: &Claim, part: &[u8]) -> Result<(), String> {
        self.call(|| self.publish_part(claim, part))?;
        self.call(|| self.end_claim(claim, None))
    }

    fn release(&self, claim: &Claim, again: bool) -> Result<(), String> {
        self.call(|| self.end_claim(claim, Some(again)))
    }

    fn beat(&self, heartbeat: &Heartbeat) -> Result<(), String> {
        // Another one comes soon.
        self.wait(self.put_note("tesuji_workers", &heartbeat.worker, heartbeat))?;
        self.wait(self.keep_claims())
    }

    fn leave(&self, worker: &str) -> Result<(), String> {
        self.call(|| self.remove_note("tesuji_workers", worker))
    }
}
