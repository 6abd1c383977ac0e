//! Integer networks: path against path, incremental against refreshed, integers against a plain computation, files.

use proptest::prelude::*;
use std::collections::BTreeMap;
use tesuji_core::{FeatureChanges, Rules, Side, Stream};
use tesuji_nn::nnue::{NnueActivation, NnueInfo, NnueLayer, NnueSpec, NnueWeights, Sample, Samples, UNIT};
use tesuji_nn::nnue::{NnueFile, NnueNetwork, NnueTrainer, NnueTraining};
use tesuji_nn::{Isa, NetworkFile};

fn spec(width: usize, dense: &[usize], activation: NnueActivation) -> NnueSpec {
    NnueSpec {
        features: "pieces".into(),
        features_version: 3,
        inputs: 50,
        shared_inputs: 20,
        most_active: 12,
        width,
        dense: dense.to_vec(),
        activation,
        scale: 600,
    }
}

/// Widths with every mix of tiles, with and without dense layers of odd sizes, both activations.
fn specs() -> Vec<NnueSpec> {
    let both = [NnueActivation::SquaredClipped, NnueActivation::Clipped];
    let shapes: [(usize, &[usize]); 7] =
        [(32, &[]), (64, &[]), (96, &[16, 32]), (128, &[]), (224, &[7]), (256, &[33, 5, 8]), (480, &[])];
    both.into_iter().flat_map(|activation| shapes.map(|(width, dense)| spec(width, dense, activation))).collect()
}

/// Random weights; `extreme` ones are as large as can be, with either sign.
fn weights(spec: &NnueSpec, stream: &mut Stream, extreme: bool) -> NnueWeights {
    let mut number = |bound: i64| {
        if extreme {
            if stream.below(2) == 0 { -bound } else { bound }
        } else {
            stream.below(2 * bound as usize + 1) as i64 - bound
        }
    };
    let bound = i64::from(spec.row_bound());
    let small = if extreme { bound } else { 120 };
    let rows = (0..spec.inputs * spec.width).map(|_| number(small) as i16).collect();
    let bias = (0..spec.width).map(|_| number(small) as i16).collect();
    let layers = spec.layers().into_iter().map(|(inputs, outputs)| {
        // Full activations times these and the bias are just within 31 bits.
        let bound = (i64::from(i32::MAX) / i64::from(i16::MAX) - 1) / inputs as i64;
        let weights = (0..inputs * outputs).map(|_| number(bound.min(i64::from(i16::MAX))) as i16).collect();
        NnueLayer { weights, bias: (0..outputs).map(|_| number(30_000) as i32).collect(), shift: 6 }
    });
    NnueWeights { rows, bias, layers: layers.collect() }
}

/// The score by the formulas of the documentation, in 64 bits.
fn plain_score(spec: &NnueSpec, weights: &NnueWeights, views: [&[u32]; 2]) -> i64 {
    let mut values = Vec::new();
    for active in views {
        for n in 0..spec.width {
            let row = |&input: &u32| i64::from(weights.rows[input as usize * spec.width + n]);
            let sum = i64::from(weights.bias[n]) + active.iter().map(row).sum::<i64>();
            assert!(i16::try_from(sum).is_ok(), "the first layer overflows");
            let cut = sum.clamp(0, i64::from(UNIT));
            values.push(if spec.activation == NnueActivation::Clipped { cut * 128 } else { cut * cut / 2 });
        }
    }
    let mut shift = 0;
    for (number, layer) in weights.layers.iter().enumerate() {
        let rows = layer.weights.chunks_exact(values.len()).zip(&layer.bias);
        let sums: Vec<i64> = rows
            .map(|(row, &bias)| i64::from(bias) + row.iter().zip(&values).map(|(&w, v)| i64::from(w) * v).sum::<i64>())
            .collect();
        assert!(sums.iter().all(|&sum| i32::try_from(sum).is_ok()), "a dense layer overflows");
        shift = layer.shift;
        let last = number + 1 == weights.layers.len();
        values = if last { sums } else { sums.iter().map(|sum| (sum >> shift).clamp(0, 32_767)).collect() };
    }
    (values[0] * i64::from(spec.scale)) >> (15 + shift)
}

