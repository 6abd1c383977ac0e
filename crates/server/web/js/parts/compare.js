// Several runs in one chart: strength by cost, by time or by training step.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { go } from "../link.js";
import { chart } from "./chart.js";

/** @typedef {import("../types.js").RunDetail} RunDetail */

/** @type {Record<string, [string, (place: any) => number]>} */
const AXES = {
  cost: ["processor minutes", (place) => place.cpu_minutes],
  time: ["minutes", (place) => place.minutes],
  step: ["training steps", (place) => place.steps],
};

/**
 * The strength of a run against one opponent, over an axis.
 * @param {RunDetail} run
 * @param {string} opponent
 * @param {string} by
 * @returns {import("./chart.js").Point[]}
 */
export function strengthPoints(run, opponent, by) {
  const places = new Map(run.places.map((place) => [place.generation, place]));
  return measurements(run).filter((one) => one.opponent === opponent && places.has(one.generation)).flatMap(/** @returns {import("./chart.js").Point[]} */ (one) => {
    const x = AXES[by][1](places.get(one.generation));
    const [difference, low, high] = one.elo;
    if (difference !== null) return [{ x, y: difference, low: low ?? undefined, high: high ?? undefined }];
    // All games won or lost: the difference has no end on one side, and what is known is the other end.
    if (low !== null) return [{ x, y: low, bound: "at least" }];
    return high === null ? [] : [{ x, y: high, bound: "at most" }];
  });
}

/**
 * Every measurement of a run, oldest first.
 * @param {RunDetail} run
 * @returns {import("../types.js").Strength[]}
 */
function measurements(run) {
  return run.events.filter((event) => event.event === "strength");
}

/**
 * Buttons for the axis.
 * @param {string} by
 * @param {(by: string) => void} onPick
 */
export function axes(by, onPick) {
  return h("div", { class: "buttons overlays", role: "group", "aria-label": "By" }, "By",
    Object.keys(AXES).map((name) => h("button", { type: "button", class: "plain", "data-by": name, "aria-pressed": String(name === by), onclick: () => onPick(name) }, name)));
}

/**
 * One chart for each opponent that a run was measured against.
 * @param {RunDetail[]} runs
 * @param {string} by
 */
export function strengthCharts(runs, by) {
  const opponents = [...new Set(runs.flatMap((run) => measurements(run).map((one) => one.opponent)))];
  if (!opponents.length) return h("p", { class: "soft" }, "Not measured yet.");
  return h("div", {}, opponents.map((opponent) => {
    const curves = runs.map((run) => ({ name: run.name, points: strengthPoints(run, opponent, by) })).filter((curve) => curve.points.length);
    return chart(curves, { label: `Strength against ${opponent} by ${AXES[by][0]}`, x: AXES[by][0], y: `Elo against ${opponent}`, level: 0, zero: true });
  }));
}

/**
 * @param {string[]} ids
 * @param {string} by
 * @param {AbortSignal} signal
 */
export async function compare(ids, by, signal) {
  const runs = await Promise.all(ids.map((id) => get(`/api/runs/${encodeURIComponent(id)}`)));
  const place = h("section", {});
  if (signal.aborted) return place;
  const axis = AXES[by] ? by : "cost";
  put(place, h("h2", {}, "Strength compared"), axes(axis, (name) => go("runs", { compare: ids.join(","), by: name })), strengthCharts(runs, axis));
  return place;
}
