//! A network as a judge of a real game.

use std::sync::Arc;
use tesuji_core::{Encoder, Encoders, Evaluation, Evaluator, GameRules, Leaf, Position, Rules, Shape, Stream};
use tesuji_games::chess::Chess;
use tesuji_games::tictactoe::{Board, TicTacToe};
use tesuji_games::tubstap::Tubstap;
use tesuji_nn::evaluator::NetworkEvaluator;
use tesuji_nn::{Cache, ConvMethod, Isa, KernelPath, Model, Spec, Weights, Worker};

fn evaluator(cache: Option<Cache>) -> NetworkEvaluator<Board> {
    let encoder = TicTacToe::new(Rules::Official).encoders().swap_remove(0);
    let spec = Spec::alpha_zero(encoder.shape(), 1, 16, encoder.policy_len());
    NetworkEvaluator::new(encoder.into(), worker(&spec), cache).unwrap()
}

fn worker(spec: &Spec) -> Worker {
    let graph = spec.graph().unwrap();
    let path = KernelPath { isa: Isa::best(), method: ConvMethod::Direct };
    Worker::new(Arc::new(Model::new(&graph, &Weights::init(&graph, 1), path)))
}

/// Positions from random games, all still going on.
fn positions() -> Vec<Board> {
    let game = TicTacToe::new(Rules::Official);
    let mut random = Stream::new(4, "positions", 0);
    let positions = (0..60).map(|_| {
        let mut position = game.start();
        let plies = random.below(5) as u32;
        position.playout(&mut random, plies);
        position
    });
    positions.filter(|position| position.outcome().is_none()).collect()
}

fn evaluate(evaluator: &mut NetworkEvaluator<Board>, positions: &[Board]) -> Vec<Evaluation> {
    let mut moves = vec![Vec::new(); positions.len()];
    positions.iter().zip(&mut moves).for_each(|(position, moves)| position.moves(moves));
    let leaves: Vec<Leaf<'_, Board>> =
        positions.iter().zip(&moves).map(|(position, moves)| Leaf { position, moves }).collect();
    let mut out = vec![Evaluation::default(); positions.len()];
    evaluator.evaluate(&leaves, &mut out);
    for (leaf, evaluation) in leaves.iter().zip(&out) {
        assert_eq!(evaluation.priors.len(), leaf.moves.len());
        assert!((evaluation.priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
    out
}

#[test]
fn neither_the_cache_nor_the_batch_changes_an_evaluation() {
    let positions = positions();
    let plain = evaluate(&mut evaluator(None), &positions);
    let mut cached = evaluator(Some(Cache::new(1 << 20)));
    let mut alone = evaluator(None);
    for _ in 0..2 {
        for (a, b) in evaluate(&mut cached, &positions).iter().zip(&plain) {
            assert_eq!((a.value, &a.priors), (b.value, &b.priors));
        }
    }
    for (position, b) in positions.iter().zip(&plain) {
        let a = &evaluate(&mut alone, std::slice::from_ref(position))[0];
        assert_eq!((a.value, &a.priors), (b.value, &b.priors));
    }
    let (hits, _) = cached.cache().unwrap().hits_and_misses();
    assert_eq!(hits, positions.len() as u64, "the second round is remembered");
    assert!(cached.evaluations() <= positions.len() as u64);
}

#[test]
fn the_cache_tells_positions_apart_that_differ_in_what_the_encoder_reads_only() {
    let game = Chess::new(Rules::Official);
    let encoders = game.encoders().into_iter();
    let lines = ["4k3/8/8/8/8/8/8/R3K3 w - - 7 90", "4k3/8/8/8/8/8/8/R3K3 w - - 70 90"];
    let positions = lines.map(|line| tesuji_core::game::parse_line(&game, line).unwrap());
    assert_eq!(positions[0].key(), positions[1].key(), "the clock is no part of the key");
    let mut apart = 0;
    for encoder in encoders {
        let spec = Spec::alpha_zero(encoder.shape(), 1, 16, encoder.policy_len());
        let encoder: Arc<dyn Encoder<_>> = encoder.into();
        let with = |cache| NetworkEvaluator::new(Arc::clone(&encoder), worker(&spec), cache).unwrap();
        let (mut plain, mut cached) = (with(None), with(Some(Cache::new(1 << 20))));
        let values = positions.each_ref().map(|position| {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            [&mut plain, &mut cached].map(|evaluator| {
                let mut out = [Evaluation::default()];
                evaluator.evaluate(&[Leaf { position, moves: &moves }], &mut out);
                let [Evaluation { value, priors }] = out;
                (value, priors)
            })
        });
        assert!(values.iter().all(|[plain, cached]| plain == cached), "{}", encoder.name());
        apart += usize::from(values[0] != values[1]);
    }
    assert!(apart > 0, "no encoder of chess reads the clock any more: choose another game for this test");
}

#[test]
fn a_network_for_another_encoder_is_refused() {
    let encoder = || TicTacToe::new(Rules::Official).encoders().swap_remove(0);
    let shape = encoder().shape();
    let refuse = |spec: &Spec| NetworkEvaluator::new(encoder().into(), worker(spec), None).err().unwrap().to_string();
    let wide = Shape { width: 4, ..shape };
    assert!(refuse(&Spec::alpha_zero(wide, 1, 4, 9)).contains("it reads"));
    assert!(refuse(&Spec::alpha_zero(shape, 1, 4, 10)).contains("its policy has 10"));
    assert!(refuse(&Spec::dqn_small(shape, 9, false)).contains("no output \"policy\""));
}

/// TUBSTAP's network is asked once for each unit that can act. Its units' probabilities sum to 1 together, or each to 1,
/// as the paper's formula has them: the same numbers but for the number of units.
#[test]
fn the_views_of_a_position_share_the_whole_or_have_one_each() {
    let game = Tubstap::new(Rules::Official);
    let encoder: Arc<dyn Encoder<_>> = game.encoders().swap_remove(0).into();
    let spec = Spec::alpha_zero(encoder.shape(), 1, 16, encoder.policy_len());
    let position = game.parse_position("map02").unwrap();
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let priors = |whole: bool| {
        let network = NetworkEvaluator::new(Arc::clone(&encoder), worker(&spec), None).unwrap();
        let mut out = [Evaluation::default()];
        network.whole_views(whole).evaluate(&[Leaf { position: &position, moves: &moves }], &mut out);
        out[0].priors.clone()
    };
    let units = encoder.views(&position);
    assert_eq!(units, 4);
    let (shared, whole) = (priors(false), priors(true));
    assert!((shared.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    assert!((whole.iter().sum::<f32>() - units as f32).abs() < 1e-5);
    for (shared, whole) in shared.iter().zip(&whole) {
        assert!((shared * units as f32 - whole).abs() < 1e-6);
    }
}
