// A scene as SVG: boards, terrain, labels, pieces, marks and what agents think. Nothing here listens to anything.

import { s } from "../dom.js";
import { middle, seen } from "./geometry.js";
import { NUMBERS } from "./kanji.js";
import { picture } from "./pieces.js";

/** @typedef {import("../types.js").Scene} Scene */
/** @typedef {import("./geometry.js").Geometry} Geometry */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./geometry.js").BoardPlace} BoardPlace */
/** @typedef {import("./pieces.js").Signs} Signs */
/**
 * What is thought of a move: an arrow from its first place to its second, or a disc on its only place.
 * @typedef {{places: string[], weight: number, label?: string, kind?: string}} Thought
 */
/** What is written on a cell, with a tint of a strength from 0 to 1. */
/** @typedef {{cell: string, tint: number, label: string, kind?: string}} Note */

/** @type {Record<string, string>} */
const TERRAIN = {
  forest: "M30 74V84M30 76L14 76 24 58H18L30 34 42 58H36L46 76ZM68 74V84M68 76L52 76 62 58H56L68 30 80 58H74L84 76Z",
  mountain: "M10 82L38 28 52 54 64 38 90 82ZM38 28L30 44 38 50 45 43Z",
  sea: "M12 36Q22 26 32 36T52 36 72 36 90 34M12 56Q22 46 32 56T52 56 72 56 90 54M12 76Q22 66 32 76T52 76 72 76 90 74",
  road: "M0 50H100",
  fortress: "M18 84V40H28V48H38V40H44V26H50V20H62V26H50V40H56V48H66V40H82V84H60V66Q50 56 40 66V84Z",
};

/**
 * Boards, labels and hands without pieces.
 * @param {Scene} scene
 * @param {Geometry} g
 * @param {boolean} bare without labels
 */
export function ground(scene, g, bare) {
  const group = s("g", { class: "ground" });
  if (g.iso) group.append(plates(scene, g));
  else {
    for (const place of g.boards) group.append(board(place, g, bare));
    for (const { owner, box } of g.strips) {
      const name = `strip p${owner}${scene.to_move === owner ? " moves" : ""}`;
      group.append(s("rect", { class: name, x: box.x, y: box.y, width: box.width, height: box.height, rx: 10 }));
    }
  }
  return group;
}

/**
 * @param {BoardPlace} place
 * @param {Geometry} g
 * @param {boolean} bare
 */
function board(place, g, bare) {
  const { board, x, y, cellWidth: w, cellHeight: h } = place;
  const [width, height] = [board.columns * w, board.rows * h];
  const group = s("g", { class: `look-${board.style}` });
  const edge = { checkered: 6, wood: bare ? 10 : 36, rack: bare ? 10 : 20, map: 4, paper: 0 }[board.style] ?? 0;
  const frame = { x: x - edge, y: y - edge, width: width + 2 * edge, height: height + 2 * edge };
  group.append(s("rect", { class: "frame", ...frame, rx: board.style === "rack" ? 26 : 6 }));
  for (const cell of board.cells) {
    const box = /** @type {Box} */ (g.cells.get(cell.id));
    const shade = (cell.column + cell.row) % 2 ? "dark" : "light";
    if (board.style === "rack") {
      const at = middle(box);
      group.append(s("circle", { class: "cell", cx: at.x, cy: at.y, r: 42 }));
    } else group.append(s("rect", { class: `cell ${shade} t-${cell.terrain ?? "none"}`, ...box }));
    if (cell.terrain && TERRAIN[cell.terrain]) {
      const transform = `translate(${box.x} ${box.y})`;
      if (cell.terrain !== "road") group.append(s("path", { class: `sign-${cell.terrain}`, d: TERRAIN[cell.terrain], transform }));
    }
  }
  if (board.style === "wood" || board.style === "paper") {
    let d = "";
    for (let column = 1; column < board.columns; column += 1) d += `M${x + column * w} ${y}v${height}`;
    for (let row = 1; row < board.rows; row += 1) d += `M${x} ${y + row * h}h${width}`;
    if (board.style === "wood") d += `M${x} ${y}h${width}v${height}h${-width}Z`;
    group.append(s("path", { class: "rules", d }));
    if (board.style === "wood" && board.columns === 9) {
      for (const [cx, cy] of [[3, 3], [6, 3], [3, 6], [6, 6]]) {
        group.append(s("circle", { class: "star", cx: x + cx * w, cy: y + cy * h, r: 6 }));
      }
    }
  }
  if (bare) return group;
  group.append(...labels(place, g));
  if (board.title) {
    group.append(s("text", { class: "title", x: x + width / 2, y: y - 14 }, board.title));
  }
  return group;
}

