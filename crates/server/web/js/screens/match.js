// Match: two agents play many games; the score, what it says about their strength, and what it cost.

import { game as gameInfo, games, get, position, post } from "../api.js";
import { BoardView } from "../board/board.js";
import { h, put, reason } from "../dom.js";
import { begin, cancel, watch } from "../jobs.js";
import { go, link, stay } from "../link.js";
import { agentForm } from "../parts/agent.js";
import { percent } from "../parts/opinions.js";
import { gauge, score } from "../parts/score.js";
import { brief } from "../parts/shelf.js";
import { named } from "../parts/names.js";
import { viewer } from "../parts/viewer.js";

/** @type {import("../main.js").Screen} */
export async function screen(root, at, signal) {
  if (at.id) await one(root, at, signal);
  else await list(root, at, signal);
}

/** @type {import("../main.js").Screen} */
async function list(root, at, signal) {
  const all = await games();
  const name = at.query.get("game") ?? all[0].name;
  const matches = h("div", {});
  const form = h("div", {});
  put(root, h("h1", {}, "Match"), h("div", { class: "two" }, form, h("div", {}, h("h2", { class: "first" }, "Matches"), matches)));
  const show = async () => {
    const found = /** @type {import("../types.js").MatchRow[]} */ (await get("/api/matches"));
    const players = await named(found.flatMap((match) => match.players));
    if (signal.aborted) return;
    put(matches, found.length
      ? h("div", { class: "wide" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Match"), h("th", {}, "Game"), h("th", { class: "number" }, "Games"), h("th", { class: "number" }, "Score"), h("th", {}, "State"))),
        h("tbody", {}, found.map((match, row) => h("tr", {}, h("td", {}, h("a", { href: link(`match/${match.id}`) }, players.slice(2 * row, 2 * row + 2).join(" against "))),
          h("td", {}, match.game), h("td", { class: "number" }, `${match.games} of ${match.asked}`), h("td", { class: "number" }, score(match.score)), h("td", {}, match.state))))))
      : h("p", { class: "soft" }, "None yet."));
  };
  await Promise.all([show(), matchForm(form, all, name, signal)]);
  watch((job) => job.kind === "match" && void show().catch(() => {}), signal);
}

/**
 * @param {HTMLElement} place
 * @param {import("../types.js").GameInfo[]} all
 * @param {string} name
 * @param {AbortSignal} signal
 */
async function matchForm(place, all, name, signal) {
  const info = await gameInfo(name);
  const networks = (await get("/api/networks").catch(() => [])).filter((/** @type {any} */ net) => net.game === name);
  if (signal.aborted) return;
  const agents = [agentForm(info, info.best, { label: "First agent", networks }), agentForm(info, "uct", { label: "Second agent", networks })];
  const which = h("select", { value: name, "data-tool": "game", onchange: () => go("match", { game: which.value }) }, all.map((game) => h("option", { value: game.name }, game.title)));
  const field = (/** @type {string} */ text, /** @type {HTMLElement} */ input) => h("label", {}, h("span", {}, text), input);
  const count = h("input", { type: "number", min: 2, max: 100000, step: 2, value: "20", name: "games" });
  const cpu = h("input", { type: "number", min: 0.001, max: 60, step: "any", value: "0.1", name: "cpu" });
  const seed = h("input", { type: "number", min: 0, step: 1, value: "1", name: "seed" });
  const openings = h("input", { value: "random:2", name: "openings", spellcheck: "false" });
  const test = h("input", { type: "checkbox", name: "sprt" });
  const problem = h("p", { class: "notice bad", role: "alert", hidden: true });
  put(place, h("form", { class: "fields", onsubmit: async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    problem.hidden = true;
    try {
      const job = await begin({
        kind: "match", game: name, rules: info.rules[0], agents: agents.map((agent) => agent.line()), games: Number(count.value), cpu: Number(cpu.value),
        openings: openings.value, seed: Number(seed.value), sprt: test.checked ? [0, 50] : null, threads: 1,
      });
      go(`match/${job.result?.match ?? job.id}`);
    } catch (error) {
      problem.hidden = false;
      put(problem, reason(error));
    }
  } }, field("Game", which), ...agents.map((agent) => agent.element),
    h("div", { class: "pair" }, field("Games, in pairs with both colours", count), field("Processor time a move, in seconds", cpu), field("Openings", openings), field("Seed", seed)),
    h("label", { class: "radio" }, test, "Stop as soon as it is clear whether the first is 50 Elo stronger"),
    problem, h("div", { class: "buttons" }, h("button", { class: "main", "data-start": "" }, "Start the match"))));
}

