// Pointers and keys on a board: clicks and drags, arrows to walk from place to place, Enter or Space to choose, Escape to
// begin anew.

import { add, put, s, setStyle } from "../dom.js";
import { fit } from "./draw.js";
import { middle } from "./geometry.js";
import { Walk } from "./walk.js";

/** @typedef {import("./board.js").BoardView} BoardView */
/** @typedef {import("./board.js").Place} Place */
/** @typedef {import("./geometry.js").Geometry} Geometry */
/** @typedef {{key: string, x: number, y: number, id: number, ghost: SVGElement|null}} Drag */

/** How far a pointer goes before a press is a drag. */
const SLACK = 6;

/** @type {Record<string, [number, number]>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * @param {BoardView} board
 * @param {EventTarget|null} target
 * @returns {Place|undefined}
 */
function placeOf(board, target) {
  const element = target instanceof Element ? target.closest("[data-place]") : null;
  return element instanceof HTMLElement && board.layer.contains(element) ? board.places.get(element.dataset.place ?? "") : undefined;
}

/**
 * Lets a board be touched.
 * @param {BoardView} board
 */
export function listen(board) {
  const { layer } = board;
  /** @type {Drag|null} */
  let drag = null;
  let dragged = false;

  layer.addEventListener("pointerdown", (event) => {
    dragged = false;
    board.byKey = false;
    if (event.button !== 0) return;
    const place = placeOf(board, event.target);
    const key = board.keyOf(place);
    if (key && board.walk.first().has(key)) drag = { key, x: event.clientX, y: event.clientY, id: event.pointerId, ghost: null };
  });
  layer.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < SLACK) return;
      if (!begin(board, drag.key)) return void (drag = null);
      // From here on the pointer belongs to the board, wherever it goes.
      layer.setPointerCapture(event.pointerId);
      drag.ghost = lift(board, drag.key);
    }
    carry(board, drag.ghost, event);
  });
  const end = (/** @type {PointerEvent} */ event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const { ghost } = drag;
    drag = null;
    if (!ghost) return;
    dragged = true;
    ghost.remove();
    board.svg.querySelector(".lifted")?.classList.remove("lifted");
    const under = placeOf(board, document.elementFromPoint(event.clientX, event.clientY));
    const key = board.keyOf(under);
    if (event.type === "pointerup" && board.walk.next().has(key) && key !== board.walk.made[0]) board.take(key);
    else {
      board.walk.reset();
      board.refresh();
    }
  };
  layer.addEventListener("pointerup", end);
  layer.addEventListener("pointercancel", end);
  layer.addEventListener("click", (event) => {
    // The click that follows a drag is not one.
    if (dragged) return void (dragged = false);
    const place = placeOf(board, event.target);
    if (!place) return;
    board.focus(place.element.dataset.place ?? "");
    board.take(board.meant(place, board.walk.next()));
    forecast(board, place);
  });
  layer.addEventListener("pointerover", (event) => forecast(board, placeOf(board, event.target)));
  layer.addEventListener("pointerleave", () => forecast(board, undefined));
  layer.addEventListener("focusin", (event) => forecast(board, placeOf(board, event.target)));
  board.element.addEventListener("keydown", (event) => press(board, event));
}

/**
 * Begins a move with its first step, for a drag; not if that step is the whole move.
 * @param {BoardView} board
 * @param {string} key
 */
function begin(board, key) {
  const { walk } = board;
  if (walk.made.length === 1 && walk.made[0] === key) return true;
  if (new Walk(walk.gestures).take(key)) return false;
  walk.reset();
  walk.take(key);
  board.refresh();
  return true;
}

/**
 * @param {BoardView} board
 * @param {string} key
 */
function lift(board, key) {
  const [kind, name] = [key.slice(0, 4), CSS.escape(key.slice(5))];
  const selector = kind === "cell" ? `[data-cell="${name}"]` : `[data-hand="${name}"][data-owner="${board.scene?.to_move}"]`;
  const holder = board.svg.querySelector(`.pieces ${selector}`);
  const ghost = s("g", { class: "ghost" });
  if (holder?.firstElementChild) add(ghost, [holder.firstElementChild.cloneNode(true)]);
  if (kind === "cell") holder?.classList.add("lifted");
  board.svg.append(ghost);
  return ghost;
}

/**
 * @param {BoardView} board
 * @param {SVGElement} ghost
 * @param {PointerEvent} event
 */
function carry(board, ghost, event) {
  const area = board.svg.getBoundingClientRect();
  const scale = /** @type {Geometry} */ (board.geometry).width / area.width;
  const [x, y] = [(event.clientX - area.left) * scale, (event.clientY - area.top) * scale];
  ghost.setAttribute("transform", fit({ x: x - 54, y: y - 54, width: 108, height: 108 }));
}

/**
 * @param {BoardView} board
 * @param {KeyboardEvent} event
 */
function press(board, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && board.walk.made.length) {
    board.walk.reset();
    board.refresh();
    event.stopPropagation();
    return;
  }
  const place = placeOf(board, event.target);
  if (!place) return;
  if (event.key === "Enter" || event.key === " ") {
    board.byKey = true;
    board.take(board.meant(place, board.walk.next()));
  } else if (WAYS[event.key]) neighbour(board, place, WAYS[event.key]);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/**
 * Moves the focus to the nearest place in a direction.
 * @param {BoardView} board
 * @param {Place} from
 * @param {[number, number]} way
 */
function neighbour(board, from, [dx, dy]) {
  const here = middle(from.box);
  let [best, least] = ["", Infinity];
  for (const [key, place] of board.places) {
    const there = middle(place.box);
    const along = (there.x - here.x) * dx + (there.y - here.y) * dy;
    const across = Math.abs((there.x - here.x) * dy) + Math.abs((there.y - here.y) * dx);
    const far = along + 3 * across;
    if (along > 20 && far < least) [best, least] = [key, far];
  }
  if (best) board.focus(best);
}

/**
 * Shows what a step will bring, where that can be told.
 * @param {BoardView} board
 * @param {Place|undefined} place
 */
function forecast(board, place) {
  const step = place && board.walk.next().get(board.keyOf(place));
  board.hover.hidden = !step?.forecast;
  if (!place || !step?.forecast) return;
  const g = /** @type {Geometry} */ (board.geometry);
  put(board.hover, step.forecast);
  const at = middle(place.box);
  setStyle(board.hover, { left: `${(100 * at.x) / g.width}%`, top: `${(100 * place.box.y) / g.height}%` });
}
