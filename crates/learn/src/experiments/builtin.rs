//! The experiments that come with the program.

/// Names and texts of the experiments that come with the program, the default one first.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("minishogi-quick", include_str!("../../../../experiments/minishogi-quick.toml")),
    ("minishogi-laptop", include_str!("../../../../experiments/minishogi-laptop.toml")),
    ("minishogi-paper", include_str!("../../../../experiments/minishogi-paper.toml")),
    ("tubstap-laptop", include_str!("../../../../experiments/tubstap-laptop.toml")),
    ("tubstap-paper", include_str!("../../../../experiments/tubstap-paper.toml")),
    ("connect4-laptop", include_str!("../../../../experiments/connect4-laptop.toml")),
    ("bingo3d-az-laptop", include_str!("../../../../experiments/bingo3d-az-laptop.toml")),
    ("chess-az-laptop", include_str!("../../../../experiments/chess-az-laptop.toml")),
    ("shogi-az-laptop", include_str!("../../../../experiments/shogi-az-laptop.toml")),
    ("chess-supervised-laptop", include_str!("../../../../experiments/chess-supervised-laptop.toml")),
    ("chess-supervised-paper", include_str!("../../../../experiments/chess-supervised-paper.toml")),
    ("chess-improve-laptop", include_str!("../../../../experiments/chess-improve-laptop.toml")),
    ("chess-improve-paper", include_str!("../../../../experiments/chess-improve-paper.toml")),
    ("dqn-shogi-laptop", include_str!("../../../../experiments/dqn-shogi-laptop.toml")),
    ("dqn-shogi-paper", include_str!("../../../../experiments/dqn-shogi-paper.toml")),
    ("dqn-tictactoe", include_str!("../../../../experiments/dqn-tictactoe.toml")),
    ("td-bingo3d-laptop", include_str!("../../../../experiments/td-bingo3d-laptop.toml")),
    ("td-tictactoe", include_str!("../../../../experiments/td-tictactoe.toml")),
];
