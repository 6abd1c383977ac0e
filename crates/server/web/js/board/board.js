// The board: draws any scene and turns clicks, drags and keys into moves. It knows no game and no rule; see walk.js.

import { calm, h, put, s, setStyle } from "../dom.js";
import { ground, marks, overlay, pieces } from "./draw.js";
import { geometry, middle } from "./geometry.js";
import { picture, spoken } from "./pieces.js";
import { listen } from "./touch.js";
import { Walk, stepKey } from "./walk.js";

/** @typedef {import("../types.js").Scene} Scene */
/** @typedef {import("../types.js").Gesture} Gesture */
/** @typedef {import("../types.js").Step} Step */
/** @typedef {import("./geometry.js").Geometry} Geometry */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./draw.js").Thought} Thought */
/** @typedef {import("./draw.js").Note} Note */
/** @typedef {import("./pieces.js").Signs} Signs */
/** @typedef {{box: Box, element: HTMLElement, cell?: string, hand?: string, owner?: number}} Place */

/**
 * The places of a move's arrow: a piece in hand is that of the player who moves.
 * @param {Step[]} steps
 * @param {number|null} mover
 * @returns {string[]}
 */
export function placesOf(steps, mover) {
  return steps
    .filter((step) => step.choice === undefined)
    .map((step) => (step.hand === undefined ? stepKey(step) : `${stepKey(step)}:${mover}`));
}

export class BoardView {
  /** @param {{onMove?: (gesture: Gesture) => void, label?: string, small?: boolean}} [options] */
  constructor(options = {}) {
    this.onMove = options.onMove ?? null;
    this.small = options.small ?? false;
    this.view = { flipped: false, iso: false, turn: 14 };
    /** @type {Signs} */
    this.signs = "japanese";
    /** @type {Scene|null} */
    this.scene = null;
    this.walk = new Walk([]);
    /** @type {Thought[]} */
    this.thoughts = [];
    /** @type {Note[]} */
    this.notes = [];
    /** @type {Map<string, Place>} */
    this.places = new Map();
    this.focused = "";
    /** @type {Geometry|null} */
    this.geometry = null;

    this.svg = s("svg", { class: "drawing", "aria-hidden": "true" });
    this.layer = h("div", { class: "touch" });
    this.asked = h("div", { class: "asked", hidden: true });
    this.hover = h("div", { class: "forecast", hidden: true });
    this.field = h("div", { class: "field" }, this.svg, this.layer, this.asked, this.hover);
    this.actions = h("div", { class: "board-actions" });
    this.element = h("div", { class: `board${this.small ? " small" : ""}`, "aria-label": options.label }, this.field, this.actions);
    /** Whether the last step was made by a key: then questions take the focus. */
    this.byKey = false;
    if (!this.small) listen(this);
  }

  /**
   * Shows a position. Without gestures the board is to look at.
   * @param {Scene} scene
   * @param {Gesture[]} [gestures]
   */
  show(scene, gestures = []) {
    const before = this.scene;
    this.scene = scene;
    this.walk = new Walk(this.onMove ? gestures : []);
    this.closeQuestion();
    this.draw();
    if (before && !calm() && !this.small) this.glide();
  }

  /**
   * @param {Thought[]} thoughts
   * @param {Note[]} [notes]
   */
  think(thoughts, notes = []) {
    this.thoughts = thoughts;
    this.notes = notes;
    this.drawOverlay();
  }

  /** @param {boolean} flipped */
  flip(flipped) {
    this.view.flipped = flipped;
    this.closeQuestion();
    this.walk.reset();
    if (this.scene) this.draw();
  }

  /** @param {Partial<{iso: boolean, turn: number}>} view */
  look(view) {
    Object.assign(this.view, view);
    if (this.scene) this.draw();
  }

  /** @param {Signs} signs */
  setSigns(signs) {
    this.signs = signs;
    if (this.scene) this.draw();
  }

