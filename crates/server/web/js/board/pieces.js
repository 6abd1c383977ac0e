// Pictures of pieces, in a box of 100 by 100: our own paths, no font and no file. A kind without a picture is a disc with
// its text on it, so a new game can be looked at before anybody has drawn for it.

import { s } from "../dom.js";
import { LETTERS, LETTER_OF, SIGNS, WAYS } from "./kanji.js";

/** @typedef {import("../types.js").Piece} Piece */
/** @typedef {"japanese"|"international"} Signs */

/** @type {Record<string, {body: string, lines: string, dots?: number[][]}>} */
const CHESS = {
  pawn: {
    body: "M50 15a13.5 13.5 0 0 1 9 23.6H65q0 6-6.5 8.4Q59 66 73 76V89H27V76Q41 66 41.5 47 35 44.6 35 38.6H41A13.5 13.5 0 0 1 50 15Z",
    lines: "M27 77H73M41 38.6H59",
  },
  knight: {
    body: "M29 89Q28 71 42 60q7-5 6-12-7 8-15 9-3 5-8 2l-6-9q4-9 11-16 4-10 14-15l1-11q7 4 9 10 20 6 25 36 2 18-1 35Z",
    lines: "M28 79H78M62 27Q72 40 72 66",
    dots: [[41, 33, 2.8]],
  },
  bishop: {
    body: "M50 8a5.5 5.5 0 0 1 4.5 8.6Q71 33 67 50q-2 7-8.5 10l2.5 9q14 6 15 20H24q1-14 15-20l2.5-9Q35 57 33 50 29 33 45.5 16.6A5.5 5.5 0 0 1 50 8Z",
    lines: "M24.5 80H75.5M40 60H60M39 69H61M50 29V45M42.5 36.5H57.5",
  },
  rook: {
    body: "M25 15H37V23H44V15H56V23H63V15H75V34L66 42V66L74 76V89H26V76L34 66V42L25 34Z",
    lines: "M26 34H74M34 42H66M34 66H66M26 77H74",
  },
  queen: {
    body: "M18 30L34 55 34 22 45 51 50 17 55 51 66 22 66 55 82 30 73 68 75 89H25L27 68Z",
    lines: "M27 68Q50 62 73 68M26 79Q50 74 74 79",
    dots: [[18, 27, 5], [34, 19, 5], [50, 14, 5], [66, 19, 5], [82, 27, 5]],
  },
  king: {
    body: "M46.5 5H53.5V11H60V18H53.5V26Q60 30 59 40 77 31 82 45 85 58 71 69L74 89H26L29 69Q15 58 18 45 23 31 41 40 40 30 46.5 26V18H40V11H46.5Z",
    lines: "M29 69Q50 62 71 69M27 79Q50 73 73 79M50 38V62",
  },
};

/** @type {Record<string, {fill: string, cut?: string, lines?: string}>} */
const UNITS = {
  fighter: { fill: "M50 12L55 34 86 56V64L56 57 54 74 65 82V87L50 83 35 87V82L46 74 44 57 14 64V56L45 34Z" },
  attacker: {
    fill: "M50 14Q55 20 55 30V38L90 42V53L55 57 53 76 67 80V87H33V80L47 76 45 57 10 53V42L45 38V30Q45 20 50 14ZM24 57h7v11q-3.5 4-7 0ZM69 57h7v11q-3.5 4-7 0Z",
  },
  panzer: {
    fill: "M30 32H58L64 40H94V47H64L62 54H24V42ZM12 57H88L94 66 84 82H16L6 66Z",
    cut: "M22 69a5 5 0 1 0 .1 0ZM41 69a5 5 0 1 0 .1 0ZM60 69a5 5 0 1 0 .1 0ZM79 69a5 5 0 1 0 .1 0Z",
  },
  cannon: {
    fill: "M22 52L86 18 91 28 46 56 92 80V87H82L48 68 34 72Z M38 50a18 18 0 1 0 .1 0Z",
    cut: "M38 60a8 8 0 1 0 .1 0Z",
  },
  antiair: {
    fill: "M10 62H68L76 50H90V78H10ZM16 52L50 10 60 11 60 21 30 57ZM40 56L70 20 79 22 79 31 56 58ZM24 74a9 9 0 1 0 .1 0ZM74 74a9 9 0 1 0 .1 0Z",
    cut: "M24 79a4 4 0 1 0 .1 0ZM74 79a4 4 0 1 0 .1 0Z",
  },
  infantry: {
    fill: "M50 10a10 10 0 1 1-.1 0ZM36 33H62L78 24 82 30 66 41 64 62 66 90H56L51 66H49L44 90H34L36 62 30 58 29 40Z",
    lines: "M22 62L86 36",
  },
};

