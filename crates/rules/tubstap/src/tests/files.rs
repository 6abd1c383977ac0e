use super::*;
use crate::maps;
use crate::{replay, tbsmap};
use proptest::prelude::*;
use tesuji_core::{GameRecord, Outcome, Place, Side};

fn platform01() -> String {
    tbsmap::format_setup(&maps::find("platform01").unwrap().setup())
}

#[test]
fn the_platforms_map_is_read() {
    let battle = battle(Rules::Official, "platform01");
    assert_eq!(
        Tubstap::new(Rules::Official).format_position(&battle),
        "6/2fmf1/2ff2/1fmf2/1ffs2/6 Ia1:10,Ub1:10,Ia2:10,Pb2:4,Ia3:10,Pb3:4,pe4:4,if4:10,pe5:4,if5:10,ue6:10,if6:10 0/29 10 0"
    );
}

#[test]
fn every_built_in_map_is_playable() {
    for map in maps::ALL {
        for rules in Rules::ALL {
            let battle = map.setup().battle(EndRules::of(rules)).unwrap();
            assert_eq!(battle.outcome(), None, "{}", map.name);
            assert_eq!(battle.turn(), 0, "{}", map.name);
            if map.technical {
                let ground = battle.map().ground();
                assert_eq!((ground.width(), ground.height(), battle.map().turn_limit()), (6, 6, 16));
                assert!(ground.iter().all(|cell| ground.at(cell) == Terrain::Plain));
            }
        }
    }
}

#[test]
fn maps_survive_being_written() {
    for map in maps::ALL {
        let setup = map.setup();
        assert_eq!(tbsmap::parse(&tbsmap::format_setup(&setup)).unwrap(), setup, "{}", map.name);
    }
    for battle in random_battles(Rules::Official, 40) {
        let again = tbsmap::parse(&tbsmap::format(&battle).unwrap()).unwrap();
        assert_eq!(again.battle(EndRules::of(Rules::Official)).unwrap().key(), battle.key());
    }
}

#[test]
fn a_map_can_be_given_inline_or_as_a_file() {
    let game = Tubstap::new(Rules::Official);
    let inline = game.parse_position(&platform01()).unwrap();
    assert_eq!(inline.key(), battle(Rules::Official, "platform01").key());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/maps/bridge.tbsmap");
    assert_eq!(game.parse_position(path).unwrap().key(), battle(Rules::Official, "bridge").key());
    let error = game.parse_position("no/such/file.tbsmap").unwrap_err().to_string();
    assert!(error.contains("no/such/file.tbsmap"), "{error}");
    assert!(game.parse_position(concat!(env!("CARGO_MANIFEST_DIR"), "/src/maps/")).is_err());
}

#[test]
fn comments_and_shift_jis_are_read() {
    let text = format!("// 地図 [no item];\nMAPCOM[標準マップ];\r\n{}AUTHOR[x];", platform01());
    let (bytes, _, _) = encoding_rs::SHIFT_JIS.encode(&text);
    assert!(std::str::from_utf8(&bytes).is_err());
    assert_eq!(tbsmap::decode(&bytes).unwrap(), text);
    for bytes in [bytes.as_ref(), text.as_bytes(), &[b"\xef\xbb\xbf", text.as_bytes()].concat()] {
        let setup = tbsmap::parse(&tbsmap::decode(bytes).unwrap()).unwrap();
        assert_eq!(setup, maps::find("platform01").unwrap().setup());
    }
    assert!(tbsmap::decode(&vec![b' '; tbsmap::LONGEST_FILE + 1]).is_err());
}

