//! Hostile words, and how good bytes are made bad.

use tesuji_core::Stream;

/// What may stand where a number is wanted.
pub const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "2",
    "3",
    "7",
    "-0",
    "+1",
    "1.5",
    "0.5",
    "1e3",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "1e39",
    "1e309",
    "1e-50",
    "-1e9",
    "255",
    "256",
    "65535",
    "65536",
    "65537",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999",
    "0x10",
    "1_000",
    "",
    " ",
    "１",
    "½",
    "1,2",
    "1:2",
    "nan:nan",
    "inf:0.5",
    "none",
    "off",
    "\u{0}",
    "--",
    "-",
    "1s",
    "5ms",
    "0s",
    "99999999h",
    "1e9s",
];

/// What may stand where a word is wanted.
pub const WORDS: &[&str] = &[
    "",
    " ",
    "-",
    "--",
    "--help",
    "startpos",
    "moves",
    "none",
    "\u{7f}",
    "\u{feff}",
    "日本",
    "🀄",
    "a/b",
    "../..",
    ".",
    "/dev/null",
    "/dev/full",
    "/no/such/file",
    "%s%n",
    "\\",
    "\"",
    "'",
    "$HOME",
    "\n",
    "\r\n",
    "\t",
    "=",
    ":",
    ",",
    "@",
    "@0",
    "@99999999999999999999",
    "random:3",
    "random:1:40x40",
    "random:18446744073709551615:6x6",
    "chess",
    "shogi",
    "{}",
    "[]",
    "[[",
    "null",
];

/// One of these.
pub fn pick<'a>(random: &mut Stream, of: &[&'a str]) -> &'a str {
    of[random.below(of.len())]
}

/// One of these, or just as likely one of those.
pub fn pick_either<'a>(random: &mut Stream, these: &[&'a str], those: &[&'a str]) -> &'a str {
    let chosen = if once_in(random, 2) { these } else { those };
    pick(random, chosen)
}

/// Whether something happens that does so once in so many cases.
pub fn once_in(random: &mut Stream, cases: usize) -> bool {
    random.below(cases) == 0
}

/// Good bytes made bad: a few edits.
pub fn mutated(random: &mut Stream, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        edit(random, &mut bytes);
    }
    bytes
}

/// The same for text.
pub fn mutated_text(random: &mut Stream, text: &str) -> String {
    String::from_utf8_lossy(&mutated(random, text.as_bytes())).into_owned()
}

fn edit(random: &mut Stream, bytes: &mut Vec<u8>) {
    let at = random.below(bytes.len() + 1);
    let end = (at + 1 + random.below(12)).min(bytes.len());
    match random.below(12) {
        0 | 1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        2 if at < bytes.len() => bytes[at] = random.next_u64() as u8,
        3 => bytes.insert(at, random.next_u64() as u8),
        4 => drop(bytes.drain(at.min(end)..end)),
        5 => bytes.truncate(at),
        6 => {
            let piece = bytes[at.min(end)..end].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, piece);
        }
        7 => {
            let word = pick(random, NUMBERS);
            bytes.splice(at..at, word.bytes());
        }
        8 => {
            let word = pick(random, WORDS);
            bytes.splice(at..at, word.bytes());
        }
        // A number becomes another.
        9 | 10 => {
            if let Some(from) = (at..bytes.len()).find(|&place| bytes[place].is_ascii_digit()) {
                let length = bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let word = pick(random, NUMBERS);
                bytes.splice(from..from + length, word.bytes());
            }
        }
        _ => {
            let piece = bytes[at.min(end)..end].to_vec();
            let times = 1 + random.below(300);
            bytes.splice(at..at, piece.repeat(times));
        }
    }
}