/** Signs with many strokes, which are drawn finer. */
const DENSE = ["silver", "rook", "bishop+", "rook+", "lance"];

/** @type {Record<string, string>} */
const UNIT_NAMES = { anti_air: "antiair", "anti-air": "antiair", artillery: "cannon", tank: "panzer", soldier: "infantry" };

/**
 * A group with a piece's picture.
 * @param {{kind: string, owner: number|null, promoted?: boolean, text?: string, hp?: number|null, spent?: boolean}} piece
 * @param {string} style the board's look, which tells chess pieces from shogi pieces
 * @param {Signs} signs
 * @param {boolean} [down] whether a piece that points somewhere points down
 * @returns {SVGElement}
 */
export function picture(piece, style, signs, down = false) {
  const owner = piece.owner === null ? "none" : String(piece.owner);
  const group = s("g", { class: `piece p${owner} k-${piece.kind.replaceAll(" ", "-")}${piece.spent ? " spent" : ""}` });
  if (style === "checkered" && CHESS[piece.kind]) group.append(...chess(piece.kind));
  else if (style === "wood" && SIGNS[piece.kind]) group.append(shogi(piece, signs, down));
  else if (style === "map") group.append(...unit(piece));
  else if (piece.kind === "mark") {
    if (piece.owner === 0) group.append(s("path", { class: "stroke", d: "M24 24L76 76M76 24L24 76" }));
    else group.append(s("circle", { class: "stroke", cx: 50, cy: 50, r: 29 }));
  } else group.append(...disc(piece));
  return group;
}

/** @param {string} kind */
function chess(kind) {
  const { body, lines, dots = [] } = CHESS[kind];
  const balls = dots.map(([cx, cy, r]) => s("circle", { class: kind === "knight" ? "eye" : "body", cx, cy, r }));
  return [s("path", { class: "body", d: body }), s("path", { class: "lines", d: lines }), ...balls];
}

/**
 * @param {{kind: string, owner: number|null, promoted?: boolean}} piece
 * @param {Signs} signs
 * @param {boolean} down
 */
function shogi(piece, signs, down) {
  const name = piece.promoted ? `${piece.kind}+` : piece.kind;
  const group = s("g", down ? { transform: "rotate(180 50 50)" } : {});
  const small = { pawn: 0.88, lance: 0.92, knight: 0.92 }[piece.kind] ?? 1;
  const grow = `translate(50 52) scale(${small} ${small}) translate(-50 -52)`;
  const body = s("path", { class: "tile", d: "M50 5L77 17 89 95H11L23 17Z", transform: grow });
  group.append(body);
  const ink = `sign${piece.promoted ? " promoted" : ""}${signs === "japanese" && DENSE.includes(name) ? " dense" : ""}`;
  if (signs === "japanese") {
    const path = (piece.kind === "king" && piece.owner === 0 && SIGNS["king.1"]) || SIGNS[name] || SIGNS[piece.kind];
    group.append(s("path", { class: ink, d: path, transform: `${grow} translate(25 25) scale(.5 .66)` }));
  } else {
    const letter = LETTERS[LETTER_OF[piece.kind]];
    group.append(s("path", { class: `${ink} letter`, d: letter, transform: `${grow} translate(31 36) scale(.38 .46)` }));
    group.append(s("path", { class: `${ink} ways`, d: ways(name), transform: grow }));
  }
  return group;
}

