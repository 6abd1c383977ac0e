//! The heads of a residual tower: what they are, and their layers.

use crate::checks::{SpecError, check_width, check_widths};
use crate::graph::{Activation, Builder, Kernel, NodeId};
use serde::{Deserialize, Serialize};
use tesuji_core::Shape;

/// A policy head: (1x1 convolution,) batch norm, ReLU, dense layers with ReLU, logits; or in another [`HeadOrder`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Channels of the 1x1 convolution; without it the tower is normalised as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<usize>,
    /// Widths of the hidden dense layers.
    #[serde(default)]
    pub hidden: Vec<usize>,
    /// Logits.
    pub outputs: usize,
    /// Logits as so many planes of the board, in place of dense layers: a 3x3 convolution of `filters` channels, batch
    /// norm, ReLU, and a 1x1 convolution with one channel for each plane. Logits behind the planes (a move that belongs
    /// to no square) come from a dense layer on what is pooled over the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planes: Option<usize>,
    /// Where the batch norm stands.
    #[serde(default, skip_serializing_if = "HeadOrder::is_usual")]
    pub order: HeadOrder,
}

/// Where the batch norm of a policy head stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeadOrder {
    /// Batch norm and ReLU before the dense layers, whose last one gives the logits.
    #[default]
    NormFirst,
    /// Batch norm and ReLU behind the last dense layer: the logits are normalised and never below 0. So the TUBSTAP
    /// paper has it: affine, batch norm, ReLU, softmax.
    DenseFirst,
}

impl HeadOrder {
    /// Whether it is the usual one.
    pub fn is_usual(&self) -> bool {
        *self == HeadOrder::NormFirst
    }
}

/// A value head: as [`Head`], with one output and tanh.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueHead {
    /// Channels of the 1x1 convolution; without it the tower is normalised as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<usize>,
    /// Widths of the hidden dense layers.
    #[serde(default)]
    pub hidden: Vec<usize>,
}

impl Head {
    /// The head on a tower, down to its logits.
    pub(crate) fn logits(&self, net: &mut Builder, name: &str, tower: NodeId) -> Result<NodeId, SpecError> {
        if let Some(planes) = self.planes {
            return self.by_planes(net, name, tower, planes);
        }
        let out = format!("{name}.out");
        if self.order == HeadOrder::NormFirst {
            let x = head(net, name, tower, self.filters, &self.hidden)?;
            return Ok(net.dense(&out, x, self.outputs, Activation::Identity));
        }
        let x = convolved(net, name, tower, self.filters)?;
        let x = hidden_layers(net, name, x, &self.hidden)?;
        let x = net.dense(&out, x, self.outputs, Activation::Identity);
        Ok(net.norm(&format!("{name}.norm"), x, None, Activation::Relu))
    }

    fn by_planes(&self, net: &mut Builder, name: &str, tower: NodeId, planes: usize) -> Result<NodeId, SpecError> {
        if !self.hidden.is_empty() || self.order != HeadOrder::NormFirst {
            return Err(SpecError::new("a policy head of planes has no hidden layers, and its batch norm comes first"));
        }
        let x = match self.filters {
            None => tower,
            Some(filters) => {
                check_width("head filters", filters)?;
                net.conv(&format!("{name}.conv"), tower, filters, Kernel::square(3))
            }
        };
        let x = net.norm(&format!("{name}.norm"), x, None, Activation::Relu);
        planes_of(net, name, x, planes, self.outputs)
    }
}

/// The last layer of a head of planes: `outputs` numbers, of which the first are `planes` planes of the board.
pub(crate) fn planes_of(
    net: &mut Builder,
    name: &str,
    x: NodeId,
    planes: usize,
    outputs: usize,
) -> Result<NodeId, SpecError> {
    check_width("planes of a head", planes)?;
    let Shape { planes: channels, height, width } = net.shape(x);
    let Some(rest) = outputs.checked_sub(planes * height * width) else {
        return Err(SpecError::new(format!("{planes} planes of {height}x{width} are more than {outputs} outputs")));
    };
    let deviation = (2.0 / (channels + planes) as f32).sqrt();
    let image = net.conv_bias(&format!("{name}.planes"), x, planes, Kernel::square(1), deviation);
    let rest = (rest > 0).then(|| {
        let pooled = net.mean_max(&format!("{name}.pool"), x);
        net.dense(&format!("{name}.rest"), pooled, rest, Activation::Identity)
    });
    Ok(net.flatten(&format!("{name}.out"), image, rest))
}

/// The part of a head of dense layers before its last layer.
pub(crate) fn head(
    net: &mut Builder,
    name: &str,
    tower: NodeId,
    filters: Option<usize>,
    hidden: &[usize],
) -> Result<NodeId, SpecError> {
    let x = convolved(net, name, tower, filters)?;
    let x = net.norm(&format!("{name}.norm"), x, None, Activation::Relu);
    hidden_layers(net, name, x, hidden)
}

/// The 1x1 convolution of a head, if it has one.
fn convolved(net: &mut Builder, name: &str, x: NodeId, filters: Option<usize>) -> Result<NodeId, SpecError> {
    let Some(filters) = filters else { return Ok(x) };
    check_width("head filters", filters)?;
    Ok(net.conv(&format!("{name}.conv"), x, filters, Kernel::square(1)))
}

/// The hidden dense layers of a head.
fn hidden_layers(net: &mut Builder, name: &str, mut x: NodeId, hidden: &[usize]) -> Result<NodeId, SpecError> {
    check_widths("hidden layer", hidden)?;
    for (i, &width) in hidden.iter().enumerate() {
        x = net.dense(&format!("{name}.dense{}", i + 1), x, width, Activation::Relu);
    }
    Ok(x)
}
