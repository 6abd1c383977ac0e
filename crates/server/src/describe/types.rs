//! The types of what is sent and answered, in the language of [`shape`](super::shape).

use super::shape::Shape;

/// A type: its name, what it is, and what it is made of.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    /// The name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// What it is made of.
    pub text: &'static str,
}

const fn of(name: &'static str, about: &'static str, text: &'static str) -> Type {
    Type { name, about, text }
}

/// Every type, those that others are made of first.
pub const TYPES: &[Type] = &[
    of("Problem", "Why a request was refused, in one line.", "{error: string}"),
    // Positions.
    of(
        "Place",
        "A position: everything that the server needs to know of it. Only the game must be asked for.",
        "{game: string, rules: string, start: string, moves: string[]}",
    ),
    of("Asked", "A position in a request.", "{game: string, rules?: string, start?: string, moves?: string[]}"),
    of(
        "Cell",
        "A cell of a board; rows and columns count from the top left as the first player sees them.",
        "{id: string, column: integer, row: integer, terrain: string|null}",
    ),
    of(
        "Board",
        "A board.",
        "{id: string, title: string|null, columns: integer, rows: integer, column_labels: string[], \
        row_labels: string[], style: \"checkered\"|\"wood\"|\"paper\"|\"rack\"|\"map\", cells: Cell[]}",
    ),
    of(
        "Piece",
        "A piece on a cell; the owner is 0 or 1.",
        "{cell: string, owner: integer|null, kind: string, \
        promoted: boolean, text: string, hp: integer|null, spent: boolean}",
    ),
    of(
        "Hand",
        "A player's pieces beside the board.",
        "{owner: integer, pieces: {kind: string, text: string, count: integer}[]}",
    ),
    of("Mark", "Cells that stand out.", "{kind: \"check\"|\"line\"|\"threat\", cells: string[]}"),
    of(
        "Scene",
        "A position to be drawn.",
        "{layout: \"flat\"|\"levels\", boards: Board[], pieces: Piece[], \
        hands: Hand[], last: string[], marks: Mark[], to_move: integer|null, sides: string[], notes: string[]}",
    ),
    of(
        "Step",
        "What a person does at one moment of a move: a cell, a piece in hand or a choice.",
        "{cell?: string, hand?: string, choice?: string, forecast?: string}",
    ),
    of("Gesture", "A legal move as a person makes it.", "{move: string, notation: string, steps: Step[]}"),
    of("Outcome", "A result; the winner of a draw is null.", "{winner: integer|null}"),
    of(
        "Position",
        "Everything about a position.",
        "{scene: Scene, gestures: Gesture[], outcome: Outcome|null, \
        ending: string, notation: string[], moves: string[], text: string, ply: integer, in_check: boolean}",
    ),
    of(
        "RandomOrder",
        "What a random position is made of.",
        "{game: string, rules?: string, seed?: integer, plies?: integer}",
    ),
    of(
        "ImportOrder",
        "What was pasted; all but the text may be left out.",
        "{text: string, game?: string|null, rules?: string, format?: string|null}",
    ),
    of("Imported", "A pasted position or game.", "Place & {format: string, tags: [string, string][]}"),
    of(
        "ExportOrder",
        "A game and the format to write it in; who resigned is 0 or 1.",
        "Asked & {format: string, players?: [string, string]|null, resigned?: integer|null}",
    ),
    // Games and agents.
    of(
        "Key",
        "An option of an agent, for a form.",
        "{name: string, default: string, form: string, help: string, choices: string[]|null}",
    ),
    of(
        "Agent",
        "A kind of agent, in the words of `tesuji agents`.",
        "{name: string, about: string, stands_for: string|null, keys: Key[]}",
    ),
    of(
        "GameInfo",
        "A game; `truth` is what can be proved of it. Asked for alone it comes with agents and engines.",
        "{name: string, title: string, sides: string[], rules: string[], starts: {name: string, title: string}[], \
        formats: {name: string, title: string, extension: string}[], best: string, bot: string, \
        truth: null|\"mate\"|\"exact\", agents?: Agent[], engines?: string[]}",
    ),
    of(
        "Network",
        "A network; `agent` is the line that plays with it.",
        "{id: string, name: string, game: string, \
        agent: string, run: string|null, generation: integer|null}",
    ),
    of(
        "Experiment",
        "An experiment that comes with the program.",
        "{name: string, game: string, rules: string, \
        about: string, budget: any, method: string}",
    ),
    of(
        "Method",
        "A tabular method.",
        "{name: string, title: string, formula: string, unit: string, goal: string, \
        options: string[], alpha: string|null}",
    ),
    // Jobs.
    of(
        "Job",
        "Something that takes a while; costs are in seconds. The result depends on the kind.",
        "{id: string, kind: \"search\"|\"reply\"|\"truth\"|\"match\"|\"train\"|\"learn\"|\"opinions\", tab: string|null, \
        state: \"queued\"|\"running\"|\"done\"|\"cancelled\"|\"failed\", error: string|null, progress: number|null, \
        cost: {cpu: number, wall: number}, result: any}",
    ),
    of(
        "Line",
        "A move that an agent thought of; `proof` and `win` are for the side to move.",
        "{move: string, \
        notation: string, prior: number|null, visits: integer|null, share: number|null, value: number|null, \
        win: number|null, proof: number|null, line: string[], line_notation: string[]}",
    ),
    of(
        "Opinion",
        "What an agent thinks.",
        "{agent: string, \
        done: boolean, value: number|null, win: number|null, proof: number|null, depth: integer, nodes: integer, \
        simulations: integer, cpu: number, lines: Line[]}",
    ),
    of(
        "SearchOrder",
        "Several agents think about a position, each for the same CPU seconds.",
        "Asked & {kind: \"search\", tab?: string|null, agents: string[], cpu: number, lines?: integer}",
    ),
    of("SearchResult", "What they think.", "{position: Place, cpu: number, agents: Opinion[]}"),
    of(
        "ReplyOrder",
        "An agent chooses a move.",
        "Asked & {kind: \"reply\", tab?: string|null, agent: string, cpu: number, seed?: integer}",
    ),
    of(
        "Reply",
        "The move.",
        "{move: string, notation: string, value: number|null, win: number|null, line: string[], \
        line_notation: string[], cpu: number, depth: integer, nodes: integer, agent: string}",
    ),
    of("Thinking", "Until it is chosen.", "{agents: Opinion[]}"),
    of(
        "TruthOrder",
        "A solver says what a position is worth; 5 CPU seconds if not given.",
        "Asked & {kind: \"truth\", tab?: string|null, cpu?: number}",
    ),
    of(
        "Truth",
        "What is proved; a move's value is 1, 0 or -1 for the side to move.",
        "{kind: \"mate\"|\"exact\", \
        known: boolean, winner: integer|null, line: string[], line_notation: string[], \
        moves: {move: string, notation: string, value: number}[], text: string, nodes?: integer}",
    ),
    of(
        "LearnOrder",
        "A tabular method learns from a position.",
        "Asked & {kind: \"learn\", tab?: string|null, \
        method: string, episodes?: integer, alpha?: string|null, gamma?: number, lambda?: number|null, \
        steps?: integer|null, epsilon?: number|null, exploring_starts?: boolean, seed?: integer}",
    ),
    of(
        "Point",
        "How far a tabular method is, beside the exact values.",
        "{count: integer, transitions: integer, \
        seen: integer, start: number, rms: number, largest: number, mistakes: integer|null}",
    ),
    of(
        "Frame",
        "What was learned after so many episodes or sweeps.",
        "{count: integer, point: Point, \
        moves: {move: string, learned: number, exact: number}[]}",
    ),
    of(
        "Lesson",
        "What was learned after 1, 2, 5, 10 ... episodes.",
        "{method: string, position: Place, frames: Frame[], points: Point[]}",
    ),
    of(
        "OpinionsOrder",
        "The networks of a run look at a position.",
        "Asked & {kind: \"opinions\", tab?: string|null, run: string}",
    ),
    of(
        "Opinions",
        "What they think at first sight, from the oldest to the newest: `lines` are the best moves with the chance of the \
        side to move, `policy` is empty if the network has none.",
        "{run: string, position: Place, \
        opinions: {generation: integer, value: number, win: number, \
        lines: {move: string, notation: string, win: number}[], \
        policy: {move: string, notation: string, share: number}[]}[]}",
    ),
    of(
        "MatchOrder",
        "Two agents play games; `cpu` is a move's, `openings` are random:N, even, even:N or varied.",
        "{kind: \"match\", tab?: string|null, game: string, rules?: string, agents: [string, string], games: integer, \
        cpu: number, openings?: string, seed?: integer, sprt?: [number, number]|null, threads?: integer}",
    ),
    of(
        "TrainOrder",
        "A new run of an experiment, or a run that is to go on. Only numbers can be set.",
        "{kind: \"train\", tab?: string|null, experiment?: string|null, name?: string|null, run?: string|null, \
        budget?: string|null, set?: Record<string, number>, threads?: integer|null}",
    ),
    of(
        "Strength",
        "A measurement: games won, drawn and lost; Elo with its interval.",
        "{generation: integer, \
        agent: string, opponent: string, score: [integer, integer, integer], distinct: integer, \
        elo: [number|null, number|null, number|null]}",
    ),
    of(
        "Training",
        "How far a run is; which fields there are depends on the phase.",
        "{run: string, name: string, \
        game: string, phase: string, notes: string[], generation?: integer, done?: integer, of?: integer, \
        losses?: any, latest?: any, strength?: Strength, opponent?: string, parameters?: integer, flops?: integer, \
        positions_per_second?: number, evaluations_per_second?: number}",
    ),
    of(
        "Order",
        "What is to be done, and for which tab.",
        "SearchOrder|ReplyOrder|TruthOrder|LearnOrder|OpinionsOrder|MatchOrder|TrainOrder",
    ),
    of("Snapshot", "Every job that a tab may see.", "{jobs: Job[]}"),
    // Runs and matches.
    of(
        "Run",
        "A run in the table. Of one that cannot be read only the first three fields and the problem are told.",
        "{id: string, name: string, state: \"at work\"|\"idle\"|\"unreadable\", problem?: string, game: string, \
        rules: string, about: string, budget: any, agent: string, generation: integer, seconds: number, \
        cpu_seconds: number, strength: Strength[], job: string|null}",
    ),
    of("Broken", "A run that cannot be read.", "{id: string, name: string, state: \"unreadable\", problem: string}"),
    of(
        "RunDetail",
        "A run with everything that happened; the experiment is TOML.",
        "Run & {experiment: string, \
        generations: integer[], events: any[], costs: any[], \
        places: {generation: integer, steps: integer, minutes: number, cpu_minutes: number}[], charts: string[]}",
    ),
    of(
        "RunGame",
        "A game of a run; values are for the first player.",
        "Place & {values: (number|null)[], \
        outcome: Outcome|null, ending: string, generation: integer|null}",
    ),
    of("Score", "Games of the first agent.", "{wins: integer, draws: integer, losses: integer}"),
    of(
        "Cost",
        "What a player spent: seconds, and bytes of memory.",
        "{moves: integer, wall: number, cpu: number, \
        nodes: integer, evaluations: integer, peak_memory: integer}",
    ),
    of(
        "Result",
        "A game of a match; `first` is the agent that moved first.",
        "{index: integer, first: integer, \
        points: number, outcome: Outcome, ending: string, plies: integer}",
    ),
    of(
        "Standing",
        "How a match stands.",
        "{match: string, game: string, rules: string, players: [string, string], \
        asked: integer, cpu: number, openings: string, seed: integer, games: integer, score: Score, as_first: Score, \
        mean: number, elo: {difference: number|null, low: number|null, high: number|null}, superiority: number|null, \
        pairs: integer[], split: integer, openings_decide: boolean, distinct: integer, \
        endings: Record<string, integer>, costs: Cost[], sprt: null|{llr: number|null, low: number, high: number, \
        verdict: \"Continue\"|\"AcceptH0\"|\"AcceptH1\", elo0: number, elo1: number}, mean_plies: number}",
    ),
    of(
        "Live",
        "A match in progress, with the game that is being played.",
        "Standing & {live: null|{start: string, moves: string[]}}",
    ),
    of(
        "Match",
        "A match with its games.",
        "Standing & {id: string, name: string, state: string, \
        job: string|null, results: Result[]}",
    ),
    of(
        "MatchRow",
        "A match in the list, without its games.",
        "Standing & {id: string, name: string, state: string, job: string|null, results: null}",
    ),
    of(
        "MatchGame",
        "A game of a match.",
        "Place & {opening: integer, first: integer, players: [string, string], \
        outcome: Outcome, ending: string}",
    ),
];

/// The type of a name.
pub fn lookup(name: &str) -> Option<Shape> {
    let known = TYPES.iter().find(|known| known.name == name)?;
    // A test reads every one of them.
    Shape::parse(known.text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_can_be_read_and_names_others_that_exist() {
        for (number, known) in TYPES.iter().enumerate() {
            let shape = Shape::parse(known.text).unwrap_or_else(|problem| panic!("{}: {problem}", known.name));
            for name in shape.names() {
                let before = TYPES[..number].iter().any(|other| other.name == name);
                assert!(before, "{} names {name}, which does not stand before it", known.name);
            }
            assert!(TYPES[..number].iter().all(|other| other.name != known.name), "{} is there twice", known.name);
        }
    }
}
