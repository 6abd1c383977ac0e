// Opinion time-lapse: one position, and what the run's network thought of it at each kept checkpoint.

import { position } from "../api.js";
import { placesOf } from "../board/board.js";
import { calm, h, put, reason } from "../dom.js";
import { run as runJob, wasStopped } from "../jobs.js";
import { movesOf } from "../link.js";
import { bench } from "./bench.js";
import { chart } from "./chart.js";
import { percent } from "./opinions.js";

/** @typedef {{generation: number, value: number, win: number, policy: {move: string, notation: string, share: number}[]}} Checkpoint */

/** Milliseconds between two questions while a run is at work. */
const RENEWAL = 15_000;

/**
 * @param {import("../types.js").RunDetail} run
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export function timelapse(run, query, signal) {
  const place = { game: run.game, rules: run.rules, start: query.get("start") ?? "startpos", moves: movesOf(query.get("moves")) };
  /** @type {Checkpoint[]} */
  let opinions = [];
  let at = 0;
  /** @type {ReturnType<typeof setInterval>|undefined} */
  let playing;
  signal.addEventListener("abort", () => clearInterval(playing));
  const stand = bench({ onMove: (gesture) => { place.moves = [...place.moves, gesture.move]; void load(); } });
  const slider = h("input", { type: "range", min: 0, max: 0, value: "0", "aria-label": "Checkpoint", oninput: () => show(Number(slider.value)) });
  const said = h("p", { class: "status", role: "status" });
  const graph = h("div", {});
  const through = h("button", { type: "button", "data-tool": "lapse", onclick: () => toggle() }, "Run through");
  const back = h("button", { type: "button", onclick: () => { place.moves = place.moves.slice(0, -1); void load(); } }, "Take back a move");

  function toggle() {
    clearInterval(playing);
    if (playing !== undefined) {
      playing = undefined;
      return put(through, "Run through");
    }
    put(through, "Stop");
    if (at >= opinions.length - 1) show(0);
    playing = setInterval(() => {
      if (at >= opinions.length - 1) return toggle();
      show(at + 1);
    }, calm() ? 1500 : 600);
  }

  /** @param {number} number */
  async function show(number) {
    at = number;
    slider.value = String(number);
    const opinion = opinions[number];
    if (!opinion) return;
    const shown = await position(place);
    if (signal.aborted) return;
    const steps = new Map(shown.gestures.map((gesture) => [gesture.move, gesture.steps]));
    stand.board.think(opinion.policy.slice(0, 5).filter((one) => one.share > 0.02).map((one, rank) =>
      ({ places: placesOf(steps.get(one.move) ?? [], shown.scene.to_move), weight: one.share, label: percent(one.share), kind: rank ? "other" : "" })));
    put(said, `Generation ${opinion.generation}: ${opinion.policy[0]?.notation ?? "?"} ${percent(opinion.policy[0]?.share)}; the side to move wins with ${percent(opinion.win)}`);
    draw();
  }

  function draw() {
    const last = opinions.at(-1);
    const best = (last?.policy ?? []).slice(0, 4);
    const curves = [{ name: "win", points: opinions.map((one) => ({ x: one.generation, y: one.win })) },
      ...best.map((move) => ({ name: move.notation, points: opinions.map((one) => ({ x: one.generation, y: one.policy.find((other) => other.move === move.move)?.share ?? 0 })) }))];
    put(graph, chart(curves, { label: "Winning chance and policy of the best moves by generation", x: "generation", y: "Winning chance of the side to move, and the policy of four moves", range: [0, 1], at: opinions[at]?.generation, write: (y) => percent(y), onPick: (x) => void show(Math.max(opinions.findIndex((one) => one.generation === x), 0)), height: 220 }));
  }

  async function load() {
    try {
      const shown = await position(place);
      if (signal.aborted) return;
      stand.show(shown.scene, shown.gestures);
      stand.board.think([]);
      back.disabled = place.moves.length === 0;
      if (shown.outcome) return void put(said, "The game is over here.");
      put(said, "Asking every checkpoint…");
      const job = await runJob({ kind: "opinions", run: run.id, ...place }, { signal });
      opinions = job.result.opinions;
      if (signal.aborted) return;
      slider.max = String(Math.max(opinions.length - 1, 0));
      if (opinions.length) await show(opinions.length - 1);
      else put(said, "No checkpoints yet.");
    } catch (error) {
      if (!wasStopped(error)) put(said, reason(error));
    }
  }

  let asked = Date.now();
  void load();
  const element = h("div", { class: "lapse" }, h("p", { class: "soft small-text" }, "Make moves on the board to ask about another position."), stand.element, slider, h("div", { class: "buttons" }, through, back), said, graph);
  return {
    element,
    /** Asks again, now that there are more checkpoints; not too often, and not while somebody looks at older ones. */
    renew() {
      if (playing !== undefined || at < opinions.length - 1 || Date.now() - asked < RENEWAL) return;
      asked = Date.now();
      void load();
    },
  };
}
