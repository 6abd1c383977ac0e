// A game looked at move by move: where the winning chance fell, by how much, and what was better.

import { position, save } from "../api.js";
import { h, put, s } from "../dom.js";
import { run } from "../jobs.js";
import { chart } from "./chart.js";
import { percent } from "./opinions.js";

/** @typedef {import("../types.js").Place} Place */
/** @typedef {import("../types.js").Position} Position */
/** @typedef {{ply: number, win: number, best: string, bestNotation: string}} Judged */
/** @typedef {{ply: number, mover: number, notation: string, loss: number, better: string}} Slip */

/** From this loss of winning chance on a move counts as a slip, and as a blunder. */
export const SLIP = 0.08;
export const BLUNDER = 0.2;

/**
 * Asks an agent about every position of a game, one after the other.
 * @param {Place} place
 * @param {string} agent
 * @param {number} cpu
 * @param {AbortSignal} signal
 * @param {(judged: Judged[], whole: number) => void} onStep
 */
export async function judge(place, agent, cpu, signal, onStep) {
  /** @type {Judged[]} */
  const judged = [];
  for (let ply = 0; ply <= place.moves.length; ply += 1) {
    const at = { ...place, moves: place.moves.slice(0, ply) };
    const shown = await position(at);
    if (signal.aborted) throw new DOMException("stopped", "AbortError");
    if (shown.outcome) {
      const { winner } = shown.outcome;
      judged.push({ ply, win: winner === null ? 0.5 : winner === 0 ? 1 : 0, best: "", bestNotation: "" });
    } else {
      const job = await run({ kind: "search", ...at, agents: [agent], cpu }, { signal });
      const opinion = job.result.agents[0];
      const mine = opinion.proof ?? opinion.win ?? opinion.lines[0]?.win ?? 0.5;
      const first = shown.scene.to_move === 0 ? mine : 1 - mine;
      judged.push({ ply, win: first, best: opinion.lines[0]?.move ?? "", bestNotation: opinion.lines[0]?.notation ?? "" });
    }
    onStep(judged, place.moves.length + 1);
  }
  return judged;
}

/**
 * The moves that lost most, the worst first.
 * @param {Judged[]} judged
 * @param {Place} place
 * @param {string[]} notation
 * @param {number[]} movers
 * @returns {Slip[]}
 */
export function slips(judged, place, notation, movers) {
  const out = [];
  for (let ply = 0; ply + 1 < judged.length; ply += 1) {
    const sign = movers[ply] === 0 ? 1 : -1;
    const loss = sign * (judged[ply].win - judged[ply + 1].win);
    if (loss >= SLIP && judged[ply].best !== place.moves[ply]) {
      out.push({ ply, mover: movers[ply], notation: notation[ply], loss, better: judged[ply].bestNotation });
    }
  }
  return out.sort((a, b) => b.loss - a.loss);
}

/**
 * @param {object} made
 * @param {Judged[]} made.judged
 * @param {Slip[]} made.slips
 * @param {string[]} made.sides
 * @param {string} made.agent
 * @param {string} made.title
 * @param {number} made.ply
 * @param {boolean} made.done
 * @param {(ply: number) => void} made.onPick
 */
export function reportView({ judged, slips: found, sides, agent, title, ply, done, onPick }) {
  const graph = chart([{ name: `${sides[0]} wins`, points: judged.map((one) => ({ x: one.ply, y: one.win })) }], {
    label: `Winning chance of ${sides[0]} after each move, judged by ${agent}`, x: "move", y: `Winning chance of ${sides[0]}, judged by ${agent}`,
    range: [0, 1], level: 0.5, at: ply, onPick, write: (y) => percent(y), height: 200,
  });
  const table = h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Move"), h("th", {}, "Player"), h("th", { class: "number" }, "Lost"), h("th", {}, "Better"))),
    h("tbody", {}, found.slice(0, 12).map((slip) => h("tr", {},
      h("td", {}, h("button", { type: "button", class: "plain move", onclick: () => onPick(slip.ply) }, `${slip.ply + 1}. ${slip.notation}`)),
      h("td", {}, sides[slip.mover]), h("td", { class: "number" }, percent(slip.loss)), h("td", {}, slip.better)))));
  const body = h("div", { class: "report" }, graph,
    found.length ? [h("h3", {}, "Where the game was lost"), table] : done && h("p", { class: "soft" }, `No move lost more than ${percent(SLIP)}.`),
    done && h("p", { class: "no-print" }, h("button", { type: "button", "data-tool": "export-report", onclick: () => save("report.html", asFile(title, graph, table), "text/html") }, "Save the report")));
  return body;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#24211d}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #ddd}
svg{width:100%;height:auto}.curve{fill:none;stroke:#0d6a66;stroke-width:2.5}.dot{fill:#0d6a66}.gridline{stroke:#ddd}.level{stroke:#999;stroke-dasharray:4 4}
.tick{font-size:13px;fill:#555}.tick.y,.tick.axis{text-anchor:end}.tick.x{text-anchor:middle}.now,.hairline{display:none}button{all:unset}`;

/**
 * The report as one file that needs nothing else.
 * @param {string} title
 * @param {HTMLElement} graph
 * @param {HTMLElement} table
 */
function asFile(title, graph, table) {
  const page = document.implementation.createHTMLDocument(title);
  page.documentElement.lang = "en";
  const style = page.createElement("style");
  style.textContent = STYLE;
  const meta = page.createElement("meta");
  meta.setAttribute("charset", "utf-8");
  page.head.prepend(meta);
  page.head.append(style);
  const heading = page.createElement("h1");
  heading.textContent = title;
  page.body.append(heading, page.importNode(graph, true), page.importNode(table, true));
  return `<!doctype html>\n${page.documentElement.outerHTML}\n`;
}

/**
 * The side to move before each move of a game.
 * @param {Place} place
 */
export async function moversOf(place) {
  const shown = await Promise.all(place.moves.map((_, ply) => position({ ...place, moves: place.moves.slice(0, ply) })));
  return shown.map((one) => one.scene.to_move ?? 0);
}

/**
 * The bar beside the board: one named agent's winning chance of the first player.
 */
export function winBar() {
  const fill = s("rect", { class: "first", x: 0, y: 0, width: 100, height: 1000 });
  const svg = s("svg", { viewBox: "0 0 100 1000", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { class: "second", x: 0, y: 0, width: 100, height: 1000 }), fill);
  const text = h("span", { class: "said" });
  const element = h("div", { class: "winbar", hidden: true }, svg, text);
  return {
    element,
    /**
     * @param {number|null} win of the first player
     * @param {string} agent
     * @param {boolean} flipped
     */
    show(win, agent, flipped) {
      element.hidden = win === null;
      if (win === null) return;
      fill.setAttribute("height", String(1000 * win));
      fill.setAttribute("y", String(flipped ? 0 : 1000 * (1 - win)));
      put(text, percent(win));
      element.title = `${agent}: the first player wins with ${percent(win)}`;
    },
  };
}
