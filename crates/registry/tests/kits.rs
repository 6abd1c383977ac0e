//! The list of kits. Beside the crate: a test inside of it would compile its kits a second time.

use tesuji_core::Rules;
use tesuji_registry::kit;

#[test]
fn every_game_has_its_kit() {
    for &name in tesuji_games::names() {
        for rules in Rules::ALL {
            let game = kit(name, rules).unwrap().game();
            assert_eq!((game.name(), game.rules()), (name, rules));
        }
    }
    assert!(kit("go", Rules::Official).err().unwrap().to_string().contains("tictactoe"));
}
