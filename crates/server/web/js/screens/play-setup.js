// Before a game: rules, start, opponent, side, thinking time.

import { game as gameInfo, get } from "../api.js";
import { h, put, reason } from "../dom.js";
import { go, link } from "../link.js";
import { agentForm } from "../parts/agent.js";
import { smallBoard } from "../parts/shelf.js";

/** How long an opponent may think, in seconds of processor time. */
export const COSTS = [["0.1", "0.1 s"], ["0.3", "0.3 s"], ["1", "1 s"], ["3", "3 s"], ["10", "10 s"]];

/**
 * A choice of rules; hidden if there is none.
 * @param {import("../types.js").GameInfo} info
 * @param {string|null} value
 */
export function rulesField(info, value) {
  const select = h("select", { name: "rules", value: value ?? info.rules[0] }, info.rules.map((rule) => h("option", { value: rule }, rule)));
  return { select, element: h("label", { hidden: info.rules.length < 2 }, h("span", {}, "Rules"), select) };
}

/**
 * @param {HTMLElement} root
 * @param {string} name
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export async function setup(root, name, query, signal) {
  const info = await gameInfo(name);
  const networks = (await get("/api/networks").catch(() => [])).filter((/** @type {any} */ net) => net.game === name);
  if (signal.aborted) return;
  const agent = agentForm(info, query.get("agent") ?? info.best, { label: "Opponent", networks });
  const rules = rulesField(info, query.get("rules"));
  const start = h("select", { name: "start", value: query.get("start") ?? "startpos" },
    info.starts.map((one) => h("option", { value: one.name }, one.title || one.name)));
  const cost = h("select", { name: "cpu", value: query.get("cpu") ?? "1" }, COSTS.map(([value, text]) => h("option", { value }, text)));
  const picture = h("div", { class: "pictured large" });
  const show = () => put(picture, smallBoard({ game: name, rules: rules.select.value, start: start.value, moves: [] }, signal));
  start.addEventListener("change", show);
  show();
  const side = (/** @type {string} */ value, /** @type {string} */ text) =>
    h("label", { class: "radio" }, h("input", { type: "radio", name: "side", value, checked: (query.get("side") ?? "0") === value }), text);
  const problem = h("p", { class: "notice bad", role: "alert", hidden: true });
  const form = h("form", { class: "fields setup", onsubmit: (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    try {
      const chosen = /** @type {string} */ (new FormData(form).get("side"));
      const line = chosen === "both" ? "" : agent.line();
      go("play", { game: name, rules: rules.select.value, start: start.value, agent: line, cpu: cost.value, side: chosen, flip: chosen === "1" });
    } catch (error) {
      problem.hidden = false;
      put(problem, reason(error));
    }
  } },
    agent.element,
    h("fieldset", { class: "radios" }, h("legend", {}, "You play"), side("0", `${info.sides[0]} (first)`), side("1", `${info.sides[1]} (second)`), side("both", "both sides")),
    h("label", {}, h("span", {}, "The opponent thinks for, in processor time a move"), cost),
    h("label", { hidden: info.starts.length < 2 }, h("span", {}, "Start"), start),
    rules.element, problem,
    h("div", { class: "buttons" }, h("button", { class: "main", "data-start": "" }, "Start the game"), h("a", { href: link("play") }, "Another game")));
  put(root, h("h1", {}, info.title), h("div", { class: "two" }, form, picture));
}
