//! `docs/adding-a-game.md` shows the code that there is.

#[test]
fn the_tutorial_shows_the_tutorial_game() {
    let document = include_str!("../../../docs/adding-a-game.md");
    let sources = [
        include_str!("../src/tictactoe.rs"),
        include_str!("../src/registry.rs"),
        include_str!("../../registry/src/lib.rs"),
    ];
    let blocks: Vec<&str> = document.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 10, "the document walks through the code");
    for block in blocks {
        assert!(sources.iter().any(|source| source.contains(block)), "no longer the code:\n{block}");
    }
}