/**
 * @param {BoardPlace} place
 * @param {Geometry} g
 */
function labels(place, g) {
  const { board, x, y, cellWidth: w, cellHeight: h } = place;
  const [width, height] = [board.columns * w, board.rows * h];
  const wood = board.style === "wood";
  const out = [];
  for (let column = 0; column < board.columns; column += 1) {
    const at = seen({ id: "", column, row: 0, terrain: null }, board, g.flipped).column;
    const below = board.style === "rack" ? y + height + 40 : y + height + 30;
    const attributes = { class: "label", x: x + (at + 0.5) * w, y: wood ? y - 10 : below };
    out.push(s("text", attributes, board.column_labels[column]));
  }
  for (let row = 0; row < board.rows; row += 1) {
    const at = seen({ id: "", column: 0, row, terrain: null }, board, g.flipped).row;
    const text = board.row_labels[row];
    const middleY = y + (at + 0.5) * h;
    if (board.style === "rack") continue;
    if (wood && NUMBERS[text]) {
      const transform = `translate(${x + width + 8} ${middleY - 10}) scale(.2)`;
      out.push(s("path", { class: "label numeral", d: NUMBERS[text], transform }));
    } else {
      out.push(s("text", { class: "label", x: wood ? x + width + 18 : x - 20, y: middleY + 8 }, text));
    }
  }
  return out;
}

/**
 * The base and the pegs of the view from aslant.
 * @param {Scene} scene
 * @param {Geometry} g
 */
function plates(scene, g) {
  const project = /** @type {NonNullable<Geometry["project"]>} */ (g.project);
  const { columns, rows } = scene.boards[0];
  const group = s("g", { class: "look-paper aslant" });
  const corner = (/** @type {number} */ u, /** @type {number} */ v, /** @type {number} */ z) => {
    const at = project(u, v, z);
    return `${at.x.toFixed(1)} ${at.y.toFixed(1)}`;
  };
  scene.boards.forEach((_, level) => {
    const d = `M${corner(-0.6, -0.6, level)}L${corner(columns - 0.4, -0.6, level)} ${corner(columns - 0.4, rows - 0.4, level)} ${corner(-0.6, rows - 0.4, level)}Z`;
    group.append(s("path", { class: level ? "plate high" : "plate", d }));
  });
  for (let v = 0; v < rows; v += 1) {
    const [left, name] = [project(-0.95, v, 0), scene.boards[0].row_labels[v]];
    group.append(s("text", { class: "label", x: left.x, y: left.y + 8 }, name));
  }
  for (let u = 0; u < columns; u += 1) {
    const [front, name] = [project(u, rows - 0.05, 0), scene.boards[0].column_labels[u]];
    group.append(s("text", { class: "label", x: front.x, y: front.y + 8 }, name));
  }
  return group;
}

/**
 * A cube of the view from aslant, as its top and the sides that can be seen.
 * @param {Geometry} g
 * @param {string} id
 * @param {number|null} owner
 */
