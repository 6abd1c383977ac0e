//! The learner and its workers as processes of their own: the run's files are those of a run on threads, whatever happens
//! to them on the way.

use crate::common::refusal;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;
use tesuji_core::{GameRecord, Stream};
use tesuji_learn::cluster::{
    Arrived, Claim, Heartbeat, SharedDir, Tallies, Transport, Unit, Verdict, Work, WorkerOptions, seal, work,
};
use tesuji_nn::Isa;

const ALPHAZERO: &str = r#"
game = "connect4"
[network]
blocks = 1
filters = 8
[selfplay]
games = 100
simulations = 6
in_flight = 16
[training]
steps = 6
batch = 16
[measure]
every = 2
games = 2
final_games = 2
simulations = 4
opponents = ["random"]
"#;

const NNUE: &str = r#"
game = "tictactoe"
[method]
kind = "nnue"
epochs = 1
[method.play]
nodes = 30
hash = 1
[network]
kind = "nnue"
[selfplay]
games = 100
[measure]
final_games = 0
"#;

/// A directory with experiments, and the processes that work in it: they end with it.
pub struct Place {
    directory: tempfile::TempDir,
}

/// A process that ends with its test.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    pub fn signal(&self, signal: &str) {
        assert!(Command::new("kill").args([signal, &self.0.id().to_string()]).status().unwrap().success());
    }

    /// Waits for its end.
    pub fn output(mut self) -> Output {
        // The pipes are drained by `wait_with_output`, which wants the child itself.
        let child = std::mem::replace(&mut self.0, Command::new("true").spawn().unwrap());
        child.wait_with_output().unwrap()
    }

    /// Waits for its end, which is a good one; what it said on standard error.
    pub fn success(self) -> String {
        let output = self.output();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{}: {errors}", output.status);
        errors
    }
}

impl Place {
    pub fn new() -> Place {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("az.toml"), ALPHAZERO).unwrap();
        fs::write(directory.path().join("nnue.toml"), NNUE).unwrap();
        fs::create_dir(directory.path().join("shared")).unwrap();
        Place { directory }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn start(&self, words: &str) -> Process {
        self.start_in("", words)
    }

    /// Starts the program in a folder of this directory.
    pub fn start_in(&self, folder: &str, words: &str) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        command.current_dir(self.path(folder)).args(words.split_whitespace()).stdin(Stdio::null());
        Process(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    pub fn worker(&self, name: &str) -> Process {
        self.start(&format!("worker dir:shared --threads 1 --name {name}"))
    }

    /// The files under a folder of the shared directory's only run.
    pub fn shared(&self, folder: &str) -> Vec<String> {
        let Ok(runs) = fs::read_dir(self.path("shared/runs")) else { return Vec::new() };
        let folders = runs.filter_map(|run| fs::read_dir(run.ok()?.path().join(folder)).ok());
        folders.flatten().filter_map(|file| file.ok()?.file_name().into_string().ok()).collect()
    }

    pub fn wait_for(&self, what: &str, mut is_there: impl FnMut() -> bool) {
        for _ in 0..3000 {
            if is_there() {
                return;
            }
            sleep(Duration::from_millis(20));
        }
        panic!("no {what}");
    }

    /// Every file of a run that must repeat, by name.
    pub fn files(&self, run: &str) -> BTreeMap<String, Vec<u8>> {
        let (root, mut files) = (self.path(run), BTreeMap::new());
        for folder in ["", "records", "networks"] {
            for entry in fs::read_dir(root.join(folder)).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
                if path.is_file() && !["costs.jsonl", "report.html"].contains(&name.as_str()) && !name.ends_with(".tmp")
                {
                    files.insert(name, fs::read(&path).unwrap());
                }
            }
        }
        files
    }

    #[track_caller]
    pub fn assert_same(&self, one: &str, other: &str) {
        let (one, other) = (self.files(one), self.files(other));
        assert_eq!(one.keys().collect::<BTreeSet<_>>(), other.keys().collect::<BTreeSet<_>>());
        assert!(one.len() > 8, "{:?}", one.keys());
        for (name, bytes) in &one {
            assert!(*bytes == other[name], "{name} differs");
        }
    }
}

