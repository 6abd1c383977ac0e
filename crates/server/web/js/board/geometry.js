// Where things are on the drawing: a cell is 100 wide. Two kinds of places, flat boards and, for levels, a turnable view
// from aslant.

/** @typedef {import("../types.js").Scene} Scene */
/** @typedef {import("../types.js").Board} Board */
/** @typedef {import("../types.js").Cell} Cell */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{board: Board, x: number, y: number, cellWidth: number, cellHeight: number}} BoardPlace */
/** @typedef {{key: string, owner: number, kind: string, text: string, count: number, box: Box}} HandPlace */
/** @typedef {{column: number, row: number, level: number}} Spot */
/**
 * @typedef {object} Geometry
 * @property {number} width
 * @property {number} height
 * @property {BoardPlace[]} boards
 * @property {Map<string, Box>} cells
 * @property {HandPlace[]} hands
 * @property {{owner: number, box: Box}[]} strips
 * @property {boolean} flipped
 * @property {boolean} iso
 * @property {((u: number, v: number, z: number) => {x: number, y: number, depth: number})|null} project
 * @property {Map<string, Spot>} spots
 */

const MARGIN = 40;
const HAND = 104;

/**
 * The order in which a person at the near side sees columns and rows.
 * @param {Cell} cell
 * @param {Board} board
 * @param {boolean} flipped
 */
export function seen(cell, board, flipped) {
  const turn = flipped && board.style !== "rack";
  return {
    column: turn ? board.columns - 1 - cell.column : cell.column,
    row: turn ? board.rows - 1 - cell.row : cell.row,
  };
}

/**
 * @param {Scene} scene
 * @param {{flipped: boolean, iso: boolean, turn: number, bare?: boolean}} view `bare`: without labels and empty hands
 * @returns {Geometry}
 */
export function geometry(scene, view) {
  /** @type {Geometry} */
  const g = {
    width: 0, height: 0, boards: [], cells: new Map(), hands: [], strips: [],
    flipped: view.flipped, iso: view.iso && scene.layout === "levels", project: null, spots: new Map(),
  };
  scene.boards.forEach((board, level) => {
    for (const cell of board.cells) g.spots.set(cell.id, { column: cell.column, row: cell.row, level });
  });
  if (g.iso) aslant(g, scene, view.turn);
  else flat(g, scene, view.bare ? 10 : MARGIN, !view.bare || scene.hands.some((hand) => hand.pieces.length > 0));
  return g;
}

/**
 * @param {Geometry} g
 * @param {Scene} scene
 * @param {number} margin around each board
 * @param {boolean} handed whether there is room for hands
 */
function flat(g, scene, margin, handed) {
  const across = scene.boards.length > 1 ? 2 : 1;
  const hands = handed && scene.hands.length > 0;
  let y = hands ? HAND + 6 : 0;
  for (let first = 0; first < scene.boards.length; first += across) {
    let x = 0;
    let tallest = 0;
    for (const board of scene.boards.slice(first, first + across)) {
      const title = board.title && margin > 10 ? 46 : 0;
      const cellHeight = board.style === "wood" ? 108 : 100;
      g.boards.push({ board, x: x + margin, y: y + title + margin, cellWidth: 100, cellHeight });
      x += board.columns * 100 + 2 * margin;
      tallest = Math.max(tallest, title + board.rows * cellHeight + 2 * margin);
    }
    g.width = Math.max(g.width, x);
    y += tallest;
  }
  for (const place of g.boards) {
    for (const cell of place.board.cells) {
      const { column, row } = seen(cell, place.board, g.flipped);
      const [x, top] = [place.x + column * place.cellWidth, place.y + row * place.cellHeight];
      g.cells.set(cell.id, { x, y: top, width: place.cellWidth, height: place.cellHeight });
    }
  }
  if (hands) {
    for (const hand of scene.hands) {
      const near = (hand.owner === 0) !== g.flipped;
      const box = { x: margin, y: near ? y + 6 : 0, width: g.width - 2 * margin, height: HAND };
      g.strips.push({ owner: hand.owner, box });
      const room = Math.min(100, box.width / Math.max(hand.pieces.length, 1));
      hand.pieces.forEach((piece, at) => {
        // The near player's pieces begin at the right, as on a stand; the other's at the left.
        const x = near ? box.x + box.width - (at + 1) * room : box.x + at * room;
        g.hands.push({
          ...piece, key: `hand:${piece.kind}`, owner: hand.owner,
          box: { x, y: box.y, width: room, height: HAND },
        });
      });
    }
    y += HAND + 6;
  }
  g.height = y;
}

/**
 * @param {Geometry} g
 * @param {Scene} scene
 * @param {number} turn degrees
 */
function aslant(g, scene, turn) {
  const [columns, rows] = [scene.boards[0].columns, scene.boards[0].rows];
  const angle = ((g.flipped ? turn + 180 : turn) * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  // With these, and turned as it is at first, no two places of different pegs fall together.
  const [wide, rise, slope] = [118, 156, 0.56];
  const radius = (Math.hypot(columns, rows) / 2) * wide;
  g.width = 2 * radius + 40;
  const top = rise * scene.boards.length - 20 + 30;
  g.height = top + radius * 2 * slope + 40;
  g.project = (u, v, z) => {
    const [dx, dy] = [u - (columns - 1) / 2, v - (rows - 1) / 2];
    const depth = dx * sin + dy * cos;
    return {
      x: g.width / 2 + (dx * cos - dy * sin) * wide,
      y: top + radius * slope + depth * wide * slope - z * rise,
      depth,
    };
  };
  for (const [id, spot] of g.spots) {
    const at = g.project(spot.column, spot.row, spot.level + 0.28);
    g.cells.set(id, { x: at.x - 28, y: at.y - 28, width: 56, height: 56 });
  }
}

/**
 * @param {Box} box
 */
export function middle(box) {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