fn active(stream: &mut Stream, count: usize) -> Vec<u32> {
    let mut inputs: Vec<u32> = (0..50).collect();
    stream.shuffle(&mut inputs);
    inputs.truncate(count);
    inputs
}

fn paths() -> Vec<Isa> {
    Isa::ALL.into_iter().filter(|isa| isa.is_available()).collect()
}

#[test]
fn every_path_gives_the_plain_score_even_at_the_extremes() {
    for (number, spec) in specs().into_iter().enumerate() {
        for extreme in [false, true] {
            let mut stream = Stream::new(7, "nnue", number as u64);
            let weights = weights(&spec, &mut stream, extreme);
            let network = NnueNetwork::new(spec.clone(), &weights).unwrap();
            assert_eq!(network.weights(), weights);
            let mut scores = Vec::new();
            for _ in 0..8 {
                let count = [12, 12, 0, 1, 5][stream.below(5)];
                let views = [active(&mut stream, count), active(&mut stream, 12)];
                let expected = plain_score(&spec, &weights, [&views[0], &views[1]]);
                for isa in paths() {
                    let score = network.clone().with_isa(isa).score(&views[0], &views[1]);
                    assert_eq!(i64::from(score), expected, "{spec:?} on {isa:?}, extreme: {extreme}");
                }
                scores.push(expected);
            }
            assert!(scores.iter().any(|&score| score != scores[0]), "{spec:?}: scores that say nothing");
        }
    }
}