#[test]
fn a_run_of_two_workers_is_that_of_threads() {
    for experiment in ["az", "nnue"] {
        let place = Place::new();
        place.start(&format!("train {experiment}.toml --out alone --budget 3 --threads 2")).success();
        let words = format!("train {experiment}.toml --out many --budget 3 --threads 1 --workers dir:shared");
        let learner = place.start(&format!("{words} --learner-plays never --audit 0.4 --deadline 20s"));
        let workers = ["one", "two"].map(|name| place.worker(name));
        learner.success();
        place.assert_same("alone", "many");

        let listed = place.start("workers dir:shared --json").output();
        let listed: Vec<serde_json::Value> =
            String::from_utf8(listed.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(listed.len(), 2, "{listed:?}");
        let sum = |key: &str| listed.iter().map(|row| row[key].as_u64().unwrap()).sum::<u64>();
        // Three generations of four parts, some of them made twice, with two workers for each of those; and two matches.
        let matches = if experiment == "az" { 2 } else { 0 };
        assert_eq!((sum("taken"), sum("bad")), (12 + matches, 0), "{listed:?}");
        assert!(sum("audited") >= 2 && sum("audited") % 2 == 0, "{listed:?}");
        for worker in workers {
            worker.signal("-TERM");
            let output = worker.output();
            assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert_eq!(fs::read_dir(place.path("shared/workers")).unwrap().count(), 0, "workers say goodbye");
    }
}

#[test]
fn a_lagging_run_is_played_while_it_learns_and_is_that_of_threads() {
    for (experiment, set) in [("az", "--set training.steps=800"), ("nnue", "")] {
        let place = Place::new();
        let set = format!("--set selfplay.lag=1 {set}");
        place.start(&format!("train {experiment}.toml {set} --out alone --budget 4 --threads 2")).success();
        let options = "--threads 1 --workers dir:shared --learner-plays never --audit 0.2 --deadline 20s";
        let learner = place.start(&format!("train {experiment}.toml {set} --out many --budget 2 {options}"));
        let workers = ["one", "two"].map(|name| place.worker(name));
        if experiment == "az" {
            place.wait_for("part of a generation that needs no network of the one before", || {
                let is_learned = place.path("many/networks/000001.safetensors").exists();
                let early = |folder| place.shared(folder).iter().any(|name| name.starts_with("000002-"));
                !is_learned && ["taken", "done"].into_iter().any(early)
            });
        }
        learner.success();
        place.start(&format!("train --resume --out many --budget 4 {options}")).success();
        place.assert_same("alone", "many");
        drop(workers);
    }
}

#[test]
fn a_learner_without_workers_plays_itself() {
    let place = Place::new();
    place.start("train az.toml --out alone --budget 2 --threads 2").success();
    place.start("train az.toml --out many --budget 2 --threads 2 --workers dir:shared --audit 1").success();
    place.assert_same("alone", "many");
    let table = String::from_utf8(place.start("workers dir:shared").output().stdout).unwrap();
    assert!(table.lines().any(|line| line.starts_with("learner ") && line.contains("gone")), "{table}");
}

#[test]
fn kills_at_any_moment_change_nothing() {
    for set in ["", "--set selfplay.lag=1"] {
        kills_change_nothing(set);
    }
}

fn kills_change_nothing(set: &str) {
    let place = Place::new();
    place.start(&format!("train az.toml {set} --out alone --budget 4 --threads 2")).success();
    let mut random = Stream::new(7, "kills", 0);
    let options = "--budget 4 --threads 1 --workers dir:shared --audit 0.3 --deadline 1s";
    let begin = || match place.path("many/experiment.toml").exists() {
        true => place.start(&format!("train --resume --out many {options}")),
        false => place.start(&format!("train az.toml {set} --out many {options}")),
    };
    let mut learner = begin();
    let mut names = 0..;
    let mut hire = || place.worker(&format!("worker-{}", names.next().unwrap()));
    let mut workers = [hire(), hire()];
    let mut kills = [0, 0];
    loop {
        sleep(Duration::from_millis(20 + random.below(400) as u64));
        if let Some(status) = learner.0.try_wait().unwrap() {
            assert!(status.success(), "{}", String::from_utf8_lossy(&learner.output().stderr));
            break;
        }
        if random.below(4) == 0 && kills[1] < 6 {
            kills[1] += 1;
            drop(std::mem::replace(&mut learner, Process(Command::new("true").spawn().unwrap())));
            learner = begin();
        } else if kills[0] < 12 {
            kills[0] += 1;
            workers[random.below(2)] = hire();
        }
    }
    assert!(kills[0] >= 2, "{kills:?}");
    place.assert_same("alone", "many");
}

#[test]
fn a_frozen_worker_loses_its_claim_and_its_late_part_is_harmless() {
    let place = Place::new();
    place.start("train az.toml --out alone --budget 3 --threads 2").success();
    let options = "--threads 1 --workers dir:shared --audit 0 --deadline 1s --learner-plays never";
    let learner = place.start(&format!("train az.toml --out many --budget 2 {options}"));
    let frozen = place.worker("frozen");
    place.wait_for("claim", || place.shared("taken").iter().any(|name| name.ends_with(".frozen")));
    frozen.signal("-STOP");
    let has_claim = place.shared("taken").iter().any(|name| name.ends_with(".frozen"));
    let other = place.worker("other");
    let said = learner.success();
    assert!(!has_claim || said.contains("worker frozen gives no sign of life"), "{said}");
    // It wakes, and delivers what was made without it; the next generation is played as if nothing had happened.
    frozen.signal("-CONT");
    place.start(&format!("train --resume --out many --budget 3 {options}")).success();
    place.assert_same("alone", "many");
    drop(other);
}

/// A directory through which a worker delivers games that it has not played like that.
struct Lying(SharedDir);

impl Transport for Lying {
    fn deliver(&self, claim: &Claim, part: &[u8]) -> Result<(), String> {
        let (header, body) = seal::open::<serde_json::Value>(part)?;
        let (mut records, _) = GameRecord::read_all(body);
        match records[0].moves.iter_mut().find_map(|played| played.thought.as_mut()) {
            // One weight of one policy, under a checksum that is right: nobody could tell by looking.
            Some(thought) => thought.policy[0].1 ^= 1,
            None => records[0].ending.push('!'),
        }
        let bytes: Vec<u8> = records.iter().flat_map(GameRecord::to_bytes).collect();
        self.0.deliver(claim, &seal::seal(&header, &bytes))
    }

    fn open_run(&self, work: &Work) -> Result<(), String> {
        self.0.open_run(work)
    }

    fn close_run(&self, run: &str) -> Result<(), String> {
        self.0.close_run(run)
    }

    fn begin_generation(&self, run: &str, generation: u64, network: (u64, &[u8])) -> Result<(), String> {
        self.0.begin_generation(run, generation, network)
    }

    fn offer(&self, unit: &Unit) -> Result<(), String> {
        self.0.offer(unit)
    }

    fn withdraw(&self, unit: &Unit) -> Result<(), String> {
        self.0.withdraw(unit)
    }

    fn bury(&self, unit: &Unit) -> Result<(), String> {
        self.0.bury(unit)
    }

    fn arrived(&self, run: &str) -> Result<Vec<Arrived>, String> {
        self.0.arrived(run)
    }

    fn settle(&self, run: &str, arrived: &Arrived, verdict: Verdict) -> Result<(), String> {
        self.0.settle(run, arrived, verdict)
    }

    fn take_back(&self, run: &str, is_alive: &dyn Fn(&str) -> bool) -> Result<Vec<(String, String)>, String> {
        self.0.take_back(run, is_alive)
    }

    fn parts_under_way(&self, run: &str) -> Result<Option<BTreeSet<(u64, u64)>>, String> {
        self.0.parts_under_way(run)
    }

    fn write_tallies(&self, run: &str, tallies: &Tallies) -> Result<(), String> {
        self.0.write_tallies(run, tallies)
    }

    fn runs(&self) -> Result<Vec<Work>, String> {
        self.0.runs()
    }

    fn tallies(&self) -> Result<BTreeMap<String, Tallies>, String> {
        self.0.tallies()
    }

    fn heartbeats(&self) -> Result<Vec<Heartbeat>, String> {
        self.0.heartbeats()
    }

    fn waiting(&self, run: &str) -> Result<usize, String> {
        self.0.waiting(run)
    }

    fn claim(&self, run: &str, worker: &str, accept: &dyn Fn(&Unit) -> bool) -> Result<Option<Claim>, String> {
        self.0.claim(run, worker, accept)
    }

    fn network(&self, unit: &Unit) -> Result<Vec<u8>, String> {
        self.0.network(unit)
    }

    fn release(&self, claim: &Claim, again: bool) -> Result<(), String> {
        self.0.release(claim, again)
    }

    fn beat(&self, heartbeat: &Heartbeat) -> Result<(), String> {
        self.0.beat(heartbeat)
    }

    fn leave(&self, worker: &str) -> Result<(), String> {
        self.0.leave(worker)
    }
}

#[test]
fn a_lying_worker_is_found_and_named() {
    let place = Place::new();
    place.start("train az.toml --out alone --budget 2 --threads 2").success();
    let options = "--threads 1 --workers dir:shared --audit 1 --deadline 20s --learner-plays never";
    let learner = place.start(&format!("train az.toml --out many --budget 2 {options}"));
    let honest = place.worker("honest");
    let stop = AtomicBool::new(false);
    let said = std::thread::scope(|scope| {
        scope.spawn(|| {
            let transport = Lying(SharedDir::open(&place.path("shared")).unwrap());
            let options = WorkerOptions { name: "liar".to_owned(), threads: 1, idle: None, engines: false };
            let kits = |game: &str, rules| tesuji_registry::kit(game, rules).map_err(|error| error.to_string());
            work(&transport, &options, &kits, &stop, &mut |_| {}).unwrap();
        });
        let said = learner.success();
        stop.store(true, Ordering::Relaxed);
        said
    });
    assert!(said.contains("worker liar: its games of 000001-"), "{said}");
    assert!(said.contains("nothing of it is taken any more") && !said.contains("worker honest:"), "{said}");
    place.assert_same("alone", "many");
    let table = String::from_utf8(place.start("workers dir:shared").output().stdout).unwrap();
    assert!(table.contains("liar is banned: its games of") && !table.contains("honest is banned"), "{table}");
    // Who lies about games is not asked for matches either.
    let tallies = SharedDir::open(&place.path("shared")).unwrap().tallies().unwrap();
    let (_, matches) = tallies.into_iter().find(|(run, _)| run.ends_with("-matches")).unwrap();
    assert!(matches["liar"].banned.is_some() && matches["liar"].parts == 0, "{matches:?}");
    drop(honest);
}

#[test]
fn a_part_that_nobody_survives_is_made_by_the_learner() {
    let place = Place::new();
    place.start("train az.toml --out alone --budget 2 --threads 2").success();
    let options = "--budget 2 --threads 1 --workers dir:shared --audit 0 --deadline 1s --learner-plays never";
    let learner = place.start(&format!("train az.toml --out many {options} --attempts 3"));
    place.wait_for("unit", || place.shared("todo").len() >= 4);
    let shared = SharedDir::open(&place.path("shared")).unwrap();
    let run = shared.runs().unwrap().remove(0).run;
    for number in 0..3 {
        // Whoever takes the second part says so, and is not heard of again.
        let worker = format!("victim-{number}");
        let mut claim = None;
        place.wait_for("claim", || {
            claim = shared.claim(&run, &worker, &|unit| unit.part == 1).unwrap();
            claim.is_some()
        });
        let units = vec![claim.unwrap().unit.id()];
        let at = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let last = Heartbeat { worker, at, run: run.clone(), units, ..Heartbeat::default() };
        shared.beat(&last).unwrap();
    }
    place.wait_for("dead letter", || place.shared("dead").len() == 1);
    assert!(place.shared("dead")[0].starts_with("000001-0001-"), "{:?}", place.shared("dead"));
    let worker = place.worker("good");
    let said = learner.success();
    let line = "is a dead letter: taken 3 times and not delivered (victim-0, victim-1, victim-2); it is made here";
    assert_eq!(said.matches("dead letter").count(), 1, "{said}");
    assert!(said.contains(line), "{said}");
    place.assert_same("alone", "many");
    drop(worker);
}

#[test]
fn parts_that_cannot_be_used_are_set_aside_with_their_workers_name() {
    let place = Place::new();
    place.start("train az.toml --out alone --budget 1 --threads 2").success();
    let options = "--budget 1 --threads 1 --workers dir:shared --audit 0 --deadline 20s --learner-plays never";
    let learner = place.start(&format!("train az.toml --out many {options}"));
    place.wait_for("unit", || place.shared("todo").len() >= 4);
    let run = fs::read_dir(place.path("shared/runs")).unwrap().next().unwrap().unwrap().path();
    fs::write(run.join("done/000001-0000-0.broken"), "half a pa").unwrap();
    std::os::unix::fs::symlink("/dev/zero", run.join("done/000001-0001-0.linked")).unwrap();
    place.wait_for("part aside", || place.shared("aside").len() == 2);
    let worker = place.worker("good");
    let said = learner.success();
    assert!(said.contains("worker broken: 000001-0000-0: damaged: wrong checksum; set aside"), "{said}");
    assert!(said.contains("worker linked: 000001-0001-0: damaged"), "{said}");
    place.assert_same("alone", "many");
    drop(worker);
}

#[test]
fn what_cannot_be_the_same_is_refused_in_a_line() {
    let place = Place::new();
    let shared = format!("dir:{}", place.path("shared").display());
    let missing = refusal(&["worker", "dir:/nowhere/at/all"]);
    assert!(missing.contains("no such directory; make it, or start the learner first"), "{missing}");
    assert!(refusal(&["worker", "http://host"]).contains("expected dir:PATH"));
    // Built with NATS or without it, there is no server.
    let nats = refusal(&["workers", "nats://user:secret@127.0.0.1:1"]);
    assert!(nats.to_lowercase().contains("nats") && !nats.contains("secret"), "{nats}");
    assert!(refusal(&["worker", &shared, "--name", "a/b"]).contains("--name"));
    assert!(refusal(&["workers", "dir:/nowhere"]).contains("no learner or worker has been here"));
    let out = place.path("dqn").display().to_string();
    let method = refusal(&["train", "dqn-tictactoe", "--out", &out, "--yes", "--workers", &shared]);
    assert!(method.contains("method.kind = dqn") && method.contains("without --workers"), "{method}");
    assert!(!place.path("dqn").exists());

    // Another instruction set, and another version of the program.
    let learner = place.start("train az.toml --out many --threads 1 --workers dir:shared --learner-plays never");
    place.wait_for("unit", || place.shared("todo").len() >= 4);
    drop(learner);
    let run = fs::read_dir(place.path("shared/runs")).unwrap().next().unwrap().unwrap().path();
    let known = fs::read(run.join("work")).unwrap();
    let change = |key: &str, value: serde_json::Value| {
        let mut work = seal::open::<serde_json::Value>(&known).unwrap().0;
        *work.pointer_mut(key).unwrap() = value;
        work
    };
    let mut foreign = vec![
        (change("/version", "0.0.9".into()), "use the learner's version"),
        (change("/path/isa", "sve2".into()), "unknown variant `sve2`"),
    ];
    // What this machine lacks, if it lacks anything.
    let lacked = Isa::ALL.into_iter().find(|isa| !isa.is_available());
    foreign.extend(lacked.map(|isa| (change("/path/isa", serde_json::to_value(isa).unwrap()), "and this machine has")));
    for (work, wanted) in foreign {
        fs::write(run.join("work"), seal::seal(&work, &[])).unwrap();
        let output = place.start("worker dir:shared --once").output();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(
            errors.lines().last().is_some_and(|line| line.starts_with("error: ") && line.contains(wanted)),
            "{errors}"
        );
    }
    fs::write(run.join("work"), &known).unwrap();
    place.start("worker dir:shared --once").success();
    assert_eq!((place.shared("todo").len(), place.shared("done").len()), (0, 4));
}
