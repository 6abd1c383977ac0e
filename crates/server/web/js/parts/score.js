// Scores of matches, and the sequential test as a gauge.

import { h, s } from "../dom.js";

/**
 * Wins, draws and losses.
 * @param {import("../types.js").Score|null|undefined} counts
 */
export function score(counts) {
  return counts ? `+${counts.wins} =${counts.draws} −${counts.losses}` : "";
}

/**
 * Where the log-likelihood ratio stands between its bounds.
 * @param {NonNullable<import("../types.js").Match["sprt"]>} test
 */
export function gauge(test) {
  const { low: lower, high: upper } = test;
  const llr = test.llr ?? 0;
  const at = (/** @type {number} */ value) => 20 + 360 * Math.min(Math.max((value - lower) / (upper - lower), 0), 1);
  const text = `Log-likelihood ratio ${llr.toFixed(2)}, from ${lower.toFixed(2)} to ${upper.toFixed(2)}`;
  return h("figure", { class: "gauge" },
    s("svg", { viewBox: "0 0 400 54", role: "img", "aria-label": text },
      s("path", { class: "scale", d: "M20 24H380M20 16V32M380 16V32" }), s("path", { class: "middle", d: `M${at(0)} 18V30` }),
      s("circle", { class: "needle", cx: at(llr), cy: 24, r: 8 }),
      s("text", { class: "tick start", x: 20, y: 50 }, `no: ${lower.toFixed(2)}`), s("text", { class: "tick y", x: 380, y: 50 }, `yes: ${upper.toFixed(2)}`)),
    h("figcaption", { class: "soft small-text" }, text, `: is it ${test.elo1} Elo rather than ${test.elo0}? `, !test.verdict || /continue/i.test(String(test.verdict)) ? "not decided yet" : String(test.verdict)));
}
