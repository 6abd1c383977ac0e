// One run: its curves while it learns, its newest games, what it cost, and how its opinion of a position changed.

import { file, get } from "../api.js";
import { h, put, reason } from "../dom.js";
import { begin, cancel, watch } from "../jobs.js";
import { link, stay } from "../link.js";
import { axes, strengthCharts } from "../parts/compare.js";
import { smallBoard } from "../parts/shelf.js";
import { timelapse } from "../parts/timelapse.js";
import { duration, elo } from "./runs.js";

/** @typedef {import("../types.js").RunDetail} RunDetail */

const STEPS = { cost: "cpu", time: "minutes", step: "steps" };

/**
 * Processor seconds of a run by what they were spent on.
 * @param {RunDetail} run
 */
function ledger(run) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const entry of run.costs) sums.set(entry.phase, (sums.get(entry.phase) ?? 0) + entry.cpu);
  return sums;
}

/** @type {CSSStyleSheet | null} */
let chartStyle = null;

/**
 * A chart of the server as an element. The page's policy allows no inline style, so the one that a chart brings along, as a
 * file of its own needs it, becomes a sheet of the page.
 * @param {string} text
 */
function drawing(text) {
  const inline = /<style>([^]*?)<\/style>/;
  const style = inline.exec(text)?.[1];
  if (style && !chartStyle) {
    chartStyle = new CSSStyleSheet();
    // Figures of the page have the same class.
    chartStyle.replaceSync(style.replaceAll(".chart", "svg.chart"));
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, chartStyle];
  }
  const parsed = new DOMParser().parseFromString(text.replace(inline, ""), "image/svg+xml");
  return document.importNode(parsed.documentElement, true);
}

/** @type {import("../main.js").Screen} */
export async function one(root, at, signal) {
  const path = `/api/runs/${encodeURIComponent(at.id)}`;
  let by = at.query.get("by") ?? "cost";
  const title = h("h1", { class: "quiet" });
  const status = h("p", { class: "status", role: "status", "data-run": "" });
  const facts = h("div", {});
  const tools = h("div", { class: "buttons" });
  const strength = h("div", {});
  const charts = h("div", { class: "charts" });
  const games = h("ul", { class: "shelf" });
  const lapse = h("div", {});
  const written = h("details", {}, h("summary", {}, "The experiment"), h("pre", { tabindex: "0" }));
  put(root, title, h("div", { class: "table study" },
    h("div", {}, h("h2", { class: "first" }, "Strength"), strength, h("h2", {}, "How its opinion changed"), lapse, h("h2", {}, "Learning"), charts),
    h("div", { class: "beside" }, status, tools, facts, h("h2", {}, "Newest games"), games, written)));
  let generation = -1;
  let measured = -1;
  let phase = "";
  /** @type {ReturnType<typeof timelapse>|null} */
  let opinion = null;

  async function show() {
    const run = /** @type {RunDetail} */ (await get(path));
    if (signal.aborted) return;
    put(title, `${run.name}: ${run.game}`);
    if (run.problem) throw new Error(run.problem);
    put(status, `${run.state}, generation ${run.generation}`, phase ? `: ${phase}` : "");
    const row = (/** @type {string} */ name, /** @type {any} */ value) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, value));
    put(facts, h("table", {}, h("tbody", {}, row("Time", duration(run.seconds)), row("Processor time", duration(run.cpu_seconds)),
      [...ledger(run)].map(([phase, cpu]) => row(`of it, ${phase}`, duration(cpu))),
      run.strength.map((one) => row(`Against ${one.opponent}`, elo(one))))));
    put(tools,
      run.job
        ? h("button", { type: "button", "data-tool": "stop", onclick: () => void act(() => cancel(/** @type {string} */ (run.job))) }, "Stop")
        : h("button", { type: "button", class: "main", "data-tool": "resume", onclick: () => void act(() => begin({ kind: "train", run: run.id, budget: "10m" })) }, "Go on for 10 minutes"),
      run.generation > 0 && h("a", { class: "button", "data-tool": "play", href: link("play", { game: run.game, agent: run.agent, setup: true }) }, "Play what it learned"));
    // Matches come after the generation that they measure, the last ones after the last generation.
    const matches = run.events.filter((event) => event.event === "strength").length;
    if (matches !== measured || run.generation !== generation) drawStrength(run);
    measured = matches;
    if (run.generation === generation) return;
    generation = run.generation;
    const pre = written.querySelector("pre");
    if (pre) put(pre, run.experiment);
    await drawCharts(run);
    const newest = await get(`${path}/games`).catch(() => []);
    if (signal.aborted) return;
    put(games, newest.length ? newest.slice(0, 8).map((/** @type {any} */ game) => h("li", {}, h("a", { href: link("analyse", { game: game.game, rules: game.rules, start: game.start, moves: game.moves.join(" ") }) },
      h("div", { class: "pictured" }, smallBoard(game, signal)), h("span", {}, `${game.moves.length} moves, ${game.ending || "unfinished"}`)))) : h("li", { class: "soft" }, "None yet."));
    if (!opinion) {
      opinion = timelapse(run, at.query, signal);
      put(lapse, opinion.element);
    } else opinion.renew();
  }

  /** @param {RunDetail} run */
  function drawStrength(run) {
    put(strength, axes(by, (name) => {
      by = name;
      stay(`runs/${at.id}`, { by });
      drawStrength(run);
      void drawCharts(run);
    }), strengthCharts([run], by));
  }

  /** @param {RunDetail} run */
  async function drawCharts(run) {
    const x = STEPS[/** @type {keyof typeof STEPS} */ (by)] ?? "cpu";
    // What this method does not measure is left out. Strength has its own chart above.
    const measured = {
      strength: false,
      accuracy: run.events.some((event) => (event.policy_accuracy ?? event.value_accuracy ?? 0) > 0),
      "held-out": run.events.some((event) => event.held_out || event.test),
    };
    const drawn = await Promise.all(run.charts.filter((kind) => measured[/** @type {keyof typeof measured} */ (kind)] ?? true).map(async (kind) => {
      const { text } = await file(`${path}/chart/${kind}.svg?x=${x}`);
      return h("figure", { class: "chart" }, drawing(text));
    }));
    if (!signal.aborted) put(charts, drawn);
  }

  /** @param {() => Promise<any>} what */
  async function act(what) {
    try {
      await what();
      await show();
    } catch (error) {
      put(status, reason(error));
    }
  }

  // A run that has just been started has nothing to show yet.
  for (let tries = 0; ; tries += 1) {
    const known = /** @type {RunDetail[]} */ (await get("/api/runs"));
    if (signal.aborted) return;
    if (known.some((run) => run.id === at.id && run.state !== "unreadable")) {
      await show();
      break;
    } else {
      const jobs = /** @type {import("../types.js").Job[]} */ (await get("/api/jobs"));
      const begun = jobs.find((job) => job.kind === "train" && job.result?.run === at.id);
      if (begun?.error) throw new Error(begun.error);
      if (!begun || tries > 60) throw new Error(known.find((run) => run.id === at.id)?.problem ?? "There is no such run.");
      put(title, begun.result.name ?? "Run");
      put(status, "Getting ready…");
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  let waiting = false;
  watch((job) => {
    if (job.kind !== "train" || job.result?.run !== at.id) return;
    const { phase: now, done, of } = job.result;
    phase = job.state === "running" ? `${now}${of ? ` ${done} of ${of}` : ""}` : job.error ?? "";
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      if (!signal.aborted) void show().catch(() => {});
    }, 1000);
  }, signal);
}
