// Play: choose a game, choose an opponent, sit down at the board.

import { h, put } from "../dom.js";
import { link } from "../link.js";
import { shelf } from "../parts/shelf.js";
import { setup } from "./play-setup.js";
import { table } from "./play-table.js";

/** @type {import("../main.js").Screen} */
export async function screen(root, at, signal) {
  const game = at.query.get("game");
  if (!game) {
    put(root, h("h1", {}, "Play"), h("p", { class: "soft" }, "Choose a game."), await shelf((name) => link("play", { game: name }), signal));
  } else if (!at.query.has("side") || at.query.has("setup")) await setup(root, game, at.query, signal);
  else await table(root, game, at.query, signal);
}
