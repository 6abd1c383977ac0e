//! The network of a run in training, in floats or in integers.

use super::checkpoint::{About, Checkpoint, State};
use tesuji_nn::nnue::{NnueFile, NnueInfo, NnueTrainer, NnueTraining};
use tesuji_nn::train::Optimiser;
use tesuji_nn::{ConvMethod, Isa, NetworkFile, NetworkInfo, Trainer, Weights};

/// What a run begins its network with.
pub enum BeginNetwork<'a> {
    /// A network in floats.
    Float {
        /// Its layers, and what it is for.
        about: NetworkInfo,
        /// How its 3x3 convolutions are computed in play, if the run is new.
        method: ConvMethod,
        /// The weights to begin with, if the run is new.
        initial: &'a dyn Fn() -> Result<Weights, String>,
        /// The rule that turns gradients into steps.
        optimiser: Optimiser,
        /// The coefficient c of c |w|^2.
        l2: f32,
    },
    /// An integer network.
    Integer {
        /// Its layers, and what it is for.
        about: NnueInfo,
        /// How it is trained.
        training: NnueTraining,
        /// The shared row of each input.
        shared: Vec<u32>,
        /// The network to begin with, if the run is new; `None` for random weights.
        initial: &'a dyn Fn() -> Result<Option<NnueFile>, String>,
    },
}

impl BeginNetwork<'_> {
    /// What the network is, and what it is for.
    pub fn about(&self) -> About {
        match self {
            BeginNetwork::Float { about, .. } => About::Float(about.clone()),
            BeginNetwork::Integer { about, .. } => About::Integer(about.clone()),
        }
    }

    /// How 3x3 convolutions are computed in play.
    pub(super) fn method(&self) -> ConvMethod {
        match self {
            BeginNetwork::Float { method, .. } => *method,
            BeginNetwork::Integer { .. } => ConvMethod::Direct,
        }
    }
}

/// The network of a run in training.
pub(super) enum Taught {
    /// In floats.
    Float(Box<Trainer>, NetworkInfo),
    /// In integers.
    Integer(Box<NnueTrainer>, NnueInfo),
}

impl Taught {
    /// The network that a new run begins with.
    pub fn begin(begin: &BeginNetwork<'_>, seed: u64) -> Result<Checkpoint, String> {
        match begin {
            BeginNetwork::Float { about, initial, .. } => {
                let file = NetworkFile { about: about.clone(), weights: initial()?, state: State::new() };
                Ok(Checkpoint::Float(Box::new(file)))
            }
            BeginNetwork::Integer { about, training, shared, initial } => {
                let trainer = match initial()? {
                    Some(file) => NnueTrainer::from_network(&file.network, *training, shared.clone()),
                    None => NnueTrainer::new(about.spec.clone(), *training, shared.clone(), seed),
                };
                let trainer = trainer.map_err(|error| error.to_string())?;
                Ok(Checkpoint::Integer(Box::new(trainer.checkpoint(about.clone()))))
            }
        }
    }

    /// Begins with a file of the same network, or goes on from it if there was training before; its state is the
    /// optimiser's alone.
    pub fn open(
        begin: &BeginNetwork<'_>,
        (file, trained): (Checkpoint, bool),
        isa: Isa,
        seed: u64,
    ) -> Result<Taught, String> {
        match (begin, file) {
            (BeginNetwork::Float { about, optimiser, l2, .. }, Checkpoint::Float(file)) => {
                let graph = about.spec.graph().map_err(|error| error.to_string())?;
                let mut trainer = Trainer::new(graph, file.weights, *optimiser, *l2, seed).with_isa(isa);
                if trained {
                    trainer.restore(file.about.step, &file.state)?;
                }
                Ok(Taught::Float(Box::new(trainer), about.clone()))
            }
            (BeginNetwork::Integer { about, training, shared, .. }, Checkpoint::Integer(file)) => {
                let trainer = NnueTrainer::resume(&file, *training, shared.clone())?.with_isa(isa);
                Ok(Taught::Integer(Box::new(trainer), about.clone()))
            }
            _ => Err("another network".to_owned()),
        }
    }

    /// The network as it is now, with the optimiser's state.
    pub fn checkpoint(&self) -> Checkpoint {
        match self {
            Taught::Float(trainer, about) => {
                let about = NetworkInfo { step: trainer.steps(), ..about.clone() };
                let (weights, state) = (trainer.weights().clone(), trainer.state());
                Checkpoint::Float(Box::new(NetworkFile { about, weights, state }))
            }
            Taught::Integer(trainer, about) => Checkpoint::Integer(Box::new(trainer.checkpoint(about.clone()))),
        }
    }

    /// Parameters of the network.
    pub fn parameters(&self) -> usize {
        match self {
            Taught::Float(trainer, _) => trainer.graph().parameter_count(),
            Taught::Integer(trainer, _) => trainer.spec().parameters(),
        }
    }

    /// Operations for one position; of an integer network those of a position that is not reached by a move.
    pub fn flops(&self) -> u64 {
        match self {
            Taught::Float(trainer, _) => trainer.graph().flops(),
            Taught::Integer(trainer, _) => {
                let spec = trainer.spec();
                let dense: usize = spec.layers().iter().map(|(inputs, outputs)| inputs * outputs).sum();
                2 * (2 * spec.most_active * spec.width + dense) as u64
            }
        }
    }
}
