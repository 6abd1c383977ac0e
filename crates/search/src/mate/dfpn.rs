//! Depth-first proof-number search for mates by checks.
//!
//! A position with the attacker to move (an OR node) is proved by one check that is proved; one with the defender to
//! move (an AND node) by all its evasions. The proof number pn counts what must still be proved at least, the disproof
//! number dn what must be disproved. The search always goes down to a most-proving leaf, and comes back up only when
//! the thresholds say that the most-proving leaf now lies elsewhere (Nagai 2002).
//!
//! What makes it work for shogi:
//! - hand dominance: proofs and disproofs are stored with the least and greatest hand for which they hold;
//! - repetition: a check that leads back to a position on the current path (with no more in hand) fails. Such a failure
//!   holds for this path only, so it is never stored as a disproof unless the whole loop lies below the node
//!   (graph-history interaction; Kishimoto and Mueller 2004);
//! - thresholds grow at nodes that have a child met before at a smaller depth, lest the search run in circles without
//!   ever expanding a leaf (threshold control; Kishimoto 2010);
//! - pieces put between, and moves that differ only in a useless promotion, are tried one by one (`MateBoard::group`);
//! - first guesses: a check's proof number is the number of evasions, an evasion's disproof number grows with the number
//!   of checks that it leaves, and is 0 if there are none;
//! - disproof numbers of checks are not summed up: the greatest plus the number of the others takes their place, because
//!   in a graph a sum counts one position many times (weak proof-number search; Ueda et al. 2008).

use super::answer::{Answer, Attack};
use super::limits::{Limits, Meter};
use super::table::{INFINITE, Known, Table};
use tesuji_core::{MateBoard, MateHand, Move, MoveList, Side};

/// "Not a repetition", and "no bound on the length of the mate".
const NONE: u16 = u16::MAX;
/// The deepest line: longer than any known mate problem but one.
const DEEPEST: u16 = 1600;
/// Slots of the memory of path-dependent failures.
const LOOPS: usize = 1 << 16;

/// A df-pn solver; its table is kept between positions until [`clear`](Dfpn::clear).
#[derive(Debug)]
pub struct Dfpn {
    table: Table,
    loops: Vec<Loop>,
    /// How often everything was forgotten.
    generation: u32,
}

/// A failure by repetition.
#[derive(Clone, Copy, Debug, Default)]
struct Loop {
    /// The hash of the path and the position.
    key: u64,
    /// The solver's generation when it was stored: those of others count as empty.
    generation: u32,
    /// The depth at which the loop begins.
    start: u16,
}

/// What a search of a node gives back.
#[derive(Clone, Copy, Debug)]
struct Value {
    pn: u32,
    dn: u32,
    /// See [`Known::plies`].
    plies: u16,
    /// See [`Known::hand`].
    hand: u32,
    /// For a failure that holds on this path only: the depth at which its loop begins.
    repeats: u16,
}

/// A move of the node that is being searched.
#[derive(Clone, Copy, Debug)]
struct Child<M> {
    mv: M,
    value: Value,
    /// Whether the child was met before at a smaller depth.
    is_old: bool,
    /// The move before it in its group, which must fail first.
    behind: Option<u32>,
}

/// The child to search next, and what its siblings allow it.
#[derive(Clone, Copy, Debug)]
struct Choice {
    best: usize,
    /// phi of the second best.
    second: u32,
    /// The part of the node's delta that is not the child's.
    others: u32,
}

/// One run of the solver.
struct Run<'a, 'l, B: MateBoard> {
    table: &'a mut Table,
    loops: &'a mut [Loop],
    generation: u32,
    attacker: Side,
    attack: Attack,
    /// Mate is wanted within this many plies of the root.
    horizon: u16,
    /// Positions on the way from the root: board key and the attacker's hand.
    path: Vec<(u64, B::Hand)>,
    /// How often keys of the path have these low bits: says quickly that a position is not on it.
    on_path: Vec<u8>,
    /// The hash of the path.
    path_key: u64,
    /// The children of all nodes on the path, one behind the other.
    children: Vec<Child<B::Move>>,
    moves: MoveList<B::Move>,
    meter: &'a mut Meter<'l>,
}