export function cube(g, id, owner) {
  const project = /** @type {NonNullable<Geometry["project"]>} */ (g.project);
  const spot = /** @type {import("./geometry.js").Spot} */ (g.spots.get(id));
  const [half, tall] = [0.34, 0.5];
  const corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
  const at = (/** @type {number[]} */ [u, v], /** @type {number} */ z) => project(spot.column + u, spot.row + v, spot.level + z);
  const polygon = (/** @type {{x: number, y: number}[]} */ points) => `M${points.map((p) => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join("L")}Z`;
  const group = s("g", { class: `piece cube p${owner ?? "none"}` });
  const centre = at([0, 0], 0).depth;
  corners.forEach((a, number) => {
    const b = corners[(number + 1) % 4];
    const depth = (at(a, 0).depth + at(b, 0).depth) / 2;
    if (depth <= centre + 1e-6) return;
    const side = at(b, 0).x + at(a, 0).x < 2 * at([0, 0], 0).x ? "left" : "right";
    group.append(s("path", { class: `side ${side}`, d: polygon([at(a, 0), at(b, 0), at(b, tall), at(a, tall)]) }));
  });
  group.append(s("path", { class: "top", d: polygon(corners.map((corner) => at(corner, tall))) }));
  const top = at([0, 0], tall);
  if (owner === 0) {
    const d = [[-0.17, -0.17], [0.17, 0.17], [0.17, -0.17], [-0.17, 0.17]].map((corner) => at(corner, tall));
    group.append(s("path", { class: "inner", d: `M${d[0].x} ${d[0].y}L${d[1].x} ${d[1].y}M${d[2].x} ${d[2].y}L${d[3].x} ${d[3].y}` }));
  } else group.append(s("ellipse", { class: "inner", cx: top.x, cy: top.y, rx: 19, ry: 10 }));
  return group;
}

/**
 * The pieces on the boards and in the hands.
 * @param {Scene} scene
 * @param {Geometry} g
 * @param {Signs} signs
 */
export function pieces(scene, g, signs) {
  const group = s("g", { class: "pieces" });
  /** @type {Map<string, string>} */
  const styles = new Map();
  for (const board of scene.boards) for (const cell of board.cells) styles.set(cell.id, board.style);
  const depth = (/** @type {string} */ id) => {
    const spot = g.spots.get(id);
    return spot && g.project ? g.project(spot.column, spot.row, 0).depth * 10 + spot.level : 0;
  };
  const ordered = g.iso ? [...scene.pieces].sort((a, b) => depth(a.cell) - depth(b.cell)) : scene.pieces;
  /** @type {{depth: number, draw: () => SVGElement}[]} */
  const solid = g.iso ? pegs(scene, g) : [];
  for (const piece of ordered) {
    const box = g.cells.get(piece.cell);
    if (!box) continue;
    if (g.iso) {
      const draw = () => {
        const drawn = cube(g, piece.cell, piece.owner);
        drawn.dataset.cell = piece.cell;
        return drawn;
      };
      solid.push({ depth: depth(piece.cell), draw });
      continue;
    }
    const down = (piece.owner === 1) !== g.flipped;
    const holder = s("g", { transform: fit(box), "data-cell": piece.cell });
    holder.append(picture(piece, styles.get(piece.cell) ?? "", signs, down));
    group.append(holder);
  }
  // From the back to the front, each peg before its cubes.
  for (const thing of solid.sort((a, b) => a.depth - b.depth)) group.append(thing.draw());
  for (const held of g.hands) {
    const down = (held.owner === 1) !== g.flipped;
    const holder = s("g", { transform: fit(held.box), "data-hand": held.kind, "data-owner": held.owner });
    holder.append(picture({ kind: held.kind, owner: held.owner, text: held.text }, scene.boards[0].style, signs, down));
    if (held.count > 1) {
      holder.append(s("circle", { class: "badge", cx: 82, cy: 80, r: 17 }));
      holder.append(s("text", { class: "hp", x: 82, y: 89, "font-size": 26 }, held.count));
    }
    group.append(holder);
  }
  return group;
}

/**
 * The pegs of the view from aslant.
 * @param {Scene} scene
 * @param {Geometry} g
 */
function pegs(scene, g) {
  const project = /** @type {NonNullable<Geometry["project"]>} */ (g.project);
  return scene.boards[0].cells.map((cell) => {
    const [low, high] = [project(cell.column, cell.row, 0), project(cell.column, cell.row, scene.boards.length - 0.3)];
    const d = `M${low.x.toFixed(1)} ${low.y.toFixed(1)}L${high.x.toFixed(1)} ${high.y.toFixed(1)}`;
    return { depth: low.depth * 10 - 0.5, draw: () => s("path", { class: "peg", d }) };
  });
}

/** @param {Box} box */
export function fit(box) {
  const scale = Math.min(box.width, box.height) / 100;
  return `translate(${box.x + (box.width - 100 * scale) / 2} ${box.y + (box.height - 100 * scale) / 2}) scale(${scale})`;
}

