//! Networks that have a name: the yardsticks of our measurements and the shapes that the papers print.

use crate::Spec;
use crate::spec::Convolution;
use tesuji_core::Shape;

const fn square(planes: usize, size: usize) -> Shape {
    Shape { planes, height: size, width: size }
}

impl Spec {
    /// The names that [`named`](Self::named) knows, each with what it means.
    pub const NAMES: [(&'static str, &'static str); 7] = [
        ("a", "10 blocks of 256 on 5x5: the minishogi paper's network, the large yardstick"),
        ("b", "6 blocks of 64 on 5x5: the small yardstick"),
        ("c", "6 blocks of 64 on 9x9: the small yardstick of a large board"),
        ("d", "12 blocks of 256 on 8x8: the chess paper's tower"),
        ("separable", "8 blocks of 128 on 6x6, separable convolutions and dropout: the TUBSTAP paper's network"),
        ("dqn-what", "the shogi paper's network that chooses what to move: 169 million parameters"),
        ("dqn-where", "the shogi paper's network that chooses where to"),
    ];

    /// The network with this name.
    pub fn named(name: &str) -> Option<Spec> {
        Some(match name {
            "a" => Spec::alpha_zero(square(31, 5), 10, 256, 1500),
            "b" => Spec::alpha_zero(square(31, 5), 6, 64, 1500),
            "c" => Spec::alpha_zero(square(45, 9), 6, 64, 2187),
            "d" => Spec::alpha_zero(square(112, 8), 12, 256, 1858),
            "separable" => Spec::tubstap(square(5, 6), 8, Convolution::Separable, 180),
            "dqn-what" => Spec::dqn_paper(88),
            "dqn-where" => Spec::dqn_paper(81),
            _ => return None,
        })
    }
}
