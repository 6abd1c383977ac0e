// The games as small boards that lead somewhere.

import { games, position } from "../api.js";
import { BoardView } from "../board/board.js";
import { h } from "../dom.js";

/**
 * A small board to look at.
 * @param {import("../types.js").Place} place
 * @param {AbortSignal} signal
 */
export function smallBoard(place, signal) {
  const view = new BoardView({ small: true });
  position(place).then((shown) => {
    if (!signal.aborted) view.show(shown.scene);
  }, () => {});
  return view.element;
}

/**
 * A game's title without its explanation.
 * @param {string} title
 */
export function brief(title) {
  return title.split(/[:,]| on /)[0];
}

/**
 * @param {(game: string) => string} to the URL for a game
 * @param {AbortSignal} signal
 */
export async function shelf(to, signal) {
  const list = await games();
  return h("ul", { class: "shelf" }, list.map((game) =>
    h("li", {}, h("a", { href: to(game.name) },
      h("div", { class: "pictured" }, smallBoard({ game: game.name, rules: game.rules[0], start: game.starts[0]?.name ?? "startpos", moves: [] }, signal)),
      h("span", { title: game.title }, brief(game.title))))));
}
