// Home: what is here, and the ways in.

import { games as allGames, get } from "../api.js";
import { h, put } from "../dom.js";
import { link } from "../link.js";
import { brief, shelf } from "../parts/shelf.js";
import { recent } from "../recent.js";

/** @type {import("../main.js").Screen} */
export async function screen(root, _at, signal) {
  const games = h("div", {}, h("p", { class: "soft" }, "Loading…"));
  const here = h("div", { class: "here" });
  put(root,
    h("h1", {}, "A laboratory for game AI"),
    h("div", { class: "ways" },
      way("#/play", "Play", "A game against any of the agents, by click, drag or key."),
      way("#/analyse", "Analyse", "Any position: what several agents think of it at the same cost, and what is true."),
      way("#/runs", "Train", "A network learns by itself while you watch; then play what it learned.")),
    h("h2", {}, "Games"), games, here);
  put(games, await shelf((game) => link("play", { game }), signal));
  const [networks, runs, list] = await Promise.all([get("/api/networks").catch(() => []), get("/api/runs").catch(() => []), allGames()]);
  if (signal.aborted) return;
  const titles = new Map(list.map((game) => [game.name, brief(game.title)]));
  const title = (/** @type {string} */ game) => titles.get(game) ?? game;
  put(here,
    section("Recent games", recent().map((game) => h("li", {}, h("a", { href: game.url }, game.title), " ", h("span", { class: "soft" }, game.result)))),
    section("Networks", networks.map((/** @type {any} */ net) => h("li", {},
      h("a", { href: link("play", { game: net.game, agent: net.agent, setup: true }) }, net.name), " ", h("span", { class: "soft" }, title(net.game))))),
    section("Runs", runs.map((/** @type {any} */ run) => h("li", {}, h("a", { href: link(`runs/${run.id}`) }, run.name), " ", h("span", { class: "soft" }, `${title(run.game)}, ${run.state}`)))));
}

/**
 * @param {string} href
 * @param {string} title
 * @param {string} about
 */
function way(href, title, about) {
  return h("a", { class: "way", href }, h("strong", {}, title), h("span", {}, about));
}

/**
 * @param {string} title
 * @param {HTMLElement[]} items
 */
function section(title, items) {
  return items.length ? h("section", {}, h("h2", {}, title), h("ul", { class: "plain-list" }, items.slice(0, 8))) : null;
}
