//! Strengths of moves, learned from games: the Elo ratings of move features (Coulom 2007), for playouts.
//!
//! Every choice of a game is a competition: one move won against all others that were legal. A move is a team of
//! features (what it takes, whether it promotes...), its strength is the product of theirs, and it wins with probability
//! gamma / sum of the gammas of all teams: the generalised Bradley-Terry model. Minorisation-maximisation finds the
//! strengths under which what was played is most probable. For each feature in turn:
//!
//! gamma = wins / sum over the competitions of C / E
//!
//! with E the sum of all teams' strengths, and C that of the feature's teams, each without the feature itself.

use std::fmt::Write as _;
use std::path::Path;

/// The most features of a game: they are bits of a number.
pub const MOST_FEATURES: usize = 64;

/// The first word of a file.
const MAGIC: &str = "tesuji-strengths";
/// The version of the format.
const VERSION: &str = "1";
/// Longer files are none of ours.
const LONGEST: u64 = 1 << 16;

/// Choices to learn from: of each, the features of the legal moves, as bits, and of the one that was played.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Teams of all choices, one behind the other.
    teams: Vec<u64>,
    /// Where the teams of each choice end.
    ends: Vec<usize>,
    /// The place of the winner among all teams.
    winners: Vec<usize>,
}

impl Choices {
    /// Adds a choice among moves of these features; the one at place `played` was played. A choice without an
    /// alternative teaches nothing and is left out.
    pub fn add(&mut self, moves: &[u64], played: usize) {
        if moves.len() < 2 || played >= moves.len() {
            return;
        }
        self.winners.push(self.teams.len() + played);
        self.teams.extend_from_slice(moves);
        self.ends.push(self.teams.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The mean of -log p of the moves that were played, p being gamma / sum of gammas.
    pub fn surprise(&self, gammas: &[f64]) -> f64 {
        let strengths: Vec<f64> = self.teams.iter().map(|&team| strength(team, gammas)).collect();
        let mut first = 0;
        let mut sum = 0.0;
        for (&end, &winner) in self.ends.iter().zip(&self.winners) {
            let total: f64 = strengths[first..end].iter().sum();
            sum -= (strengths[winner] / total).ln();
            first = end;
        }
        sum / self.len().max(1) as f64
    }

    /// The strengths of `features` features after at most so many rounds; fewer if nothing changes any more.
    ///
    /// Each feature is given one win and one loss against an ordinary move beforehand, so that one that never won, or
    /// never lost, has a strength all the same.
    pub fn learn(&self, features: usize, rounds: u32) -> Vec<f64> {
        let features = features.min(MOST_FEATURES);
        let mut gammas = vec![1.0; features];
        let mut strengths = vec![1.0; self.teams.len()];
        let wins: Vec<f64> = (0..features)
            .map(|feature| 1.0 + self.winners.iter().filter(|&&place| has(self.teams[place], feature)).count() as f64)
            .collect();
        for _ in 0..rounds {
            let mut greatest = 0.0_f64;
            for feature in 0..features {
                let old = gammas[feature];
                // The game that was won beforehand and the one that was lost.
                let mut weight = 2.0 / (1.0 + old);
                let mut first = 0;
                for &end in &self.ends {
                    let teams = first..end;
                    first = end;
                    let (mut all, mut own) = (0.0, 0.0);
                    for (&team, &strength) in self.teams[teams.clone()].iter().zip(&strengths[teams]) {
                        all += strength;
                        own += if has(team, feature) { strength } else { 0.0 };
                    }
                    weight += own / old / all;
                }
                let new = wins[feature] / weight;
                gammas[feature] = new;
                greatest = greatest.max((new / old).ln().abs());
                for (&team, strength) in self.teams.iter().zip(&mut strengths) {
                    if has(team, feature) {
                        *strength *= new / old;
                    }
                }
            }
            // Products of factors drift.
            strengths.iter_mut().zip(&self.teams).for_each(|(own, &team)| *own = strength(team, &gammas));
            if greatest < 1e-6 {
                break;
            }
        }
        gammas
    }
}

fn has(team: u64, feature: usize) -> bool {
    team >> feature & 1 == 1
}

/// The strength of a team: the product of its features' strengths.
fn strength(mut team: u64, gammas: &[f64]) -> f64 {
    let mut product = 1.0;
    while team != 0 {
        product *= gammas.get(team.trailing_zeros() as usize).copied().unwrap_or(1.0);
        team &= team - 1;
    }
    product
}

/// The strength of a move by its features, in the precision of playouts.
pub fn move_strength(mut features: u64, gammas: &[f32]) -> f32 {
    let mut product = 1.0;
    while features != 0 {
        product *= gammas.get(features.trailing_zeros() as usize).copied().unwrap_or(1.0);
        features &= features - 1;
    }
    product
}

/// The Elo rating of a strength; an ordinary move has 0.
pub fn elo(gamma: f64) -> f64 {
    400.0 * gamma.log10()
}

/// Strengths with what they are for: a file.
///
/// ```text
/// tesuji-strengths 1 shogi
/// # 12345 choices
/// promotes 3.25
/// ```
///
/// A line for each feature; lines that begin with `#` are comments.
#[derive(Clone, Debug, PartialEq)]
pub struct Strengths {
    /// The game's registered name.
    pub game: String,
    /// Each feature with its gamma.
    pub gammas: Vec<(String, f64)>,
}

impl Strengths {
    /// The file's text; `about` becomes a comment.
    pub fn to_text(&self, about: &str) -> String {
        let mut text = format!("{MAGIC} {VERSION} {}\n# {}\n", self.game, about.replace('\n', " "));
        for (name, gamma) in &self.gammas {
            let _ = writeln!(text, "{name} {gamma}");
        }
        text
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// If it is not one of ours, or a strength is not a number above 0; in one line.
    pub fn parse(text: &str) -> Result<Strengths, String> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
        let head: Vec<&str> = lines.next().map_or(Vec::new(), |(_, line)| line.split_whitespace().collect());
        let game = match head[..] {
            [MAGIC, VERSION, game] => game.to_owned(),
            [MAGIC, version, _] => return Err(format!("strengths of version {version}: expected {VERSION}")),
            _ => return Err(format!("no file of strengths: expected `{MAGIC} {VERSION} GAME` first")),
        };
        let mut gammas: Vec<(String, f64)> = Vec::new();
        for (number, line) in lines {
            let parsed =
                line.trim().rsplit_once(' ').and_then(|(name, gamma)| Some((name, gamma.parse::<f64>().ok()?)));
            let Some((name, gamma)) = parsed.filter(|(_, gamma)| (1e-9..=1e9).contains(gamma)) else {
                return Err(format!("line {number}: expected a feature and a strength from 1e-9 to 1e9"));
            };
            if gammas.iter().any(|(known, _)| known == name.trim()) {
                return Err(format!("line {number}: {:?} is there twice", name.trim()));
            }
            gammas.push((name.trim().to_owned(), gamma));
        }
        Ok(Strengths { game, gammas })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or as [`parse`](Self::parse); in one line that names it.
    pub fn load(path: &Path) -> Result<Strengths, String> {
        let wrong = |problem: String| format!("{}: {problem}", path.display());
        let length = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
        if length > LONGEST {
            return Err(wrong(format!("no file of strengths: {length} bytes")));
        }
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        Strengths::parse(&text).map_err(wrong)
    }

    /// The strengths in the order of a game's features.
    ///
    /// # Errors
    /// If they are of another game, or of other features.
    pub fn for_game(&self, game: &str, features: &[&str]) -> Result<Vec<f32>, String> {
        if self.game != game {
            return Err(format!("strengths of {}, not of {game}", self.game));
        }
        if let Some((name, _)) = self.gammas.iter().find(|(name, _)| !features.contains(&name.as_str())) {
            return Err(format!("no feature {name:?} of {game}; there are {}", features.join(", ")));
        }
        let of = |name: &&str| self.gammas.iter().find(|(known, _)| known == name).map(|&(_, gamma)| gamma as f32);
        let missing = |name: &&str| format!("no strength of {name:?}: learn them again");
        features.iter().map(|name| of(name).ok_or_else(|| missing(name))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Stream;

    /// Choices drawn by known strengths: each move has each feature with probability 0.3.
    fn drawn(gammas: &[f64], count: u64) -> Choices {
        let mut choices = Choices::default();
        for number in 0..count {
            let mut random = Stream::new(7, "choices", number);
            let moves: Vec<u64> = (0..12)
                .map(|_| (0..gammas.len()).map(|feature| u64::from(random.unit() < 0.3) << feature).sum())
                .collect();
            let total: f64 = moves.iter().map(|&team| strength(team, gammas)).sum();
            let mut left = random.unit() * total;
            let played = moves.iter().position(|&team| {
                left -= strength(team, gammas);
                left < 0.0
            });
            choices.add(&moves, played.unwrap_or(11));
        }
        choices
    }

    #[test]
    fn known_strengths_are_found_again() {
        let truth = [8.0, 0.25, 1.0, 3.0, 0.5];
        let choices = drawn(&truth, 8000);
        let learned = choices.learn(truth.len(), 200);
        for (learned, truth) in learned.iter().zip(truth) {
            // About 20 Elo; the standard error of 8000 choices is below 10.
            assert!((elo(*learned) - elo(truth)).abs() < 25.0, "{learned} {truth}");
        }
        // What was played is as probable as under the truth, and more than under none.
        let surprise = choices.surprise(&learned);
        assert!(surprise <= choices.surprise(&truth) && surprise < choices.surprise(&[1.0; 5]) - 0.1);
        // Every round makes it more probable: the method never steps too far.
        let rounds = [1, 2, 4, 8].map(|rounds| choices.surprise(&choices.learn(5, rounds)));
        assert!(rounds.is_sorted_by(|a, b| a >= b), "{rounds:?}");
        assert_eq!(choices.learn(5, 200), learned, "the same every time");
    }

    #[test]
    fn features_that_never_won_or_lost_have_a_strength() {
        let mut choices = Choices::default();
        for _ in 0..10 {
            choices.add(&[0b01, 0b10, 0], 0);
        }
        choices.add(&[0b01], 0);
        choices.add(&[0, 0], 7);
        assert_eq!(choices.len(), 10, "no choice where there is one move");
        let gammas = choices.learn(3, 1000);
        assert!(gammas[0] > 5.0 && gammas[0].is_finite() && gammas[1] < 0.7 && gammas[1] > 0.0, "{gammas:?}");
        assert!((gammas[2] - 1.0).abs() < 1e-3, "nobody has it: {gammas:?}");
        assert_eq!(Choices::default().learn(2, 10), [1.0, 1.0]);
    }

    #[test]
    fn files_read_what_they_write_and_nothing_else() {
        let strengths = Strengths {
            game: "shogi".to_owned(),
            gammas: vec![("promotes".to_owned(), 3.25), ("takes a rook".to_owned(), 0.1 + 0.2)],
        };
        let text = strengths.to_text("two choices");
        assert_eq!(Strengths::parse(&text), Ok(strengths.clone()));
        assert_eq!(strengths.for_game("shogi", &["takes a rook", "promotes"]), Ok(vec![0.3, 3.25]));
        for (game, features, named) in [
            ("chess", &["promotes", "takes a rook"][..], "of shogi"),
            ("shogi", &["promotes"], "takes a rook"),
            ("shogi", &["promotes", "takes a rook", "check"], "check"),
        ] {
            assert!(strengths.for_game(game, features).unwrap_err().contains(named));
        }
        for (text, named) in [
            ("", "tesuji-strengths"),
            ("shogi 3", "tesuji-strengths"),
            ("tesuji-strengths 2 shogi", "version 2"),
            ("tesuji-strengths 1 shogi\npromotes", "line 2"),
            ("tesuji-strengths 1 shogi\n# x\npromotes -1", "line 3"),
            ("tesuji-strengths 1 shogi\npromotes nan", "line 2"),
            ("tesuji-strengths 1 shogi\npromotes inf", "line 2"),
            ("tesuji-strengths 1 shogi\na 1\na 2", "twice"),
        ] {
            let error = Strengths::parse(text).unwrap_err();
            assert!(error.contains(named) && !error.contains('\n'), "{text:?}: {error}");
        }
        assert!(Strengths::load(Path::new("nowhere")).unwrap_err().starts_with("nowhere: "));
    }
}