impl Dfpn {
    /// A solver with a table of about this many bytes.
    pub fn new(bytes: usize) -> Dfpn {
        Dfpn { table: Table::new(bytes), loops: vec![Loop::default(); LOOPS], generation: 1 }
    }

    /// Forgets all positions.
    pub fn clear(&mut self) {
        self.table.clear();
        // Overwriting a megabyte would cost more than most short mates.
        self.generation = self.generation.checked_add(1).unwrap_or_else(|| {
            self.loops.fill(Loop::default());
            1
        });
    }

    /// Looks for a mate by checks for the side to move.
    ///
    /// Returns the answer and the number of positions searched. The line is a mate, every defence on it being one that
    /// holds out longest in the proof that was found; with `limits.shortest` no shorter mate exists.
    pub fn solve<B: MateBoard>(&mut self, board: &B, limits: &Limits<'_>) -> (Answer<B::Move>, u64) {
        let mut meter = Meter::new(limits, 0);
        let mut best: Option<Vec<B::Move>> = None;
        let mut horizon = limits.plies.unwrap_or(DEEPEST).min(DEEPEST);
        loop {
            match self.round(board, Attack::Checks, horizon, &mut meter) {
                Answer::Mate(line) => {
                    let shorter = line.len().saturating_sub(2);
                    best = Some(line);
                    if !limits.shortest || shorter == 0 {
                        break;
                    }
                    horizon = shorter as u16;
                }
                Answer::NoMate => break,
                Answer::Unknown if best.is_some() => break,
                Answer::Unknown => return (Answer::Unknown, meter.nodes),
            }
        }
        (best.map_or(Answer::NoMate, Answer::Mate), meter.nodes)
    }

    /// One search for a mate within `horizon` plies.
    ///
    /// What the table holds must come from the same attack on the same problem; any horizon will do.
    pub(super) fn round<B: MateBoard>(
        &mut self,
        board: &B,
        attack: Attack,
        horizon: u16,
        meter: &mut Meter<'_>,
    ) -> Answer<B::Move> {
        let mut run = Run {
            table: &mut self.table,
            loops: &mut self.loops,
            generation: self.generation,
            attacker: board.mover(),
            attack,
            horizon,
            path: Vec::new(),
            on_path: vec![0; 1 << 12],
            // Failures by repetition hold for a path and a horizon.
            path_key: tesuji_core::random::mix(u64::from(horizon)),
            children: Vec::new(),
            moves: MoveList::new(),
            meter,
        };
        let value = run.search(board, 0, INFINITE - 1, INFINITE - 1, &mut 0);
        match value {
            Value { pn: 0, .. } => run.line(board).map_or(Answer::Unknown, Answer::Mate),
            Value { dn: 0, .. } => Answer::NoMate,
            _ => Answer::Unknown,
        }
    }
}

impl<B: MateBoard> Run<'_, '_, B> {
    fn is_or(&self, board: &B) -> bool {
        board.mover() == self.attacker
    }

