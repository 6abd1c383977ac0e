//! A line of JSON and some bytes under one checksum.
//!
//! | bytes | meaning |
//! |---|---|
//! | a line | the header, in JSON |
//! | n | the body, which may be empty |
//! | 4 | CRC-32 of everything before it, little-endian |
//!
//! The checksum finds accidents: a bad disk, half a file. It is no signature.

use serde::{Deserialize, Serialize};

/// Puts a header and a body under one checksum.
///
/// # Panics
/// Never: headers are plain data.
pub fn seal<T: Serialize>(header: &T, body: &[u8]) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(header).expect("plain data");
    bytes.push(b'\n');
    bytes.extend_from_slice(body);
    let sum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// The header and the body of sealed bytes.
///
/// # Errors
/// If the checksum is wrong, or the header cannot be read.
pub fn open<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<(T, &[u8]), String> {
    let damaged = || "damaged: wrong checksum".to_owned();
    let (content, sum) = bytes.split_last_chunk::<4>().ok_or_else(damaged)?;
    if crc32fast::hash(content) != u32::from_le_bytes(*sum) {
        return Err(damaged());
    }
    let end = content.iter().position(|&byte| byte == b'\n').ok_or("damaged: no header")?;
    let header = serde_json::from_slice(&content[..end]).map_err(|error| format!("bad header: {error}"))?;
    Ok((header, &content[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bad_byte_is_noticed() {
        let sealed = seal(&("a\nheader", 7), b"the body");
        assert_eq!(open::<(String, u32)>(&sealed).unwrap(), (("a\nheader".to_owned(), 7), b"the body".as_slice()));
        for place in 0..sealed.len() {
            let mut bad = sealed.clone();
            bad[place] ^= 0x10;
            assert!(open::<(String, u32)>(&bad).is_err(), "byte {place}");
            assert!(open::<(String, u32)>(&sealed[..place]).is_err(), "{place} bytes");
        }
    }
}
