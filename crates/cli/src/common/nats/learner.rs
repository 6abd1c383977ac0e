//! What a learner does with the server.

use super::connection::{LOCK, Nats, lock, words};
use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use futures_util::StreamExt;
use std::collections::BTreeSet;
use std::time::Duration;
use tesuji_learn::cluster::{Arrived, Unit, Verdict, Work, seal};

/// Parts that are fetched at once.
const AT_ONCE: usize = 16;
/// A part that the learner has not settled comes again after this.
const AGAIN: Duration = Duration::from_secs(60);
/// The header of a message whose part is an object of this name.
pub(super) const OBJECT: &str = "Tesuji-Object";

/// A generation's network among the objects.
pub(super) fn network_name(run: &str, generation: u64) -> String {
    format!("{run}/{generation:06}")
}

/// The subject of a unit behind `tesuji.work.` or `tesuji.parts.`.
pub(super) fn unit_subject(unit: &Unit) -> String {
    format!("{}.{:06}.{:04}.{}", unit.run, unit.generation, unit.part, unit.copy)
}

impl Nats {
    /// Becomes the learner of a run; waits as long as one that was killed may still hold it.
    pub(super) async fn take_lock(&self, run: &str) -> Result<(), String> {
        let learners = self.bucket("tesuji_learners").await?;
        for _ in 0..LOCK.as_secs() + 5 {
            if learners.create(run, "learner".into()).await.is_ok() {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        Err(format!("{run}: another learner works on it"))
    }

    /// Stays the learner of the run as long as this process lives.
    pub(super) fn keep_lock(&self, run: &str) {
        let (context, name) = (self.context.clone(), run.to_owned());
        self.keep(run, async move {
            loop {
                if let Ok(learners) = context.get_key_value("tesuji_learners").await {
                    // The next one may come through.
                    let _ = learners.put(&name, "learner".into()).await;
                }
                tokio::time::sleep(LOCK / 4).await;
            }
        });
    }

    /// Makes a run known, with the queues of its units and of its parts.
    pub(super) async fn make_known(&self, work: &Work) -> Result<(), String> {
        let consumer = |subject: &str, ack_wait| pull::Config {
            durable_name: Some(work.run.clone()),
            filter_subject: format!("tesuji.{subject}.{}.>", work.run),
            ack_policy: AckPolicy::Explicit,
            ack_wait,
            // Units of a whole generation may be under way.
            max_ack_pending: 100_000,
            ..pull::Config::default()
        };
        let deadline = Duration::from_millis(work.deadline);
        self.work.create_consumer(consumer("work", deadline)).await.map_err(words)?;
        // What a learner that was killed has fetched and not settled comes at once to a new consumer. There may be none yet.
        let _ = self.parts.delete_consumer(&work.run).await;
        self.parts.create_consumer(consumer("parts", AGAIN)).await.map_err(words)?;
        self.put_note("tesuji_runs", &work.run, work).await
    }

    pub(super) async fn forget_run(&self, run: &str) -> Result<(), String> {
        self.remove_note("tesuji_runs", run).await?;
        self.remove_note("tesuji_learners", run).await
    }

    /// Stores a network, and removes older ones of the run.
    pub(super) async fn put_network(&self, run: &str, generation: u64, bytes: &[u8]) -> Result<(), String> {
        let name = network_name(run, generation);
        self.put_object("tesuji_networks", &name, bytes).await?;
        let store = self.store("tesuji_networks").await?;
        let mut objects = store.list().await.map_err(words)?;
        let mut old = Vec::new();
        while let Some(object) = objects.next().await {
            let object = object.map_err(words)?;
            if object.name != name && object.name.strip_prefix(run).is_some_and(|rest| rest.starts_with('/')) {
                old.push(object.name);
            }
        }
        for name in old {
            store.delete(&name).await.map_err(words)?;
        }
        Ok(())
    }

    pub(super) async fn publish_unit(&self, unit: &Unit) -> Result<(), String> {
        let subject = format!("tesuji.work.{}", unit_subject(unit));
        let sent = self.context.publish(subject, seal::seal(unit, &[]).into()).await.map_err(words)?;
        match sent.await {
            Ok(_) => Ok(()),
            // It is there already.
            Err(error)
                if error.kind() == PublishErrorKind::Other
                    && error.to_string().contains("maximum messages per subject") =>
            {
                Ok(())
            }
            Err(error) => Err(words(error)),
        }
    }

    /// Some of the parts that were delivered.
    pub(super) async fn fetch_parts(&self, run: &str) -> Result<Vec<Arrived>, String> {
        let consumer: Consumer<pull::Config> = self.parts.get_consumer(run).await.map_err(words)?;
        let mut batch = consumer.fetch().max_messages(AT_ONCE).messages().await.map_err(words)?;
        let mut arrived = Vec::new();
        while let Some(message) = batch.next().await {
            let message = message.map_err(words)?;
            let tokens: Vec<&str> = message.subject.as_str().split('.').collect();
            let [_, _, _, generation, part, copy, worker] = tokens[..] else { continue };
            let (id, worker) = (format!("{generation}-{part}-{copy}"), worker.to_owned());
            let object = message.headers.as_ref().and_then(|headers| headers.get(OBJECT)).map(|name| name.to_string());
            let bytes = match object {
                // One that is not there is seen as a part that cannot be read.
                Some(name) => self.get_object("tesuji_parts", &name).await.unwrap_or_default(),
                None => message.payload.to_vec(),
            };
            lock(&self.fetched).insert([run.to_owned(), id.clone(), worker.clone()], message);
            arrived.push(Arrived { id, worker, bytes });
        }
        Ok(arrived)
    }

    /// Acknowledges a part, which is in the run or kept apart by then.
    pub(super) async fn settle_part(&self, run: &str, arrived: &Arrived, verdict: Verdict) -> Result<(), String> {
        let name = format!("{run}/{}.{}", arrived.id, arrived.worker);
        match verdict {
            Verdict::Aside => self.put_object("tesuji_parts", &format!("aside/{name}"), &arrived.bytes).await?,
            // Most parts were no objects.
            Verdict::Done => drop(self.store("tesuji_parts").await?.delete(&name).await),
        }
        let key = [run.to_owned(), arrived.id.clone(), arrived.worker.clone()];
        let Some(message) = lock(&self.fetched).get(&key).cloned() else { return Ok(()) };
        message.double_ack().await.map_err(words)?;
        lock(&self.fetched).remove(&key);
        Ok(())
    }

    /// The parts of which a unit or a part is on the server.
    pub(super) async fn list_parts(&self, run: &str) -> Result<BTreeSet<(u64, u64)>, String> {
        let mut parts = BTreeSet::new();
        for (stream, subject) in [(&self.work, "work"), (&self.parts, "parts")] {
            let mut subjects = stream.info_with_subjects(format!("tesuji.{subject}.{run}.>")).await.map_err(words)?;
            while let Some(subject) = subjects.next().await {
                let (subject, _) = subject.map_err(words)?;
                let mut numbers = subject.split('.').skip(3).map(|token| token.parse().ok());
                parts.extend(numbers.next().flatten().zip(numbers.next().flatten()));
            }
        }
        Ok(parts)
    }
}
