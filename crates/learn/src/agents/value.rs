//! A network's value alone: as a judge of leaves for every search, and as a chooser of moves one ply deep.

use crate::networks::{IntegerNetwork, Network, NetworkStore, NnueEvaluator, Opened, encoder, features};
use crate::play::Chooser;
use std::sync::Arc;
use tesuji_core::{Encoder, Evaluation, Evaluator, Game, Leaf, Position, Value};
use tesuji_nn::{ConvMethod, NetworkEvaluator, Worker};
use tesuji_search::agent::LeafNetworks;
use tesuji_search::score::LeafJudge;

/// Judges positions by the output `value`, the mover's; a position with several views by their mean.
pub struct ValueNetwork<P: Position> {
    encoder: Arc<dyn Encoder<P>>,
    worker: Worker,
    /// The number of the output.
    output: usize,
    views: Vec<f32>,
    evaluations: u64,
}

impl<P: Position> ValueNetwork<P> {
    /// A judge on the calling thread.
    ///
    /// # Errors
    /// If the network has no value.
    pub fn new(encoder: Arc<dyn Encoder<P>>, worker: Worker) -> Result<ValueNetwork<P>, String> {
        let output = worker.model().output("value").ok_or("the network has no value")?;
        Ok(ValueNetwork { encoder, worker, output, views: Vec::new(), evaluations: 0 })
    }

    /// The values of positions whose games go on, for the first player.
    pub fn values<'p>(&mut self, positions: impl Iterator<Item = &'p P> + Clone) -> Vec<f32> {
        let len = self.encoder.shape().len();
        self.views.clear();
        for position in positions.clone() {
            for view in 0..self.encoder.views(position) {
                let start = self.views.len();
                self.views.resize(start + len, 0.0);
                self.encoder.encode(position, view, &mut self.views[start..]);
            }
        }
        if self.views.is_empty() {
            return Vec::new();
        }
        self.worker.run(&self.views);
        self.evaluations += (self.views.len() / len) as u64;
        let mut outputs = self.worker.output(self.output).iter();
        let of = |position: &P| {
            let views = self.encoder.views(position);
            let sum: f32 = outputs.by_ref().take(views).sum();
            position.mover().sign() * sum / views as f32
        };
        positions.map(of).collect()
    }
}

impl<P: Position> Evaluator<P> for ValueNetwork<P> {
    fn refusal(&self, position: &P) -> Option<String> {
        self.encoder.refusal(position)
    }

    fn evaluate(&mut self, leaves: &[Leaf<'_, P>], out: &mut [Evaluation]) {
        let values = self.values(leaves.iter().map(|leaf| leaf.position));
        for (out, value) in out.iter_mut().zip(values) {
            out.value = Value::new(value);
            out.priors.clear();
        }
    }
}

impl<P: Position> Chooser<P> for ValueNetwork<P> {
    /// The move to the best position; of equals the first.
    fn choose(&mut self, asked: &[(&P, &[P::Move])]) -> Vec<P::Move> {
        let mut after: Vec<P> = Vec::new();
        for &(position, moves) in asked {
            after.extend(moves.iter().map(|&mv| {
                let mut next = position.clone();
                next.play(mv);
                next
            }));
        }
        let open = after.iter().filter(|position| position.outcome().is_none());
        let mut values = self.values(open).into_iter();
        let mut rated = after.iter().map(|position| match position.outcome() {
            Some(outcome) => outcome.value().get(),
            None => values.next().unwrap_or_default(),
        });
        let best = asked.iter().map(|&(position, moves)| {
            let sign = position.mover().sign();
            let rated = moves.iter().zip(rated.by_ref()).map(|(&mv, value)| (mv, sign * value));
            let best = rated.reduce(|best, next| if next.1 > best.1 { next } else { best });
            best.map_or(moves[0], |(mv, _)| mv)
        });
        best.collect()
    }

    fn evaluations(&self) -> u64 {
        self.evaluations
    }
}

/// A network as a judge of leaves.
enum Judge<G: Game> {
    Float(ValueNetwork<G::Position>),
    Integer(NnueEvaluator<G>),
}

/// The networks of a store as judges of leaves: what `eval=net:NAME` asks for.
pub struct LeafStore<G: Game> {
    /// The game.
    pub game: G,
    /// Where the networks come from.
    pub networks: Arc<NetworkStore>,
}

impl<G: Game> LeafStore<G> {
    fn open(&self, name: &str) -> Result<Judge<G>, String> {
        match self.networks.open_either(&self.game, name, ConvMethod::Direct)? {
            Opened::Float(network) => self.value_network(&network).map(Judge::Float),
            Opened::Integer(network) => {
                let IntegerNetwork { info, network, .. } = network.as_ref();
                let features = features(&self.game, &info.spec.features)?;
                Ok(Judge::Integer(NnueEvaluator::new(self.game.clone(), features, Arc::clone(network))))
            }
        }
    }

    fn value_network(&self, network: &Network) -> Result<ValueNetwork<G::Position>, String> {
        let encoder = encoder(&self.game, &network.info.encoder)?;
        let worker = Worker::new(Arc::clone(&network.model));
        ValueNetwork::new(encoder, worker).map_err(|problem| format!("{}: {problem}", network.place))
    }

    /// Value and policy as `pv` has them; `None` if the network has no policy.
    fn with_priors(&self, name: &str) -> Result<Option<NetworkEvaluator<G::Position>>, String> {
        let opened = self.networks.open_either(&self.game, name, ConvMethod::Winograd3)?;
        let Opened::Float(network) = opened else { return Ok(None) };
        if network.model.output("policy").is_none() {
            return Ok(None);
        }
        let encoder = encoder(&self.game, &network.info.encoder)?;
        let worker = Worker::new(Arc::clone(&network.model));
        let evaluator = NetworkEvaluator::new(encoder, worker, None);
        evaluator.map(Some).map_err(|problem| format!("{}: {problem}", network.place))
    }
}

impl<G: Game> LeafNetworks<G::Position> for LeafStore<G> {
    /// A network without a policy has no priors: all moves are alike.
    fn evaluator(&self, name: &str, priors: bool) -> Result<Box<dyn Evaluator<G::Position> + Send>, String> {
        if priors && let Some(evaluator) = self.with_priors(name)? {
            return Ok(Box::new(evaluator));
        }
        Ok(match self.open(name)? {
            Judge::Float(network) => Box::new(network),
            Judge::Integer(network) => Box::new(network),
        })
    }

    fn judge(&self, name: &str) -> Result<LeafJudge<G::Position>, String> {
        Ok(match self.open(name)? {
            Judge::Float(mut network) => {
                let encoder = Arc::clone(&network.encoder);
                let value =
                    move |position: &_| network.values(std::iter::once(position)).first().copied().unwrap_or_default();
                LeafJudge::new(value).unless(move |position| encoder.refusal(position))
            }
            Judge::Integer(mut network) => LeafJudge::new(move |position| network.value(position).get()),
        })
    }
}
