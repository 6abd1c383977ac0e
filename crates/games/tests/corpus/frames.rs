//! Frames of records with right lengths and checksums: shared by the corpus test and the fuzz target.

/// What a frame begins with: magic, version, and the length of what follows.
const HEADER: usize = 10;
/// The checksum.
const TRAILER: usize = 4;

/// Makes bytes a row of frames, changing as little of them as it can: each gets its magic, its version, a length that
/// fits and a right checksum. Bytes that are too few for a frame stay as they are.
pub fn mend(bytes: &mut [u8]) {
    let mut rest = bytes;
    while rest.len() >= HEADER + TRAILER {
        let most = rest.len() - HEADER - TRAILER;
        let length = u32::from_le_bytes([rest[6], rest[7], rest[8], rest[9]]) as usize;
        // What is left must not be a piece of a frame.
        let fits = length == most || length < most && most - length >= HEADER + TRAILER;
        let length = if fits { length } else { most };
        let (frame, behind) = rest.split_at_mut(HEADER + length + TRAILER);
        frame[..6].copy_from_slice(b"TSJR\x01\x00");
        frame[6..HEADER].copy_from_slice(&(length as u32).to_le_bytes());
        let end = HEADER + length;
        let checksum = crc32fast::hash(&frame[..end]);
        frame[end..].copy_from_slice(&checksum.to_le_bytes());
        rest = behind;
    }
}
