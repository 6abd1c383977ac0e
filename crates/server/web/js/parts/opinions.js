// What agents think of one position, side by side: each with its lines, its win percentage and what it cost.

import { h, put } from "../dom.js";

/** @typedef {import("../types.js").Opinion} Opinion */
/** @typedef {import("../types.js").Line} Line */
/** @typedef {import("../types.js").Truth} Truth */

/** @param {number|null|undefined} share */
export function percent(share) {
  return share === null || share === undefined ? "" : `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;
}

/** @param {number|null|undefined} count */
export function short(count) {
  if (count === null || count === undefined) return "";
  if (count < 10_000) return String(count);
  return count < 1e6 ? `${(count / 1e3).toFixed(0)}k` : `${(count / 1e6).toFixed(1)}M`;
}

/** Lines with fewer visits than this share of all say little. */
const FEW = 0.01;
const MOST = 5;

/**
 * @param {{onMove: (move: string) => void, onPoint: (line: Line|null) => void, onChoose: (agent: number) => void}} options
 */
export function opinions({ onMove, onPoint, onChoose }) {
  const element = h("div", { class: "opinions" });
  /** @type {{list: Opinion[], truth: Truth|null, chosen: number}|null} */
  let waiting = null;
  let held = false;
  // A line does not change while the pointer is on it.
  element.addEventListener("pointerover", (event) => {
    held = Boolean(/** @type {Element} */ (event.target).closest("tbody"));
  });
  element.addEventListener("pointerleave", () => {
    held = false;
    onPoint(null);
    if (waiting) draw(waiting.list, waiting.truth, waiting.chosen);
  });

  /**
   * @param {Opinion[]} list
   * @param {Truth|null} truth
   * @param {number} chosen whose opinion is on the board
   */
  function draw(list, truth, chosen) {
    waiting = null;
    put(element, list.map((opinion, at) => column(opinion, truth, at, chosen, list.length)));
  }

  /**
   * @param {Opinion} opinion
   * @param {Truth|null} truth
   * @param {number} at
   * @param {number} chosen
   * @param {number} count
   */
  function column(opinion, truth, at, chosen, count) {
    // A move of which nothing is known but its name says nothing.
    const lines = opinion.lines.filter((line) => line.win !== null || line.proof !== null || line.prior !== null || line.share).slice(0, MOST);
    const proven = opinion.proof === 1 ? "proven win" : opinion.proof === 0 ? "proven loss" : opinion.proof === 0.5 ? "proven draw" : "";
    const facts = [
      `${opinion.cpu.toFixed(2)} s`, opinion.simulations ? `${short(opinion.simulations)} simulations` : "",
      opinion.nodes && !opinion.simulations ? `${short(opinion.nodes)} nodes` : "", opinion.depth ? `depth ${opinion.depth}` : "",
    ].filter(Boolean);
    return h("section", { class: "opinion", "aria-label": opinion.agent },
      h("h3", {}, count > 1
        ? h("button", { type: "button", class: "plain", "aria-pressed": String(at === chosen), title: "Show on the board", onclick: () => onChoose(at) }, opinion.agent)
        : opinion.agent,
      h("span", { class: "win" }, proven || percent(opinion.win))),
      h("p", { class: "soft small-text facts" }, facts.join(" · "), opinion.done ? "" : " …"),
      h("div", { class: "wide" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", {}, "Move"), h("th", { class: "number" }, "Win"), h("th", { class: "number" }, "Visits"), h("th", { class: "number" }, "Policy"), truth && h("th", {}, "Truth"))),
        h("tbody", {}, lines.flatMap((line) => row(line, truth))))));
  }

  /**
   * @param {Line} line
   * @param {Truth|null} truth
   */
  function row(line, truth) {
    const few = line.share !== null && line.share < FEW && line.proof === null;
    const known = truth?.moves.find((one) => one.move === line.move);
    const rest = line.line_notation.slice(1, 8).join(" ");
    const first = h("tr", { class: few ? "few" : null, onpointerenter: () => onPoint(line) },
      h("td", {}, h("button", { type: "button", class: "plain move", onclick: () => onMove(line.move) }, line.notation)),
      h("td", { class: "number" }, line.proof === 1 ? "wins" : line.proof === 0 ? "loses" : percent(line.win)),
      h("td", { class: "number" }, line.share === null ? short(line.visits) : percent(line.share)),
      h("td", { class: "number" }, percent(line.prior)),
      truth && h("td", {}, known ? verdict(known) : ""));
    if (!rest) return [first];
    return [first, h("tr", { class: "expected", onpointerenter: () => onPoint(line) }, h("td", { colspan: truth ? 5 : 4, class: "soft" }, rest))];
  }

  return {
    element,
    /**
     * @param {Opinion[]} list
     * @param {Truth|null} truth
     * @param {number} chosen
     */
    show(list, truth, chosen) {
      if (held) waiting = { list, truth, chosen };
      else draw(list, truth, chosen);
    },
    clear() {
      held = false;
      waiting = null;
      put(element);
    },
  };
}

/** @param {{value: number}} known */
export function verdict(known) {
  return known.value > 0 ? "wins" : known.value < 0 ? "loses" : "draws";
}
