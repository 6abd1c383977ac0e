// Runs: networks that learn. A table of them, one of them in detail, or several compared.

import { get } from "../api.js";
import { h, put, reason } from "../dom.js";
import { begin, watch } from "../jobs.js";
import { go, link } from "../link.js";
import { compare } from "../parts/compare.js";
import { one } from "./runs-one.js";

/** @typedef {import("../types.js").Run} Run */

/** @type {import("../main.js").Screen} */
export async function screen(root, at, signal) {
  if (at.id) await one(root, at, signal);
  else await list(root, at, signal);
}

/** @param {number|null|undefined} seconds */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 90) return `${seconds.toFixed(0)} s`;
  return seconds < 5400 ? `${(seconds / 60).toFixed(0)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** @param {Run} run */
export function strongest(run) {
  const last = run.strength?.at(-1);
  return last ? `${elo(last)} against ${last.opponent}` : "";
}

/**
 * A measurement in words: Elo with its interval, or the score where Elo is infinite.
 * @param {import("../types.js").Strength} one
 */
export function elo(one) {
  const [difference, low, high] = one.elo;
  if (difference === null) return `${one.score[0]} won, ${one.score[1]} drawn, ${one.score[2]} lost`;
  const sign = (/** @type {number|null} */ value) => (value === null ? "?" : `${value > 0 ? "+" : ""}${value.toFixed(0)}`);
  return `${sign(difference)} Elo (${sign(low)} to ${sign(high)})`;
}

/** @type {import("../main.js").Screen} */
async function list(root, at, signal) {
  const table = h("div", {});
  const charts = h("div", {});
  const form = h("div", {});
  const picked = new Set((at.query.get("compare") ?? "").split(",").filter(Boolean));
  put(root, h("h1", {}, "Runs"), h("div", { class: "two" }, form, h("div", {}, table, charts)));
  const show = async () => {
    const runs = /** @type {Run[]} */ (await get("/api/runs"));
    if (signal.aborted) return;
    const toggle = (/** @type {string} */ id) => {
      if (!picked.delete(id)) picked.add(id);
      go("runs", { compare: [...picked].join(","), by: at.query.get("by") });
    };
    put(table, runs.length
      ? h("div", { class: "wide" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Compare"), h("th", {}, "Run"), h("th", {}, "Game"), h("th", {}, "State"), h("th", { class: "number" }, "Generation"), h("th", {}, "Strength"), h("th", { class: "number" }, "Cost"))),
        h("tbody", {}, runs.map((run) => h("tr", {},
          h("td", {}, h("input", { type: "checkbox", "aria-label": `Compare ${run.name}`, checked: picked.has(run.id), onchange: () => toggle(run.id) })),
          h("td", {}, h("a", { href: link(`runs/${run.id}`) }, run.name)), h("td", {}, run.game), h("td", {}, run.state, run.problem ? `: ${run.problem}` : ""),
          h("td", { class: "number" }, run.generation ?? ""), h("td", {}, strongest(run)), h("td", { class: "number" }, duration(run.cpu_seconds)))))))
      : h("p", { class: "soft" }, "No runs yet. Begin one: a network learns while you watch."));
  };
  await Promise.all([show(), runForm(form)]);
  if (picked.size) put(charts, await compare([...picked], at.query.get("by") ?? "cost", signal));
  watch((job) => job.kind === "train" && void show().catch(() => {}), signal);
}

/** @param {HTMLElement} place */
async function runForm(place) {
  const experiments = /** @type {{name: string, game: string, about: string, budget: string}[]} */ (await get("/api/experiments"));
  const about = h("p", { class: "soft small-text" });
  const which = h("select", { name: "experiment", onchange: () => told() }, [...new Set(experiments.map((one) => one.game))].map((game) =>
    h("optgroup", { label: game }, experiments.filter((one) => one.game === game).map((one) => h("option", { value: one.name }, one.name)))));
  const told = () => {
    const chosen = experiments.find((one) => one.name === which.value);
    put(about, chosen?.about ?? "");
    budget.value = chosen?.budget ?? "10m";
  };
  const name = h("input", { name: "name", placeholder: "as the experiment", autocomplete: "off", spellcheck: "false" });
  const budget = h("input", { name: "budget", value: "10m", autocomplete: "off" });
  const threads = h("input", { type: "number", min: 1, max: 64, value: "1", name: "threads" });
  const settings = h("textarea", { name: "set", "aria-label": "Settings", placeholder: "selfplay.simulations = 50", spellcheck: "false" });
  const problem = h("p", { class: "notice bad", role: "alert", hidden: true });
  told();
  put(place, h("form", { class: "fields", onsubmit: async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    problem.hidden = true;
    try {
      const job = await begin({ kind: "train", experiment: which.value, ...(name.value ? { name: name.value } : {}), budget: budget.value, threads: Number(threads.value), set: parseSettings(settings.value) });
      const run = job.result?.run;
      if (run) go(`runs/${run}`);
      else location.reload();
    } catch (error) {
      problem.hidden = false;
      put(problem, reason(error));
    }
  } }, h("h2", { class: "first" }, "Train a network"), h("label", {}, h("span", {}, "Experiment"), which), about,
    h("div", { class: "pair" }, h("label", {}, h("span", {}, "Name"), name), h("label", {}, h("span", {}, "Budget"), budget)),
    h("label", {}, h("span", {}, "Threads"), threads),
    h("details", {}, h("summary", {}, "Settings"), h("p", { class: "soft small-text" }, "One a line, as in an experiment file."), settings),
    problem, h("div", { class: "buttons" }, h("button", { class: "main", "data-start": "" }, "Start training"))));
}

/**
 * Lines `key = value`.
 * @param {string} text
 */
function parseSettings(text) {
  /** @type {Record<string, unknown>} */
  const settings = {};
  for (const line of text.split("\n").map((one) => one.trim()).filter(Boolean)) {
    const at = line.indexOf("=");
    if (at < 1) throw new Error(`"${line}" is not a setting: write KEY = VALUE`);
    const value = line.slice(at + 1).trim();
    settings[line.slice(0, at).trim()] = value !== "" && Number.isFinite(Number(value)) ? Number(value) : value.replace(/^"|"$/g, "");
  }
  return settings;
}
