//! The even openings that come with the program: `openings/GAME-PLIES.txt`, made by `tesuji openings`.

/// Even openings of a game.
#[derive(Clone, Copy, Debug)]
pub struct Book {
    /// The game's registered name.
    pub game: &'static str,
    /// How many random moves the openings have.
    pub plies: u32,
    /// The file: one opening a line, `#` before comments.
    pub text: &'static str,
}

/// Every book, the default one of a game first.
pub const BOOKS: &[Book] = &[
    Book { game: "bingo3d", plies: 4, text: include_str!("../openings/bingo3d-4.txt") },
    Book { game: "chess", plies: 8, text: include_str!("../openings/chess-8.txt") },
    Book { game: "connect4", plies: 6, text: include_str!("../openings/connect4-6.txt") },
    Book { game: "connect4", plies: 4, text: include_str!("../openings/connect4-4.txt") },
    Book { game: "minishogi", plies: 4, text: include_str!("../openings/minishogi-4.txt") },
    Book { game: "shogi", plies: 8, text: include_str!("../openings/shogi-8.txt") },
];

/// The book of a game with openings of so many plies, or its default one.
///
/// # Errors
/// If there is none, with those that there are and how to make one.
pub fn book(game: &str, plies: Option<u32>) -> Result<&'static Book, String> {
    let found = BOOKS.iter().find(|book| book.game == game && plies.is_none_or(|plies| plies == book.plies));
    found.ok_or_else(|| {
        let have: Vec<String> =
            BOOKS.iter().filter(|book| book.game == game).map(|book| format!("even:{}", book.plies)).collect();
        let have = if have.is_empty() { "none".to_owned() } else { have.join(", ") };
        let wanted = plies.map_or("even".to_owned(), |plies| format!("even:{plies}"));
        format!(
            "{wanted}: no such openings of {game} come with the program (there are: {have}); `tesuji openings {game}` \
             makes them, `--openings FILE` uses them"
        )
    })
}
