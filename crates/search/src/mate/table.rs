//! What a mate search remembers, in a fixed amount of memory.
//!
//! Entries are found by the board without the hands, because a result for one hand speaks for others too: what is mate
//! with few pieces in hand is mate with more, and what is no mate with many is none with fewer.

use tesuji_core::MateHand;

/// Proof and disproof numbers that mean "settled the other way".
pub(super) const INFINITE: u32 = 1 << 28;
/// Entries that are looked at for one board. They fill from the front, so that a look ends at the first empty one.
const CLUSTER: usize = 12;

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// Proof number: the least number of positions that must still be proved for a mate.
    pub pn: u32,
    /// Disproof number.
    pub dn: u32,
    /// For a proof: the length of the mate in plies. For a disproof: there is no mate within this many plies.
    pub plies: u16,
    /// For a proof: the least hand that it needs; for a disproof: the greatest that it withstands.
    pub hand: u32,
    /// The move that proves, in numeric form; 0 if there is none.
    pub mv: u16,
    /// The least depth at which the position has been met: a child met at a smaller depth than its parent may be part
    /// of a loop.
    pub depth: u16,
}

/// One entry: half a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Entry {
    key: u64,
    hand: u32,
    pn: u32,
    dn: u32,
    /// Search effort below it: what is dear is kept.
    work: u32,
    plies: u16,
    mv: u16,
    depth: u16,
    /// The problem that it belongs to: entries of others count as empty.
    generation: u16,
}

/// The table.
#[derive(Debug)]
pub(super) struct Table {
    entries: Vec<Entry>,
    generation: u16,
}

impl Table {
    /// A table of about this many bytes.
    pub fn new(bytes: usize) -> Table {
        let clusters = (bytes / (CLUSTER * size_of::<Entry>())).max(4);
        Table { entries: vec![Entry::default(); clusters * CLUSTER], generation: 1 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.generation = self.generation.checked_add(1).unwrap_or_else(|| {
            self.entries.fill(Entry::default());
            1
        });
    }

    #[inline]
    fn cluster(&self, key: u64) -> std::ops::Range<usize> {
        // The high half of key * (number of clusters) spreads keys evenly over any number of them.
        let clusters = (self.entries.len() / CLUSTER) as u128;
        let start = ((u128::from(key) * clusters) >> 64) as usize * CLUSTER;
        start..start + CLUSTER
    }

    /// What is known of the board with this key, the attacker holding `hand` and wanting mate within `plies`.
    ///
    /// Bounds of positions that are not settled carry over too: with fewer pieces a mate is at least as hard to prove,
    /// with more at least as hard to disprove.
    #[inline]
    pub fn get<H: MateHand>(&self, key: u64, hand: H, plies: u16) -> Option<Known> {
        let mut open: Option<Known> = None;
        let (mut least_pn, mut least_dn) = (1, 1);
        for entry in &self.entries[self.cluster(key)] {
            if entry.generation != self.generation {
                break;
            }
            if entry.key != key {
                continue;
            }
            let known = |entry: &Entry| Known {
                pn: entry.pn,
                dn: entry.dn,
                plies: entry.plies,
                hand: entry.hand,
                mv: entry.mv,
                depth: entry.depth,
            };
            let other = H::from_bits(entry.hand);
            if entry.pn == 0 {
                if entry.plies <= plies && hand.dominates(other) {
                    return Some(known(entry));
                }
            } else if entry.dn == 0 {
                if entry.plies >= plies && other.dominates(hand) {
                    return Some(known(entry));
                }
            } else if other == hand {
                open = Some(known(entry));
            } else if other.dominates(hand) {
                least_pn = least_pn.max(entry.pn);
            } else if hand.dominates(other) {
                least_dn = least_dn.max(entry.dn);
            }
        }
        match open {
            Some(known) => Some(Known { pn: known.pn.max(least_pn), dn: known.dn.max(least_dn), ..known }),
            None if least_pn > 1 || least_dn > 1 => {
                Some(Known { pn: least_pn, dn: least_dn, plies: 0, hand: hand.to_bits(), mv: 0, depth: u16::MAX })
            }
            None => None,
        }
    }

    /// Remembers a position; what cost least to find gives way.
    pub fn put(&mut self, key: u64, known: Known, work: u64) {
        let work = u32::try_from(work).unwrap_or(u32::MAX);
        let (cluster, generation) = (self.cluster(key), self.generation);
        let entries = &mut self.entries[cluster];
        let settled = |pn: u32, dn: u32| pn == 0 || dn == 0;
        let mut victim = 0;
        let mut least = u32::MAX;
        let mut depth = known.depth;
        for (place, entry) in entries.iter().enumerate() {
            if entry.generation != generation {
                victim = place;
                break;
            }
            let same_state = (entry.pn == 0) == (known.pn == 0) && (entry.dn == 0) == (known.dn == 0);
            if entry.key == key && entry.hand == known.hand && (same_state || !settled(entry.pn, entry.dn)) {
                victim = place;
                depth = depth.min(entry.depth);
                break;
            }
            // Proofs are dearer than their own search: they save whole subtrees elsewhere.
            let value =
                if settled(entry.pn, entry.dn) { entry.work.saturating_mul(4) } else { entry.work.saturating_add(1) };
            if value < least {
                (victim, least) = (place, value);
            }
        }
        entries[victim] = Entry {
            key,
            hand: known.hand,
            pn: known.pn,
            dn: known.dn,
            work,
            plies: known.plies,
            mv: known.mv,
            depth,
            generation,
        };
    }
}
