use super::*;
use crate::encoder::{FifthPlane, Paper, Rich};
use crate::maps;
use std::collections::HashSet;
use tesuji_core::{Encoder, Outcome, Side, Style};

#[test]
fn random_maps_are_playable_and_repeat() {
    for (seed, battle) in (0..).zip(random_battles(Rules::Official, 120)) {
        assert_eq!(battle.outcome(), None);
        assert!(battle.count_movements() > 0);
        // Units of both sides can attack each other once they meet.
        for (side, other) in [(Side::First, Side::Second), (Side::Second, Side::First)] {
            let can_attack = battle
                .army(side)
                .units()
                .iter()
                .any(|unit| battle.army(other).units().iter().any(|enemy| unit.kind.power(enemy.kind) > 0));
            assert!(can_attack, "map {seed}");
        }
    }
    let game = Tubstap::new(Rules::Paper);
    let text = |name: &str| game.format_position(&game.parse_position(name).unwrap());
    assert_eq!(text("random:7"), text("random:7:paper"));
    assert_eq!(text("random:7:12x5"), text("random:7:12x5"));
    assert_ne!(text("random:7:2v2"), text("random:8:2v2"));
    let large = battle(Rules::Paper, "random:3:16x16");
    assert_eq!((large.map().ground().width(), large.map().ground().height()), (16, 16));
    for (name, numbers) in [("random:1:1v1", [1, 1]), ("random:5:1v2", [1, 2]), ("random:9:2v2", [2, 2])] {
        let battle = battle(Rules::Paper, name);
        let mut found = Side::BOTH.map(|side| battle.army(side).units().len());
        found.sort_unstable();
        assert_eq!(found, numbers);
    }
}

#[test]
fn playouts_play_what_drawing_from_the_list_would() {
    for rules in Rules::ALL {
        for (seed, start) in (0..).zip(random_battles(rules, 16)) {
            for limit in [0, 7, 10_000] {
                let mut random = Stream::new(seed, "playout", 0);
                let (mut quick, mut plain) = (start.clone(), start.clone());
                let outcome = quick.playout(&mut random.clone(), limit);
                let mut moves = MoveList::new();
                while plain.ply() < limit && plain.expand(&mut moves).is_none() {
                    plain.play(moves[random.below(moves.len())]);
                }
                assert_eq!((outcome, quick.key(), quick.ply()), (plain.outcome(), plain.key(), plain.ply()));
            }
        }
    }
}

#[test]
fn the_actions_of_a_unit_lie_side_by_side() {
    for rules in Rules::ALL {
        for battle in random_battles(rules, 40) {
            let mut moves = MoveList::new();
            battle.moves(&mut moves);
            let mut units: Vec<Option<u32>> = moves.iter().map(|&action| battle.unit(action)).collect();
            units.dedup();
            assert_eq!(units.iter().collect::<HashSet<_>>().len(), units.len());
            assert_eq!(units.iter().flatten().count(), battle.sides().0.ready());
            assert_eq!(units.contains(&None), battle.may_end_turn());
        }
    }
}

#[test]
fn varied_starts_are_of_all_four_kinds() {
    let game = Tubstap::new(Rules::Paper);
    let technical: HashSet<u64> =
        maps::technical().map(|map| map.setup().battle(EndRules::of(Rules::Paper)).unwrap().key()).collect();
    let mut kinds: HashSet<(bool, usize)> = HashSet::new();
    for seed in 0..200 {
        let battle = game.varied_start(&mut Stream::new(seed, "varied", 0));
        assert_eq!((battle.map().ground().width(), battle.map().ground().height()), (6, 6));
        let number = Side::BOTH.iter().map(|&side| battle.army(side).units().len()).sum();
        let is_technical = technical.contains(&battle.key());
        kinds.insert((is_technical, if is_technical { 0 } else { number }));
    }
    assert_eq!(kinds, HashSet::from([(true, 0), (false, 2), (false, 3), (false, 4)]));
}

/// Whether the side to move can win in this turn.
fn wins_in_one_turn(battle: &Battle) -> bool {
    let mut moves = MoveList::new();
    battle.moves(&mut moves);
    moves.into_iter().any(|action| {
        let mut child = battle.clone();
        child.play(action);
        match child.outcome() {
            Some(outcome) => outcome == Outcome::Win(battle.mover()),
            None => child.mover() == battle.mover() && wins_in_one_turn(&child),
        }
    })
}

