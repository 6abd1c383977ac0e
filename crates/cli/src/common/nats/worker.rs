//! What a worker does with the server.

use super::connection::{Nats, lock, words};
use super::learner::{OBJECT, unit_subject};
use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::message::PublishMessage;
use futures_util::StreamExt;
use std::time::Duration;
use tesuji_learn::cluster::{Claim, Unit, seal};

/// A unit that this worker must not make is offered to others at once, and to it again after this.
const NOT_MINE: Duration = Duration::from_millis(500);
/// Units that are looked at in one go.
const LOOKED_AT: usize = 8;
/// Room for subject and headers in a message.
const ROOM: usize = 4096;

impl Nats {
    async fn units(&self, run: &str) -> Result<Consumer<pull::Config>, String> {
        self.work.get_consumer(run).await.map_err(words)
    }

    /// About how many units nobody has.
    pub(super) async fn count_waiting(&self, run: &str) -> Result<usize, String> {
        Ok(self.units(run).await?.cached_info().num_pending as usize)
    }

    /// Claims a unit that is acceptable.
    pub(super) async fn claim_unit(
        &self,
        run: &str,
        worker: &str,
        accept: &dyn Fn(&Unit) -> bool,
    ) -> Result<Option<Claim>, String> {
        let consumer = self.units(run).await?;
        for _ in 0..LOOKED_AT {
            let mut batch = consumer.fetch().max_messages(1).messages().await.map_err(words)?;
            let Some(message) = batch.next().await else { return Ok(None) };
            let message = message.map_err(words)?;
            match seal::open::<Unit>(&message.payload) {
                Ok((unit, _)) if unit.run == run && accept(&unit) => {
                    lock(&self.claimed).insert([unit.run.clone(), unit.id(), worker.to_owned()], message);
                    return Ok(Some(Claim { unit, worker: worker.to_owned() }));
                }
                Ok(_) => message.ack_with(AckKind::Nak(Some(NOT_MINE))).await.map_err(words)?,
                // The learner misses it, and offers it again.
                Err(_) => message.ack_with(AckKind::Term).await.map_err(words)?,
            }
        }
        Ok(None)
    }

    /// Delivers a part; once, though it may be sent twice when an answer is lost. A full stream refuses it for a while.
    pub(super) async fn publish_part(&self, claim: &Claim, part: &[u8]) -> Result<(), String> {
        let (unit, worker) = (&claim.unit, &claim.worker);
        let subject = format!("tesuji.parts.{}.{worker}", unit_subject(unit));
        let claimed = lock(&self.claimed).get(&[unit.run.clone(), unit.id(), worker.clone()]).cloned();
        let sequence = claimed.and_then(|message| message.info().ok().map(|info| info.stream_sequence)).unwrap_or(0);
        let message = PublishMessage::build().message_id(format!("{}/{}/{worker}/{sequence}", unit.run, unit.id()));
        let most = self.context.client().server_info().max_payload.saturating_sub(ROOM);
        let message = if part.len() <= most {
            message.payload(part.to_vec().into())
        } else {
            let name = format!("{}/{}.{worker}", unit.run, unit.id());
            self.put_object("tesuji_parts", &name, part).await?;
            message.header(OBJECT, name.as_str())
        };
        let sent = self.context.send_publish(subject, message).await.map_err(words)?;
        sent.await.map(drop).map_err(words)
    }

    /// Ends a claim: it was delivered (`None`), or somebody else is to make it, or nobody.
    pub(super) async fn end_claim(&self, claim: &Claim, again: Option<bool>) -> Result<(), String> {
        let key = [claim.unit.run.clone(), claim.unit.id(), claim.worker.clone()];
        let Some(message) = lock(&self.claimed).get(&key).cloned() else { return Ok(()) };
        let kind = if again == Some(true) { AckKind::Nak(None) } else { AckKind::Ack };
        // Late answers do no harm: the unit may have been given to somebody else, or taken back.
        message.ack_with(kind).await.map_err(words)?;
        lock(&self.claimed).remove(&key);
        Ok(())
    }

    /// Tells the server that the claims of this process are being worked on.
    pub(super) async fn keep_claims(&self) -> Result<(), String> {
        let claims: Vec<_> = lock(&self.claimed).values().cloned().collect();
        for message in claims {
            message.ack_with(AckKind::Progress).await.map_err(words)?;
        }
        Ok(())
    }
}
