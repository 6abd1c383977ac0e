//! The server: how to reach it, what is made on it, and what both sides do with it.

use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, Message, kv, object_store};
use async_nats::{ConnectOptions, ServerAddr};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::env;
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tesuji_learn::cluster::seal;
use tokio::io::AsyncReadExt;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

/// How long a call is tried again when the server does not answer.
const PATIENCE: Duration = Duration::from_secs(120);
/// Signs of life are forgotten after so long.
const OLD_BEATS: Duration = Duration::from_secs(3600);
/// A learner that does not renew its claim to a run for so long has lost it.
pub(super) const LOCK: Duration = Duration::from_secs(10);
/// The stream of parts takes no more than this.
const MOST_PARTS: i64 = 256 << 20;

/// A server, with what is made on it.
pub struct Nats {
    runtime: Runtime,
    pub(super) context: Context,
    pub(super) work: Stream,
    pub(super) parts: Stream,
    /// Units that this process has claimed, by run, name and worker.
    pub(super) claimed: Mutex<BTreeMap<[String; 3], Message>>,
    /// Parts that this process has fetched and not settled, by run, unit and worker.
    pub(super) fetched: Mutex<BTreeMap<[String; 3], Message>>,
    /// What keeps the claims to runs alive.
    keepers: Mutex<BTreeMap<String, JoinHandle<()>>>,
}

/// An error as words.
pub(super) fn words(error: impl Display) -> String {
    error.to_string()
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Nats {
    /// Connects to `nats://[USER:PASSWORD@|TOKEN@]HOST[:PORT]`, or `tls://...`. `TESUJI_NATS_CA` names a file with the
    /// certificates to trust, `TESUJI_NATS_CREDENTIALS` one with credentials.
    pub fn connect(url: &str) -> Result<Nats, String> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(words)?;
        // The address without what is secret in it.
        let shown = url.rsplit_once('@').map_or(url, |(_, host)| host).trim_start_matches("nats://").to_owned();
        let made = runtime.block_on(make(url)).map_err(|problem| format!("nats server {shown}: {problem}"))?;
        let (context, work, parts) = made;
        let (claimed, fetched, keepers) = (Mutex::default(), Mutex::default(), Mutex::default());
        Ok(Nats { runtime, context, work, parts, claimed, fetched, keepers })
    }

    /// Waits for a call.
    pub(super) fn wait<T>(&self, call: impl Future<Output = Result<T, String>>) -> Result<T, String> {
        self.runtime.block_on(call)
    }

    /// Waits for a call, and makes it again for a while if it fails.
    pub(super) fn call<T, F: Future<Output = Result<T, String>>>(&self, call: impl Fn() -> F) -> Result<T, String> {
        let (since, mut sleep) = (Instant::now(), Duration::from_millis(50));
        loop {
            match self.wait(call()) {
                Err(_) if since.elapsed() < PATIENCE => std::thread::sleep(sleep),
                done => return done.map_err(|problem| format!("nats server: {problem}")),
            }
            sleep = Duration::from_secs(2).min(2 * sleep);
        }
    }

    /// Goes on doing something for a run until told otherwise.
    pub(super) fn keep(&self, run: &str, task: impl Future<Output = ()> + Send + 'static) {
        let before = lock(&self.keepers).insert(run.to_owned(), self.runtime.spawn(task));
        before.into_iter().for_each(|task| task.abort());
    }

    /// Stops doing it.
    pub(super) fn drop_lock(&self, run: &str) {
        lock(&self.keepers).remove(run).into_iter().for_each(|task| task.abort());
    }

    pub(super) async fn bucket(&self, name: &str) -> Result<kv::Store, String> {
        self.context.get_key_value(name).await.map_err(words)
    }

    /// Writes a note under a name.
    pub(super) async fn put_note<T: Serialize>(&self, bucket: &str, name: &str, note: &T) -> Result<(), String> {
        let bytes = seal::seal(note, &[]);
        self.bucket(bucket).await?.put(name, bytes.into()).await.map(drop).map_err(words)
    }

    pub(super) async fn remove_note(&self, bucket: &str, name: &str) -> Result<(), String> {
        self.bucket(bucket).await?.purge(name).await.map_err(words)
    }

    /// All notes of a bucket by name, or why they cannot be read.
    pub(super) async fn notes<T: for<'de> Deserialize<'de>>(
        &self,
        bucket: &str,
    ) -> Result<BTreeMap<String, Result<T, String>>, String> {
        let bucket = self.bucket(bucket).await?;
        let mut keys = bucket.keys().await.map_err(words)?;
        let mut notes = BTreeMap::new();
        while let Some(key) = keys.next().await {
            let key = key.map_err(words)?;
            let Some(bytes) = bucket.get(&key).await.map_err(words)? else { continue };
            let note = seal::open(&bytes).map(|(note, _)| note);
            notes.insert(key, note);
        }
        Ok(notes)
    }

    pub(super) async fn store(&self, name: &str) -> Result<object_store::ObjectStore, String> {
        self.context.get_object_store(name).await.map_err(words)
    }

    pub(super) async fn put_object(&self, store: &str, name: &str, mut bytes: &[u8]) -> Result<(), String> {
        self.store(store).await?.put(name, &mut bytes).await.map(drop).map_err(words)
    }

    /// The bytes of an object; the client checks their SHA-256.
    pub(super) async fn get_object(&self, store: &str, name: &str) -> Result<Vec<u8>, String> {
        let mut object = self.store(store).await?.get(name).await.map_err(words)?;
        let mut bytes = Vec::new();
        object.read_to_end(&mut bytes).await.map_err(words)?;
        Ok(bytes)
    }

    /// Removes messages of the stream of units.
    pub(super) async fn purge(&self, subject: String) -> Result<(), String> {
        self.work.purge().filter(subject).await.map(drop).map_err(words)
    }
}