#[test]
fn one_sided_extremes_do_not_overflow() {
    // All rows and biases at the bound, all of one sign, and as many active as there may be.
    for sign in [-1, 1] {
        let spec = spec(64, &[], NnueActivation::SquaredClipped);
        let mut weights = weights(&spec, &mut Stream::new(1, "nnue", 0), true);
        let numbers = weights.rows.iter_mut().chain(&mut weights.bias).chain(&mut weights.layers[0].weights);
        numbers.for_each(|number| *number = sign * number.abs());
        let network = NnueNetwork::new(spec.clone(), &weights).unwrap();
        let all: Vec<u32> = (0..12).collect();
        let expected = plain_score(&spec, &weights, [&all, &all]);
        for isa in paths() {
            assert_eq!(i64::from(network.clone().with_isa(isa).score(&all, &all)), expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn incremental_is_refreshed(seed in any::<u64>(), shape in 0_usize..14, extreme in any::<bool>()) {
        let spec = specs().swap_remove(shape);
        let mut stream = Stream::new(seed, "nnue", 0);
        let network = NnueNetwork::new(spec.clone(), &weights(&spec, &mut stream, extreme)).unwrap();
        for isa in paths() {
            let network = network.clone().with_isa(isa);
            let mut on = [active(&mut stream, 6), active(&mut stream, 12)];
            let mut accumulator = network.accumulator();
            Side::BOTH.into_iter().for_each(|side| network.refresh(&mut accumulator, side, &on[side.index()]));
            for _ in 0..20 {
                let before = accumulator.clone();
                let mut above = network.accumulator();
                for side in Side::BOTH {
                    // Swap some inputs for others, at times all of them.
                    let count = [0, 6, 11, 12][stream.below(4)];
                    let after = active(&mut stream, count);
                    let now = &mut on[side.index()];
                    let changes = FeatureChanges {
                        removed: now.iter().filter(|input| !after.contains(input)).copied().collect(),
                        added: after.iter().filter(|input| !now.contains(input)).copied().collect(),
                    };
                    *now = after;
                    network.update(&mut accumulator, side, &changes);
                    network.update_from(&before, &mut above, side, &changes);
                }
                let mut fresh = network.accumulator();
                Side::BOTH.into_iter().for_each(|side| network.refresh(&mut fresh, side, &on[side.index()]));
                prop_assert_eq!(&accumulator, &fresh);
                prop_assert_eq!(&above, &fresh);
                for mover in Side::BOTH {
                    let score = network.score(&on[mover.index()], &on[mover.other().index()]);
                    prop_assert_eq!(network.evaluate(&accumulator, mover), score);
                }
            }
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(NnueFile::from_bytes(&bytes).is_err());
        prop_assert!(!NnueFile::recognises(&bytes));
    }
}

#[test]
fn bad_specifications_are_refused() {
    let good = spec(64, &[16], NnueActivation::Clipped);
    assert_eq!(good.check(), Ok(()));
    assert_eq!(good.row_bound(), 2520);
    let refused = |change: fn(&mut NnueSpec), words: &str| {
        let mut spec = good.clone();
        change(&mut spec);
        let error = spec.check().unwrap_err().to_string();
        assert!(error.contains(words) && !error.contains('\n'), "{error}");
    };
    refused(|spec| spec.width = 48, "width must be a multiple of 32, not 48");
    refused(|spec| spec.width = 0, "width must be 32 to 1024, not 0");
    refused(|spec| spec.inputs = 0, "inputs");
    refused(|spec| spec.shared_inputs = 51, "shared_inputs must be 1 to 50, not 51");
    refused(|spec| spec.most_active = 1001, "most_active");
    refused(|spec| spec.dense = vec![0], "units of a dense layer");
    refused(|spec| spec.dense = vec![8; 5], "dense layers must be 0 to 4, not 5");
    refused(|spec| spec.scale = 0, "scale");
    refused(|spec| spec.features.clear(), "name of the features");
    refused(|spec| (spec.inputs, spec.width) = (1 << 22, 1024), "too many");
}

#[test]
fn numbers_that_could_overflow_are_refused() {
    let spec = spec(64, &[4], NnueActivation::SquaredClipped);
    let good = weights(&spec, &mut Stream::new(3, "nnue", 0), true);
    assert!(NnueNetwork::new(spec.clone(), &good).is_ok());
    let refused = |change: fn(&mut NnueWeights), words: &str| {
        let mut weights = good.clone();
        change(&mut weights);
        let error = NnueNetwork::new(spec.clone(), &weights).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(|weights| weights.rows[77] = 2521, "weight 2521: sums of 12 beyond 2520 could overflow");
    refused(|weights| weights.bias[3] = i16::MIN, "weight -32768");
    refused(|weights| weights.layers[0].weights[128] = 30_000, "dense layer 1: its sums could overflow");
    refused(|weights| weights.layers[1].bias[0] = i32::MIN, "dense layer 2: its sums could overflow");
    refused(|weights| weights.layers[1].shift = 13, "13 bits behind the point");
    refused(|weights| weights.layers.truncate(1), "dense layers: 1 numbers, not 2");
    refused(|weights| weights.rows.truncate(64), "rows: 64 numbers, not 3200");
}

#[test]
#[should_panic(expected = "input 50 of 50")]
fn inputs_that_do_not_exist_panic() {
    let spec = spec(32, &[], NnueActivation::SquaredClipped);
    let weights = weights(&spec, &mut Stream::new(3, "nnue", 0), false);
    NnueNetwork::new(spec, &weights).unwrap().score(&[1, 50], &[]);
}

fn sample_file() -> NnueFile {
    let spec = spec(32, &[3], NnueActivation::SquaredClipped);
    let map = (0..50).map(|input| input % 20).collect();
    let mut trainer = NnueTrainer::new(spec.clone(), NnueTraining::default(), map, 5).unwrap();
    let mut samples = Samples::new();
    samples.push(Sample { mover: &[1, 2, 3], other: &[40, 49], target: 0.75, weight: 1.0 });
    trainer.step(&samples, &[0], 0.01);
    let about = NnueInfo {
        spec,
        game: "minishogi".into(),
        rules: Rules::Official,
        rules_version: 1,
        step: 0,
        agent: String::new(),
    };
    trainer.checkpoint(about)
}

#[test]
fn files_come_back_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("net.safetensors");
    for file in [sample_file(), sample_file().without_state()] {
        file.save(&path).unwrap();
        let read = NnueFile::load(&path).unwrap();
        assert_eq!(read, file);
        assert_eq!(read.about.step, 1);
        assert_eq!(std::fs::read(&path).unwrap(), file.to_bytes());
        assert!(NnueFile::recognises(&file.to_bytes()));
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "the temporary file stayed");
    let error = NetworkFile::load(&path).unwrap_err().to_string();
    assert!(error.contains("integer network"), "{error}");
}

#[test]
fn every_truncation_and_every_flipped_bit_is_noticed() {
    let bytes = sample_file().to_bytes();
    for end in (0..bytes.len()).step_by(997) {
        assert!(NnueFile::from_bytes(&bytes[..end]).is_err(), "cut at {end}");
    }
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    for bit in (0..header * 8).step_by(7).chain((header * 8..bytes.len() * 8).step_by(9973)) {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let read = NnueFile::from_bytes(&damaged);
        assert!(read.is_err(), "bit {bit} (byte {:?})", bytes[bit / 8] as char);
        assert!(!read.unwrap_err().contains('\n'));
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let replaced = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let mut bytes = sample_file().to_bytes();
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        NnueFile::from_bytes(&bytes).unwrap_err()
    };
    assert_eq!(replaced("\\\"format\\\":1", "\\\"format\\\":9"), "format version 9, this program reads version 1");
    assert_eq!(replaced("\\\"step\\\":1", "\\\"step\\\":2"), "wrong checksum: the file is damaged");
    assert_eq!(replaced("\\\"nnue\\\"", "\\\"nnuf\\\""), "not an integer network (kind nnue)");
    assert_eq!(replaced("\"dense1.bias\"", "\"dense1.bios\""), "tensor \"dense1.bias\" is missing");
    assert!(replaced("\\\"width\\\":32", "\\\"width\\\":33").contains("multiple of 32"));
    let mut file = sample_file();
    file.state.insert("mean.rows".into(), vec![f32::NAN]);
    assert_eq!(NnueFile::from_bytes(&file.to_bytes()).unwrap_err(), "training state \"mean.rows\" is not finite");
}

#[test]
fn networks_of_something_else_are_refused() {
    let about = sample_file().about;
    assert_eq!(about.check("minishogi", 1, "pieces", 3), Ok(()));
    assert_eq!(about.check("chess", 1, "pieces", 3).unwrap_err(), "trained for minishogi, not for chess");
    assert!(about.check("minishogi", 2, "pieces", 3).unwrap_err().contains("rules"));
    assert!(about.check("minishogi", 1, "other", 3).unwrap_err().contains("features pieces, not other"));
    assert!(about.check("minishogi", 1, "pieces", 4).unwrap_err().contains("this is version 4"));
    let training = NnueTraining::default();
    let map: Vec<u32> = (0..50).map(|input| input % 20).collect();
    let error = NnueTrainer::resume(&sample_file().without_state(), training, map.clone()).err().unwrap();
    assert!(error.contains("integers only"), "{error}");
    let refused = |change: fn(&mut BTreeMap<String, Vec<f32>>), words: &str| {
        let mut file = sample_file();
        change(&mut file.state);
        let error = NnueTrainer::resume(&file, training, map.clone()).err().unwrap();
        assert!(error.contains(words), "{error}");
    };
    refused(|state| drop(state.remove("mean.own")), "\"mean.own\" is missing");
    refused(|state| drop(state.insert("mean.bias".into(), vec![0.0])), "\"mean.bias\" has 1 numbers, not 32");
    refused(|state| drop(state.insert("more".into(), vec![])), "22 vectors, not 21");
    refused(|state| state.get_mut("weight.own").unwrap()[7] = f32::INFINITY, "\"weight.own\" is not finite");
    assert!(NnueTrainer::resume(&sample_file(), training, vec![0; 49]).err().unwrap().contains("shared rows"));
    assert!(NnueTrainer::resume(&sample_file(), training, vec![20; 50]).err().unwrap().contains("shared rows"));
}