  draw() {
    const scene = /** @type {Scene} */ (this.scene);
    const g = geometry(scene, { ...this.view, bare: this.small });
    this.geometry = g;
    this.field.classList.toggle("iso", g.iso);
    this.svg.setAttribute("viewBox", `0 0 ${g.width} ${g.height}`);
    setStyle(this.svg, { "--unit": Math.min(Math.max(g.width / 880, 0.5), 1.3) });
    setStyle(this.field, { "aspect-ratio": `${g.width} / ${g.height}`, "--ratio": g.width / g.height });
    put(this.svg, ground(scene, g, this.small), marks(scene, g, false), s("g", { class: "hints" }), pieces(scene, g, this.signs), marks(scene, g, true), s("g", { class: "overlay" }));
    if (!this.small) this.drawTouch();
    this.refresh();
    this.drawOverlay();
  }

  drawOverlay() {
    const g = this.geometry;
    if (g) this.svg.lastElementChild?.replaceWith(overlay(g, this.thoughts, this.notes));
  }

  /** The layer of places: what a pointer, a key or a screen reader meets. */
  drawTouch() {
    const scene = /** @type {Scene} */ (this.scene);
    const g = /** @type {Geometry} */ (this.geometry);
    this.places.clear();
    put(this.layer);
    const on = new Map(scene.pieces.map((piece) => [piece.cell, piece]));
    for (const board of scene.boards) {
      const grid = h("div", { role: "grid", "aria-label": board.title ?? "Board", class: "grid" });
      const cells = new Map(board.cells.map((cell) => [`${cell.row}.${cell.column}`, cell]));
      for (let number = 0; number < board.rows; number += 1) {
        const row = h("div", { role: "row", class: "row" });
        for (let at = 0; at < board.columns; at += 1) {
          const turned = g.flipped && board.style !== "rack";
          const cell = cells.get(turned ? `${board.rows - 1 - number}.${board.columns - 1 - at}` : `${number}.${at}`);
          if (!cell) continue;
          const piece = on.get(cell.id);
          const said = [cell.id, piece ? spoken(piece, scene.sides) : "empty"];
          if (cell.terrain && cell.terrain !== "plain") said.push(cell.terrain);
          const element = h("div", { role: "gridcell", tabindex: "-1", class: "place", "data-cell": cell.id, "data-said": said.join(", ") });
          this.place(`cell:${cell.id}`, element, /** @type {Box} */ (g.cells.get(cell.id)), { cell: cell.id });
          row.append(element);
        }
        if (row.children.length) grid.append(row);
      }
      this.layer.append(grid);
    }
    for (const { owner } of g.strips) {
      const held = g.hands.filter((hand) => hand.owner === owner);
      const group = h("div", { role: "group", "aria-label": `${scene.sides[owner]}'s hand` });
      for (const piece of held) {
        const said = `${piece.count} ${piece.kind} in ${scene.sides[owner]}'s hand`;
        const element = h("div", { role: "button", tabindex: "-1", class: "place", "data-hand": piece.kind, "data-owner": owner, "data-said": said });
        this.place(`${piece.key}:${owner}`, element, piece.box, { hand: piece.kind, owner });
        group.append(element);
      }
      if (held.length) this.layer.append(group);
    }
    if (!this.places.has(this.focused)) this.focused = this.places.keys().next().value ?? "";
    this.places.get(this.focused)?.element.setAttribute("tabindex", "0");
  }

  /**
   * @param {string} key
   * @param {HTMLElement} element
   * @param {Box} box
   * @param {Partial<Place>} what
   */
  place(key, element, box, what) {
    const g = /** @type {Geometry} */ (this.geometry);
    setStyle(element, {
      left: `${(100 * box.x) / g.width}%`, top: `${(100 * box.y) / g.height}%`,
      width: `${(100 * box.width) / g.width}%`, height: `${(100 * box.height) / g.height}%`,
      "z-index": g.iso ? Math.round(box.y) : "auto",
    });
    element.dataset.place = key;
    this.places.set(key, { box, element, ...what });
  }

