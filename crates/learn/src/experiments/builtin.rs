//! The experiments that come with the program.

/// The experiment of `tesuji train` alone: what learns most in ten minutes.
pub const DEFAULT: &str = "nnue-minishogi-quick";

/// Names and texts of the experiments that come with the program.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("minishogi-quick", include_str!("../../experiments/minishogi-quick.toml")),
    ("minishogi-laptop", include_str!("../../experiments/minishogi-laptop.toml")),
    ("minishogi-long", include_str!("../../experiments/minishogi-long.toml")),
    ("minishogi-paper", include_str!("../../experiments/minishogi-paper.toml")),
    ("tubstap-laptop", include_str!("../../experiments/tubstap-laptop.toml")),
    ("tubstap-paper", include_str!("../../experiments/tubstap-paper.toml")),
    ("tubstap-paper-laptop", include_str!("../../experiments/tubstap-paper-laptop.toml")),
    ("tubstap-mixed-laptop", include_str!("../../experiments/tubstap-mixed-laptop.toml")),
    ("connect4-laptop", include_str!("../../experiments/connect4-laptop.toml")),
    ("bingo3d-az-laptop", include_str!("../../experiments/bingo3d-az-laptop.toml")),
    ("chess-az-laptop", include_str!("../../experiments/chess-az-laptop.toml")),
    ("shogi-az-laptop", include_str!("../../experiments/shogi-az-laptop.toml")),
    ("chess-supervised-laptop", include_str!("../../experiments/chess-supervised-laptop.toml")),
    ("chess-supervised-paper", include_str!("../../experiments/chess-supervised-paper.toml")),
    ("chess-records", include_str!("../../experiments/chess-records.toml")),
    ("chess-improve-laptop", include_str!("../../experiments/chess-improve-laptop.toml")),
    ("chess-improve-paper", include_str!("../../experiments/chess-improve-paper.toml")),
    ("chess-tree-laptop", include_str!("../../experiments/chess-tree-laptop.toml")),
    ("chess-tree-paper", include_str!("../../experiments/chess-tree-paper.toml")),
    ("dqn-shogi-laptop", include_str!("../../experiments/dqn-shogi-laptop.toml")),
    ("dqn-shogi-paper", include_str!("../../experiments/dqn-shogi-paper.toml")),
    ("dqn-shogi", include_str!("../../experiments/dqn-shogi.toml")),
    ("dqn-minishogi", include_str!("../../experiments/dqn-minishogi.toml")),
    ("dqn-bingo3d", include_str!("../../experiments/dqn-bingo3d.toml")),
    ("dqn-tictactoe", include_str!("../../experiments/dqn-tictactoe.toml")),
    ("td-bingo3d-laptop", include_str!("../../experiments/td-bingo3d-laptop.toml")),
    ("td-bingo3d-paper", include_str!("../../experiments/td-bingo3d-paper.toml")),
    ("td-tictactoe", include_str!("../../experiments/td-tictactoe.toml")),
    ("nnue-minishogi-quick", include_str!("../../experiments/nnue-minishogi-quick.toml")),
    ("nnue-minishogi", include_str!("../../experiments/nnue-minishogi.toml")),
    ("nnue-shogi", include_str!("../../experiments/nnue-shogi.toml")),
    ("nnue-chess", include_str!("../../experiments/nnue-chess.toml")),
    ("nnue-tubstap", include_str!("../../experiments/nnue-tubstap.toml")),
    ("nnue-bingo3d", include_str!("../../experiments/nnue-bingo3d.toml")),
    ("nnue-connect4", include_str!("../../experiments/nnue-connect4.toml")),
    ("nnue-tictactoe", include_str!("../../experiments/nnue-tictactoe.toml")),
];