    /// Searches a node until its proof or disproof number reaches its threshold.
    ///
    /// `excess` counts how many nodes on the path have raised their thresholds for fear of a loop and have not yet met
    /// a new leaf.
    fn search(&mut self, board: &B, depth: u16, mut most_pn: u32, mut most_dn: u32, excess: &mut u32) -> Value {
        let work = self.meter.nodes;
        self.meter.nodes += 1;
        let is_or = self.is_or(board);
        let key = board.board_key();
        let hand = board.hand(self.attacker);
        let first = self.children.len();
        self.enter(key, hand, depth);
        if let Some(settled) = self.expand(board, depth, is_or) {
            self.leave(key, depth);
            self.remember(key, hand, settled, 0, depth, 1);
            *excess = 0;
            return settled;
        }
        if self.children[first..].iter().any(|child| child.is_old && child.value.pn > 0 && child.value.dn > 0) {
            *excess += 1;
        }
        let value = loop {
            let (value, choice) = self.combine(board, first, depth, is_or);
            if *excess > 0 {
                most_pn = most_pn.max((value.pn + 1).min(INFINITE - 1));
                most_dn = most_dn.max((value.dn + 1).min(INFINITE - 1));
            }
            if value.pn == 0 || value.dn == 0 || value.pn >= most_pn || value.dn >= most_dn || self.meter.is_over() {
                break value;
            }
            let (most_phi, most_delta) = if is_or { (most_pn, most_dn) } else { (most_dn, most_pn) };
            // A little more than the second best, so that two children of like promise do not take turns at every step.
            let child_phi = most_phi.min(choice.second.saturating_add(choice.second / 4 + 1));
            let child_delta = most_delta.saturating_sub(choice.others).max(1);
            let (child_pn, child_dn) = if is_or { (child_phi, child_delta) } else { (child_delta, child_phi) };
            let child = &self.children[choice.best];
            let is_new = child.value.plies == 0;
            let mut next = board.clone();
            next.play(child.mv);
            let found = self.search(&next, depth + 1, child_pn, child_dn, excess);
            if is_new {
                *excess = 0;
            }
            let child = &mut self.children[choice.best];
            child.value = found;
            child.is_old = false;
        };
        self.leave(key, depth);
        let mv = self.proving_move(first, value, is_or);
        self.children.truncate(first);
        self.remember(key, hand, value, mv, depth, self.meter.nodes - work);
        value
    }

    /// Lists the children of a node with what is known of them; or its value, if that is settled at once.
    fn expand(&mut self, board: &B, depth: u16, is_or: bool) -> Option<Value> {
        let mut moves = std::mem::take(&mut self.moves);
        let left = self.horizon.saturating_sub(depth);
        // The last move of a mate is a check.
        if is_or && (self.attack == Attack::Checks || left <= 1) {
            board.checks(&mut moves)
        } else {
            board.legal_moves(&mut moves)
        }
        let mut settled = None;
        if moves.is_empty() {
            settled = Some(if is_or {
                let hand = board.hand_without_new_drops();
                Value { pn: INFINITE, dn: 0, plies: self.holds(left), hand: hand.to_bits(), repeats: NONE }
            } else if board.is_mate() {
                let hand = board.hand_that_denies_new_drops();
                Value { pn: 0, dn: INFINITE, plies: 0, hand: hand.to_bits(), repeats: NONE }
            } else {
                let hand = board.hand(self.attacker);
                Value { pn: INFINITE, dn: 0, plies: NONE, hand: hand.to_bits(), repeats: NONE }
            });
        } else if left == 0 {
            let hand = board.hand(self.attacker);
            settled = Some(Value { pn: INFINITE, dn: 0, plies: 0, hand: hand.to_bits(), repeats: NONE });
        } else {
            let first = self.children.len();
            for &mv in &moves {
                let child = self.child(board, mv, first, depth, is_or);
                self.children.push(child);
                if is_or && child.value.pn == 0 {
                    // One mate is enough.
                    let hand = board.hand_before(mv, B::Hand::from_bits(child.value.hand)).to_bits();
                    settled = Some(Value { plies: child.value.plies + 1, hand, ..child.value });
                    self.settle(board, depth, hand, child.value.plies + 1, mv);
                    self.children.truncate(first);
                    break;
                }
            }
        }
        self.moves = moves;
        settled
    }

    /// Within how many plies there is no mate where every move that was looked at fails, `left` plies before the end.
    fn holds(&self, left: u16) -> u16 {
        if self.attack == Attack::Anything && left <= 1 { left } else { NONE }
    }

    /// Stores a proof with its move, which [`search`](Self::search) would not know.
    fn settle(&mut self, board: &B, depth: u16, hand: u32, plies: u16, mv: B::Move) {
        let known = Known { pn: 0, dn: INFINITE, plies, hand, mv: mv.to_bits() as u16, depth };
        self.table.put(board.board_key(), known, 1);
    }

