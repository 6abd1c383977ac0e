use super::{Learned, Lesson, METHODS, Point, Setting, SettingError, TabularMethod, TabularOptions, Unit};
use tesuji_core::{AnyGame, GameRules, MoveList, Position, Rules, Stream};
use tesuji_games::connect4::Connect4;
use tesuji_games::tictactoe::TicTacToe;

/// The whole of tic-tac-toe.
pub fn tictactoe() -> Setting {
    setting_of(&TicTacToe::new(Rules::Official), "startpos", 10_000).unwrap()
}

/// What can be reached from a position of a game.
pub fn setting_of(game: &dyn AnyGame, line: &str, limit: usize) -> Result<Setting, SettingError> {
    Setting::of_position(game.parse(line).unwrap().as_ref(), limit)
}

/// Tic-tac-toe with seven squares left.
pub fn late_tictactoe() -> Setting {
    setting_of(&TicTacToe::new(Rules::Official), "b2 a1", 10_000).unwrap()
}

/// The end of a game of connect four that fills much of the board.
pub fn late_connect4() -> Setting {
    let play = |seed| {
        let mut position = GameRules::start(&Connect4::new(Rules::Official));
        let (mut random, mut moves) = (Stream::new(seed, "test", 0), MoveList::new());
        while position.ply() < 30 && position.expand(&mut moves).is_none() {
            position.play(moves[random.below(moves.len())]);
        }
        position.outcome().is_none().then_some(position)
    };
    let position = (0..1000).find_map(play).expect("a long game");
    let game = Connect4::new(Rules::Official);
    setting_of(&game, &game.format_position(&position), 10_000).unwrap()
}

fn teach(method: &str, setting: &Setting, options: &TabularOptions) -> Lesson {
    TabularMethod::named(method).expect("a method").teach(setting, options, &mut |_| {})
}

/// How a method converges.
pub fn watched(method: &str, setting: &Setting, options: &TabularOptions) -> Vec<Point> {
    teach(method, setting, options).points
}

/// What a method learns.
pub fn learned(method: &str, setting: &Setting, options: &TabularOptions) -> Learned {
    teach(method, setting, options).learned
}

/// The values that a method learns.
pub fn values(method: &str, setting: &Setting, options: &TabularOptions) -> Vec<f64> {
    learned(method, setting, options).values
}

/// A method that evaluates the random policy comes near the exact values: on the walk, with and without discount;
/// at the end of tic-tac-toe; and on the whole of it, where many states are rare.
#[track_caller]
pub fn assert_learns_random_play(method: &str, options: &TabularOptions) {
    for gamma in [1.0, 0.95] {
        let options = TabularOptions { episodes: 20_000, gamma, ..options.clone() };
        let last = watched(method, &Setting::walk(19).unwrap(), &options).pop().unwrap();
        assert!(last.largest < 0.05 && last.rms < 0.025 && last.seen == 19, "{method}: {last:?}");
    }
    let setting = late_tictactoe();
    let options = TabularOptions { episodes: 200_000, exploring_starts: true, ..options.clone() };
    let last = watched(method, &setting, &options).pop().unwrap();
    assert!(last.largest < 0.25 && last.rms < 0.05 && last.seen == setting.open().len(), "{method}: {last:?}");
    let setting = tictactoe();
    let lesson = teach(method, &setting, &TabularOptions { exploring_starts: false, ..options });
    let last = lesson.points.last().unwrap();
    assert!((last.start - lesson.exact[setting.start]).abs() < 0.02 && last.rms < 0.1, "{method}: {last:?}");
}

#[test]
fn the_same_seed_teaches_the_same() {
    let setting = Setting::walk(9).unwrap();
    for method in METHODS {
        let options = |seed| TabularOptions { episodes: 30, seed, ..TabularOptions::default() };
        let [a, b, c] = [1, 1, 2].map(|seed| values(method.name, &setting, &options(seed)));
        assert_eq!(a, b, "{}", method.name);
        assert_eq!(a != c, method.unit == Unit::Episodes, "{}", method.name);
    }
}

#[test]
fn every_method_makes_progress_on_the_end_of_a_greater_game() {
    let setting = late_connect4();
    for method in METHODS {
        let options = TabularOptions { episodes: 5_000, exploring_starts: true, ..TabularOptions::default() };
        let points = watched(method.name, &setting, &options);
        let (first, last) = (&points[0], points.last().unwrap());
        assert!(last.rms < 0.3 * first.rms, "{}: {first:?} {last:?}", method.name);
    }
}
