//! Games in the protocols UCI and USI: shared by the client side ([`engine`](crate::engine)) and the engine side
//! ([`serve`](crate::serve)).

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// Universal Chess Interface.
    Uci,
    /// Universal Shogi Interface.
    Usi,
}

/// How the protocols treat a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Protocol {
    /// The protocol that the game's programs usually speak.
    pub usual: Words,
    /// The name of the variant, for engines that know several; `None` where there is nothing to choose.
    pub variant: Option<&'static str>,
    /// The side length of a shogi board, whose moves UCI writes as Fairy-Stockfish does and USI otherwise.
    pub board: Option<u8>,
}

/// Games that need no more than UCI and their own name are not listed.
const PROTOCOLS: &[(&str, Protocol)] = &[
    ("chess", Protocol { usual: Words::Uci, variant: None, board: None }),
    ("shogi", Protocol { usual: Words::Usi, variant: Some("shogi"), board: Some(9) }),
    ("minishogi", Protocol { usual: Words::Usi, variant: Some("minishogi"), board: Some(5) }),
];

impl Protocol {
    /// How the protocols treat a game, by its registered name; `None` if the protocols do not know it.
    fn listed(game: &str) -> Option<Protocol> {
        PROTOCOLS.iter().find(|(name, _)| *name == game).map(|&(_, protocol)| protocol)
    }

    /// The protocol that is usual for a game.
    pub fn usual(game: &str) -> Words {
        Protocol::listed(game).map_or(Words::Uci, |protocol| protocol.usual)
    }

    /// Whether a game is played by a protocol: all are by UCI, shogi also by USI.
    pub fn speaks(game: &str, words: Words) -> bool {
        words == Words::Uci || Protocol::usual(game) == words
    }

    /// The variant to be chosen for a game, if there is a choice; games that are not listed go by their own name.
    pub fn variant(game: &str) -> Option<&str> {
        match Protocol::listed(game) {
            Some(protocol) => protocol.variant,
            None => Some(game),
        }
    }

    /// The side length of the board, for the games whose notation UCI and USI write differently.
    pub fn board(game: &str) -> Option<u8> {
        Protocol::listed(game).and_then(|protocol| protocol.board)
    }
}