/// A problem of connecting, with what to do about it where that is known.
fn with_advice(problem: &str) -> String {
    if problem.contains("certificate") {
        let advice = "renew it, or name a file with whom to trust by TESUJI_NATS_CA";
        return format!("{problem}: {advice}");
    }
    problem.to_owned()
}

/// Connects, and makes what is not on the server yet.
async fn make(url: &str) -> Result<(Context, Stream, Stream), String> {
    let address: ServerAddr = url.parse().map_err(words)?;
    let mut options =
        ConnectOptions::new().connection_timeout(Duration::from_secs(10)).require_tls(address.tls_required());
    options = match (address.username(), address.password()) {
        (Some(user), Some(password)) => options.user_and_password(user.to_owned(), password.to_owned()),
        (Some(token), None) => options.token(token.to_owned()),
        _ => options,
    };
    if let Some(path) = env::var_os("TESUJI_NATS_CA") {
        options = options.add_root_certificates(path.into());
    }
    if let Some(path) = env::var_os("TESUJI_NATS_CREDENTIALS") {
        options = options.credentials_file(&path).await.map_err(|error| format!("{path:?}: {error}"))?;
    }
    let client = options.connect(address).await.map_err(|error| with_advice(&words(error)))?;
    let context = jetstream::new(client);
    let queue = |name: &str, subject: &str| Config {
        name: name.to_owned(),
        subjects: vec![subject.to_owned()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        ..Config::default()
    };
    // One message for each unit: who offers it twice is refused.
    let work =
        Config { max_messages_per_subject: 1, discard_new_per_subject: true, ..queue("TESUJI_WORK", "tesuji.work.>") };
    let parts = Config { max_bytes: MOST_PARTS, ..queue("TESUJI_PARTS", "tesuji.parts.>") };
    let problem = |error: jetstream::context::CreateStreamError| format!("{error} (is JetStream on?)");
    context.get_or_create_stream(work).await.map_err(problem)?;
    context.get_or_create_stream(parts).await.map_err(problem)?;
    for (bucket, max_age) in [
        ("tesuji_runs", Duration::ZERO),
        ("tesuji_tallies", Duration::ZERO),
        ("tesuji_workers", OLD_BEATS),
        ("tesuji_learners", LOCK),
    ] {
        if context.get_key_value(bucket).await.is_err() {
            let config = kv::Config { bucket: bucket.to_owned(), history: 1, max_age, ..kv::Config::default() };
            context.create_key_value(config).await.map_err(words)?;
        }
    }
    for bucket in ["tesuji_networks", "tesuji_parts"] {
        if context.get_object_store(bucket).await.is_err() {
            let config = object_store::Config { bucket: bucket.to_owned(), ..object_store::Config::default() };
            context.create_object_store(config).await.map_err(words)?;
        }
    }
    let work = context.get_stream("TESUJI_WORK").await.map_err(words)?;
    let parts = context.get_stream("TESUJI_PARTS").await.map_err(words)?;
    Ok((context, work, parts))
}