/** @type {import("../main.js").Screen} */
async function one(root, at, signal) {
  const facts = h("div", {});
  const grid = h("div", { class: "results" });
  const shown = h("div", {});
  const status = h("p", { class: "status", role: "status" });
  const stop = h("div", { class: "buttons" });
  let chosen = at.query.has("show") ? Number(at.query.get("show")) : -1;
  let seen = -2;
  /** @type {BoardView|null} */
  let live = null;
  const title = h("h1", { class: "quiet" }, "Match");
  put(root, title, h("div", { class: "table" }, shown, h("div", { class: "beside" }, status, facts, h("h2", {}, "Games"), grid, stop)));

  async function show() {
    const match = /** @type {import("../types.js").Match} */ (await get(`/api/matches/${encodeURIComponent(at.id)}`));
    match.players = /** @type {[string, string]} */ (await named(match.players));
    if (signal.aborted) return;
    const info = await gameInfo(match.game);
    put(title, `${match.players.join(" against ")}: ${brief(info.title)}`);
    put(status, `${match.state}, ${match.games} of ${match.asked} games`);
    put(facts, table(match), match.sprt ? gauge(match.sprt) : null);
    put(grid, match.results.map((result) => {
      const won = result.points === 1 ? "win" : result.points === 0 ? "loss" : "draw";
      const name = `Game ${result.index + 1}: ${{ draw: "draw", win: `${match.players[0]} won`, loss: `${match.players[1]} won` }[won]}, ${result.ending}, ${result.plies} moves`;
      return h("button", { type: "button", class: `result ${won}`, title: name, "aria-label": name, "aria-pressed": String(result.index === chosen), onclick: () => { chosen = result.index; stay(`match/${at.id}`, { show: String(chosen) }); void show(); } },
        { draw: "½", win: "1", loss: "0" }[won]);
    }));
    put(stop, match.job && chosen >= 0 && h("button", { type: "button", "data-tool": "live", onclick: () => { chosen = -1; seen = -2; live = null; stay(`match/${at.id}`); void show(); } }, "Watch the game in progress"),
      !match.job && match.games < match.asked && h("button", { type: "button", class: "main", "data-tool": "resume", onclick: () => void post(`/api/matches/${encodeURIComponent(at.id)}/resume`, {}).then(show, (error) => put(status, reason(error))) }, "Go on"),
      match.job && h("button", { type: "button", "data-tool": "stop", onclick: () => void cancel(/** @type {string} */ (match.job)).catch((error) => put(status, reason(error))) }, "Stop the match"),
      h("a", { class: "button", href: link("match", { game: match.game }) }, "Another match"));
    await board(match, info);
  }

  /**
   * The game that was asked for, else the newest; while the match is on, the game in progress.
   * @param {import("../types.js").Match} match
   * @param {import("../types.js").GameInfo} info
   */
  async function board(match, info) {
    if (chosen < 0 && match.job) return;
    const index = chosen >= 0 ? chosen : match.results.at(-1)?.index ?? -1;
    if (index === seen || index < 0) return;
    seen = index;
    live = null;
    const played = await get(`/api/matches/${encodeURIComponent(at.id)}/games/${index}`);
    if (signal.aborted) return;
    const first = played.first;
    const who = info.sides.map((side, number) => `${side}: ${match.players[number === 0 ? first : 1 - first]}`).join(", ");
    const place = { game: match.game, rules: played.rules, start: played.start, moves: played.moves };
    put(shown, viewer(place, { title: `Game ${index + 1}`, about: `${who}. ${played.ending}`, signal }));
  }

  /** @param {any} result */
  async function follow(result) {
    if (!live) {
      live = new BoardView({ small: true });
      live.signs = localStorage.getItem("signs") === "international" ? "international" : "japanese";
      put(shown, h("section", { class: "viewer live", "aria-label": "The game in progress" }, h("h2", { class: "first" }, "The game in progress"), live.element));
      seen = -2;
    }
    const view = live;
    const now = await position({ game: result.game, rules: result.rules ?? "official", start: result.live.start, moves: result.live.moves });
    if (!signal.aborted && view === live) view.show(now.scene);
  }

  await show();
  let waiting = false;
  watch((job) => {
    if (job.kind !== "match" || job.result?.match !== at.id) return;
    if (job.result.live && job.state === "running" && chosen < 0) void follow(job.result);
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      if (!signal.aborted) void show().catch(() => {});
    }, 400);
  }, signal);
}

/** @param {import("../types.js").Match} match */
function table(match) {
  const row = (/** @type {string} */ name, /** @type {any} */ value) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, value));
  const elo = match.elo;
  return h("table", { class: "facts-table" }, h("tbody", {},
    row("Score", score(match.score)),
    row("Share of points", percent(match.mean)),
    row("Elo, with its 95% interval", `${signed(elo.difference)} (${signed(elo.low)} to ${signed(elo.high)})`),
    match.superiority !== null && row("Likely to be stronger", percent(match.superiority)),
    row("Pairs with 0, ½, 1, 1½, 2 points", match.pairs.join(" · ")),
    match.costs.map((cost, number) => row(`Processor time of ${match.players[number]}`, `${cost.cpu.toFixed(1)} s, ${((1000 * cost.cpu) / Math.max(cost.moves, 1)).toFixed(0)} ms a move`))));
}

/** @param {number|null|undefined} value */
function signed(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "?";
  return `${value > 0 ? "+" : ""}${value.toFixed(0)}`;
}
