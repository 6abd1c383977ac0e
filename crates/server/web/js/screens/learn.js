// Learn: the tabular methods on tic-tac-toe, step by step, with the values on the board.

import { get, position } from "../api.js";
import { h, put, reason } from "../dom.js";
import { run, wasStopped } from "../jobs.js";
import { movesOf, stay } from "../link.js";
import { bench } from "../parts/bench.js";
import { chart } from "../parts/chart.js";

/** @type {import("../main.js").Screen} */
export async function screen(root, at, signal) {
  const methods = /** @type {import("../types.js").Method[]} */ (await get("/api/learn"));
  const place = { game: "tictactoe", rules: "official", start: "startpos", moves: movesOf(at.query.get("moves")) };
  /** @type {import("../types.js").Frame[]} */
  let frames = [];
  let step = 0;
  let work = new AbortController();
  signal.addEventListener("abort", () => work.abort());
  const stand = bench({ onMove: (gesture) => void go([...place.moves, gesture.move]) });
  const which = h("select", { name: "method", value: at.query.get("method") ?? "td0", onchange: () => told() }, methods.map((one) => h("option", { value: one.name }, one.name)));
  const about = h("p", { class: "soft small-text" });
  const episodes = h("input", { type: "number", min: 1, max: 200000, value: at.query.get("episodes") ?? "2000", name: "episodes" });
  const seed = h("input", { type: "number", min: 0, value: at.query.get("seed") ?? "1", name: "seed" });
  const status = h("p", { class: "status", role: "status" });
  const slider = h("input", { type: "range", min: 0, max: 0, value: "0", "aria-label": "Episodes learned from", oninput: () => { step = Number(slider.value); void show(); } });
  const graph = h("div", {});
  const back = h("button", { type: "button", onclick: () => void go(place.moves.slice(0, -1)) }, "Take back a move");
  const exact = h("input", { type: "checkbox", onchange: () => void show() });
  const told = () => {
    put(about, method()?.title ?? "", h("br"), h("code", {}, method()?.formula ?? ""));
  };
  const method = () => methods.find((one) => one.name === which.value);
  told();
  put(root, h("h1", {}, "Learn"),
    h("p", {}, "A table with one value for each position of tic-tac-toe. Choose a method, let it play, and watch its values on the board come closer to the true ones."),
    h("div", { class: "table" }, stand.element, h("div", { class: "beside" },
      h("form", { class: "fields", onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); void learn(); } },
        h("label", {}, h("span", {}, "Method"), which), about,
        h("div", { class: "pair" }, h("label", {}, h("span", {}, "Games to learn from"), episodes), h("label", {}, h("span", {}, "Seed"), seed)),
        h("div", { class: "buttons" }, h("button", { class: "main", "data-start": "" }, "Learn"), back)),
      status, h("label", {}, h("span", {}, "Step through what it learned"), slider), h("label", { class: "radio" }, exact, "Show the true values instead"), graph)));

  /** @param {string[]} moves */
  async function go(moves) {
    place.moves = moves;
    stay("learn", { method: which.value, episodes: episodes.value, seed: seed.value, moves: moves.join(" ") });
    await show();
    if (frames.length) await learn();
  }

  async function show() {
    const shown = await position(place);
    if (signal.aborted) return;
    stand.show(shown.scene, shown.gestures);
    back.disabled = place.moves.length === 0;
    const now = frames[step];
    if (!now) return stand.board.think([]);
    const values = now.moves.map((one) => ({ move: one.move, value: exact.checked ? one.exact : one.learned }));
    const cells = new Map(shown.gestures.map((gesture) => [gesture.move, gesture.steps[0].cell ?? ""]));
    stand.board.think([], values.filter((one) => cells.has(one.move)).map((one) => ({
      cell: /** @type {string} */ (cells.get(one.move)), tint: Math.abs(one.value), label: `${one.value > 0 ? "+" : ""}${one.value.toFixed(2)}`, kind: one.value < -0.05 ? "lost" : one.value > 0.05 ? "" : "even",
    })));
    put(status, `After ${now.count} ${method()?.unit ?? "games"}: the values are off by ${now.point.rms.toFixed(4)} (root of the mean square).`);
    put(graph, chart([{ name: "error", points: frames.map((one) => ({ x: Math.log10(Math.max(one.count, 1)), y: one.point.rms })) }],
      { label: "Error of the values by games", x: "games, as a power of 10", y: "Error against the exact values", range: [0, Math.max(...frames.map((one) => one.point.rms)) * 1.08], at: Math.log10(Math.max(now.count, 1)), height: 200, narrow: true, onPick: (x) => { step = Math.max(frames.findIndex((one) => Math.log10(Math.max(one.count, 1)) === x), 0); slider.value = String(step); void show(); } }));
    return undefined;
  }

  async function learn() {
    work.abort();
    work = new AbortController();
    put(status, "Learning…");
    try {
      const order = { kind: "learn", ...place, method: which.value, episodes: Number(episodes.value), seed: Number(seed.value) };
      const job = await run(order, { signal: work.signal });
      frames = job.result.frames;
      slider.max = String(frames.length - 1);
      step = frames.length - 1;
      slider.value = String(step);
      stay("learn", { method: which.value, episodes: episodes.value, seed: seed.value, moves: place.moves.join(" ") });
      await show();
    } catch (error) {
      if (!wasStopped(error)) put(status, reason(error));
    }
  }

  await show();
}
