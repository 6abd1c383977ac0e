// One position or game under study.

import { get, position } from "../api.js";
import { placesOf } from "../board/board.js";
import { h, put, reason } from "../dom.js";
import { run, wasStopped } from "../jobs.js";
import { link, movesOf, stay } from "../link.js";
import { agentForm } from "../parts/agent.js";
import { bench, screenKeys } from "../parts/bench.js";
import { moveList } from "../parts/moves.js";
import { opinions, percent } from "../parts/opinions.js";
import { brief } from "../parts/shelf.js";
import { BLUNDER, judge, moversOf, reportView, slips, winBar } from "../parts/report.js";
import { COSTS } from "./play-setup.js";

/** @typedef {import("../types.js").Opinion} Opinion */
/** @typedef {import("../types.js").Truth} Truth */
/** @typedef {import("../types.js").Line} Line */

/** What an agent says before it has begun to think. */
const SILENT = { agent: "", done: false, value: null, win: null, proof: null, depth: null, nodes: null, simulations: null, cpu: 0, lines: [] };

const OVERLAYS = [["visits", "Visits"], ["policy", "Policy"], ["value", "Value"], ["truth", "Truth"], ["none", "Nothing"]];

/**
 * @param {HTMLElement} root
 * @param {import("../types.js").GameInfo} info
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @param {HTMLElement} importer
 */
