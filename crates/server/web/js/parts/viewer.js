// A game to look through: a board, steps back and on, and the way to its analysis.

import { position } from "../api.js";
import { h, put } from "../dom.js";
import { link } from "../link.js";
import { bench } from "./bench.js";

/**
 * @param {import("../types.js").Place} place
 * @param {{title: string, about: string, signal: AbortSignal}} options
 */
export function viewer(place, { title, about, signal }) {
  let ply = place.moves.length;
  const stand = bench({});
  const at = h("span", { class: "soft" });
  const analyse = h("a", { class: "button" }, "Analyse");
  const look = async (/** @type {number} */ to) => {
    const next = Math.min(Math.max(to, 0), place.moves.length);
    const shown = await position({ ...place, moves: place.moves.slice(0, next) });
    if (signal.aborted) return;
    ply = next;
    stand.show(shown.scene);
    put(at, `move ${ply} of ${place.moves.length}`);
    analyse.setAttribute("href", link("analyse", { ...place, moves: place.moves.join(" "), ply }));
  };
  const step = (/** @type {string} */ sign, /** @type {string} */ label, /** @type {() => number} */ to) =>
    h("button", { type: "button", "aria-label": label, onclick: () => void look(to()) }, sign);
  void look(ply);
  return h("section", { class: "viewer", "aria-label": title }, h("h2", { class: "first" }, title), h("p", { class: "soft" }, about), stand.element,
    h("div", { class: "buttons steps" }, step("«", "To the start", () => 0), step("‹", "Back", () => ply - 1), step("›", "On", () => ply + 1), step("»", "To the end", () => place.moves.length), at, analyse));
}
