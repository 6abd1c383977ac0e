// The steps that the board offers lead exactly to the legal moves: on random positions of every game, in both orientations,
// compared with what `tesuji moves` lists. Also: every piece lies on its cell.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { GAMES, ask, browser, open, quiet, serve, session, tesuji } from "./lib.mjs";

const POSITIONS = Number(process.env.TESUJI_POSITIONS ?? 200);
let server, chrome, context;
before(async () => {
  server = await serve();
  chrome = await browser();
  context = await session(chrome, server);
});
after(async () => {
  await chrome?.close();
  await server?.stop();
});

/** In the page: shows a position and walks every way that the board offers, by clicks. */
async function explore({ place, flipped, iso }) {
  const { BoardView } = await import("/js/board/board.js");
  const { Walk } = await import("/js/board/walk.js");
  const answer = await fetch("/api/position", { method: "POST", body: JSON.stringify(place), headers: { "Content-Type": "application/json" } });
  const shown = await answer.json();
  const moves = [];
  let last = null;
  const board = new BoardView({ onMove: (gesture) => (last = gesture.move) });
  board.view.flipped = flipped;
  board.view.iso = iso;
  const holder = document.getElementById("main");
  holder.replaceChildren(board.element);
  board.show(shown.scene, shown.gestures);
  const wrong = [];
  const restart = () => {
    board.walk = new Walk(shown.gestures);
    board.refresh();
  };
  const offers = () => [
    ...[...board.layer.querySelectorAll("[data-next]")].map((element) => `[data-place="${element.dataset.place}"]`),
    ...[...board.element.querySelectorAll("[data-choice]")].filter((element) => !element.closest("[hidden]")).map((element) => `[data-choice="${element.dataset.choice}"]`),
  ];
  const press = (selector) => board.element.querySelector(selector).click();
  const go = (path) => {
    restart();
    path.forEach(press);
    const next = offers();
    const cells = next.filter((selector) => selector.includes("data-place"));
    const dots = board.svg.querySelectorAll(".go, .take").length;
    if (path.length && dots !== cells.length) wrong.push(`${dots} marks for ${cells.length} destinations after ${path}`);
    for (const selector of next) {
      restart();
      path.forEach(press);
      last = null;
      press(selector);
      if (last !== null) moves.push(last);
      else if (path.length < 4) go([...path, selector]);
      else wrong.push(`no move after ${path}`);
    }
  };
  go([]);
  // Each piece's middle is over its cell's place.
  const off = [...board.svg.querySelectorAll(".pieces > [data-cell]")].filter((piece) => {
    const [a, b] = [piece.getBoundingClientRect(), board.places.get(`cell:${piece.dataset.cell}`).element.getBoundingClientRect()];
    const [x, y] = [a.left + a.width / 2, a.top + a.height / 2];
    return x < b.left - 1 || x > b.right + 1 || y < b.top - 1 || y > b.bottom + 1;
  }).map((piece) => piece.dataset.cell);
  return { moves: moves.sort(), wrong, off, count: shown.scene.pieces.length, drawn: board.svg.querySelectorAll(".pieces > [data-cell]").length, ended: shown.outcome !== null };
}

for (const game of GAMES) {
  test(`${game}: ${POSITIONS} random positions`, { timeout: 600_000 }, async () => {
    const page = await open(context, server);
    let compared = 0;
    for (let seed = 0; seed < POSITIONS; seed += 1) {
      const plies = (seed * 7) % { chess: 90, shogi: 120, minishogi: 50, bingo3d: 40, connect4: 30, tictactoe: 8, tubstap: 40 }[game];
      const place = await ask(page, "/api/random", { game, rules: "official", seed, plies });
      const found = await page.evaluate(explore, { place, flipped: seed % 2 === 1, iso: seed % 4 > 1 });
      const listed = found.ended ? [] : tesuji("moves", game, place.start, ...(place.moves.length ? ["moves", ...place.moves] : [])).split("\n").filter(Boolean).sort();
      assert.deepEqual(found.wrong, []);
      assert.deepEqual(found.moves, listed, `seed ${seed}: ${place.start} moves ${place.moves.join(" ")}`);
      assert.deepEqual(found.off, [], `pieces off their cells, seed ${seed}`);
      assert.equal(found.drawn, found.count);
      compared += listed.length;
    }
    assert.ok(compared > POSITIONS, `${compared} moves compared`);
    quiet(page);
    await page.close();
  });
}
