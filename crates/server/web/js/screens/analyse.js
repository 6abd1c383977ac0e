// Analyse: any position or game; what agents think of it at the same cost, and what is true.

import { game as gameInfo, games, post } from "../api.js";
import { h, put, reason } from "../dom.js";
import { go, link } from "../link.js";
import { shelf } from "../parts/shelf.js";
import { study } from "./analyse-study.js";

/** @type {import("../main.js").Screen} */
export async function screen(root, at, signal) {
  const name = at.query.get("game");
  if (name) {
    const info = await gameInfo(name);
    await study(root, info, at.query, signal, await importer(name));
    return;
  }
  put(root, h("h1", {}, "Analyse"), h("div", { class: "two even" },
    h("div", {}, h("h2", {}, "Paste or open something"), await importer(null)),
    h("div", {}, h("h2", {}, "Or begin at the start of a game"), await shelf((one) => link("analyse", { game: one }), signal))));
}

/**
 * A form that takes any position, list of moves or file.
 * @param {string|null} name the game it is likely to be
 */
async function importer(name) {
  const list = await games();
  const text = h("textarea", { name: "text", "aria-label": "A position or a game", placeholder: "FEN, SFEN, a map, moves, or the text of a PGN, KIF, CSA or other file", spellcheck: "false" });
  const which = h("select", { name: "game", value: name ?? "" }, h("option", { value: "" }, "found from the text"), list.map((one) => h("option", { value: one.name }, one.title)));
  const problem = h("p", { class: "notice bad", role: "alert", hidden: true });
  const open = h("input", { type: "file", "aria-label": "A file", onchange: async () => {
    const chosen = open.files?.[0];
    if (chosen) text.value = await chosen.text();
  } });
  return h("form", { class: "fields importer", onsubmit: async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    problem.hidden = true;
    try {
      const found = await post("/api/import", { text: text.value, ...(which.value ? { game: which.value } : {}) });
      go("analyse", { game: found.game, rules: found.rules, start: found.start, moves: found.moves.join(" ") });
    } catch (error) {
      problem.hidden = false;
      put(problem, reason(error));
    }
  } }, text, h("div", { class: "pair" }, h("label", {}, h("span", {}, "Game"), which), h("label", {}, h("span", {}, "File"), open)),
    problem, h("div", { class: "buttons" }, h("button", { class: "main" }, "Open")));
}