export async function study(root, info, query, signal, importer) {
  const networks = (await get("/api/networks").catch(() => [])).filter((/** @type {any} */ net) => net.game === info.name);
  const place = { game: info.name, rules: query.get("rules") ?? info.rules[0], start: query.get("start") ?? info.starts[0]?.name ?? "startpos", moves: movesOf(query.get("moves")) };
  let ply = query.has("ply") ? Math.min(Number(query.get("ply")), place.moves.length) : place.moves.length;
  let agents = (query.get("agents") || info.best).split("|");
  let overlay = query.get("show") ?? "visits";
  let live = query.has("live");
  let running = false;
  let chosen = 0;
  let whole = await position(place);
  let shown = whole;
  /** @type {Opinion[]} */
  let thought = [];
  /** @type {Truth|null} */
  let truth = null;
  /** @type {import("../parts/report.js").Judged[]} */
  let judged = [];
  /** @type {number[]} */
  let movers = [];
  let work = new AbortController();
  signal.addEventListener("abort", () => work.abort());

  const stand = bench({ onMove: (gesture) => void play(gesture.move), flipped: query.has("flip"), onFlip: () => { url(); drawThoughts(); } });
  const bar = winBar();
  const moves = moveList({ onPick: (at) => void look(at) });
  const status = h("p", { class: "status", role: "status" });
  const said = h("p", { class: "truth" });
  const columns = opinions({ onMove: (move) => void play(move), onPoint: (line) => drawThoughts(line), onChoose: (at) => { chosen = at; drawThoughts(); redraw(); } });
  const report = h("div", {});
  const cost = h("select", { "aria-label": "Processor time of each agent", "data-tool": "cpu", value: query.get("cpu") ?? "1", onchange: () => url() }, COSTS.map(([value, text]) => h("option", { value }, text)));
  const think = h("button", { type: "button", class: "main", "data-tool": "think", title: "Key: Space", onclick: () => toggle() });
  const ask = info.truth && h("button", { type: "button", "data-tool": "truth", onclick: () => void askTruth() }, "What is true?");
  const all = h("button", { type: "button", "data-tool": "report", onclick: () => void judgeAll() }, "Judge every move");
  const overlays = h("div", { class: "buttons overlays", role: "group", "aria-label": "On the board" });
  const hide = hiding({ bar: "Bar", lines: "Lines", graph: "Graph" }, root);
  const forms = h("div", { class: "fields" });
  const seats = h("details", {}, h("summary", {}, "Agents"), forms);

  put(root, h("h1", { class: "quiet" }, `Analyse: ${brief(info.title)}`),
    h("div", { class: "table study" },
      h("div", {}, h("div", { class: "barred" }, bar.element, stand.element), h("div", { class: "graph-part" }, report)),
      h("div", { class: "beside" },
        h("div", { class: "buttons" }, think, cost, ask, all), status, said, overlays,
        h("div", { class: "lines-part" }, columns.element), seats,
        h("div", { class: "buttons steps" }, step("«", "To the start", () => 0), step("‹", "Back", () => ply - 1), step("›", "On", () => ply + 1), step("»", "To the end", () => place.moves.length),
          h("a", { class: "button", "data-tool": "play-on", href: "#" }, "Play from here")),
        moves.element, hide, h("details", { class: "no-print" }, h("summary", {}, "Open another position or game"), importer),
        h("p", { class: "soft small-text mono text" }))));
  screenKeys({ ArrowLeft: () => void look(ply - 1), ArrowRight: () => void look(ply + 1), f: stand.flip, " ": () => toggle() }, signal);

  /** @param {string} sign @param {string} label @param {() => number} to */
  function step(sign, label, to) {
    return h("button", { type: "button", "aria-label": label, onclick: () => void look(to()) }, sign);
  }

  function url() {
    const usual = agents.length === 1 && agents[0] === info.best;
    stay("analyse", {
      game: info.name, rules: place.rules, start: place.start, moves: place.moves.join(" "), ply: ply === place.moves.length ? null : ply,
      agents: usual ? null : agents.join("|"), cpu: cost.value === "1" ? null : cost.value, show: overlay === "visits" ? null : overlay,
      flip: stand.board.view.flipped, live,
    });
  }

  function drawForms() {
    const made = agents.map((line, at) => agentForm(info, line, { label: `Agent ${at + 1}`, networks }));
    const take = () => {
      agents = made.map((form) => form.line());
      restart();
    };
    put(forms, made.map((form, at) => h("div", {}, form.element,
      made.length > 1 && h("button", { type: "button", class: "plain", onclick: () => { agents.splice(at, 1); drawForms(); restart(); } }, "Remove"))),
      h("div", { class: "buttons" },
        h("button", { type: "button", "data-tool": "apply", onclick: take }, "Use these"),
        made.length < 4 && h("button", { type: "button", "data-tool": "add", onclick: () => {
          agents = [...made.map((form) => form.line()), (info.agents ?? []).find((one) => one.name === "uct")?.name ?? "random"];
          drawForms();
        } }, "Add an agent")),
      h("p", { class: "soft small-text" }, "All of them think about the same position for the same processor time."));
  }

  /** @param {Line|null} [pointed] */
  function drawThoughts(pointed = null) {
    const steps = new Map(shown.gestures.map((gesture) => [gesture.move, gesture.steps]));
    const mover = shown.scene.to_move;
    const arrow = (/** @type {string} */ move, /** @type {number} */ weight, /** @type {string} */ label, kind = "") =>
      ({ places: placesOf(steps.get(move) ?? [], mover), weight, label, kind });
    const opinion = thought[chosen] ?? thought[0];
    const first = opinion ? (opinion.proof ?? opinion.win) : null;
    bar.show(first === null || first === undefined ? null : mover === 0 ? first : 1 - first, opinion?.agent ?? "", stand.board.view.flipped);
    if (pointed) return stand.board.think([arrow(pointed.move, 0.8, "")]);
    if (overlay === "none") return stand.board.think([]);
    if (overlay === "truth") {
      const known = truth?.moves ?? [];
      return stand.board.think(known.filter((one) => one.value > 0 || known.length <= 16).map((one) =>
        arrow(one.move, 0.5, "", one.value > 0 ? "" : one.value < 0 ? "hint" : "other")));
    }
    const size = (/** @type {Line} */ line) => overlay === "policy" ? line.prior : overlay === "value" ? line.win : line.share ?? (line === opinion?.lines[0] ? 1 : 0);
    const ranked = (opinion?.lines ?? []).map((line) => ({ line, weight: size(line) ?? 0 })).sort((a, b) => b.weight - a.weight).filter(({ weight }) => weight > 0.02).slice(0, 5);
    return stand.board.think(ranked.map(({ line, weight }, at) => arrow(line.move, Math.min(weight, 1), percent(size(line)), at ? "other" : "")));
  }

  function redraw() {
    columns.show(thought, truth, chosen);
    put(overlays, OVERLAYS.filter(([name]) => name !== "truth" || info.truth).map(([name, text]) =>
      h("button", { type: "button", class: "plain", "data-overlay": name, "aria-pressed": String(overlay === name), onclick: () => { overlay = name; url(); redraw(); drawThoughts(); if (name === "truth" && !truth) void askTruth(); } }, text)));
    put(think, running ? "Stop" : "Think");
    put(said, truth ? ["Truth: ", h("strong", {}, truth.text), belief()] : "");
  }

  /** The chosen agent's belief beside the truth. */
  function belief() {
    const opinion = thought[chosen] ?? thought[0];
    if (!truth?.known || !opinion || opinion.win === null) return "";
    const mover = shown.scene.to_move;
    const real = truth.winner === null ? 0.5 : truth.winner === mover ? 1 : 0;
    return `; ${opinion.agent} believes ${percent(opinion.win)}, off by ${percent(Math.abs(real - opinion.win))}`;
  }

  function restart() {
    url();
    if (live) void search();
  }

  function toggle() {
    live = !running;
    url();
    if (live) return void search();
    work.abort();
    put(status, "Stopped.");
    return undefined;
  }

  /** @param {Record<string, unknown>} order @param {(job: import("../types.js").Job) => void} onUpdate */
  async function start(order, onUpdate) {
    work.abort();
    work = new AbortController();
    const { signal: mine } = work;
    status.classList.remove("bad");
    running = true;
    redraw();
    mine.addEventListener("abort", () => ended());
    const ended = () => {
      if (work.signal !== mine) return;
      running = false;
      redraw();
    };
    // Fast steps through a game start one search, not one a step.
    await new Promise((resolve) => setTimeout(resolve, 120));
    if (mine.aborted) return null;
    try {
      return await run({ ...place, moves: place.moves.slice(0, ply), ...order }, { signal: mine, onUpdate: (job) => !mine.aborted && onUpdate(job) });
    } catch (error) {
      if (!wasStopped(error)) {
        put(status, reason(error));
        status.classList.add("bad");
        live = false;
      }
      return null;
    } finally {
      ended();
    }
  }

  async function search() {
    if (shown.outcome) return void put(status, "The game is over.");
    put(status, `Thinking, ${cost.value} s of processor time each…`);
    const job = await start({ kind: "search", agents, cpu: Number(cost.value) }, (update) => {
      if (!update.result) return;
      thought = update.result.agents.map((/** @type {Partial<Opinion>} */ one) => ({ ...SILENT, ...one }));
      redraw();
      drawThoughts();
    });
    if (!job) return;
    put(status, `Done: ${job.cost.cpu.toFixed(1)} s of processor time.`);
    if (overlay === "truth") await askTruth();
  }

  async function askTruth() {
    if (shown.outcome) return;
    put(status, "Looking for the truth…");
    const job = await start({ kind: "truth" }, () => {});
    if (!job) return;
    truth = job.result;
    put(status, truth?.known ? "" : "Not found within the limit.");
    redraw();
    drawThoughts();
  }

  async function judgeAll() {
    work.abort();
    work = new AbortController();
    live = false;
    try {
      movers = await moversOf(place);
      const agent = agents[0];
      await judge(place, agent, Math.min(Number(cost.value), 0.3), work.signal, (list, count) => {
        judged = list;
        put(status, `Judged ${list.length} of ${count} positions.`);
        drawReport(list.length === count);
      });
    } catch (error) {
      if (!wasStopped(error)) put(status, reason(error));
    }
  }

  function drawReport(done = true) {
    if (!judged.length) return put(report);
    const found = slips(judged, place, whole.notation, movers);
    put(report, reportView({ judged, slips: found, sides: info.sides, agent: agents[0], title: `${brief(info.title)}: a game judged by ${agents[0]}`, ply, done, onPick: (at) => void look(at) }));
    const remarks = whole.notation.map((_, at) => {
      const slip = found.find((one) => one.ply === at);
      return slip ? (slip.loss >= BLUNDER ? "blunder" : "slip") : null;
    });
    moves.show(whole.notation, ply, remarks);
  }

  /** @param {number} at */
  async function look(at) {
    const to = Math.min(Math.max(at, 0), place.moves.length);
    const next = await position({ ...place, moves: place.moves.slice(0, to) });
    if (signal.aborted) return;
    ply = to;
    shown = next;
    thought = [];
    truth = null;
    columns.clear();
    stand.show(shown.scene, shown.gestures);
    moves.show(whole.notation, ply);
    drawReport();
    const text = root.querySelector(".text");
    if (text) put(text, shown.text);
    root.querySelector("[data-tool=play-on]")?.setAttribute("href", link("play", { game: info.name, rules: place.rules, start: place.start, moves: place.moves.slice(0, ply).join(" "), side: String(shown.scene.to_move ?? 0) }));
    const ended = shown.outcome ? `${shown.outcome.winner === null ? "A draw" : `${info.sides[shown.outcome.winner]} won`}${shown.ending ? `: ${shown.ending}` : ""}.` : "";
    put(status, ended || shown.scene.notes.join("; "));
    url();
    redraw();
    drawThoughts();
    if (live) void search();
  }

  /** @param {string} move */
  async function play(move) {
    const kept = [...place.moves.slice(0, ply), move];
    // A move that the game went on with keeps what follows.
    if (place.moves[ply] !== move) {
      whole = await position({ ...place, moves: kept });
      place.moves = kept;
      judged = [];
    }
    await look(ply + 1);
  }

  drawForms();
  await look(ply);
  if (query.has("report") && place.moves.length) void judgeAll();
}

/**
 * What can be hidden: each part by its own box. Remembered.
 * @param {Record<string, string>} parts
 * @param {HTMLElement} root
 */
function hiding(parts, root) {
  return h("fieldset", { class: "radios no-print" }, h("legend", {}, "Show"), Object.entries(parts).map(([name, text]) => {
    const apply = (/** @type {boolean} */ on) => root.classList.toggle(`no-${name}`, !on);
    const on = localStorage.getItem(`show-${name}`) !== "no";
    apply(on);
    const box = h("input", { type: "checkbox", checked: on, onchange: () => {
      apply(box.checked);
      localStorage.setItem(`show-${name}`, box.checked ? "yes" : "no");
    } });
    return h("label", { class: "radio" }, box, text);
  }));
}