#[test]
fn the_one_turn_maps_are_won_in_one_turn_but_not_by_every_attack() {
    for name in ["corner", "double", "queue"] {
        let start = battle(Rules::Paper, name);
        assert!(wins_in_one_turn(&start), "{name}");
        let mut attacks = MoveList::new();
        start.moves(&mut attacks);
        attacks.retain(|&action| start.is_attack(action));
        let fails = |action: Action| {
            let mut child = start.clone();
            child.play(action);
            child.outcome().is_none() && !wins_in_one_turn(&child)
        };
        assert!(attacks.into_iter().any(fails), "{name}: some attack must be the wrong one");
    }
}

#[test]
fn encoders_are_injective_on_all_units_and_sizes() {
    for rules in Rules::ALL {
        let encoders: [Box<dyn Encoder<Battle>>; 3] = [
            Box::new(Paper::new(FifthPlane::TurnsLeft, rules)),
            Box::new(Rich::six(rules)),
            Box::new(Rich::sixteen(rules)),
        ];
        for (seed, start) in (0..).zip(random_battles(rules, 12)) {
            random_game(start, seed, |battle, moves| {
                for encoder in encoders.iter().filter(|encoder| encoder.accepts(battle)) {
                    let mut seen = HashSet::new();
                    for &action in moves {
                        let (view, index) = encoder.index(battle, action);
                        assert!(view < encoder.views(battle) && index < encoder.policy_len());
                        assert!(seen.insert((view, index)), "{action:?}");
                    }
                }
            });
        }
        let large = battle(rules, "islands");
        assert_eq!(encoders.each_ref().map(|encoder| encoder.accepts(&large)), [false, false, true]);
    }
}

#[test]
fn the_papers_input_and_policy_have_its_sizes() {
    let encoder = Paper::new(FifthPlane::Terrain, Rules::Paper);
    assert_eq!((encoder.shape().len(), encoder.policy_len()), (6 * 6 * 5, 180));
    let mut battle = battle(Rules::Paper, "6/6/6/6/6/6 Ib1:10,Ia2:7,if5:4,ie6:10 4/16 -");
    play(&mut battle, "b1c2");
    assert_eq!(encoder.views(&battle), 1);
    let mut out = vec![f32::NAN; encoder.shape().len()];
    encoder.encode(&battle, 0, &mut out);
    let mut expected = vec![0.0; 180];
    expected[8] = 1.0; // c2, own HP
    expected[6] = 0.7; // a2
    expected[36 + 29] = 0.4; // f5, enemy HP
    expected[36 + 34] = 1.0; // e6
    expected[72 + 8] = 1.0; // c2 has acted
    expected[108 + 6] = 1.0; // a2 is to act
    expected[144..].fill(1.0 / 6.0);
    assert_eq!(out, expected);
    Paper::new(FifthPlane::TurnsLeft, Rules::Paper).encode(&battle, 0, &mut out);
    assert_eq!(out[144], 0.75);
    // a2 to a3 is cell 12; attacking from d2 the unit to the right of it is plane 2, cell 9.
    assert_eq!(encoder.index(&battle, Action::go(Cell::new(0, 1), Cell::new(0, 2))), (0, 12));
    let attack = Action::attack(Cell::new(0, 1), Cell::new(3, 1), Cell::new(4, 1));
    assert_eq!(encoder.index(&battle, attack), (0, 2 * 36 + 9));
}

