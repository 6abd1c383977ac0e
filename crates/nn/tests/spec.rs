//! Specifications against the papers' tables.

use tesuji_core::Shape;
use tesuji_nn::graph::{Activation, Node, Op};
use tesuji_nn::spec::{Convolution, HeadOrder, Pooling, Residual, ValueHead};
use tesuji_nn::{Graph, Spec};

fn counts(graph: &Graph) -> Vec<usize> {
    graph.nodes().iter().map(Node::parameter_count).filter(|&count| count > 0).collect()
}

#[test]
fn the_dqn_paper_table_is_exact() {
    let what = Spec::dqn_paper(88).graph().unwrap();
    assert_eq!(counts(&what), [14_238, 71_568, 16_002, 168_033_936, 1_037_673, 38_896]);
    assert_eq!(what.parameter_count(), 169_212_313);
    let to = Spec::dqn_paper(81).graph().unwrap();
    assert_eq!(*counts(&to).last().unwrap(), 35_802);
    assert_eq!(to.parameter_count(), 169_209_219);
}

#[test]
fn the_minishogi_tower_is_as_listed() {
    let graph = Spec::alpha_zero(Shape { planes: 31, height: 5, width: 5 }, 10, 256, 1500).graph().unwrap();
    let names: Vec<&str> = graph.nodes().iter().map(|node| node.name.as_str()).collect();
    assert_eq!(
        names[..7],
        ["input", "stem.conv", "stem.norm", "block0.conv1", "block0.norm1", "block0.conv2", "block0.norm2"]
    );
    assert_eq!(
        names[names.len() - 8..],
        [
            "policy.conv",
            "policy.norm",
            "policy.dense1",
            "policy.out",
            "value.conv",
            "value.norm",
            "value.dense1",
            "value.out"
        ]
    );
    let convolutions = |node: &&Node| matches!(node.op, Op::Conv { kernel, .. } if kernel.height == 3);
    assert_eq!(graph.nodes().iter().filter(convolutions).count(), 21);
    let stem = 9 * 31 * 256 + 2 * 256;
    let block = 2 * (9 * 256 * 256 + 2 * 256);
    let policy = 2 * 256 + 2 * 2 + (50 * 256 + 256) + (256 * 1500 + 1500);
    let value = 256 + 2 + (25 * 256 + 256) + (256 + 1);
    assert_eq!(graph.parameter_count(), stem + 10 * block + policy + value);
    // 2 x 25 squares x weights, then the dense layers: what PEERS lists as 100% of the peak follows from it.
    assert!((graph.flops() as f64 / 1e6 - 594.3).abs() < 1.0, "{}", graph.flops());
    let table = graph.describe();
    assert_eq!(table.lines().count(), graph.nodes().len() + 2);
    assert!(table.ends_with("12284899 parameters, 594.24 MFLOP a position"), "{table}");
}

#[test]
fn separable_blocks_drop_and_shrink() {
    let input = Shape { planes: 5, height: 6, width: 6 };
    let plain = Spec::tubstap(input, 8, Convolution::Plain, 180).graph().unwrap();
    let separable = Spec::tubstap(input, 8, Convolution::Separable, 180).graph().unwrap();
    assert_eq!(plain.parameter_count() - separable.parameter_count(), 16 * (9 * 128 * 128 - 9 * 128 - 128 * 128));
    assert_eq!(separable.nodes().iter().filter(|node| matches!(node.op, Op::Dropout { .. })).count(), 8);
}

/// The TUBSTAP paper: "after 180 affine layers, BN layers, and ReLU, the Softmax is used".
#[test]
fn a_policy_head_can_have_the_tubstap_papers_order() {
    let input = Shape { planes: 5, height: 6, width: 6 };
    let usual = Spec::tubstap(input, 2, Convolution::Separable, 180);
    let mut papers = usual.clone();
    let Spec::Residual(residual) = &mut papers else { unreachable!() };
    residual.policy.order = HeadOrder::DenseFirst;
    let text = serde_json::to_string(&papers).unwrap();
    assert_eq!(serde_json::from_str::<Spec>(&text).unwrap(), papers, "{text}");
    assert!(!serde_json::to_string(&usual).unwrap().contains("order"), "files that there are keep their bytes");
    let head = |spec: &Spec| -> Vec<String> {
        let graph = spec.graph().unwrap();
        let of_policy = graph.nodes().iter().filter(|node| node.name.starts_with("policy"));
        of_policy.map(|node| format!("{} {}", node.name, node.shape.planes)).collect()
    };
    assert_eq!(head(&usual), ["policy.norm 128", "policy.out 180"]);
    assert_eq!(head(&papers), ["policy.out 180", "policy.norm 180"]);
    let graph = papers.graph().unwrap();
    let (name, policy) = &graph.outputs()[0];
    assert_eq!((name.as_str(), graph.node(*policy).op), ("policy", Op::Norm { activation: Activation::Relu }));
}

#[test]
fn specifications_survive_json() {
    let input = Shape { planes: 5, height: 6, width: 6 };
    let mut squeezed = Spec::tubstap(input, 2, Convolution::Separable, 180);
    if let Spec::Residual(Residual { squeeze, pooling, reply, moves_left, .. }) = &mut squeezed {
        *squeeze = Some(16);
        *pooling = Some(Pooling { channels: 16, every: 2 });
        *reply = true;
        *moves_left = Some(ValueHead { filters: Some(1), hidden: vec![32] });
    }
    for spec in [squeezed, Spec::dqn_paper(88), Spec::dqn_small(input, 81, true)] {
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<Spec>(&text).unwrap(), spec, "{text}");
    }
}

#[test]
fn every_name_has_a_network() {
    let mut seen = Vec::new();
    for (name, what) in Spec::NAMES {
        let spec = Spec::named(name).unwrap();
        assert!(spec.graph().unwrap().flops() > 0 && !what.is_empty(), "{name}");
        assert!(!seen.contains(&spec), "{name} is another's twin");
        seen.push(spec);
    }
    assert_eq!(Spec::named("dqn-what"), Some(Spec::dqn_paper(88)));
    assert_eq!(Spec::named("e"), None);
}

#[test]
fn nonsense_is_refused() {
    let parse = |text: &str| serde_json::from_str::<Spec>(text).map(|spec| spec.graph());
    let dense = |rest: &str| format!(r#"{{"kind":"dense","input":{{"planes":3,"height":1,"width":1}},{rest}}}"#);
    assert!(parse(&dense(r#""hidden":[4]"#)).unwrap().is_ok());
    assert!(parse(&dense(r#""hidden":[4],"layers":3"#)).is_err(), "unknown keys");
    for rest in
        [r#""hidden":[0]"#, r#""hidden":[99999999999]"#, r#""hidden":[1048576,1048576]"#, r#""hidden":[],"outputs":0"#]
    {
        assert!(parse(&dense(rest)).unwrap().is_err(), "{rest}");
    }
    assert!(parse(r#"{"kind":"dense","input":{"planes":0,"height":1,"width":1},"hidden":[]}"#).unwrap().is_err());
    let mut even = Spec::dqn_small(Shape { planes: 1, height: 3, width: 3 }, 9, false);
    if let Spec::Dqn(spec) = &mut even {
        spec.convolutions[0].size = 2;
    }
    assert_eq!(
        even.graph().unwrap_err().to_string(),
        "bad network specification: kernel size must be odd and at most 15, not 2"
    );
}
