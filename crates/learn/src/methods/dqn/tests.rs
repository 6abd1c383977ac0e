use super::replay::Drawn;
use super::transitions::Games;
use super::{DqnOptions, Opponent};
use crate::agents::dqn::{Reader, Rows};
use crate::play::Epsilon;
use tesuji_core::{Encoders, Game, GameRecord, GameRules, Outcome, Position, Rules, Side};
use tesuji_games::shogi::Minishogi;
use tesuji_games::tictactoe::TicTacToe;

/// A record of a game by its moves.
fn record<G: Game>(game: &G, moves: &str) -> GameRecord {
    let mut position = game.start();
    let mut record = GameRecord::new(game.name(), game.rules(), game.rules_version(), &game.format_position(&position));
    for text in moves.split_whitespace() {
        let mv = position.parse_move(text).unwrap();
        record.push(mv);
        position.play(mv);
    }
    record.outcome = position.outcome();
    record
}

fn tictactoe(options: DqnOptions) -> Games<TicTacToe> {
    let game = TicTacToe::new(Rules::Official);
    let mut replay = Games::new(game, options, 0);
    // X wins on the left file in five moves.
    replay.push(1, &record(&game, "a1 b1 a2 b2 a3")).unwrap();
    replay
}

#[test]
fn the_opponents_gain_is_our_loss() {
    let options = DqnOptions { gamma: 0.5, captures: 0.0, ..DqnOptions::default() };
    let replay = tictactoe(options.clone());
    assert_eq!(replay.replay().len(), 5);
    let first = replay.transition(0);
    let (next, factor) = first.next.unwrap();
    assert_eq!((first.reward, factor, next.mover()), (0.0, -0.5, Side::Second));
    let last = replay.transition(4);
    assert!(last.next.is_none());
    assert_eq!(last.reward, 1.0);
    // Three steps from O's last move: X's win, once discounted, against O; the game ends there.
    let replay = tictactoe(DqnOptions { steps: 3, ..options });
    let before = replay.transition(3);
    assert_eq!((before.reward, before.next.is_none()), (-0.5, true));
    // Three steps from the start see no reward, and O is to move behind them.
    let start = replay.transition(0);
    assert_eq!((start.reward, start.next.map(|next| next.1)), (0.0, Some(-0.125)));
}

#[test]
fn sums_end_before_a_random_move() {
    let game = TicTacToe::new(Rules::Official);
    let mut won = record(&game, "a1 b1 a2 b2 a3");
    won.tags.push(("random".to_owned(), "2".to_owned()));
    let behind = |opponent, cut_random, slot| {
        let options = DqnOptions { gamma: 0.5, captures: 0.0, steps: 5, opponent, cut_random, ..DqnOptions::default() };
        let mut replay = Games::new(game, options, 0);
        replay.push(1, &won).unwrap();
        let transition = replay.transition(slot);
        (transition.reward, transition.next.map(|(next, factor)| (next.ply(), factor)))
    };
    // X's win, four times discounted; or the position of X's random move, twice.
    assert_eq!(behind(Opponent::Negates, false, 0), (0.0625, None));
    assert_eq!(behind(Opponent::Negates, true, 0), (0.0, Some((2, 0.25))));
    // O's move before it sees X to move; the random move itself and those behind it see the end.
    assert_eq!(behind(Opponent::Negates, true, 1), (0.0, Some((2, -0.5))));
    assert_eq!(behind(Opponent::Negates, true, 2), (0.25, None));
    // An opponent that is a part of the world may play at random.
    assert_eq!(behind(Opponent::Ignored, true, 1), (0.0, None));
    assert_eq!(behind(Opponent::Ignored, true, 0), (0.0, Some((2, 0.5))));
}

#[test]
fn an_ignored_opponent_is_a_part_of_the_world() {
    let options = DqnOptions { gamma: 0.5, opponent: Opponent::Ignored, ..DqnOptions::default() };
    let replay = tictactoe(options);
    let first = replay.transition(0);
    let (next, factor) = first.next.unwrap();
    assert_eq!((factor, next.mover(), next.ply()), (0.5, Side::First, 2));
    // O's last move gains nothing by itself, and there is no position of O's behind X's win.
    let last_of_second = replay.transition(3);
    assert_eq!((last_of_second.reward, last_of_second.next.is_none()), (0.0, true));
    assert_eq!(replay.transition(4).reward, 1.0);
}

#[test]
fn captures_are_rewarded() {
    let game = Minishogi::new(Rules::Official);
    let options = DqnOptions { captures: 0.1, ..DqnOptions::default() };
    let mut replay = Games::new(game, options, 0);
    // The first player's rook takes the pawn on the right file.
    replay.push(1, &record(&game, "1e1b 1a1b")).unwrap();
    assert!((replay.transition(0).reward - 0.1).abs() < 1e-6);
    // And is taken by the king: a rook counts 10.
    assert!((replay.transition(1).reward - 1.0).abs() < 1e-6);
}

