// The shapes of what the server sends, made from crates/server/src/describe/types.rs. Types only: nothing of this is run.

export {};

/** Why a request was refused, in one line. */
/** @typedef {{error: string}} Problem */

/** A position: everything that the server needs to know of it. Only the game must be asked for. */
/** @typedef {{game: string, rules: string, start: string, moves: string[]}} Place */

/** A position in a request. */
/** @typedef {{game: string, rules?: string, start?: string, moves?: string[]}} Asked */

/** A cell of a board; rows and columns count from the top left as the first player sees them. */
/** @typedef {{id: string, column: number, row: number, terrain: string|null}} Cell */

/** A board. */
/** @typedef {{id: string, title: string|null, columns: number, rows: number, column_labels: string[], row_labels: string[], style: "checkered"|"wood"|"paper"|"rack"|"map", cells: Cell[]}} Board */

/** A piece on a cell; the owner is 0 or 1. */
/** @typedef {{cell: string, owner: number|null, kind: string, promoted: boolean, text: string, hp: number|null, spent: boolean}} Piece */

/** A player's pieces beside the board. */
/** @typedef {{owner: number, pieces: {kind: string, text: string, count: number}[]}} Hand */

/** Cells that stand out. */
/** @typedef {{kind: "check"|"line"|"threat", cells: string[]}} Mark */

/** A position to be drawn. */
/** @typedef {{layout: "flat"|"levels", boards: Board[], pieces: Piece[], hands: Hand[], last: string[], marks: Mark[], to_move: number|null, sides: string[], notes: string[]}} Scene */

/** What a person does at one moment of a move: a cell, a piece in hand or a choice. */
/** @typedef {{cell?: string, hand?: string, choice?: string, forecast?: string}} Step */

/** A legal move as a person makes it. */
/** @typedef {{move: string, notation: string, steps: Step[]}} Gesture */

/** A result; the winner of a draw is null. */
/** @typedef {{winner: number|null}} Outcome */

/** Everything about a position. */
/** @typedef {{scene: Scene, gestures: Gesture[], outcome: Outcome|null, ending: string, notation: string[], moves: string[], text: string, ply: number, in_check: boolean}} Position */

/** What a random position is made of. */
/** @typedef {{game: string, rules?: string, seed?: number, plies?: number}} RandomOrder */

/** What was pasted; all but the text may be left out. */
/** @typedef {{text: string, game?: string|null, rules?: string, format?: string|null}} ImportOrder */

/** A pasted position or game. */
/** @typedef {Place & {format: string, tags: [string, string][]}} Imported */

/** A game and the format to write it in; who resigned is 0 or 1. */
/** @typedef {Asked & {format: string, players?: [string, string]|null, resigned?: number|null}} ExportOrder */

/** An option of an agent, for a form. */
/** @typedef {{name: string, default: string, form: string, help: string, choices: string[]|null}} Key */

/** A kind of agent, in the words of `tesuji agents`. */
/** @typedef {{name: string, about: string, stands_for: string|null, keys: Key[]}} Agent */

/** A game; `truth` is what can be proved of it. Asked for alone it comes with agents and engines. */
/** @typedef {{name: string, title: string, sides: string[], rules: string[], starts: {name: string, title: string}[], formats: {name: string, title: string, extension: string}[], best: string, bot: string, truth: null|"mate"|"exact", agents?: Agent[], engines?: string[]}} GameInfo */

/** A network; `agent` is the line that plays with it. */
/** @typedef {{id: string, name: string, game: string, agent: string, run: string|null, generation: number|null}} Network */

/** An experiment that comes with the program. */
/** @typedef {{name: string, game: string, rules: string, about: string, budget: any, method: string}} Experiment */

/** A tabular method. */
/** @typedef {{name: string, title: string, formula: string, unit: string, goal: string, options: string[], alpha: string|null}} Method */

/** Something that takes a while; costs are in seconds. The result depends on the kind. */
/** @typedef {{id: string, kind: "search"|"reply"|"truth"|"match"|"train"|"learn"|"opinions", tab: string|null, state: "queued"|"running"|"done"|"cancelled"|"failed", error: string|null, progress: number|null, cost: {cpu: number, wall: number}, result: any}} Job */

/** A move that an agent thought of; `proof` and `win` are for the side to move. */
/** @typedef {{move: string, notation: string, prior: number|null, visits: number|null, share: number|null, value: number|null, win: number|null, proof: number|null, line: string[], line_notation: string[]}} Line */

/** What an agent thinks. */
/** @typedef {{agent: string, done: boolean, value: number|null, win: number|null, proof: number|null, depth: number, nodes: number, simulations: number, cpu: number, lines: Line[]}} Opinion */

/** Several agents think about a position, each for the same CPU seconds. */
/** @typedef {Asked & {kind: "search", tab?: string|null, agents: string[], cpu: number, lines?: number}} SearchOrder */

/** What they think. */
/** @typedef {{position: Place, cpu: number, agents: Opinion[]}} SearchResult */

/** An agent chooses a move. */
/** @typedef {Asked & {kind: "reply", tab?: string|null, agent: string, cpu: number, seed?: number}} ReplyOrder */

/** The move. */
/** @typedef {{move: string, notation: string, value: number|null, win: number|null, line: string[], line_notation: string[], cpu: number, depth: number, nodes: number, agent: string}} Reply */

/** Until it is chosen. */
/** @typedef {{agents: Opinion[]}} Thinking */

/** A solver says what a position is worth; 5 CPU seconds if not given. */
/** @typedef {Asked & {kind: "truth", tab?: string|null, cpu?: number}} TruthOrder */

