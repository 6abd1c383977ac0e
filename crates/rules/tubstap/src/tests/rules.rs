use super::*;
use crate::board::LONGEST;
use crate::damage::{Losses, exchange};
use crate::map::Ground;
use crate::movegen;
use proptest::prelude::*;
use tesuji_core::{Move, MoveError, Outcome, Side};

/// The losses when a unit of red on b1 attacks one of blue on c1, each given as mark and HP; blue's terrain is given.
fn losses(red: &str, blue: &str, terrain: char) -> Losses {
    let text = format!("2{terrain} {}b1:{},{}c1:{} 0/9 5", &red[..1], &red[1..], blue[..1].to_lowercase(), &blue[1..]);
    let battle = battle(Rules::Official, &text);
    exchange(battle.map(), battle.army(Side::First).units()[0], battle.army(Side::Second).units()[0])
}

#[test]
fn damage_is_the_published_one() {
    let vectors = [
        ("I10", "I10", '.', 5, 3),
        ("I5", "I10", '.', 3, 4),
        ("I1", "I10", '.', 1, 1),
        ("I10", "P10", '.', 1, 6),
        ("A10", "P10", '.', 10, 0),
        ("R10", "I10", '.', 10, 0),
        ("F10", "A10", '.', 7, 0),
        // Aircraft have no protection anywhere.
        ("F10", "A10", 'h', 7, 0),
        // Neither an indirect attack nor one on a cannon is countered.
        ("U10", "P10", '.', 6, 0),
        ("P10", "U10", '.', 7, 0),
    ];
    for (red, blue, terrain, damage, counter) in vectors {
        assert_eq!(losses(red, blue, terrain), Losses { damage, counter }, "{red} {blue} {terrain}");
    }
    assert_eq!(losses("P10", "I10", 'm').damage, 5);
}

