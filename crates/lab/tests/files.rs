//! The reproductions that come with the program: every scale can be planned, every experiment and agent can be read, every
//! table and claim speaks of data that there are.

use std::collections::BTreeSet;
use std::path::Path;
use tesuji_lab::file::{ShowKind, belongs};
use tesuji_lab::plan::{Job, Work, plan};
use tesuji_lab::reproduce::prepare;
use tesuji_lab::template::{Values, refer};
use tesuji_lab::{BUILT_IN, Reproduction, Scale};
use tesuji_learn::{AgentSpec, Experiment};

fn plain(text: &str) -> String {
    refer(text, &|reference| Ok(format!("runs/{}", reference.job))).unwrap()
}

/// Checks that what a job names can be read.
fn check(place: &str, job: &Job) {
    match &job.work {
        Work::Train { experiment, set, budget } => {
            let changes: Vec<String> = set.iter().map(|change| plain(change)).collect();
            let loaded = Experiment::load(experiment, &changes);
            assert!(loaded.is_ok(), "{place}, {}: {}", job.id, loaded.unwrap_err());
            assert!(budget.parse::<tesuji_learn::run::StopRule>().is_ok(), "{place}, {}", job.id);
        }
        Work::Match(conditions) => {
            for line in &conditions.players {
                let spec = AgentSpec::parse(&plain(line));
                assert!(spec.is_ok(), "{place}, {}: {}", job.id, spec.unwrap_err());
            }
            assert!(conditions.games > 0);
        }
        Work::Data { .. } | Work::States { .. } => {}
        Work::Opinion { agent, .. } => assert!(AgentSpec::parse(&plain(agent)).is_ok(), "{place}, {}", job.id),
    }
}

#[test]
fn every_scale_of_every_paper_can_be_planned_and_read() {
    for (name, _) in BUILT_IN {
        let file = Reproduction::named(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(file.name, *name);
        assert_eq!(file.scales.len(), 3, "{name}");
        assert!(tesuji_registry::kit(&file.game, file.rules).is_ok());
        for scale in Scale::ALL {
            let jobs = plan(&file, scale).unwrap_or_else(|error| panic!("{name}: {error}"));
            jobs.iter().for_each(|job| check(&format!("{name} at {scale}"), job));
            speaks_of_data(&file, scale, &jobs);
        }
    }
}

#[test]
fn questions_of_our_own_can_be_planned_and_read_and_start_no_program_unasked() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("reproductions");
    let known = |name: &str| BUILT_IN.iter().any(|(known, _)| *known == name);
    let mut questions = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let file = Reproduction::from_file(&path, true).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(file.name, name);
        if known(&name) {
            continue;
        }
        questions += 1;
        assert_eq!(file.argument(), format!("{name}.toml"));
        for &scale in file.scales.keys() {
            let jobs = plan(&file, scale).unwrap_or_else(|error| panic!("{name}: {error}"));
            jobs.iter().for_each(|job| check(&format!("{name} at {scale}"), job));
            speaks_of_data(&file, scale, &jobs);
        }
    }
    assert!(questions >= 2);
    let path = folder.join("chess-policy.toml");
    let refused = prepare(&Reproduction::from_file(&path, false).unwrap(), Scale::Smoke).unwrap_err().to_string();
    assert!(refused.contains("engine:stockfish") && refused.contains("--allow-engines"), "{refused}");
    assert!(Reproduction::from_file(&folder.join("none.toml"), false).unwrap_err().to_string().contains("none.toml"));
}

