// Opinion time-lapse: one position, and what the run's network thought of it at each kept checkpoint.

import { position } from "../api.js";
import { placesOf } from "../board/board.js";
import { calm, h, put, reason } from "../dom.js";
import { run as runJob, wasStopped } from "../jobs.js";
import { movesOf } from "../link.js";
import { bench } from "./bench.js";
import { chart } from "./chart.js";
import { percent } from "./opinions.js";

/** @typedef {import("../types.js").Opinions["opinions"][number]} Checkpoint */

/** Moves that are drawn: on the board, and as curves. */
const [MARKS, CURVES] = [5, 4];
/** Policies below this are not drawn on the board. */
const UNLIKELY = 0.02;

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
    // Integer and value networks have no policy: their moves have the chance that each of them leads to.
    const marks = opinion.policy.length
      ? opinion.policy.filter((one) => one.share > UNLIKELY).map((one) => ({ move: one.move, weight: one.share, said: one.share }))
      : opinion.lines.map((one, rank) => ({ move: one.move, weight: rank ? 0.35 : 0.9, said: one.win }));
    stand.board.think(marks.slice(0, MARKS).map((one, rank) =>
      ({ places: placesOf(steps.get(one.move) ?? [], shown.scene.to_move), weight: one.weight, label: percent(one.said), kind: rank ? "other" : "" })));
    const [likely, best] = [opinion.policy[0], opinion.lines[0]];
    const choice = likely ? `${likely.notation} with probability ${percent(likely.share)}` : `the best move is ${best?.notation ?? "?"}`;
    put(said, `Generation ${opinion.generation}: ${choice}; the side to move wins with ${percent(opinion.win)}`);
    draw();
  }

  function draw() {
    const last = opinions.at(-1);
    const likely = Boolean(last?.policy.length);
    const best = (likely ? last?.policy : last?.lines) ?? [];
    /** @param {Checkpoint} one @param {string} move */
    const of = (one, move) => (likely ? one.policy.find((other) => other.move === move)?.share ?? 0 : one.lines.find((other) => other.move === move)?.win);
    const curves = [{ name: "win", points: opinions.map((one) => ({ x: one.generation, y: one.win })) },
      // The first line is worth what the position is worth.
      ...best.slice(likely ? 0 : 1, CURVES + (likely ? 0 : 1)).map((move) => ({
        name: likely ? move.notation : `after ${move.notation}`,
        points: opinions.flatMap((one) => {
          const y = of(one, move.move);
          return y === undefined ? [] : [{ x: one.generation, y }];
        }),
      }))];
    const drawn = likely
      ? { label: "Winning chance and policy of the best moves by generation", y: "Winning chance of the side to move, and the policy of four moves" }
      : { label: "Winning chance by generation", y: "Winning chance of the side to move, with the best move and after others" };
    put(graph, chart(curves, { ...drawn, x: "generation", range: [0, 1], at: opinions[at]?.generation, write: (y) => percent(y), onPick: (x) => void show(Math.max(opinions.findIndex((one) => one.generation === x), 0)), height: 220 }));
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
