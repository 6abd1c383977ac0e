// The shapes of what the server sends, see docs/api.md. Types only: nothing of this is run.

/** @typedef {{id: string, column: number, row: number, terrain: string|null}} Cell */
/** @typedef {{id: string, title: string|null, columns: number, rows: number, column_labels: string[], row_labels: string[], style: string, cells: Cell[]}} Board */
/** @typedef {{cell: string, owner: number|null, kind: string, promoted: boolean, text: string, hp: number|null, spent: boolean}} Piece */
/** @typedef {{owner: number, pieces: {kind: string, text: string, count: number}[]}} Hand */
/** @typedef {{kind: "check"|"line"|"threat", cells: string[]}} Mark */
/** @typedef {{layout: "flat"|"levels", boards: Board[], pieces: Piece[], hands: Hand[], last: string[], marks: Mark[], to_move: number|null, sides: string[], notes: string[]}} Scene */
/** @typedef {{cell?: string, hand?: string, choice?: string, forecast?: string}} Step */
/** @typedef {{move: string, notation: string, steps: Step[]}} Gesture */

export {};

/** A position without state on the server. */
/** @typedef {{game: string, rules: string, start: string, moves: string[]}} Place */
/** @typedef {{winner: number|null}} Outcome */
/** @typedef {{scene: Scene, gestures: Gesture[], outcome: Outcome|null, ending: string, notation: string[], moves: string[], text: string, ply: number, in_check: boolean}} Position */
/** @typedef {{name: string, default: string, form: string, help: string, choices: string[]|null}} Key */
/** @typedef {{name: string, about: string, stands_for: string|null, keys: Key[]}} Agent */
/** @typedef {{name: string, title: string, sides: string[], rules: string[], starts: {name: string, title: string}[], formats: {name: string, title: string, extension: string}[], best: string, truth: null|"mate"|"exact", agents?: Agent[], engines?: string[]}} GameInfo */
/** @typedef {{id: string, kind: string, tab: string|null, state: "queued"|"running"|"done"|"cancelled"|"failed", error: string|null, progress: number|null, cost: {cpu: number, wall: number}, result: any}} Job */
/** @typedef {{move: string, notation: string, prior: number|null, visits: number|null, share: number|null, value: number|null, win: number|null, proof: number|null, line: string[], line_notation: string[]}} Line */
/** @typedef {{agent: string, done: boolean, value: number|null, win: number|null, proof: number|null, depth: number|null, nodes: number|null, simulations: number|null, cpu: number, lines: Line[]}} Opinion */
/** @typedef {{kind: "mate"|"exact", known: boolean, winner: number|null, line: string[], line_notation: string[], moves: {move: string, value: number, distance: number|null}[], text: string}} Truth */
/** @typedef {{id: string, name: string, game: string, agent: string, run: string|null, generation: number|null}} Network */
/** A measurement: games won, drawn and lost; Elo with its interval. */
/** @typedef {{generation: number, agent: string, opponent: string, score: [number, number, number], elo: [number|null, number|null, number|null]}} Strength */
/** @typedef {{id: string, name: string, game: string, rules: string, about: string, agent: string, state: string, problem?: string, generation: number, seconds: number, cpu_seconds: number, strength: Strength[], job: string|null}} Run */
/** @typedef {Run & {experiment: string, generations: number[], events: ({event: string} & any)[], costs: any[], places: {generation: number, steps: number, minutes: number, cpu_minutes: number}[], charts: string[]}} RunDetail */
/** @typedef {{wins: number, draws: number, losses: number}} Score */
/** @typedef {{index: number, first: number, points: number, outcome: Outcome, ending: string, plies: number}} Result */
/** @typedef {{id: string, name: string, state: string, job: string|null, game: string, rules: string, players: string[], asked: number, games: number, score: Score, mean: number, elo: {difference: number|null, low: number|null, high: number|null}, superiority: number|null, pairs: number[], costs: {cpu: number, moves: number}[], sprt: null|{llr: number|null, low: number, high: number, verdict: any, elo0: number, elo1: number}, results: Result[]}} Match */
/** @typedef {{name: string, title: string, formula: string, unit: string, goal: string, options: string[], alpha: string|null}} Method */
/** @typedef {{count: number, point: {rms: number}, moves: {move: string, learned: number, exact: number}[]}} Frame */