/// Every table and every claim names steps and labels that there are.
fn speaks_of_data(file: &Reproduction, scale: Scale, jobs: &[Job]) {
    let values = Values(file.scales[&scale].values.clone().into_iter().collect());
    let steps: BTreeSet<&str> = jobs.iter().map(|job| job.step.as_str()).collect();
    for show in file.shows.iter().filter(|show| belongs(&show.scales, scale)) {
        assert!(!show.caption.is_empty(), "{}: {}", file.name, show.title);
        assert!(show.steps.iter().all(|step| steps.contains(step.as_str())), "{}: {}", file.name, show.title);
        assert!(show.kind != ShowKind::Grid || show.axes.len() == 2);
        for cited in &show.cited {
            assert_eq!(cited.values.len(), show.cited_heads.len(), "{}: {}", file.name, show.title);
            let matches =
                |job: &&Job| cited.at.iter().all(|pair| job.labels.iter().any(|(axis, label)| (axis, label) == pair));
            let found = jobs.iter().filter(|job| show.steps.contains(&job.step)).any(|job| matches(&job));
            assert!(found, "{}: {}: nothing is at {:?}", file.name, show.title, cited.at);
        }
    }
    for claim in file.claims.iter().filter(|claim| belongs(&claim.scales, scale)) {
        let sections: Vec<&str> = file.shows.iter().map(|show| show.title.as_str()).collect();
        assert!(sections.contains(&claim.section.as_str()), "{}: no section {:?}", file.name, claim.section);
        let conditions: Vec<String> =
            claim.when.iter().chain(Some(&claim.best)).map(|text| values.fill(text).unwrap()).collect();
        for condition in conditions.iter().filter(|text| !text.is_empty()) {
            for side in
                condition.split(" > ").flat_map(|part| part.split(" < ")).filter(|side| side.parse::<f64>().is_err())
            {
                names_data(file, jobs, side);
            }
        }
    }
}

fn names_data(file: &Reproduction, jobs: &[Job], side: &str) {
    let (step, rest) = side.split_once(['[', '.']).unwrap_or((side, ""));
    let labels: Vec<(&str, &str)> = match side.contains('[') {
        true => rest.split_once("].").unwrap().0.split(',').map(|pair| pair.split_once('=').unwrap()).collect(),
        false => Vec::new(),
    };
    let found = jobs.iter().filter(|job| job.step == step).any(|job| {
        labels.iter().all(|(axis, label)| {
            let own = job.labels.iter().any(|(known, value)| known == axis && value == label);
            own || (*axis == "player" && job.labels.iter().any(|(_, value)| value == label))
        })
    });
    assert!(found, "{}: {side:?} names no data", file.name);
}

#[test]
fn the_papers_tables_and_figures_are_all_there() {
    let wanted = [
        ("shogi-mcts-vs-dqn", &["Table 6", "Table 7", "Table 8", "Figure 6", "Figure 7", "The question"][..]),
        ("minishogi-checkmate", &["Table II", "Table III", "Table IV", "Figure 1", "figure 2", "Figure 3"]),
        ("tubstap-pv-mcts", &["Table 1", "Table 2", "Figures 6 to 8", "Figure 7", "Figure 8", "Figure 9", "B_attack"]),
        ("bingo3d-td", &["Figure 7", "Figure 14", "Figure 15", "Figure 16", "Figure 17"]),
        (
            "chess-policy",
            &[
                "The data",
                "Five-fold",
                "The test set",
                "Accuracy",
                "Algorithm 2",
                "Rating: Stockfish against itself",
                "crossing",
            ],
        ),
    ];
    for (name, titles) in wanted {
        let file = Reproduction::named(name).unwrap();
        for title in titles {
            assert!(file.shows.iter().any(|show| show.title.contains(title)), "{name}: {title}");
        }
        assert!(file.claims.len() >= 4, "{name}");
    }
    // All fourteen rows of TUBSTAP's table 1.
    let tubstap = Reproduction::named("tubstap-pv-mcts").unwrap();
    assert_eq!(tubstap.shows[0].cited.len(), 14);
}

#[test]
fn nonsense_is_refused_in_one_line() {
    assert!(Reproduction::named("go").unwrap_err().to_string().contains("bingo3d-td"));
    for text in ["", "name = 1", "name = 'x'\nsped = 3"] {
        let error = Reproduction::parse(text).unwrap_err().to_string();
        assert!(!error.contains('\n') && !error.is_empty(), "{error}");
    }
}
