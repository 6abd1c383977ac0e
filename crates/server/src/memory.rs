//! Memory that a search has freed goes back to the system.

/// Tells the allocator to give large blocks back as soon as they are freed.
///
/// glibc raises the size from which a block is mapped alone to that of the largest block that was ever freed, up to 32
/// megabytes, and keeps what is smaller for the thread that had it: after a minute of searches on four threads the server
/// held four times what it used, and more every minute. Setting the sizes switches that off.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const SIZE: libc::c_int = 128 << 10;
        // SAFETY: mallopt takes two numbers and may be called at any time, from any thread; what it refuses it leaves as it was.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, SIZE);
            libc::mallopt(libc::M_TRIM_THRESHOLD, SIZE);
        }
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::give_back;

    /// Resident memory in bytes.
    fn resident() -> usize {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        4096 * text.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap()
    }

    #[test]
    fn freed_blocks_are_given_back() {
        give_back();
        let before = resident();
        // The first round shows glibc how large blocks are; left to itself it takes those of the second from a heap, which
        // cannot shrink below the last block.
        for _ in 0..2 {
            let mut blocks: Vec<Vec<u8>> = (1..=128).map(|number| vec![number; 1 << 20]).collect();
            // Other tests of this program take and free a few megabytes meanwhile.
            assert!(resident() >= before + (64 << 20));
            let last = blocks.pop();
            drop(blocks);
            let kept = resident().saturating_sub(before);
            assert!(kept < 64 << 20, "{kept} bytes are kept");
            assert_eq!(last.map(|block| block[0]), Some(128));
        }
    }
}
