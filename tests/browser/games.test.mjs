// Games at the board: whole games by clicks, taps and keys; drops and promotions in both orientations; drags.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { byKeys, drag, make, movesIn, selector, shown, tabToBoard, walkTo } from "./hands.mjs";
import { GAMES, ask, browser, open, quiet, serve, session, visit } from "./lib.mjs";
import { expect } from "./wait.mjs";

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

const table = (place, more = "") => `#/play?${new URLSearchParams({ game: place.game, start: place.start, side: "both" })}${more}`;

/** The shortest of some random games. */
async function shortGame(page, game) {
  const games = await page.evaluate((name) => Promise.all(Array.from({ length: 60 }, async (_, seed) => {
    const answer = await fetch("/api/random", { method: "POST", body: JSON.stringify({ game: name, seed, plies: 1000 }), headers: { "Content-Type": "application/json" } });
    return answer.json();
  })), game);
  return games.sort((a, b) => a.moves.length - b.moves.length)[0];
}

/** Plays a game on the page, move by move. */
async function playAll(page, place, press) {
  for (const move of place.moves) {
    const at = await shown(page);
    const gesture = at.gestures.find((one) => one.move === move);
    assert.ok(gesture, `${move} is legal`);
    await make(page, gesture, at.scene.to_move, press);
  }
  const end = await shown(page);
  assert.ok(end.outcome, "the game is over");
  const said = await expect(async () => /won|draw/i.exec(await page.locator(".status").textContent()), "the result is said");
  assert.match(said[0], end.outcome.winner === null ? /draw/i : /won/i);
  assert.equal(await page.locator(".place[data-next]").count(), 0, "nothing can be moved any more");
}

for (const game of GAMES) {
  test(`${game}: a whole game by clicks`, { timeout: 300_000 }, async () => {
    const page = await open(context, server);
    const place = await shortGame(page, game);
    await visit(page, table(place));
    await playAll(page, place);
    if (game === "bingo3d" || game === "connect4") {
      const end = await shown(page);
      if (end.outcome.winner !== null) assert.ok((await page.locator(".mark.line").count()) >= 4, "the line that won is marked");
    }
    // The URL says it all: after loading it again the same game is there.
    const moves = movesIn(page);
    await page.reload();
    await page.waitForSelector(".moves li");
    assert.equal(await page.locator(".moves li").count(), moves.length);
    quiet(page);
    await page.close();
  });
}

test("3D-Bingo in 3D: a whole game by clicks, and the view turns", { timeout: 200_000 }, async () => {
  const page = await open(context, server);
  const place = await shortGame(page, "bingo3d");
  await visit(page, table(place));
  await page.click("[data-tool=view]");
  await playAll(page, place);
  const before = await page.locator(".cube").first().innerHTML();
  await page.click("[data-tool=left]");
  assert.notEqual(await page.locator(".cube").first().innerHTML(), before);
  await page.click("[data-tool=view]");
  quiet(page);
  await page.close();
});

const CASES = [
  { game: "shogi", start: "4k4/9/9/6P2/9/9/9/9/4K4 b Gp 1", mover: 0, from: "3d", to: "3c", choice: "promote", move: "3d3c+", drop: ["gold", "5e"], dropped: "G*5e" },
  { game: "shogi", start: "4k4/9/9/9/9/2p6/9/9/4K4 w Ps 1", mover: 1, from: "7f", to: "7g", choice: "keep", move: "7f7g", drop: ["silver", "5e"], dropped: "S*5e" },
  { game: "minishogi", start: "4k/5/2S2/5/K4 b Gp 1", mover: 0, from: "3c", to: "3b", choice: null, move: "3c3b", drop: ["gold", "3d"], dropped: "G*3d" },
  { game: "minishogi", start: "4k/1S3/5/5/K4 b Bp 1", mover: 0, from: "4b", to: "4a", choice: "promote", move: "4b4a+", drop: ["bishop", "1d"], dropped: "B*1d" },
  { game: "chess", start: "8/P6k/8/8/8/8/8/K7 w - - 0 1", mover: 0, from: "a7", to: "a8", choice: "knight", move: "a7a8n" },
  { game: "chess", start: "k7/8/8/8/8/8/p6K/8 b - - 0 1", mover: 1, from: "a2", to: "a1", choice: "queen", move: "a2a1q" },
];
for (const one of CASES) {
  for (const flipped of [false, true]) {
    test(`${one.game}: ${one.move} and ${one.dropped ?? "no drop"}, ${flipped ? "flipped" : "as usual"}`, { timeout: 60_000 }, async () => {
      const page = await open(context, server, table(one, flipped ? "&flip=1" : ""));
      const cell = (id) => page.locator(`.place[data-cell="${id}"]`);
      const near = await cell(one.from).boundingBox();
      const top = await page.locator(".field").boundingBox();
      assert.ok(near.y >= top.y, "the cell is on the board");
      await cell(one.from).click();
      await cell(one.to).click();
      if (one.choice) {
        await page.waitForSelector(".asked:not([hidden])");
        const [asked, square] = [await page.locator(".asked").boundingBox(), await cell(one.to).boundingBox()];
        assert.ok(Math.abs(asked.y + asked.height / 2 - square.y - square.height / 2) < 220, "asked at the square");
        await page.click(`.asked [data-choice="${one.choice}"]`);
      }
      await expect(() => movesIn(page)[0] === one.move, "the move is made");
      await page.click("[data-tool=undo]");
      await expect(() => movesIn(page).length === 0, "the move is taken back");
      if (one.drop) {
        await page.locator(selector({ hand: one.drop[0] }, one.mover)).click();
        await cell(one.drop[1]).click();
        await expect(() => movesIn(page)[0] === one.dropped, "the drop is made");
        await page.click("[data-tool=undo]");
        await expect(() => movesIn(page).length === 0, "the drop is taken back");
        await drag(page, selector({ hand: one.drop[0] }, one.mover), `.place[data-cell="${one.drop[1]}"]`);
        await expect(() => movesIn(page)[0] === one.dropped, "the drop is made by dragging");
      } else {
        await drag(page, `.place[data-cell="${one.from}"]`, `.place[data-cell="${one.to}"]`);
        await page.click(`.asked [data-choice="${one.choice}"]`);
        await expect(() => movesIn(page)[0] === one.move, "the move is made by dragging");
      }
      quiet(page);
      await page.close();
    });
  }
}

