//! Reads one SFEN a line and writes its legal moves by the crate rsshogi, sorted, one line each: an oracle that shares
//! no code with Tesuji. With an argument N, writes the number of move paths of length N instead.

use rsshogi::board::{self, Move32List, generate_legal_all_move32, perft};
use std::error::Error;
use std::io::{self, BufRead, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let depth: Option<u8> = std::env::args().nth(1).map(|text| text.parse()).transpose()?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut moves = Move32List::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut position = board::position_from_sfen(&line).map_err(|error| format!("{line}: {error}"))?;
        position.init_stack();
        if let Some(depth) = depth {
            writeln!(out, "{}", perft::compute_perft(&mut position, depth))?;
            continue;
        }
        moves.clear();
        generate_legal_all_move32(&position, &mut moves);
        let mut texts: Vec<String> = moves.iter().map(|mv| mv.to_usi()).collect();
        texts.sort_unstable();
        writeln!(out, "{}", texts.join(" "))?;
    }
    out.flush()?;
    Ok(())
}
