//! Verdicts by simulation: claims about nothing are seldom decided, claims about something are.

use tesuji_arena::matches::{GameResult, MatchSpec};
use tesuji_arena::opening::Openings;
use tesuji_arena::play::Adjudication;
use tesuji_core::{Budget, Outcome, Rules, Side, Stream};
use tesuji_lab::entry::{Data, Entry};
use tesuji_lab::file::Claim;
use tesuji_lab::judge::{judge, look_up};
use tesuji_report::{Quantity, Verdict};

/// A match of a player who wins each game with probability `win` and draws it with `draw`.
fn played(step: &str, label: &str, games: usize, (win, draw): (f64, f64), random: &mut Stream) -> Entry {
    let results = (0..games).map(|index| {
        let first = index % 2;
        let own = if first == 0 { Side::First } else { Side::Second };
        let chance = random.unit();
        let outcome = match chance {
            chance if chance < win => Outcome::Win(own),
            chance if chance < win + draw => Outcome::Draw,
            _ => Outcome::Win(own.other()),
        };
        GameResult {
            index,
            first,
            start: "startpos".to_owned(),
            moves: Vec::new(),
            opening: 0,
            outcome,
            ending: String::new(),
            costs: Default::default(),
            spent: Vec::new(),
        }
    });
    let spec = MatchSpec {
        game: "tictactoe".to_owned(),
        rules: Rules::Official,
        players: ["a".to_owned(), "b".to_owned()],
        budgets: [Budget::UNLIMITED; 2],
        margin: Default::default(),
        openings: Openings::Varied,
        adjudication: Adjudication::default(),
        seed: 1,
    };
    let data = Data::Match { spec: Box::new(spec), results: results.collect() };
    Entry { step: step.to_owned(), labels: vec![("coin".to_owned(), label.to_owned())], timed: false, data }
}

fn claim(when: &[&str], best: &str) -> Claim {
    Claim {
        says: "a claim".to_owned(),
        place: "nowhere".to_owned(),
        section: String::new(),
        scales: Vec::new(),
        when: when.iter().map(|text| (*text).to_owned()).collect(),
        best: best.to_owned(),
    }
}

/// How many of 1000 reproductions come to each verdict: holds, does not hold, not decided.
fn verdicts(claim: &Claim, make: impl Fn(&mut Stream) -> Vec<Entry>) -> [usize; 3] {
    let mut counts = [0; 3];
    for trial in 0..1000 {
        let entries = make(&mut Stream::new(1, "reproductions", trial));
        counts[match judge(claim, &entries).verdict {
            Verdict::Holds => 0,
            Verdict::DoesNotHold => 1,
            Verdict::NotDecided => 2,
        }] += 1;
    }
    counts
}

#[test]
fn a_claim_about_a_fair_coin_is_not_decided() {
    for games in [10, 100] {
        for chances in [(0.5, 0.0), (0.3, 0.4)] {
            let counts =
                verdicts(&claim(&["toss.score > 0.5"], ""), |random| vec![played("toss", "x", games, chances, random)]);
            assert!(counts[2] >= 940, "{games} games, {chances:?}: {counts:?}");
        }
        // Two coins that are the same, and several of which one is said to be the best.
        let pair = |random: &mut Stream| {
            ["x", "y", "z"].map(|label| played("toss", label, games, (0.5, 0.0), random)).to_vec()
        };
        let two = verdicts(&claim(&["toss[coin=x].win-share > toss[coin=y].win-share"], ""), pair);
        assert!(two[2] >= 940, "{games} games: {two:?}");
        let several = claim(
            &["toss[coin=x].win-share > 0.5", "toss[coin=y].win-share < 0.5", "toss[coin=z].win-share > 0.5"],
            "",
        );
        let several = verdicts(&several, pair);
        assert!(several[2] >= 940, "{games} games: {several:?}");
        let best = verdicts(&claim(&[], "toss[coin=x].win-share"), pair);
        assert!(best[2] >= 940, "{games} games: {best:?}");
    }
}

#[test]
fn a_claim_about_a_loaded_coin_is_decided_and_rightly_so() {
    let loaded = |random: &mut Stream| {
        vec![played("toss", "x", 200, (0.65, 0.0), random), played("toss", "y", 200, (0.35, 0.0), random)]
    };
    let holds =
        verdicts(&claim(&["toss[coin=x].win-share > 0.5", "toss[coin=x].score > toss[coin=y].score"], ""), loaded);
    assert!(holds[0] >= 950 && holds[1] <= 5, "{holds:?}");
    let fails = verdicts(&claim(&["toss[coin=x].win-share < 0.5"], ""), loaded);
    assert!(fails[1] >= 950 && fails[0] <= 5, "{fails:?}");
    let best = verdicts(&claim(&[], "toss[coin=x].win-share"), loaded);
    assert!(best[0] >= 950, "{best:?}");
    let worst = verdicts(&claim(&[], "toss[coin=y].win-share"), loaded);
    assert!(worst[1] >= 950, "{worst:?}");
}

#[test]
fn what_is_not_there_is_not_decided_and_points_are_taken_together() {
    let mut random = Stream::new(1, "coins", 0);
    let entries = [played("toss", "x", 10, (1.0, 0.0), &mut random), played("toss", "y", 30, (0.0, 0.0), &mut random)];
    for when in ["none.win-share > 0.5", "toss[coin=q].win-share > 0.5", "toss.nothing > 1", "nonsense"] {
        assert_eq!(judge(&claim(&[when], ""), &entries).verdict, Verdict::NotDecided, "{when}");
    }
    let pooled = look_up("toss.win-share", &entries).unwrap().quantity;
    assert_eq!(pooled, Quantity::Share { hits: 10.0, of: 40.0 });
    let line = judge(&claim(&["toss.win-share < 0.5"], ""), &entries);
    assert_eq!((line.verdict, line.timed), (Verdict::Holds, false));
    assert!(line.why.contains("25.0 [12.") && line.why.contains('%'), "{}", line.why);
    assert!(judge(&claim(&["toss.cpu-ms > 1"], ""), &entries).verdict == Verdict::NotDecided);
}
