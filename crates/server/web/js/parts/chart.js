// A small line chart: curves with optional bands, exact values under the pointer, and nothing without data.

import { h, put, s } from "../dom.js";

/** @typedef {{x: number, y: number, low?: number, high?: number, bound?: string}} Point a `bound` says what a value is that is only a limit */
/** @typedef {{name: string, points: Point[]}} Curve */
/**
 * @typedef {object} ChartOptions
 * @property {string} label what is drawn, in a sentence
 * @property {string} x
 * @property {string} y
 * @property {[number, number]} [range] of y
 * @property {number} [at] an x that is marked
 * @property {number} [level] a y that is marked
 * @property {(x: number) => void} [onPick]
 * @property {(y: number) => string} [write]
 * @property {number} [height]
 * @property {boolean} [narrow] for a narrow column
 * @property {boolean} [zero] whether x begins at 0
 */

/** Widths of drawings: with less room there are fewer units, so that letters keep their size. */
const [WIDE, NARROW] = [720, 400];

/**
 * Round steps that cover a range.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 */
export function ticks(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const out = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-6; at += step) out.push(Number(at.toPrecision(10)));
  return out;
}

/**
 * @param {Curve[]} curves
 * @param {ChartOptions} options
 */
export function chart(curves, options) {
  const width = options.narrow || innerWidth < 700 ? NARROW : WIDE;
  const height = options.height ?? 240;
  const [left, right, top, bottom] = [58, 14, 14, 40];
  const all = curves.flatMap((curve) => curve.points);
  if (!all.length) return h("p", { class: "soft" }, "Nothing to draw yet.");
  const xs = all.map((point) => point.x);
  const ys = all.flatMap((point) => [point.low ?? point.y, point.high ?? point.y, point.y]);
  let [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  let [y0, y1] = options.range ?? [Math.min(...ys, options.level ?? Infinity), Math.max(...ys, options.level ?? -Infinity)];
  if (options.zero) x0 = Math.min(x0, 0);
  if (x0 === x1) [x0, x1] = [x0 - 0.5, x1 + 0.5];
  const whole = xs.every(Number.isInteger);
  if (!options.range) {
    const pad = (y1 - y0) * 0.06 || 0.5;
    [y0, y1] = [y0 - pad, y1 + pad];
  }
  const px = (/** @type {number} */ x) => left + ((x - x0) / (x1 - x0)) * (width - left - right);
  const py = (/** @type {number} */ y) => height - bottom - ((y - y0) / (y1 - y0)) * (height - top - bottom);
  const write = options.write ?? ((/** @type {number} */ y) => String(Number(y.toPrecision(4))));
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": options.label, class: "curves" });
  for (const y of ticks(y0, y1, 4)) {
    svg.append(s("path", { class: "gridline", d: `M${left} ${py(y)}H${width - right}` }), s("text", { class: "tick y", x: left - 8, y: py(y) + 5 }, write(y)));
  }
  for (const x of ticks(x0, x1, width / 110).filter((one) => !whole || Number.isInteger(one))) {
    const text = String(Number(x.toPrecision(4)));
    // The last one stays inside of the drawing.
    svg.append(s("text", { class: "tick x", x: Math.min(px(x), width - 4 * text.length), y: height - bottom + 18 }, text));
  }
  svg.append(s("text", { class: "tick axis", x: width - right, y: height - 4 }, options.x));
  if (options.level !== undefined) svg.append(s("path", { class: "level", d: `M${left} ${py(options.level)}H${width - right}` }));
  curves.forEach((curve, number) => {
    const name = `curve c${number % 6}`;
    const banded = curve.points.filter((point) => point.low !== undefined && point.high !== undefined);
    if (banded.length > 1) {
      const up = banded.map((point) => `${px(point.x).toFixed(1)} ${py(/** @type {number} */ (point.high)).toFixed(1)}`);
      const down = [...banded].reverse().map((point) => `${px(point.x).toFixed(1)} ${py(/** @type {number} */ (point.low)).toFixed(1)}`);
      svg.append(s("path", { class: `band c${number % 6}`, d: `M${[...up, ...down].join("L")}Z` }));
    }
    // A single measurement has its interval, too.
    if (banded.length === 1) {
      const [one] = banded;
      svg.append(s("path", { class: name, d: `M${px(one.x)} ${py(/** @type {number} */ (one.low))}V${py(/** @type {number} */ (one.high))}` }));
    }
    const d = curve.points.map((point) => `${px(point.x).toFixed(1)} ${py(point.y).toFixed(1)}`).join("L");
    svg.append(s("path", { class: name, d: `M${d}` }));
    if (curve.points.length < 60) {
      for (const point of curve.points) svg.append(s("circle", { class: `dot c${number % 6}${point.bound ? " bound" : ""}`, "data-x": point.x, "data-y": point.y, cx: px(point.x), cy: py(point.y), r: 2.6 }));
    }
  });
  if (options.at !== undefined) svg.append(s("path", { class: "now", d: `M${px(options.at)} ${top}V${height - bottom}` }));

  const read = h("output", { class: "read" });
  const line = s("path", { class: "hairline" });
  svg.append(line);
  const nearest = (/** @type {PointerEvent|MouseEvent} */ event) => {
    const area = svg.getBoundingClientRect();
    const x = x0 + (((event.clientX - area.left) / area.width) * width - left) / (width - left - right) * (x1 - x0);
    return all.reduce((best, point) => (Math.abs(point.x - x) < Math.abs(best.x - x) ? point : best)).x;
  };
  svg.addEventListener("pointermove", (event) => {
    const x = nearest(event);
    line.setAttribute("d", `M${px(x)} ${top}V${height - bottom}`);
    const values = curves.flatMap((curve) => {
      const point = curve.points.find((one) => one.x === x);
      if (!point) return [];
      const band = point.low === undefined ? "" : ` (${write(point.low)} to ${write(point.high ?? point.y)})`;
      return [`${curves.length > 1 ? `${curve.name} ` : ""}${point.bound ? `${point.bound} ` : ""}${write(point.y)}${band}`];
    });
    put(read, `${options.x} ${Number(x.toPrecision(5))}: ${values.join(", ")}`);
  });
  svg.addEventListener("pointerleave", () => {
    line.setAttribute("d", "");
    put(read);
  });
  if (options.onPick) {
    svg.classList.add("pickable");
    svg.addEventListener("click", (event) => options.onPick?.(nearest(event)));
  }
  const legend = h("ul", { class: "legend" }, curves.map((curve, number) =>
    h("li", {}, h("button", { type: "button", class: "plain", "aria-pressed": "true", onclick: (/** @type {MouseEvent} */ event) => {
      const button = /** @type {HTMLElement} */ (event.currentTarget);
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      for (const part of svg.querySelectorAll(`.c${number % 6}`)) part.classList.toggle("away", !shown);
    } }, h("span", { class: `key k${number % 6}` }), curve.name))));
  return h("figure", { class: "chart" }, h("figcaption", {}, options.y, read), svg, curves.length > 1 ? legend : null);
}