test("flipping turns the board: the first player's king is at the far side", async () => {
  const page = await open(context, server, "#/play?game=chess&side=both");
  const height = async (id) => (await page.locator(`.place[data-cell="${id}"]`).boundingBox()).y;
  assert.ok((await height("e1")) > (await height("e8")));
  await page.keyboard.press("f");
  assert.ok((await height("e1")) < (await height("e8")));
  await page.close();
});

test("a drag to nowhere and Escape make no move", async () => {
  const page = await open(context, server, "#/play?game=chess&side=both");
  await drag(page, '.place[data-cell="e2"]', '.place[data-cell="e6"]');
  assert.equal(await page.locator(".go").count(), 0);
  await page.click('.place[data-cell="e2"]');
  assert.equal(await page.locator(".go").count(), 2);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".go").count(), 0);
  assert.deepEqual(movesIn(page), []);
  quiet(page);
  await page.close();
});

for (const game of GAMES) {
  test(`${game}: a whole game by keys alone`, { timeout: 300_000 }, async () => {
    const page = await open(context, server);
    const place = await shortGame(page, game);
    await visit(page, table(place));
    // Whoever has no pointer: a click anywhere fails the test.
    await page.evaluate(() => addEventListener("pointerdown", () => console.error("a pointer"), true));
    await playAll(page, place, byKeys(page));
    quiet(page);
    await page.close();
  });
}

test("keyboard only: a chess promotion and a shogi drop", { timeout: 120_000 }, async () => {
  const page = await open(context, server);
  await visit(page, table({ game: "chess", start: "8/P6k/8/8/8/8/8/K7 w - - 0 1" }));
  await tabToBoard(page);
  await walkTo(page, '.place[data-cell="a7"]');
  await page.keyboard.press("Enter");
  await walkTo(page, '.place[data-cell="a8"]');
  await page.keyboard.press("Enter");
  await expect(() => page.evaluate(() => document.activeElement.hasAttribute("data-choice")), "the question has the focus");
  while ((await page.evaluate(() => document.activeElement.dataset.choice)) !== "rook") await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(() => movesIn(page)[0] === "a7a8r", "promoted by key");
  await visit(page, table({ game: "shogi", start: "4k4/9/9/9/9/9/9/9/4K4 b G 1" }));
  await tabToBoard(page);
  await walkTo(page, selector({ hand: "gold" }, 0));
  await page.keyboard.press(" ");
  await walkTo(page, '.place[data-cell="5e"]');
  await page.keyboard.press(" ");
  await expect(() => movesIn(page)[0] === "G*5e", "dropped by key");
  quiet(page);
  await page.close();
});

test("at 390 px by taps: connect four and minishogi", { timeout: 200_000 }, async () => {
  const small = await session(chrome, server, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const page = await open(small, server);
  for (const game of ["connect4", "minishogi"]) {
    const place = await shortGame(page, game);
    await visit(page, table(place));
    await playAll(page, place, (target) => target.tap());
  }
  quiet(page);
  await small.close();
});

test("TUBSTAP: the forecast of an attack is shown", { timeout: 120_000 }, async () => {
  const page = await open(context, server);
  let found = null;
  for (let seed = 0; seed < 60 && !found; seed += 1) {
    const place = await ask(page, "/api/random", { game: "tubstap", seed, plies: 12 });
    const at = await ask(page, "/api/position", place);
    const gesture = at.gestures.find((one) => one.steps[2]?.forecast);
    if (gesture && !at.outcome) found = { place, gesture };
  }
  assert.ok(found, "a position with an attack");
  await visit(page, `${table(found.place)}&moves=${encodeURIComponent(found.place.moves.join(" "))}`);
  const [unit, to, target] = found.gesture.steps;
  await page.click(selector(unit));
  await page.click(selector(to));
  await page.hover(selector(target));
  assert.equal(await page.locator(".forecast").textContent(), target.forecast);
  quiet(page);
  await page.close();
});