    fn child(&mut self, board: &B, mv: B::Move, first: usize, depth: u16, is_or: bool) -> Child<B::Move> {
        let mut next = board.clone();
        next.play(mv);
        let key = next.board_key();
        let hand = next.hand(self.attacker);
        let left = self.horizon.saturating_sub(depth + 1);
        let mut is_old = false;
        let value = if let Some(start) = self.repetition(key, hand, depth + 1) {
            Value { pn: INFINITE, dn: 0, plies: NONE, hand: hand.to_bits(), repeats: start }
        } else if let Some(known) = self.table.get(key, hand, left) {
            is_old = known.depth <= depth;
            Value { pn: known.pn, dn: known.dn, plies: known.plies.max(1), hand: known.hand, repeats: NONE }
        } else if is_or {
            let evasions = next.defences();
            if evasions == 0 && next.is_mate() {
                let hand = next.hand_that_denies_new_drops();
                Value { pn: 0, dn: INFINITE, plies: 0, hand: hand.to_bits(), repeats: NONE }
            } else {
                // Every way out has to be refuted: the best guess of what that takes is their number.
                Value { pn: evasions.max(1), dn: 1, plies: 0, hand: 0, repeats: NONE }
            }
        } else if self.attack == Attack::Checks || left <= 1 {
            match next.attacks() {
                0 => {
                    let hand = next.hand_without_new_drops();
                    Value { pn: INFINITE, dn: 0, plies: self.holds(left), hand: hand.to_bits(), repeats: NONE }
                }
                // The more checks, the more to refute: evasions that leave few come first.
                checks => Value { pn: 1, dn: 1 + checks / 8, plies: 0, hand: 0, repeats: NONE },
            }
        } else {
            Value { pn: 1, dn: 1, plies: 0, hand: 0, repeats: NONE }
        };
        let group = board.group(mv);
        let behind = group.and_then(|group| {
            let before = self.children[first..].iter().rposition(|child| board.group(child.mv) == Some(group));
            before.map(|place| (first + place) as u32)
        });
        Child { mv, value, is_old, behind }
    }

    /// Whether a child waits for a move before it in its group.
    fn waits(&self, child: &Child<B::Move>, is_or: bool) -> bool {
        child.behind.is_some_and(|before| {
            let before = &self.children[before as usize];
            let failed = if is_or { before.value.dn == 0 } else { before.value.pn == 0 };
            !failed || self.waits(before, is_or)
        })
    }

    /// The value of a node from its children, and the child to search next.
    fn combine(&self, board: &B, first: usize, depth: u16, is_or: bool) -> (Value, Choice) {
        // phi is what the side to move wants to bring to 0 (pn at OR nodes), delta what the other side does. A child's
        // number for the same purpose bears the same name here.
        let mut choice = Choice { best: first, second: INFINITE, others: 0 };
        let (mut phi, mut tie, mut greatest, mut open, mut sum) = (INFINITE, 0, 0, 0, 0_u32);
        for place in first..self.children.len() {
            let child = &self.children[place];
            let (child_phi, child_delta) =
                if is_or { (child.value.pn, child.value.dn) } else { (child.value.dn, child.value.pn) };
            if child_delta == 0 || child_phi > 0 && self.waits(child, is_or) {
                continue;
            }
            if child_phi < phi || child_phi == phi && child_delta < tie {
                choice.second = phi;
                (phi, tie, choice.best) = (child_phi, child_delta, place);
            } else if child_phi < choice.second {
                choice.second = child_phi;
            }
            greatest = greatest.max(child_delta);
            sum = sum.saturating_add(child_delta);
            open += 1;
        }
        let value = if open == 0 {
            self.failed(board, first, depth, is_or)
        } else if phi == 0 {
            self.succeeded(board, choice.best, first, depth, is_or)
        } else {
            // Disproof numbers of checks are not summed up: in a graph that counts one position many times, and a node
            // with many like checks would never be looked at. Evasions are fewer and their sum serves better: of 50
            // problems of 7, 9 and 11 plies each it takes 349, 915 and 2620 nodes on average; the greatest alone 161,
            // 2395 and 5462; sums at both 317, 1526 and 2491.
            let (delta, others) = if is_or { (greatest + open - 1, open - 1) } else { (sum, sum - tie) };
            choice.others = others;
            let delta = delta.min(INFINITE - 1);
            let (pn, dn) = if is_or { (phi, delta) } else { (delta, phi) };
            Value { pn, dn, plies: 1, hand: 0, repeats: NONE }
        };
        (value, choice)
    }