/** What is proved; a move's value is 1, 0 or -1 for the side to move. */
/** @typedef {{kind: "mate"|"exact", known: boolean, winner: number|null, line: string[], line_notation: string[], moves: {move: string, notation: string, value: number}[], text: string, nodes?: number}} Truth */

/** A tabular method learns from a position. */
/** @typedef {Asked & {kind: "learn", tab?: string|null, method: string, episodes?: number, alpha?: string|null, gamma?: number, lambda?: number|null, steps?: number|null, epsilon?: number|null, exploring_starts?: boolean, seed?: number}} LearnOrder */

/** How far a tabular method is, beside the exact values. */
/** @typedef {{count: number, transitions: number, seen: number, start: number, rms: number, largest: number, mistakes: number|null}} Point */

/** What was learned after so many episodes or sweeps. */
/** @typedef {{count: number, point: Point, moves: {move: string, learned: number, exact: number}[]}} Frame */

/** What was learned after 1, 2, 5, 10 ... episodes. */
/** @typedef {{method: string, position: Place, frames: Frame[], points: Point[]}} Lesson */

/** The networks of a run look at a position. */
/** @typedef {Asked & {kind: "opinions", tab?: string|null, run: string}} OpinionsOrder */

/** What they think at first sight, from the oldest to the newest: `lines` are the best moves with the chance of the side to move, `policy` is empty if the network has none. */
/** @typedef {{run: string, position: Place, opinions: {generation: number, value: number, win: number, lines: {move: string, notation: string, win: number}[], policy: {move: string, notation: string, share: number}[]}[]}} Opinions */

/** Two agents play games; `cpu` is a move's, `openings` are random:N, even, even:N or varied. */
/** @typedef {{kind: "match", tab?: string|null, game: string, rules?: string, agents: [string, string], games: number, cpu: number, openings?: string, seed?: number, sprt?: [number, number]|null, threads?: number}} MatchOrder */

/** A new run of an experiment, or a run that is to go on. Only numbers can be set. */
/** @typedef {{kind: "train", tab?: string|null, experiment?: string|null, name?: string|null, run?: string|null, budget?: string|null, set?: Record<string, number>, threads?: number|null}} TrainOrder */

/** A measurement: games won, drawn and lost; Elo with its interval. */
/** @typedef {{generation: number, agent: string, opponent: string, score: [number, number, number], distinct: number, elo: [number|null, number|null, number|null]}} Strength */

/** How far a run is; which fields there are depends on the phase. */
/** @typedef {{run: string, name: string, game: string, phase: string, notes: string[], generation?: number, done?: number, of?: number, losses?: any, latest?: any, strength?: Strength, opponent?: string, parameters?: number, flops?: number, positions_per_second?: number, evaluations_per_second?: number}} Training */

/** What is to be done, and for which tab. */
/** @typedef {SearchOrder|ReplyOrder|TruthOrder|LearnOrder|OpinionsOrder|MatchOrder|TrainOrder} Order */

/** Every job that a tab may see. */
/** @typedef {{jobs: Job[]}} Snapshot */

/** A run in the table. Of one that cannot be read only the first three fields and the problem are told. */
/** @typedef {{id: string, name: string, state: "at work"|"idle"|"unreadable", problem?: string, game: string, rules: string, about: string, budget: any, agent: string, generation: number, seconds: number, cpu_seconds: number, strength: Strength[], job: string|null}} Run */

/** A run that cannot be read. */
/** @typedef {{id: string, name: string, state: "unreadable", problem: string}} Broken */

/** A run with everything that happened; the experiment is TOML. */
/** @typedef {Run & {experiment: string, generations: number[], events: any[], costs: any[], places: {generation: number, steps: number, minutes: number, cpu_minutes: number}[], charts: string[]}} RunDetail */

/** A game of a run; values are for the first player. */
/** @typedef {Place & {values: (number|null)[], outcome: Outcome|null, ending: string, generation: number|null}} RunGame */

/** Games of the first agent. */
/** @typedef {{wins: number, draws: number, losses: number}} Score */

/** What a player spent: seconds, and bytes of memory. */
/** @typedef {{moves: number, wall: number, cpu: number, nodes: number, evaluations: number, peak_memory: number}} Cost */

/** A game of a match; `first` is the agent that moved first. */
/** @typedef {{index: number, first: number, points: number, outcome: Outcome, ending: string, plies: number}} Result */

/** How a match stands. */
/** @typedef {{match: string, game: string, rules: string, players: [string, string], asked: number, cpu: number, openings: string, seed: number, games: number, score: Score, as_first: Score, mean: number, elo: {difference: number|null, low: number|null, high: number|null}, superiority: number|null, pairs: number[], split: number, openings_decide: boolean, distinct: number, endings: Record<string, number>, costs: Cost[], sprt: null|{llr: number|null, low: number, high: number, verdict: "Continue"|"AcceptH0"|"AcceptH1", elo0: number, elo1: number}, mean_plies: number}} Standing */

/** A match in progress, with the game that is being played. */
/** @typedef {Standing & {live: null|{start: string, moves: string[]}}} Live */

/** A match with its games. */
/** @typedef {Standing & {id: string, name: string, state: string, job: string|null, results: Result[]}} Match */

/** A match in the list, without its games. */
/** @typedef {Standing & {id: string, name: string, state: string, job: string|null, results: null}} MatchRow */

/** A game of a match. */
/** @typedef {Place & {opening: number, first: number, players: [string, string], outcome: Outcome, ending: string}} MatchGame */
