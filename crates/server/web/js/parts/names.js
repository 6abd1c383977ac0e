// What agents and sides are called and look like where they are only named.

import { get } from "../api.js";

/** Runs by their ids: nobody knows a run by its id. */
const RUN = /\br[0-9a-f]{16}\b/g;

/**
 * Lines of agents with the names of runs in place of their ids.
 * @param {string[]} lines
 * @returns {Promise<string[]>}
 */
export async function named(lines) {
  if (!lines.some((line) => line.search(RUN) >= 0)) return lines;
  const runs = /** @type {import("../types.js").Run[]} */ (await get("/api/runs").catch(() => []));
  const names = new Map(runs.map((run) => [run.id, run.name]));
  return lines.map((line) => line.replace(RUN, (id) => names.get(id) ?? id));
}

/** @type {Record<string, string>} */
const COLOURS = { Black: "black", White: "white", Red: "red", Blue: "blue" };

/**
 * The class of a side's mark: its colour where its name is one.
 * @param {import("../types.js").GameInfo} info
 * @param {number} side
 */
export const chip = (info, side) => `chip ${COLOURS[info.sides[side]] ?? `p${side}`}`;