    /// All moves have failed: no mate at an OR node, mate at an AND node.
    fn failed(&self, board: &B, first: usize, depth: u16, is_or: bool) -> Value {
        let children = &self.children[first..];
        if is_or {
            let mut hand = board.hand_without_new_drops();
            let (mut repeats, mut plies) = (NONE, self.holds(self.horizon.saturating_sub(depth)));
            for child in children {
                hand = hand.intersection(board.hand_before(child.mv, B::Hand::from_bits(child.value.hand)));
                repeats = repeats.min(child.value.repeats);
                plies = plies.min(child.value.plies.saturating_add(1));
            }
            debug_assert!(hand.dominates(board.hand(self.attacker)));
            // A loop that begins here or below is none of the path's business.
            let repeats = if repeats >= depth { NONE } else { repeats };
            Value { pn: INFINITE, dn: 0, plies, hand: hand.to_bits(), repeats }
        } else {
            let mut hand = board.hand_that_denies_new_drops();
            let mut plies = 0;
            for child in children {
                hand = hand.union(B::Hand::from_bits(child.value.hand));
                plies = plies.max(child.value.plies.saturating_add(1));
            }
            Value { pn: 0, dn: INFINITE, plies, hand: hand.to_bits(), repeats: NONE }
        }
    }

    /// The best move has succeeded: mate at an OR node, escape at an AND node.
    fn succeeded(&self, board: &B, best: usize, first: usize, depth: u16, is_or: bool) -> Value {
        if is_or {
            let child = &self.children[best];
            let hand = board.hand_before(child.mv, B::Hand::from_bits(child.value.hand));
            Value { pn: 0, dn: INFINITE, plies: child.value.plies + 1, hand: hand.to_bits(), repeats: NONE }
        } else {
            // Of several escapes the one that depends least on the path is worth most.
            let escapes = self.children[first..].iter().filter(|child| child.value.dn == 0 && child.value.pn > 0);
            let child = escapes.max_by_key(|child| child.value.repeats).unwrap_or(&self.children[best]);
            let hand = B::Hand::from_bits(child.value.hand).intersection(board.hand_that_allows(child.mv));
            debug_assert!(hand.dominates(board.hand(self.attacker)));
            let repeats = if child.value.repeats >= depth { NONE } else { child.value.repeats };
            let plies = child.value.plies.saturating_add(1);
            Value { pn: INFINITE, dn: 0, plies, hand: hand.to_bits(), repeats }
        }
    }

    /// The move of a proof at an OR node, in numeric form.
    fn proving_move(&self, first: usize, value: Value, is_or: bool) -> u16 {
        let proves = |child: &&Child<B::Move>| child.value.pn == 0;
        if !is_or || value.pn != 0 {
            return 0;
        }
        let child = self.children[first..].iter().filter(proves).min_by_key(|child| child.value.plies);
        child.map_or(0, |child| child.mv.to_bits() as u16)
    }

    fn remember(&mut self, key: u64, hand: B::Hand, value: Value, mv: u16, depth: u16, work: u64) {
        if value.repeats != NONE {
            let slot = self.loop_slot(key, hand);
            self.loops[slot.0] = Loop { key: slot.1, generation: self.generation, start: value.repeats };
            return;
        }
        if value.pn == 0 && mv == 0 && value.plies % 2 == 1 {
            // A mate in one, stored with its move where it was found.
            return;
        }
        let settled = value.pn == 0 || value.dn == 0;
        let hand = if settled { value.hand } else { hand.to_bits() };
        let known = Known { pn: value.pn, dn: value.dn, plies: value.plies, hand, mv, depth };
        self.table.put(key, known, work);
    }

    fn loop_slot(&self, key: u64, hand: B::Hand) -> (usize, u64) {
        let full = tesuji_core::random::mix(self.path_key ^ key ^ u64::from(hand.to_bits()).rotate_left(32)) | 1;
        (full as usize >> 1 & (LOOPS - 1), full)
    }