  /**
   * The name of a step at a place: a hand counts only if it is the mover's.
   * @param {Place|undefined} place
   */
  keyOf(place) {
    if (!place) return "";
    if (place.cell !== undefined) return `cell:${place.cell}`;
    return place.owner === this.scene?.to_move ? `hand:${place.hand}` : "";
  }

  /**
   * The step that a click at a place means. In a rack any cell of a column means where the disc falls; on levels any cell
   * of a peg does.
   * @param {Place|undefined} place
   * @param {Map<string, Step>} next
   */
  meant(place, next) {
    const key = this.keyOf(place);
    if (!key || next.has(key) || !place?.cell || !this.scene) return key;
    const spots = /** @type {Geometry} */ (this.geometry).spots;
    const spot = spots.get(place.cell);
    const rack = this.scene.boards[0].style === "rack";
    if (!spot || (!rack && this.scene.layout !== "levels")) return key;
    for (const step of next.values()) {
      const other = step.cell === undefined ? undefined : spots.get(step.cell);
      if (other && other.column === spot.column && (rack || other.row === spot.row)) return stepKey(step);
    }
    return key;
  }

  /** Shows what is allowed now. */
  refresh() {
    const next = this.walk.next();
    const made = this.walk.made;
    const hints = this.svg.querySelector(".hints");
    if (!hints) return;
    put(hints);
    const occupied = new Set(this.scene?.pieces.map((piece) => piece.cell));
    for (const place of this.places.values()) {
      const key = this.keyOf(place);
      const step = next.get(key);
      const chosen = made.includes(key) && key !== "";
      const stays = chosen && made[made.length - 1] !== key;
      const element = place.element;
      element.toggleAttribute("data-next", Boolean(step));
      element.toggleAttribute("data-alias", !step && next.has(this.meant(place, next)));
      if (place.cell !== undefined) element.setAttribute("aria-selected", String(chosen));
      const words = [element.dataset.said];
      if (chosen) words.push("chosen");
      if (step) words.push(made.length ? "can be chosen" : "can move");
      if (step?.forecast) words.push(`forecast ${step.forecast}`);
      element.setAttribute("aria-label", words.filter(Boolean).join(", "));
      if (chosen && !stays) hints.append(s("rect", { class: "chosen", ...place.box, rx: 4 }));
      if (step && made.length) hints.append(this.hint(place, occupied));
    }
    put(this.actions);
    const choices = [...next.values()].filter((step) => step.choice !== undefined);
    if (choices.length && made.length) this.ask(choices);
    else {
      this.closeQuestion();
      for (const step of choices) {
        this.actions.append(h("button", { type: "button", "data-choice": step.choice, onclick: () => this.take(stepKey(step)) }, word(step.choice ?? "")));
      }
    }
    this.actions.hidden = choices.length === 0 || made.length > 0;
  }

  /**
   * @param {Place} place
   * @param {Set<string>} occupied
   */
  hint(place, occupied) {
    const at = middle(place.box);
    if (place.cell && occupied.has(place.cell)) {
      return s("rect", { class: "take", x: place.box.x + 4, y: place.box.y + 4, width: place.box.width - 8, height: place.box.height - 8, rx: 10 });
    }
    return s("circle", { class: "go", cx: at.x, cy: at.y, r: 15 });
  }

