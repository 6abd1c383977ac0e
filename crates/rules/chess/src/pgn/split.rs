//! Cutting a PGN source into games without reading them, so that many threads can.

use std::io::{self, BufRead, BufReader, Read};

/// Longer games are passed over: annotated ones have some ten kilobytes.
pub const LONGEST_GAME: usize = 1 << 20;

/// A part is handed out when it has this many bytes.
const PART: usize = 256 << 10;

/// Lines are looked at in pieces of this length.
const PIECE: usize = 16 << 10;

/// Whole games of a source, one behind the other.
#[derive(Debug, Default)]
pub struct Part {
    text: Vec<u8>,
    games: Vec<Place>,
}

/// Where a game begins.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: usize,
    line: u64,
    is_too_long: bool,
}

/// The text of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameText<'a> {
    /// The bytes; empty if there are more than [`LONGEST_GAME`].
    pub text: &'a [u8],
    /// The line of the source, from 1, with which it begins.
    pub line: u64,
    /// Whether there are more bytes than [`LONGEST_GAME`].
    pub is_too_long: bool,
}

impl Part {
    /// The games, in order.
    pub fn games(&self) -> impl Iterator<Item = GameText<'_>> {
        let ends = self.games.iter().skip(1).map(|place| place.start).chain([self.text.len()]);
        self.games.iter().zip(ends).map(|(&Place { start, line, is_too_long }, end)| GameText {
            text: &self.text[start..end],
            line,
            is_too_long,
        })
    }
}

/// Cuts a source where tags begin, in memory that does not grow with the source.
///
/// A game begins with a tag line behind a line that is none, with every `Event` tag, and behind a result and an empty
/// line: so an unclosed comment or variation costs one game, not all those behind it.
#[derive(Debug)]
pub struct Splitter<R> {
    source: BufReader<R>,
    part: Part,
    /// The line that is being read, from 1.
    line: u64,
    /// Whether the piece before ended in the middle of its line.
    inside_line: bool,
    /// Whether the last line that was not empty was a tag.
    behind_tag: bool,
    /// Whether the last line was empty.
    behind_empty: bool,
    /// Whether the last lines were a result and an empty line.
    behind_result: bool,
    ended: bool,
}

impl<R: Read> Splitter<R> {
    /// A splitter of uncompressed text; it does its own buffering.
    pub fn new(source: R) -> Splitter<R> {
        Splitter {
            source: BufReader::with_capacity(64 << 10, source),
            part: Part::default(),
            line: 1,
            inside_line: false,
            behind_tag: false,
            behind_empty: false,
            behind_result: false,
            ended: false,
        }
    }

    /// The line, from 1, at which reading goes on.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Adds a line, or a piece of a long one; says whether the part before it was complete and is to be handed out.
    fn add(&mut self, piece: &[u8]) -> Option<Part> {
        let is_first = !std::mem::replace(&mut self.inside_line, !piece.ends_with(b"\n"));
        let mut complete = None;
        if is_first {
            let (is_tag, is_empty) = (is_tag(piece), piece.trim_ascii().is_empty());
            let begins =
                is_tag && (!self.behind_tag || piece.starts_with(b"[Event ")) || self.behind_result && !is_empty;
            if begins && self.part.text.len() >= PART {
                complete = Some(std::mem::take(&mut self.part));
            }
            if begins || self.part.games.is_empty() {
                let place = Place { start: self.part.text.len(), line: self.line, is_too_long: false };
                self.part.games.push(place);
            }
            if !is_empty {
                (self.behind_tag, self.behind_result) = (is_tag, false);
            } else if !self.behind_empty {
                // Only the first of several empty lines looks back: many would look back far.
                let game = self.part.games.last().filter(|game| !game.is_too_long);
                self.behind_result = game.is_some_and(|game| ends_with_result(&self.part.text[game.start..]));
            }
            self.behind_empty = is_empty;
        }
        if !self.inside_line {
            self.line += 1;
        }
        if let Some(game) = self.part.games.last_mut()
            && !game.is_too_long
        {
            self.part.text.extend_from_slice(piece);
            if self.part.text.len() - game.start > LONGEST_GAME {
                game.is_too_long = true;
                self.part.text.truncate(game.start);
            }
        }
        complete
    }
}

impl<R: Read> Iterator for Splitter<R> {
    type Item = io::Result<Part>;

