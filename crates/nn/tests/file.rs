//! Weight files: what is written comes back, and nothing else is taken.

use proptest::prelude::*;
use std::collections::BTreeMap;
use tesuji_core::{Rules, Shape};
use tesuji_nn::{NetworkFile, NetworkInfo, Spec, Weights};

fn sample() -> NetworkFile {
    let spec = Spec::alpha_zero(Shape { planes: 2, height: 2, width: 2 }, 1, 3, 4);
    let weights = Weights::init(&spec.graph().unwrap(), 5);
    let about = NetworkInfo {
        spec,
        game: "tictactoe".into(),
        rules: Rules::Official,
        rules_version: 1,
        encoder: "planes".into(),
        encoder_version: 2,
        step: 1234,
        agent: String::new(),
    };
    NetworkFile { about, weights, state: BTreeMap::from([("momentum.x".into(), vec![1.0, -0.5])]) }
}

#[test]
fn files_come_back_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("net.safetensors");
    let file = sample();
    file.save(&path).unwrap();
    file.save(&path).unwrap();
    assert_eq!(NetworkFile::load(&path).unwrap(), file);
    assert_eq!(std::fs::read(&path).unwrap(), file.to_bytes());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "the temporary file stayed");
}

#[test]
fn every_truncation_and_every_flipped_bit_is_noticed() {
    let file = sample();
    let bytes = file.to_bytes();
    for end in (0..bytes.len()).step_by(13) {
        assert!(NetworkFile::from_bytes(&bytes[..end]).is_err(), "cut at {end}");
    }
    // The header (where most can go wrong) bit by bit, the numbers in steps: the checksum covers them all alike.
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    for bit in (0..header * 8).step_by(3).chain((header * 8..bytes.len() * 8).step_by(997)) {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let read = NetworkFile::from_bytes(&damaged);
        assert!(read.is_err(), "bit {bit} (byte {:?})", bytes[bit / 8] as char);
        assert!(!read.unwrap_err().contains('\n'));
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("net.safetensors");
    let error = NetworkFile::load(&path).unwrap_err().to_string();
    assert!(error.contains("net.safetensors: No such file"), "{error}");
    let replaced = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let mut bytes = sample().to_bytes();
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        NetworkFile::from_bytes(&bytes).unwrap_err()
    };
    assert_eq!(replaced("\\\"format\\\":1", "\\\"format\\\":9"), "format version 9, this program reads version 1");
    assert_eq!(replaced("\\\"step\\\":1234", "\\\"step\\\":1235"), "wrong checksum: the file is damaged");
    assert_eq!(replaced("\"tesuji\"", "\"tesujo\""), "no `tesuji` entry in its metadata: not written by this program");
    assert_eq!(replaced("\"stem.conv.weight\"", "\"stem.cone.weight\""), "tensor \"stem.conv.weight\" is missing");
}

#[test]
fn weights_that_are_no_finite_numbers_are_refused_although_the_checksum_is_right() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut file = sample();
        file.weights.tensors_mut()[1][0] = bad;
        let problem = NetworkFile::from_bytes(&file.to_bytes()).unwrap_err();
        assert!(problem.contains("no finite numbers"), "{bad}: {problem}");
    }
}

#[test]
fn weights_of_something_else_are_refused() {
    let about = sample().about;
    assert_eq!(about.check("tictactoe", 1, "planes", 2), Ok(()));
    assert_eq!(about.check("chess", 1, "planes", 2).unwrap_err(), "trained for tictactoe, not for chess");
    assert!(about.check("tictactoe", 2, "planes", 2).unwrap_err().contains("rules"));
    assert!(about.check("tictactoe", 1, "other", 2).unwrap_err().contains("other"));
    assert!(about.check("tictactoe", 1, "planes", 3).unwrap_err().contains("version 3"));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = NetworkFile::from_bytes(&bytes);
    }
}