#[test]
fn the_oldest_transitions_are_forgotten_first() {
    let options = DqnOptions { replay: 7, ..DqnOptions::default() };
    let game = TicTacToe::new(Rules::Official);
    let mut replay = Games::new(game, options.clone(), 0);
    for generation in 1..=3 {
        replay.push(generation, &record(&game, "a1 b1 a2 b2 a3")).unwrap();
    }
    assert_eq!((replay.replay().len(), replay.replay().games(), replay.replay().oldest()), (7, 2, Some(2)));
    let plies: Vec<u32> = (0..7).map(|slot| replay.transition(slot).position.ply()).collect();
    // Fifteen were remembered: slot 14 % 7 = 0 has the newest, slot 1 the oldest.
    assert_eq!(plies, [4, 3, 4, 0, 1, 2, 3]);
    // One that was read back from the second game on draws the same.
    let mut read_back = Games::new(game, options, 5);
    for generation in 2..=3 {
        read_back.push(generation, &record(&game, "a1 b1 a2 b2 a3")).unwrap();
    }
    let drawn = replay.replay().draw(50, 1, 9);
    assert_eq!(read_back.replay().draw(50, 1, 9), drawn);
    for slot in drawn.slots {
        assert_eq!(read_back.transition(slot).position.ply(), replay.transition(slot).position.ply());
    }
}

#[test]
fn large_errors_are_drawn_more_often_and_count_for_less() {
    let mut replay = tictactoe(DqnOptions { priority: 1.0, correction: 1.0, replay: 5, ..DqnOptions::default() });
    let all = Drawn { slots: (0..5).collect(), weights: Vec::new() };
    replay.replay_mut().rate(&all, &[0.1, -0.1, 0.1, 0.1, 1.6]);
    let drawn = replay.replay().draw(2000, 1, 0);
    let last = drawn.slots.iter().filter(|&&slot| slot == 4).count();
    assert!((1400..1800).contains(&last), "{last}");
    for (&slot, &weight) in drawn.slots.iter().zip(&drawn.weights) {
        let expected = if slot == 4 { 0.101 / 1.601 } else { 1.0 };
        assert!((weight - expected).abs() < 1e-3, "{slot}: {weight}");
    }
}

#[test]
fn pairs_choose_what_and_then_where_and_always_promote() {
    let game = Minishogi::new(Rules::Official);
    let encoder = game.encoders().into_iter().find(|encoder| encoder.name() == "dqn").unwrap();
    let pairs = encoder.pairs().unwrap();
    let (whats, wheres) = (pairs.what_len(), pairs.where_len());
    // A pawn one step from the promotion zone, a king, nothing else.
    let position = game.parse_position("4k/P4/5/5/4K b - 1").unwrap();
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let pawn = position.parse_move("5b5a+").unwrap();
    let (what, to) = pairs.pair(&position, pawn);
    let (mut q, mut q2) = (vec![9.0; whats], vec![9.0; wheres]);
    // What cannot move counts for nothing, however great.
    moves.iter().for_each(|&mv| q[pairs.pair(&position, mv).0] = 0.0);
    q[what] = 1.0;
    q2[to] = -1.0;
    let reader = Reader::new(encoder.into(), true);
    let (mv, values) = reader.best(&position, &moves, Rows { q: &q, q2: &q2 });
    assert_eq!((mv, values), (pawn, [1.0, -1.0]));
}

#[test]
fn epsilon_falls_exponentially_or_by_a_list() {
    let falls = Epsilon::Falls { start: 0.8, end: 0.1, games: 3 };
    assert!((falls.of(0) - 0.8).abs() < 1e-6 && (falls.of(1) - 0.4).abs() < 1e-6 && (falls.of(9) - 0.1).abs() < 1e-6);
    let list = Epsilon::List(vec![0.8, 0.5]);
    assert_eq!([list.of(0), list.of(1), list.of(7)], [0.8, 0.5, 0.5]);
}

#[test]
fn a_won_game_is_worth_its_reward_whoever_wins() {
    let game = TicTacToe::new(Rules::Official);
    let mut replay = Games::new(game, DqnOptions::default(), 0);
    let won_by_second = record(&game, "a1 b1 a2 b2 c1 b3");
    assert_eq!(won_by_second.outcome, Some(Outcome::Win(Side::Second)));
    replay.push(1, &won_by_second).unwrap();
    assert_eq!(replay.transition(5).reward, 1.0);
}