#[test]
fn errors_in_maps_name_the_line_and_the_problem() {
    let cases = [
        ("SIZEX[8]", "SIZEX[9]", None, "8 cells"),
        ("SIZEY[8]", "SIZEY[40]", None, "size 8 x 40"),
        ("SIZEY[8]", "SIZEY[7]", None, "8 MAP items"),
        ("TURNLIMIT[29]", "TURNLIMIT[-1]", Some(2), "not a number"),
        ("TURNLIMIT[29]", "TURNLIMIT[0]", None, "turn limit 0"),
        ("TURNLIMIT[29]", "TURNLIMIT[70000]", None, "out of range"),
        ("HPTHRESHOLD[10];", "", None, "no HPTHRESHOLD"),
        ("UNITNUMRED[6]", "UNITNUMRED[6];UNITNUMRED[6]", Some(3), "twice"),
        ("UNITNUMRED[6]", "UNITNUMRED[5]", None, "6 UNIT items"),
        ("UNIT[1,1,infantry,0,10,0]", "UNIT[1,1,marine,0,10,0]", Some(4), "marine"),
        ("UNIT[1,1,infantry,0,10,0]", "UNIT[1,1,infantry,2,10,0]", Some(4), "team"),
        ("UNIT[1,1,infantry,0,10,0]", "UNIT[1,1,infantry,0,10,7]", Some(4), "acted"),
        ("UNIT[1,1,infantry,0,10,0]", "UNIT[0,1,infantry,0,10,0]", Some(4), "off the map"),
        ("UNIT[1,1,infantry,0,10,0]", "UNIT[7,1,infantry,0,10,0]", None, "off the map"),
        ("UNIT[1,1,infantry,0,10,0]", "UNIT[1,1,infantry,0,11,0]", None, "11 HP"),
        ("UNIT[1,1,infantry,0,10,0]", "UNIT[1,1,infantry,0,0,0]", None, "0 HP"),
        ("UNIT[1,1,infantry,0,10,0]", "UNIT[1,2,infantry,0,10,0]", None, "occupied"),
        ("UNIT[1,1,infantry,0,10,0]", "UNIT[4,5,infantry,0,10,0]", None, "cannot be on sea"),
        ("UNIT[1,1,infantry,0,10,0]", "UNIT[1,1,infantry]", Some(4), "6 fields, found 3"),
        ("MAP[0,1,1,3,4,3,1,0]", "MAP[0,1,1,3,9,3,1,0]", Some(18), "code 9"),
        ("MAP[0,1,1,3,4,3,1,0]", "MAP[1,1,1,3,4,3,1,0]", Some(18), "border"),
        ("MAP[0,1,1,3,4,3,1,0]", "MAP[0,1,1,3,4,3,1,0", Some(18), "no ]"),
    ];
    for (from, to, line, problem) in cases {
        let text = platform01().replacen(from, to, 1);
        let error = Tubstap::new(Rules::Official).parse_position(&text).unwrap_err();
        assert!(error.to_string().contains(problem), "{to}: {error}");
        if let Some(line) = line {
            assert_eq!(error.place(), Some(Place::Line(line)), "{to}: {error}");
        }
    }
}

#[test]
fn errors_in_positions_say_what_is_wrong() {
    let cases = [
        ("", "expected a position"),
        ("map99", "map01"),
        ("random:x", "number"),
        ("random:1:3x3", "4x4"),
        ("random:1:9v9", "8v8"),
        ("6/6 Ia1:10", "2 fields"),
        ("6/5 Ia1:10,ia2:10 0/16 -", "different lengths"),
        ("6/q5 Ia1:10,ia2:10 0/16 -", "character 3"),
        ("17 Ia1:10,ib1:10 0/16 -", "1 to 16"),
        ("0 Ia1:10,ib1:10 0/16 -", "1 to 16"),
        ("9.......9 Ia1:10,ib1:10 0/16 -", "more than 16"),
        ("/ Ia1:10,ib1:10 0/16 -", "no cells"),
        ("6 Ia1:10,ib1 0/16 -", "ib1"),
        ("6 Ia1:10,zb1:3 0/16 -", "zb1:3"),
        ("6 Ia1:10,ia1:3 0/16 -", "occupied"),
        ("6 Ia2:10,ia1:3 0/16 -", "off the map"),
        ("6 Ia1:10,ib1:3 0/0 -", "turn limit"),
        ("6 Ia1:10,ib1:3 60000/16 -", "turn 60000"),
        ("6 Ia1:10,ib1:3 x/16 -", "turn/limit"),
        ("6 Ia1:10,ib1:3 0/16 x", "threshold"),
        ("6 Ia1:10,ib1:3 0/16 - -1", "number of actions"),
        ("6 Ia1:10,ib1:3 0/16 - 4294967295", "action 4294967295"),
        ("6 Ia1:10,ib1:3 0/16 - 1 1", "6 fields"),
        ("é Ia1:10,ib1:3 0/16 -", "character 1"),
        ("6 é,ib1:3 0/16 -", "unit"),
    ];
    for (text, problem) in cases {
        let error = Tubstap::new(Rules::Official).parse_position(text).unwrap_err().to_string();
        assert!(error.contains(problem), "{text}: {error}");
    }
    let crowd: Vec<String> = (1..=3).flat_map(|y| (b'a'..b'p').map(move |x| format!("I{}{y}:1", x as char))).collect();
    let text = format!("15/15/15 {} 0/16 -", crowd.join(","));
    let error = Tubstap::new(Rules::Official).parse_position(&text).unwrap_err().to_string();
    assert!(error.contains("more than 32 units"), "{error}");
}