#[test]
fn max_act_eval_takes_the_first_best_attack() {
    let game = Tubstap::new(Rules::Official);
    let choose = |battle: &Battle, seed| {
        let mut moves = MoveList::new();
        battle.moves(&mut moves);
        battle.format_move(game.bot_move(battle, &moves, &mut Stream::new(seed, "bot", 0)))
    };
    // On d1 HP 4: damage 4, 4 * 10 = 40, no counter; on b2 HP 10: 5 * 10 - 3 * 20 = -10.
    assert_eq!(choose(&battle(Rules::Official, "4/4 Ib1:10,ib2:10,id1:4 0/16 -"), 1), "b1c1xd1");
    // A unit that has acted makes its enemy's threat count: e1 threatens a panzer of 1 HP with 1, so 5 * 11 - 3 * 20 = -5.
    let threatened = battle(Rules::Official, "6 Pa1:1+,Id1:10,ie1:10 0/16 -");
    assert_eq!(choose(&threatened, 1), "d1d1xe1");
    // I1 on I10: 1 * 10 - 1 * 11 = -1 is above -20 and is played; I10 on P10: 1 * 10 - 6 * 20 = -110 is not.
    assert_eq!(choose(&battle(Rules::Official, "2 Ia1:1,ib1:10 0/16 -"), 1), "a1a1xb1");
    // Instead it goes where 5 * defence + 5 / (distance + 5) is greatest: the fortress.
    assert_eq!(choose(&battle(Rules::Official, "h3 Ic1:10,pd1:10 0/16 -"), 1), "c1a1");
    // Without an attack a random unit moves towards the enemy: on c1 and d1 floor(55 / (distance + 5)) is the same 5,
    // and the first counts; on e1 it is 6.
    let far = battle(Rules::Official, "9 Ia1:10,Ib1:10,ii1:10 0/16 -");
    let chosen: HashSet<String> = (0..20).map(|seed| choose(&far, seed)).collect();
    assert_eq!(chosen, HashSet::from(["a1c1".to_owned(), "b1e1".to_owned()]));
}

#[test]
fn max_act_eval_beats_random_play() {
    let game = Tubstap::new(Rules::Official);
    let mut points = 0.0;
    let games = 40;
    for seed in 0..games {
        let mut random = Stream::new(seed, "bot v random", 0);
        let bot = if seed % 2 == 0 { Side::First } else { Side::Second };
        let mut battle = game.parse_position("platform01").unwrap();
        let mut moves = MoveList::new();
        points += loop {
            if let Some(outcome) = battle.expand(&mut moves) {
                break outcome.points(bot);
            }
            let action = match battle.mover() == bot {
                true => game.bot_move(&battle, &moves, &mut random),
                false => moves[random.below(moves.len())],
            };
            battle.play(action);
        };
    }
    assert!(points >= 0.9 * games as f64, "{points} of {games}");
}

#[test]
fn the_board_shows_units_terrain_and_turn() {
    let game = Tubstap::new(Rules::Official);
    let mut battle = battle(Rules::Official, "3/xsf/mrh Ia1:10,Ic1:3,rc3:7 2/9 1");
    play(&mut battle, "c1c1");
    let expected = "
     a   b   c
 1 I10   . I3+
 2   x   s   f
 3   m   r  r7
turn 2 of 9, red to act with 1 unit; HP red 13, blue 7";
    let shown = game.render(&battle, Style::default());
    let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    assert_eq!(lines, expected.lines().skip(1).collect::<Vec<_>>());
    let colored = game.render(&battle, Style { color: true, kanji: false });
    assert!(colored.contains("\x1b[1;31;49m I10\x1b[0m"), "{colored:?}");
}

#[test]
fn the_heuristic_counts_material_and_half_of_what_can_be_attacked_for_red() {
    let game = Tubstap::new(Rules::Official);
    let of = |units: &str| game.heuristic(&battle(Rules::Official, units));
    // Too far away: material alone.
    assert_eq!(of("9 Ia1:10,ii1:4 0/16 -"), 600);
    assert!(of("9 Ia1:10,pi1:10 0/16 -") < 0);
    // Red takes 4 HP, blue would take 2.
    assert_eq!(of("6 Ia1:10,ib1:4 0/16 -"), 600 + (400 - 200) / 2);
    assert_eq!(of("6 Ia1:10,ib1:4 1/16 -"), 600 + (400 - 200) / 2, "whoever is to move");
    // A unit that has acted threatens nothing, and can be attacked all the same.
    assert_eq!(of("12 Ia1:10+,Il1:10,ib1:4 0/16 -"), 1600 - 200 / 2);
    // A cannon fires where it stands: eight HP of infantry at a distance of 3, nothing at 5. Infantry takes one of its own.
    assert_eq!(of("9 Ua1:10,if1:10 0/16 -"), 2400 - 1000);
    assert_eq!(of("9 Ua1:10,id1:10 0/16 -"), 2400 - 1000 + (800 - 240) / 2);
}