/**
 * The last move, checks, lines and threats.
 * @param {Scene} scene
 * @param {Geometry} g
 * @param {boolean} above marks that lie above the pieces, or those below
 */
export function marks(scene, g, above) {
  const group = s("g", { class: "marks" });
  const all = above ? scene.marks.filter((mark) => mark.kind !== "check") : scene.marks.filter((mark) => mark.kind === "check");
  if (!above) all.push({ kind: /** @type {any} */ ("last"), cells: scene.last });
  for (const mark of all) {
    for (const cell of mark.cells) {
      const box = g.cells.get(cell);
      if (!box) continue;
      const at = middle(box);
      if (mark.kind === "line" || mark.kind === "threat") {
        group.append(s("circle", { class: `mark ${mark.kind}`, cx: at.x, cy: at.y, r: mark.kind === "line" ? 45 : 12, "data-cell": cell }));
      } else if (g.iso || scene.boards[0].style === "rack") group.append(s("circle", { class: `mark ${mark.kind}`, cx: at.x, cy: at.y, r: 46, "data-cell": cell }));
      else group.append(s("rect", { class: `mark ${mark.kind}`, ...box, "data-cell": cell }));
    }
  }
  return group;
}

/**
 * What agents think of moves, and notes on cells.
 * @param {Geometry} g
 * @param {Thought[]} thoughts
 * @param {Note[]} notes
 */
export function overlay(g, thoughts, notes) {
  const group = s("g", { class: "overlay" });
  for (const note of notes) {
    const box = g.cells.get(note.cell);
    if (!box) continue;
    const at = middle(box);
    group.append(s("rect", { class: `tint ${note.kind ?? ""}`, ...box, "fill-opacity": (0.1 + 0.6 * note.tint).toFixed(3) }));
    group.append(s("text", { class: "note", x: at.x, y: at.y + 10 }, note.label));
  }
  const place = (/** @type {string} */ key) => {
    const box = key.startsWith("hand:")
      ? g.hands.find((held) => `${held.key}:${held.owner}` === key)?.box
      : g.cells.get(key.replace(/^cell:/, ""));
    return box && middle(box);
  };
  // The strongest thought is drawn last, above the others.
  for (const thought of [...thoughts].reverse()) {
    const [from, to] = [place(thought.places[0]), place(thought.places[1] ?? "")];
    if (!from) continue;
    const name = `thought ${thought.kind ?? ""}`;
    const opacity = (0.35 + 0.6 * thought.weight).toFixed(3);
    if (!to || (to.x === from.x && to.y === from.y)) {
      const spot = s("g", { class: name, opacity });
      spot.append(s("circle", { class: "spot", cx: from.x, cy: from.y, r: 16 + 24 * Math.sqrt(thought.weight) }));
      if (thought.label) spot.append(s("text", { class: "said", x: from.x, y: from.y + 9 }, thought.label));
      group.append(spot);
    } else group.append(arrow(from, to, 7 + 15 * thought.weight, name, opacity, thought.label));
  }
  return group;
}

/**
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 * @param {number} width
 * @param {string} name
 * @param {string} opacity
 * @param {string} [label]
 */
function arrow(from, to, width, name, opacity, label) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const head = width * 2.2;
  const neck = Math.max(length - head - 6, 4);
  const point = (/** @type {number} */ along, /** @type {number} */ across) =>
    `${(from.x + ux * along - uy * across).toFixed(1)} ${(from.y + uy * along + ux * across).toFixed(1)}`;
  const half = width / 2;
  const d = `M${point(0, -half)}L${point(neck, -half)} ${point(neck, -width * 1.35)} ${point(length - 6, 0)} ${point(neck, width * 1.35)} ${point(neck, half)} ${point(0, half)}Z`;
  const group = s("g", { class: name, opacity });
  group.append(s("path", { class: "shaft", d }));
  if (label) {
    group.append(s("rect", { class: "plaque", x: to.x - 34, y: to.y - 16, width: 68, height: 32, rx: 16 }));
    group.append(s("text", { class: "said", x: to.x, y: to.y + 9 }, label));
  }
  return group;
}