    /// The next part; after an error what was read before it, and then nothing.
    fn next(&mut self) -> Option<io::Result<Part>> {
        let mut piece = Vec::with_capacity(256);
        while !self.ended {
            piece.clear();
            match self.source.by_ref().take(PIECE as u64).read_until(b'\n', &mut piece) {
                Ok(0) => self.ended = true,
                Ok(_) => {
                    if let Some(part) = self.add(&piece) {
                        return Some(Ok(part));
                    }
                }
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
        let mut part = std::mem::take(&mut self.part);
        // Empty lines at the end of a source, or alone in it, are no game.
        if part.games.len() == 1 && !part.games[0].is_too_long && part.text.trim_ascii().is_empty() {
            part.games.clear();
        }
        if part.games.is_empty() { None } else { Some(Ok(part)) }
    }
}

/// Whether a text ends with the result of a game.
fn ends_with_result(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"].iter().any(|result| text.ends_with(result))
}

/// Whether a line is `[Name "value...`, perhaps behind a byte order mark.
fn is_tag(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let Some(rest) = line.strip_prefix(b"[") else { return false };
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    name > 0 && rest[name..].trim_ascii_start().starts_with(b"\"")
}

#[cfg(test)]
mod tests {
    use super::super::Reader;
    use super::*;
    use proptest::prelude::*;
    use tesuji_core::GameRecord;

    const GAMES: &[u8] = include_bytes!("../../../../../tests/pgn/games.pgn");
    const BROKEN: &[u8] = include_bytes!("../../../../../tests/pgn/broken.pgn");

    fn split(source: &[u8]) -> Vec<Part> {
        Splitter::new(source).map(Result::unwrap).collect()
    }

    fn read(parts: &[Part]) -> Vec<GameRecord> {
        parts.iter().flat_map(Part::games).flat_map(|game| Reader::new(game.text).flatten()).collect()
    }

    #[test]
    fn parts_hold_the_games_that_the_whole_has() {
        let whole = Reader::new(GAMES).flatten().collect::<Vec<_>>();
        assert_eq!(read(&split(GAMES)), whole);
        // In many parts, too: a thousand times the file.
        let parts = split(&GAMES.repeat(1000));
        assert!(parts.len() > 3);
        assert_eq!(read(&parts).len(), 1000 * whole.len());
        // CRLF, and no empty lines at all.
        let text = String::from_utf8(GAMES.to_vec()).unwrap();
        assert_eq!(read(&split(text.replace('\n', "\r\n").as_bytes())).len(), whole.len());
        let dense: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(read(&split(dense.join("\n").as_bytes())).len(), whole.len());
    }

    #[test]
    fn games_without_tags_are_told_apart_by_their_results() {
        let parts = split(&b"1. e4 e5 1-0\n\n1. d4\nd5 {\n\n} *\n \n\n1. c4 1/2-1/2\n\n".repeat(20_000));
        assert!(parts.len() > 3);
        assert_eq!(parts.iter().flat_map(Part::games).count(), 60_000);
        assert_eq!(read(&parts).len(), 60_000);
    }

    #[test]
    fn nothing_is_lost_and_lines_are_right() {
        for source in [GAMES, BROKEN] {
            let parts = split(source);
            let games: Vec<GameText<'_>> = parts.iter().flat_map(Part::games).collect();
            assert_eq!(games.iter().map(|game| game.text).collect::<Vec<_>>().concat(), source);
            let mut line = 1;
            for game in games {
                assert_eq!(game.line, line);
                line += game.text.iter().filter(|&&byte| byte == b'\n').count() as u64;
            }
        }
    }

    #[test]
    fn broken_games_are_told_by_their_line_in_the_whole() {
        let head = b"[Event \"fine\"]\n\n1. e4 *\n\n".repeat(3);
        let parts = split(&[&head, &b"[Event \"bad\"]\n\n1. e4 e5\n2. Kd5 *\n"[..]].concat());
        let games = parts.iter().flat_map(Part::games);
        let error = games.flat_map(|game| Reader::at_line(game.text, game.line)).find_map(Result::err).unwrap();
        assert_eq!(error.to_string(), "bad PGN at line 16: move 2. Kd5: illegal move (in the game of line 13)");
    }

    #[test]
    fn an_unclosed_comment_costs_one_game() {
        let text = b"[Event \"a\"]\n\n1. e4 { never closed\n1-0\n\n[Event \"b\"]\n\n1. d4 1-0\n";
        assert_eq!(Reader::new(&text[..]).flatten().count(), 0);
        let games = read(&split(text));
        assert_eq!(games.len(), 1);
        assert_eq!(games[0].tags[0].1, "b");
    }

    #[test]
    fn giant_games_and_giant_lines_are_passed_over() {
        let comment = "x\n\n".repeat(LONGEST_GAME);
        let line = "x".repeat(3 * LONGEST_GAME);
        for giant in [comment, line] {
            let text = format!(
                "[Event \"a\"]\n\n1. e4 1-0\n\n[Event \"b\"]\n\n1. d4 {{{giant}}} 1-0\n\n[Event \"c\"]\n\n1. c4 *\n"
            );
            let parts = split(text.as_bytes());
            let games: Vec<GameText<'_>> = parts.iter().flat_map(Part::games).collect();
            assert_eq!(games.iter().map(|game| game.is_too_long).collect::<Vec<_>>(), [false, true, false]);
            assert_eq!((games[1].line, games[1].text), (5, &b""[..]));
            let last = text.lines().position(|line| line == "[Event \"c\"]").unwrap() as u64 + 1;
            assert_eq!(games[2].line, last);
            assert_eq!(read(&parts).len(), 2);
        }
    }

    #[test]
    fn a_file_cut_at_any_byte_has_the_games_before_the_cut() {
        let whole = read(&split(GAMES));
        for end in 0..GAMES.len() {
            let games = read(&split(&GAMES[..end]));
            // All but the last are as they were.
            let before = games.len().saturating_sub(1);
            assert!(games.len() <= whole.len() && games[..before] == whole[..before], "cut at {end}");
        }
    }

    #[test]
    fn hostile_games_cost_only_themselves() {
        let nested = format!("1. e4 {} e5 {} 1-0", "(1. d4 ".repeat(10_000), ")".repeat(10_000));
        let open = format!("1. e4 {} 1-0", "(".repeat(100_000));
        let tags = format!("{}\n1. e4 1-0", "[A \"b\"]\n".repeat(50_000));
        let tag = format!("[A \"{}\"]\n\n1. e4 1-0", "x".repeat(500_000));
        let quotes = format!("[A \"{}\n\n1. e4 1-0", "\\\"".repeat(100_000));
        let rubbish = String::from_utf8_lossy(&(0..=255).cycle().take(300_000).collect::<Vec<u8>>()).into_owned();
        for hostile in [nested, open, tags, tag, quotes, rubbish] {
            let text =
                format!("[Event \"a\"]\n\n1. c4 1-0\n\n[Event \"b\"]\n{hostile}\n\n[Event \"c\"]\n\n1. d4 0-1\n");
            let games = read(&split(text.as_bytes()));
            let named =
                |name: &str| games.iter().filter(|game| game.tags.iter().any(|(_, value)| value == name)).count();
            assert_eq!((named("a"), named("c")), (1, 1), "{}", &hostile[..20]);
        }
    }

    #[test]
    fn empty_sources_have_no_games() {
        assert!(split(b"").is_empty());
        assert!(split(b"\n \r\n\n").is_empty());
        assert_eq!(split(b"\n1. e4 *").len(), 1);
    }

    /// Gives some bytes, then fails.
    struct Failing<'a>(&'a [u8]);

    impl Read for Failing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() { Err(io::Error::other("gone")) } else { self.0.read(buffer) }
        }
    }

    #[test]
    fn what_was_read_before_a_failure_is_not_lost() {
        let mut parts = Splitter::new(Failing(GAMES));
        assert_eq!(parts.next().unwrap().unwrap_err().to_string(), "gone");
        let rest = parts.next().unwrap().unwrap();
        assert!(parts.next().is_none());
        assert_eq!(rest.games().flat_map(|game| Reader::new(game.text).flatten()).count(), 5);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_or_are_lost(lines in proptest::collection::vec(
            prop_oneof![Just(&b"[Event \"x\"]"[..]), Just(&b"[A \"b"[..]), Just(&b""[..]), Just(&b"1. e4 {"[..]),
                        Just(&b"[%"[..]), Just(&b"\xff\xfe"[..]), Just(&b"}\r"[..])], 0..60)) {
            let text = lines.join(&b"\n"[..]);
            let parts = split(&text);
            let joined = parts.iter().flat_map(Part::games).map(|game| game.text).collect::<Vec<_>>().concat();
            prop_assert!(joined == text || text.trim_ascii().is_empty());
            read(&parts);
        }
    }
}