    /// The depth at which a loop begins if the position at `depth` is on the path already, or is known to fail by
    /// repetition from this very path.
    fn repetition(&self, key: u64, hand: B::Hand, depth: u16) -> Option<u16> {
        if self.on_path[key as usize & (self.on_path.len() - 1)] > 0 {
            // Only positions with the same side to move can be the same.
            let mut place = usize::from(depth);
            while place >= 2 {
                place -= 2;
                let (other, before) = self.path[place];
                if other == key && before.dominates(hand) {
                    return Some(place as u16);
                }
            }
        }
        let (slot, full) = self.loop_slot(key, hand);
        let Loop { key, generation, start } = self.loops[slot];
        (key == full && generation == self.generation && start < depth).then_some(start)
    }

    fn enter(&mut self, key: u64, hand: B::Hand, depth: u16) {
        debug_assert_eq!(self.path.len(), usize::from(depth));
        self.path.push((key, hand));
        let slots = self.on_path.len() - 1;
        self.on_path[key as usize & slots] = self.on_path[key as usize & slots].saturating_add(1);
        self.path_key ^= tesuji_core::random::mix(key ^ u64::from(depth) << 48 ^ u64::from(hand.to_bits()));
    }

    fn leave(&mut self, key: u64, depth: u16) {
        let Some((_, hand)) = self.path.pop() else { return };
        let slots = self.on_path.len() - 1;
        let count = &mut self.on_path[key as usize & slots];
        // A saturated counter stays: it only makes the quick test less useful.
        if *count < u8::MAX {
            *count -= 1;
        }
        self.path_key ^= tesuji_core::random::mix(key ^ u64::from(depth) << 48 ^ u64::from(hand.to_bits()));
    }

    /// The line of the proof: at OR nodes the move that proves, at AND nodes the evasion that holds out longest.
    ///
    /// Positions that the table has lost are searched again. `None` if that does not succeed within the limits.
    fn line(&mut self, root: &B) -> Option<Vec<B::Move>> {
        let mut board = root.clone();
        let mut line = Vec::new();
        let mut moves = MoveList::new();
        loop {
            let depth = line.len() as u16;
            let mv = if self.is_or(&board) {
                self.proved(&board, depth)?;
                let left = self.horizon.saturating_sub(depth);
                let known = self.table.get(board.board_key(), board.hand(self.attacker), left)?;
                let mv = B::Move::from_bits(u32::from(known.mv))?;
                match self.attack {
                    Attack::Checks => board.checks(&mut moves),
                    Attack::Anything => board.legal_moves(&mut moves),
                }
                if !moves.contains(&mv) {
                    return None;
                }
                mv
            } else {
                board.legal_moves(&mut moves);
                let mut longest: Option<(u16, B::Move)> = None;
                for &mv in &moves {
                    let mut next = board.clone();
                    next.play(mv);
                    let plies = self.proved(&next, depth + 1)?;
                    if longest.is_none_or(|(most, _)| plies > most) {
                        longest = Some((plies, mv));
                    }
                }
                match longest {
                    Some((_, mv)) => mv,
                    None => return Some(line),
                }
            };
            board.play(mv);
            line.push(mv);
            if line.len() > usize::from(DEEPEST) {
                return None;
            }
        }
    }

    /// The length of the mate from an OR node that belongs to a proof.
    fn proved(&mut self, board: &B, depth: u16) -> Option<u16> {
        let left = self.horizon.saturating_sub(depth);
        let look = |run: &Self| {
            let known = run.table.get(board.board_key(), board.hand(run.attacker), left)?;
            (known.pn == 0 && known.mv != 0).then_some(known.plies)
        };
        if let Some(plies) = look(self) {
            return Some(plies);
        }
        // Lost from the table: search it again from here.
        let path = std::mem::take(&mut self.path);
        let on_path = self.on_path.clone();
        self.on_path.fill(0);
        let horizon = std::mem::replace(&mut self.horizon, left);
        self.path_key = u64::from(depth) + 1;
        self.search(board, 0, INFINITE - 1, INFINITE - 1, &mut 0);
        (self.path, self.on_path, self.horizon, self.path_key) = (path, on_path, horizon, 0);
        look(self)
    }
}