/// The record of a random game.
fn random_record(start: &Battle, seed: u64, rules: Rules) -> GameRecord {
    let game = Tubstap::new(rules);
    let mut record = GameRecord::new("tubstap", rules, game.rules_version(), &game.format_position(start));
    record.tags = vec![("date".into(), "2020/2/22".into()), ("red".into(), "A".into()), ("blue".into(), "B".into())];
    let mut battle = start.clone();
    let mut random = Stream::new(seed, "test record", 0);
    let mut moves = MoveList::new();
    while battle.expand(&mut moves).is_none() {
        let action = moves[random.below(moves.len())];
        record.push(action);
        battle.play(action);
    }
    record.outcome = battle.outcome();
    record.ending = battle.ending().to_owned();
    record
}

#[test]
fn replays_survive_being_written() {
    for rules in Rules::ALL {
        for (seed, start) in (0..).zip(random_battles(rules, 24)) {
            let record = random_record(&start, seed, rules);
            let again = replay::parse(&replay::format(&record).unwrap(), rules).unwrap();
            // A file has no infinite threshold, so starts may differ in that alone: compare what was played.
            assert_eq!((&again.moves, again.outcome, &again.ending), (&record.moves, record.outcome, &record.ending));
            assert_eq!(again.tags, record.tags);
        }
    }
}

#[test]
fn a_replay_of_the_platform_is_read() {
    let map = tbsmap::format_setup(&maps::find("map01").unwrap().setup());
    let text = format!(
        "{map}PLAYEDDATE[2016/11/04 10:00:00];\nPLAYEDRULE[rule_set_version_0100];\nPLAYERRED[M_UCT]PLAYERBLUE[human];\n\
         TURNINFO[0,0,1];\nACTION[0,4,2,2,1,-1,0,0,1,0,0];\nCOM[nothing much,0];\n\
         TURNINFO[1,1,2];\nACTION[2,4,3,6,5,-1,0,0,3,0,0];\n\
         TURNINFO[2,0,1];\nACTION[-1,-1,-1,0,0,-1,0,0,0,0,0];\n"
    );
    let record = replay::parse(&text, Rules::Official).unwrap();
    let texts: Vec<String> = record
        .moves
        .iter()
        .map(|played| format!("{:?}", <Action as tesuji_core::Move>::from_bits(played.bits).unwrap()))
        .collect();
    // Red's second unit did not act, so its turn ended early; blue ended its turn; red gave up.
    assert_eq!(texts, ["b1d2", "end", "end"]);
    assert_eq!((record.outcome, record.ending.as_str()), (Some(Outcome::Win(Side::Second)), "resignation"));
    assert_eq!(record.tags[1], ("red".into(), "M_UCT".into()));
    let error = replay::parse(&text.replace("[0,4,2,2,1", "[0,6,6,2,1"), Rules::Official).unwrap_err();
    assert!(error.to_string().contains("illegal"), "{error}");
    assert!(matches!(error.place(), Some(Place::Line(_))));
    let again = replay::parse(&replay::format(&record).unwrap(), Rules::Official).unwrap();
    assert_eq!(again.moves, record.moves);
    assert_eq!(again.outcome, record.outcome);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_text_makes_the_parsers_panic(text in "\\PC{0,60}", bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let game = Tubstap::new(Rules::Official);
        let _ = game.parse_position(&text);
        let _ = game.start().parse_move(&text);
        let _ = replay::parse(&text, Rules::Official);
        let _ = tbsmap::parse(&tbsmap::decode(&bytes).unwrap());
    }

    #[test]
    fn no_mutation_makes_the_parsers_panic(seed in any::<u64>(), edits in 1..6_usize) {
        let mut random = Stream::new(seed, "mutation", 0);
        let start = battle(Rules::Official, "platform01");
        let record = random_record(&start, 3, Rules::Official);
        let sources = [replay::format(&record).unwrap(), record.start];
        let alphabet: Vec<char> = "0123456789[];,x/:+- aIMPé\n".chars().collect();
        for source in sources {
            let mut text: Vec<char> = source.chars().collect();
            for _ in 0..edits {
                let at = random.below(text.len());
                match random.below(3) {
                    0 => text[at] = alphabet[random.below(alphabet.len())],
                    1 => text.insert(at, alphabet[random.below(alphabet.len())]),
                    _ => drop(text.remove(at)),
                }
            }
            let text: String = text.into_iter().collect();
            let _ = Tubstap::new(Rules::Official).parse_position(&text);
            let _ = replay::parse(&text, Rules::Official);
        }
    }
}