/// Where a unit can go, by a search over cells in the order of cost.
fn reference_reach(battle: &Battle, unit: Unit) -> Vec<Cell> {
    let ground: &Ground = battle.map().ground();
    let (army, enemies) = battle.sides();
    let mut cost = [u32::MAX; LONGEST * LONGEST];
    cost[unit.cell.index()] = 0;
    // Relax until nothing changes.
    loop {
        let mut changed = false;
        for cell in ground.iter() {
            for next in ground.iter().filter(|next| next.distance(cell) == 1 && enemies.find(*next).is_none()) {
                let Some(step) = ground.at(next).cost(unit.kind.movement()) else { continue };
                let total = cost[cell.index()].saturating_add(step);
                if total <= unit.kind.steps() && total < cost[next.index()] {
                    cost[next.index()] = total;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let free = |cell: Cell| cell == unit.cell || army.find(cell).is_none() && enemies.find(cell).is_none();
    ground.iter().filter(|&cell| cost[cell.index()] != u32::MAX && free(cell)).collect()
}

#[test]
fn units_reach_what_a_plain_search_reaches() {
    for (seed, start) in (0..).zip(random_battles(Rules::Official, 24)) {
        let mut ply = 0;
        random_game(start, seed, |battle, _| {
            ply += 1;
            if battle.outcome().is_none() && ply % 9 == 1 {
                for unit in battle.sides().0.ready_units() {
                    let mut found = Vec::new();
                    movegen::visit_reachable(battle, unit, |cell| found.push(cell));
                    assert_eq!(found, reference_reach(battle, unit), "{battle:?} {unit:?}");
                }
            }
        });
    }
}

/// Every action by the words of the rules: each unit, destination and enemy tried.
fn reference_moves(battle: &Battle) -> Vec<Action> {
    let (army, enemies) = battle.sides();
    let mut all = Vec::new();
    for unit in army.ready_units() {
        for to in reference_reach(battle, unit) {
            all.push(Action::go(unit.cell, to));
            for enemy in enemies.units() {
                let moves_and_fires = unit.kind == Kind::Cannon && to != unit.cell;
                if unit.kind.hits(enemy.kind, to.distance(enemy.cell)) && !moves_and_fires {
                    all.push(Action::attack(unit.cell, to, enemy.cell));
                }
            }
        }
    }
    if battle.map().options().early_end {
        all.push(Action::END_TURN);
    }
    all.sort_unstable();
    all
}

#[test]
fn moves_are_those_of_the_plain_rules() {
    for rules in Rules::ALL {
        for (seed, start) in (100..).zip(random_battles(rules, 16)) {
            let mut ply = 0;
            random_game(start, seed, |battle, moves| {
                ply += 1;
                if battle.outcome().is_none() && ply % 11 == 1 {
                    let mut sorted = moves.to_vec();
                    sorted.sort_unstable();
                    assert_eq!(sorted, reference_moves(battle), "{battle:?}");
                }
            });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn positions_are_consistent(seed in any::<u64>(), official in any::<bool>()) {
        let rules = if official { Rules::Official } else { Rules::Paper };
        let start = random_battles(rules, 4).nth((seed % 4) as usize).unwrap();
        let game = Tubstap::new(rules);
        random_game(start, seed, |battle, moves| {
            let mut distinct = moves.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), moves.len());
            if battle.outcome().is_none() {
                assert_eq!(battle.count_movements(), moves.len());
                assert!(battle.sides().0.ready() > 0, "somebody can act");
            }
            // The text holds everything, and the key of a position made afresh is the incremental one.
            let fresh = game.parse_position(&game.format_position(battle)).unwrap();
            assert_eq!(fresh.key(), battle.key());
            assert_eq!((fresh.turn(), fresh.ply()), (battle.turn(), battle.ply()));
            for side in Side::BOTH {
                assert_eq!(fresh.army(side), battle.army(side));
                assert_eq!(fresh.army(side).ready(), battle.army(side).ready());
            }
            for &action in moves {
                assert_eq!(Action::from_bits(action.to_bits()), Some(action));
                assert_eq!(battle.parse_move(&battle.format_move(action)), Ok(action));
            }
        });
    }

    #[test]
    fn symmetries_map_moves_and_keys(seed in any::<u64>()) {
        let start = random_battles(Rules::Official, 4).nth((seed % 4) as usize).unwrap();
        random_game(start, seed, |battle, moves| {
            if battle.ply() % 8 != 0 {
                return;
            }
            for symmetry in 0..battle.symmetries() {
                let image = battle.transform(symmetry);
                let mut expected: Vec<Action> =
                    moves.iter().map(|&action| battle.transform_move(symmetry, action)).collect();
                expected.sort_unstable();
                let mut found = MoveList::new();
                image.moves(&mut found);
                found.sort_unstable();
                assert_eq!(found, expected);
                for &action in moves.iter().take(5) {
                    let (mut played, mut image) = (battle.clone(), image.clone());
                    played.play(action);
                    image.play(battle.transform_move(symmetry, action));
                    assert_eq!(played.transform(symmetry).key(), image.key());
                }
            }
        });
    }

    #[test]
    fn numeric_forms_are_injective(bits in any::<u32>()) {
        if let Some(action) = Action::from_bits(bits) {
            prop_assert_eq!(action.to_bits(), bits);
        }
    }
}

#[test]
fn a_turn_passes_when_all_have_acted() {
    let mut battle = battle(Rules::Paper, "map01");
    assert_eq!(battle.symmetries(), 8);
    play(&mut battle, "b1d2");
    assert_eq!((battle.mover(), battle.turn()), (Side::First, 0));
    assert_eq!(battle.parse_move("d2d3"), Err(MoveError::illegal("d2d3")), "a unit acts once a turn");
    assert_eq!(battle.parse_move("end"), Err(MoveError::illegal("end")), "the paper's rules have no early end");
    play(&mut battle, "a2a2");
    assert_eq!((battle.mover(), battle.turn()), (Side::Second, 1));
}

#[test]
fn a_turn_can_be_ended_early_on_the_platform() {
    let mut battle = battle(Rules::Official, "map01");
    play(&mut battle, "b1d2 end");
    assert_eq!((battle.mover(), battle.turn(), battle.ply()), (Side::Second, 1, 2));
    play(&mut battle, "end");
    assert_eq!(battle.sides().0.ready(), 2);
    assert_eq!(
        battle.key(),
        super::battle(Rules::Official, &Tubstap::new(Rules::Official).format_position(&battle)).key()
    );
}

#[test]
fn units_that_have_acted_skip_their_first_turn() {
    // Red's b1 and blue's d1 skip; then everybody acts.
    let mut one = battle(Rules::Paper, "5/5 Ia1:9,Ib1:9+,id1:9+,ie1:9 0/16 -");
    assert_eq!(one.sides().0.ready(), 1);
    play(&mut one, "a1a1");
    assert_eq!((one.mover(), one.sides().0.ready()), (Side::Second, 1));
    play(&mut one, "e1e1");
    assert_eq!((one.turn(), one.sides().0.ready()), (2, 2));
    // If nobody of a side can act, the turn passes at once.
    let idle = battle(Rules::Paper, "5/5 Ia1:9+,id1:9,ie1:9 0/16 -");
    assert_eq!((idle.turn(), idle.mover()), (1, Side::Second));
    let both = battle(Rules::Paper, "5/5 Ia1:9+,id1:9+,ie1:9+ 0/16 -");
    assert_eq!((both.turn(), both.mover(), both.sides().0.ready()), (2, Side::First, 1));
    let over = battle(Rules::Paper, "5/5 Ia1:9+,id1:9+ 0/1 -");
    assert_eq!((over.turn(), over.outcome(), over.ending()), (1, Some(Outcome::Draw), "turn limit"));
}

#[test]
fn the_turn_limit_compares_hp_strictly() {
    let outcome = |red: &str, blue: &str, threshold: &str, rules| {
        let mut battle = battle(rules, &format!("6 Ia1:{red},if1:{blue} 1/2 {threshold}"));
        play(&mut battle, "f1f1");
        battle.outcome()
    };
    assert_eq!(outcome("10", "5", "4", Rules::Official), Some(Outcome::Win(Side::First)));
    assert_eq!(outcome("10", "5", "5", Rules::Official), Some(Outcome::Draw));
    assert_eq!(outcome("4", "9", "4", Rules::Official), Some(Outcome::Win(Side::Second)));
    assert_eq!(outcome("10", "1", "-", Rules::Official), Some(Outcome::Draw));
    assert_eq!(outcome("10", "1", "0", Rules::Paper), Some(Outcome::Draw), "the paper's threshold is infinite");
}

#[test]
fn a_destroyed_army_ends_the_game_at_once() {
    let mut attack = battle(Rules::Paper, "4 Ia1:10,Ib1:10,ic1:5 0/16 -");
    play(&mut attack, "b1b1xc1");
    assert_eq!((attack.outcome(), attack.ending()), (Some(Outcome::Win(Side::First)), "annihilation"));
    assert_eq!((attack.count_movements(), attack.turn()), (0, 0));
    // The last unit can also fall to the counter-attack.
    let mut counter = battle(Rules::Paper, "4 Ia1:1,ib1:10 0/16 -");
    play(&mut counter, "a1a1xb1");
    assert_eq!(counter.outcome(), Some(Outcome::Win(Side::Second)));
    assert!(matches!(counter.parse_move("b1b1"), Err(MoveError::GameOver { .. })));
}

#[test]
fn a_scripted_game_goes_as_computed_by_hand() {
    // Panzer and cannon against infantry and panzer; c2 is a forest, d1 a mountain.
    let mut battle = battle(Rules::Official, "3m1/2f2/5 Pa1:10,Ua3:10,ie2:10,pe3:8 0/6 3");
    let state = |battle: &Battle| Tubstap::new(Rules::Official).format_position(battle);
    let steps = [
        // The panzer pays 2 for the forest and stops there: a1 b1 b2 c2 d2 costs 1 + 1 + 2 + 1 = 5 of its 6.
        ("a1d2xe2", "3m1/2f2/5 Pd2:10+,Ua3:10,ie2:3,pe3:8 0/6 3 1"),
        // 75 * 10 + 70 = 820, over 100 + 1 * 10: 7 of 10. The counter of 3 infantry: (5 * 3 + 70) / 110 = 0.
        ("a3c3", "3m1/2f2/5 Pd2:10,Uc3:10,ie2:3,pe3:8 1/6 3 2"),
        // Blue's panzer steps to d3 and fires at red's: (55 * 8 + 70) / 110 = 4; counter (55 * 6 + 70) / 108 = 3.
        ("e3d3xd2", "3m1/2f2/5 Pd2:6,Uc3:10,ie2:3,pd3:5+ 1/6 3 3"),
        // The infantry does nothing to it, (5 * 3 + 70) / 106 = 0, and loses (75 * 6 + 70) / 103 = 5, all it has.
        ("e2e2xd2", "3m1/2f2/5 Pd2:6,Uc3:10,pd3:5 2/6 3 4"),
        // Next to the cannon, the panzer is too near to be fired at.
        ("d2c2", "3m1/2f2/5 Pc2:6+,Uc3:10,pd3:5 2/6 3 5"),
        ("c3a3", "3m1/2f2/5 Pc2:6,Ua3:10,pd3:5 3/6 3 6"),
        // From the plain against the forest: (55 * 5 + 70) / (100 + 3 * 6) = 2; counter (55 * 4 + 70) / 105 = 2.
        ("d3d2xc2", "3m1/2f2/5 Pc2:4,Ua3:10,pd2:3 4/6 3 7"),
        ("end", "3m1/2f2/5 Pc2:4,Ua3:10,pd2:3 5/6 3 8"),
        // Out of everything's reach; at the limit red has 14 HP against 3 + 3.
        ("d2e3", "3m1/2f2/5 Pc2:4,Ua3:10,pe3:3 6/6 3 9"),
    ];
    for (number, (text, expected)) in steps.into_iter().enumerate() {
        if number == 4 {
            let cannon = battle.parse_move("c3c3xd3");
            assert_eq!(cannon, Err(MoveError::illegal("c3c3xd3")));
        }
        assert_eq!(battle.outcome(), None);
        let action = battle.parse_move(text).unwrap();
        assert_eq!(battle.is_attack(action), text.contains('x'));
        battle.play(action);
        assert_eq!(state(&battle), expected, "after {text}");
    }
    assert_eq!(battle.outcome(), Some(Outcome::Win(Side::First)));
    assert_eq!(battle.ply(), 9);
}

#[test]
fn a_cannon_fires_only_from_where_it_stands() {
    let cannon = battle(Rules::Paper, "6 Ua1:10,id1:10,ie1:10 0/16 -");
    let texts = tesuji_core::game::sorted_moves(&cannon);
    assert_eq!(texts, ["a1a1", "a1a1xd1", "a1b1", "a1c1"]);
}

#[test]
fn copies_share_the_map_and_go_their_own_ways() {
    let start = battle(Rules::Paper, "map02");
    let mut copy = battle(Rules::Paper, "platform01");
    copy.clone_from(&start);
    assert_eq!(copy.key(), start.key());
    play(&mut copy, "b2c3");
    assert_ne!(copy.key(), start.key());
    assert_eq!(start.army(Side::First).ready(), 4);
}