  /**
   * Asks for a choice at the square of the last step.
   * @param {Step[]} choices
   */
  ask(choices) {
    const g = /** @type {Geometry} */ (this.geometry);
    const scene = /** @type {Scene} */ (this.scene);
    const made = this.walk.made;
    const cells = made.filter((key) => key.startsWith("cell:"));
    const box = this.places.get(cells[cells.length - 1] ?? "")?.box;
    const mover = scene.pieces.find((piece) => `cell:${piece.cell}` === made[0]);
    const style = scene.boards[0].style;
    const down = (mover?.owner === 1) !== g.flipped;
    const drawn = (/** @type {string} */ choice) => {
      if (!mover || style === "map") return null;
      const promoted = style === "wood" ? choice === "promote" : mover.promoted;
      const kind = style === "wood" ? mover.kind : choice;
      return s("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, picture({ ...mover, kind, promoted }, style, this.signs, down));
    };
    put(this.asked, choices.map((step) =>
      h("button", { type: "button", "data-choice": step.choice, onclick: () => this.take(stepKey(step)) },
        drawn(step.choice ?? ""), h("span", {}, word(step.choice ?? "")))));
    this.asked.setAttribute("role", "group");
    this.asked.setAttribute("aria-label", "Choose");
    this.asked.hidden = false;
    if (box) {
      const at = middle(box);
      const low = at.y > g.height / 2;
      setStyle(this.asked, {
        left: `${Math.min(Math.max((100 * at.x) / g.width, 22), 78)}%`,
        top: low ? "auto" : `${(100 * (box.y + box.height)) / g.height}%`,
        bottom: low ? `${100 - (100 * box.y) / g.height}%` : "auto",
      });
    }
    if (this.byKey) /** @type {HTMLElement} */ (this.asked.firstElementChild)?.focus();
  }

  closeQuestion() {
    const had = this.asked.contains(document.activeElement);
    this.asked.hidden = true;
    put(this.asked);
    if (had) this.places.get(this.focused)?.element.focus();
  }

  /**
   * Makes a step; a step that is not allowed begins anew, with it if it can be the first.
   * @param {string} key
   */
  take(key) {
    if (this.walk.next().has(key)) {
      const gesture = this.walk.take(key);
      if (gesture) return this.finish(gesture);
    } else {
      const again = this.walk.made[0] === key && this.walk.made.length === 1;
      this.walk.reset();
      if (!again && this.walk.next().has(key)) {
        const gesture = this.walk.take(key);
        if (gesture) return this.finish(gesture);
      }
    }
    this.refresh();
  }

  /** @param {Gesture} gesture */
  finish(gesture) {
    this.walk = new Walk([]);
    this.refresh();
    this.onMove?.(gesture);
  }

  /**
   * Moves the focus to a place.
   * @param {string} key
   */
  focus(key) {
    this.places.get(this.focused)?.element.setAttribute("tabindex", "-1");
    this.focused = key;
    const element = this.places.get(key)?.element;
    element?.setAttribute("tabindex", "0");
    element?.focus({ preventScroll: true });
  }

  /** Lets the piece of the last move glide to where it is. */
  glide() {
    const { last } = /** @type {Scene} */ (this.scene);
    const g = /** @type {Geometry} */ (this.geometry);
    if (g.iso || !last.length) return;
    const to = g.cells.get(last[last.length - 1]);
    const from = last.length > 1 ? g.cells.get(last[0]) : to && { ...to, y: -100 };
    const rack = this.scene?.boards[0].style === "rack";
    if (!to || !from || (last.length === 1 && !rack)) return;
    const holder = this.svg.querySelector(`.pieces [data-cell="${CSS.escape(last[last.length - 1])}"]`);
    const scale = Math.min(to.width, to.height) / 100;
    const shift = `translate(${(from.x - to.x) / scale}px, ${(from.y - to.y) / scale}px)`;
    const timing = { duration: rack ? 260 : 140, easing: rack ? "ease-in" : "ease-out" };
    holder?.firstElementChild?.animate([{ transform: shift }, { transform: "none" }], timing);
  }
}

/**
 * A choice as people say it.
 * @param {string} choice
 */
export function word(choice) {
  return choice.charAt(0).toUpperCase() + choice.slice(1);
}
