//! Games dealt out for training and test.

use super::about;
use tesuji_core::{Outcome, Stream};

/// Which fold each game of a set is in.
///
/// All positions of a game are in its fold, so that nothing leaks from training to test; and each fold has its share of
/// each outcome, to within one game (stratified cross-validation).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    of_game: Vec<u16>,
    folds: usize,
}

impl Folds {
    /// Shuffles the games of each outcome and deals them out.
    ///
    /// # Panics
    /// If there are no folds, or more than 65,536.
    pub fn new(outcomes: &[Outcome], folds: usize, seed: u64) -> Folds {
        assert!((1..=1 << 16).contains(&folds), "{folds} folds");
        let mut of_game = vec![0; outcomes.len()];
        // Where one outcome's deal ends the next one's begins, so that no fold gets every odd game.
        let mut next = 0;
        for place in 0..3 {
            let of_place = |&game: &usize| about::place(outcomes[game]) == place;
            let mut games: Vec<usize> = (0..outcomes.len()).filter(of_place).collect();
            Stream::new(seed, "folds", place as u64).shuffle(&mut games);
            for game in games {
                of_game[game] = (next % folds) as u16;
                next += 1;
            }
        }
        Folds { of_game, folds }
    }

    /// The fold of a game, by its number in the set.
    ///
    /// # Panics
    /// If there is no game of this number.
    pub fn of(&self, game: u64) -> usize {
        usize::from(self.of_game[game as usize])
    }

    /// How many folds there are.
    pub fn count(&self) -> usize {
        self.folds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Side;

    #[test]
    fn every_fold_has_its_share_of_every_outcome() {
        let kinds = [Outcome::Win(Side::First), Outcome::Draw, Outcome::Win(Side::Second)];
        let mut random = Stream::new(1, "folds test", 0);
        let outcomes: Vec<Outcome> = (0..1003).map(|_| kinds[random.below(5).min(2)]).collect();
        let folds = Folds::new(&outcomes, 5, 9);
        let mut sizes = [0_usize; 5];
        for kind in kinds {
            let mut counts = [0_usize; 5];
            for (game, _) in outcomes.iter().enumerate().filter(|(_, outcome)| **outcome == kind) {
                counts[folds.of(game as u64)] += 1;
            }
            assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{counts:?}");
            (0..5).for_each(|fold| sizes[fold] += counts[fold]);
        }
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        assert_eq!(folds, Folds::new(&outcomes, 5, 9));
        assert_ne!(folds, Folds::new(&outcomes, 5, 10));
        // Not simply by turns: neighbours of one file must not decide.
        let turns = (0..1003).filter(|&game| folds.of(game) == game as usize % 5).count();
        assert!(turns < 300, "{turns}");
    }
}