/**
 * The marks around an international piece's letter.
 * @param {string} name
 */
function ways(name) {
  const way = WAYS[name] ?? { steps: [], slides: [] };
  /** @type {(direction: number, from: number, to: number) => string} */
  const line = (direction, from, to) => {
    const angle = (direction * Math.PI) / 4;
    const [x, y] = [Math.sin(angle), -Math.cos(angle)];
    const long = direction % 2 ? 1.15 : 1;
    const point = (/** @type {number} */ r) =>
      `${(50 + x * r * long * 0.88).toFixed(1)} ${(58 + y * r * long * (y < 0 ? 1.08 : 1)).toFixed(1)}`;
    return `M${point(from)}L${point(to)}`;
  };
  const parts = [...way.steps.map((d) => line(d, 26, 27)), ...way.slides.map((d) => line(d, 24, 31))];
  if (way.jump) parts.push("M41 31L40 26M59 31L60 26");
  return parts.join("");
}

/** @param {{kind: string, hp?: number|null, text?: string}} piece */
function unit(piece) {
  const sign = UNITS[UNIT_NAMES[piece.kind] ?? piece.kind];
  const parts = [s("rect", { class: "tile", x: 8, y: 8, width: 84, height: 84, rx: 16 })];
  const icon = s("g", { transform: "translate(15 9) scale(.70)" });
  if (sign) {
    icon.append(s("path", { class: "icon", d: sign.fill }));
    if (sign.cut) icon.append(s("path", { class: "cut", d: sign.cut }));
    if (sign.lines) icon.append(s("path", { class: "rifle", d: sign.lines }));
  } else icon.append(s("text", { class: "word icon", x: 50, y: 66 }, piece.text ?? piece.kind[0]));
  parts.push(icon);
  if (piece.hp !== null && piece.hp !== undefined) {
    const wide = piece.hp >= 10 ? 44 : 34;
    parts.push(s("rect", { class: "badge", x: 94 - wide, y: 60, width: wide, height: 34, rx: 10 }));
    parts.push(s("text", { class: "hp", x: 94 - wide / 2, y: 86 }, piece.hp));
  }
  return parts;
}

/** @param {{owner: number|null, kind: string, text?: string}} piece */
function disc(piece) {
  const square = { class: "disc", x: 12, y: 12, width: 76, height: 76, rx: 12 };
  const parts = [piece.kind === "cube" ? s("rect", square) : s("circle", { class: "disc", cx: 50, cy: 50, r: 40 })];
  // The inner sign tells the players apart without colour.
  if (piece.kind !== "disc" && piece.kind !== "cube") {
    parts.push(s("text", { class: "word", x: 50, y: 64 }, piece.text || piece.kind[0].toUpperCase()));
  } else if (piece.owner === 0) parts.push(s("path", { class: "inner", d: "M36 36L64 64M64 36L36 64" }));
  else parts.push(s("circle", { class: "inner", cx: 50, cy: 50, r: 17 }));
  return parts;
}

/**
 * What a piece is called aloud.
 * @param {{kind: string, owner: number|null, promoted?: boolean, hp?: number|null, spent?: boolean}} piece
 * @param {string[]} sides
 */
export function spoken(piece, sides) {
  const words = [];
  if (piece.owner !== null && sides[piece.owner]) words.push(sides[piece.owner]);
  if (piece.promoted) words.push("promoted");
  words.push(piece.kind);
  if (piece.hp !== null && piece.hp !== undefined) words.push(`${piece.hp} HP`);
  if (piece.spent) words.push("has acted");
  return words.join(" ");
}
