// A person's path: open, play minishogi against the shipped network, lose, analyse the game, start a run, watch it, play
// what it learned. Then a match, and what a killed server leaves behind.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { make, movesIn, shown } from "./hands.mjs";
import { AXE, ask, browser, open, quiet, random, ready, serve, session, state, violations, visit } from "./lib.mjs";
import { expect } from "./wait.mjs";

/** Pictures of the way, for people to look at: TESUJI_PICTURES=DIR. */
async function picture(page, name) {
  const dir = process.env.TESUJI_PICTURES;
  if (!dir) return;
  mkdirSync(dir, { recursive: true });
  await page.screenshot({ path: join(dir, `path-${name}.png`) });
}

test("open, play, lose, analyse, train, watch, play what it learned", { timeout: 600_000 }, async () => {
  const server = await serve();
  const chrome = await browser();
  const context = await chrome.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.problems.push(message.text()));
  await page.goto(server.url);
  await ready(page);
  assert.doesNotMatch(page.url(), /token/, "the token is gone from the URL");
  await picture(page, "1-home");

  await page.click(".way >> text=Play");
  await page.click(".shelf >> text=Minishogi");
  await page.selectOption("select[name=cpu]", "0.1");
  await picture(page, "2-setup");
  await page.click("[data-start]");
  await page.waitForSelector(".place[data-next]");
  const choose = random(7);
  for (let turns = 0; turns < 80; turns += 1) {
    const at = await expect(async () => {
      const now = await shown(page);
      return now.outcome || (now.scene.to_move === 0 && (await page.locator(".place[data-next]").count()) > 0) ? now : null;
    }, "the person's turn", { within: 60_000 });
    if (at.outcome) break;
    await make(page, at.gestures[choose(at.gestures.length)], 0);
  }
  const result = await page.locator(".status").textContent();
  assert.match(result, /You lost/, "random moves lose against the shipped network");
  await picture(page, "3-lost");

  const count = movesIn(page).length;
  await page.click("[data-tool=analyse]");
  await ready(page);
  await page.waitForSelector("[data-tool=export-report]", { timeout: 300_000 });
  assert.equal(movesIn(page).length, count);
  await picture(page, "4-analysed");

  await page.click("header >> text=Runs");
  // The experiment that the page offers is that of `tesuji train`.
  assert.equal(await page.inputValue("select[name=experiment]"), "nnue-minishogi-quick");
  assert.equal(await page.inputValue("input[name=budget]"), "10m", "ten minutes");
  // Small generations, so that the first one is there soon.
  await page.click("text=Settings");
  await page.fill("textarea[name=set]", "selfplay.games = 200\nmethod.play.nodes = 50\nmeasure.games = 4");
  await page.click("[data-start]");
  await page.waitForURL(/#\/runs\/.+/);
  await ready(page);
  await expect(async () => /generation [1-9]/.test(await page.locator("[data-run]").textContent()), "a generation is there", { within: 240_000, every: 300 });
  await page.waitForSelector(".charts svg");
  assert.doesNotMatch(await page.locator(".charts").textContent(), /Accuracies/, "an integer network has none");
  await picture(page, "5-run");
  server.cookies = await context.cookies();
  for (const colorScheme of ["light", "dark"]) {
    const looked = await session(chrome, server, { colorScheme, bypassCSP: true });
    await looked.addInitScript(AXE);
    const other = await open(looked, server, new URL(page.url()).hash);
    await other.waitForSelector(".lapse .curves");
    assert.deepEqual(await violations(other), []);
    await looked.close();
  }
  await page.click("[data-tool=stop]");
  await page.waitForSelector("[data-tool=resume]", { timeout: 60_000 });

  await page.click("[data-tool=play]");
  await page.waitForSelector("[data-start]");
  await page.click("[data-start]");
  await page.waitForSelector(".place[data-next]");
  const first = await shown(page);
  await make(page, first.gestures[0], 0);
  await expect(() => movesIn(page).length === 2, "what it learned replies", { within: 60_000 });
  await picture(page, "6-learned");
  quiet(page);
  await chrome.close();
  await server.stop();
});

test("a match goes on after the server was killed", { timeout: 300_000 }, async () => {
  const first = await serve();
  const chrome = await browser();
  let context = await session(chrome, first);
  let page = await open(context, first, "#/match?game=tictactoe");
  await page.selectOption("[data-agent] >> nth=0", "random");
  await page.selectOption("[data-agent] >> nth=1", "uct");
  await page.fill("input[name=games]", "60");
  await page.fill("input[name=cpu]", "0.05");
  await page.click("[data-start]");
  await page.waitForURL(/#\/match\/.+/);
  const games = async () => Number(/(\d+) of/.exec(await page.locator(".status").first().textContent())?.[1] ?? 0);
  await expect(async () => (await games()) >= 4, "some games", { within: 60_000 });
  const before = await games();
  const id = state(page).path.split("/")[1];
  const game = await ask(page, `/api/matches/${id}/games/0`);
  await first.stop("SIGKILL");
  await context.close();
  const again = await serve({ dir: first.dir });
  context = await session(chrome, again, { bypassCSP: true });
  await context.addInitScript(AXE);
  page = await open(context, again, "#/match");
  const [match] = await expect(async () => {
    const list = await ask(page, "/api/matches");
    return list.length ? list : null;
  }, "the match is known");
  assert.ok(match.games >= before, `${match.games} after ${before}`);
  assert.deepEqual(await ask(page, `/api/matches/${match.id}/games/0`), game, "a game that was played is the same");
  await visit(page, `#/match/${match.id}`);
  await expect(async () => (await games()) === 60, "the match ends", { within: 200_000, every: 300 });
  assert.equal(await page.locator(".result").count(), 60);
  await page.locator(".result").first().click();
  await expect(async () => /Game 1/.test(await page.locator(".viewer h2").textContent()), "the first game is shown");
  assert.deepEqual(await violations(page), []);
  quiet(page);
  await chrome.close();
  await again.stop();
});

test("learning, step by step on tic-tac-toe", { timeout: 120_000 }, async () => {
  const server = await serve();
  const chrome = await browser();
  const page = await open(await session(chrome, server), server, "#/learn");
  await page.click("[data-start]");
  await page.waitForSelector(".note", { timeout: 60_000 });
  assert.equal(await page.locator(".note").count(), 9, "a value on each cell");
  const last = await page.locator(".note").allTextContents();
  await page.locator("input[type=range]").fill("0");
  await expect(async () => (await page.locator(".note").allTextContents()).join() !== last.join(), "earlier values differ");
  quiet(page);
  await chrome.close();
  await server.stop();
});
