// What agents think: replies, hints, duels at equal cost, truth, and one search at a time whatever a person does.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { make, movesIn, shown } from "./hands.mjs";
import { ask, browser, open, quiet, serve, session, visit } from "./lib.mjs";
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

const atWork = async (page) => (await ask(page, "/api/jobs")).filter((job) => job.tab && ["queued", "running"].includes(job.state));

test("an agent replies, and a hint is drawn on the board", { timeout: 120_000 }, async () => {
  const page = await open(context, server, "#/play?game=minishogi&side=0&agent=uct&cpu=0.1");
  const at = await shown(page);
  await make(page, at.gestures[0], 0);
  await expect(() => movesIn(page).length === 2, "the reply");
  await page.click("[data-tool=hint]");
  await expect(async () => (await page.locator(".thought.hint").count()) === 1, "the hint");
  assert.match(await page.locator(".status").textContent(), /Hint/);
  quiet(page);
  await page.close();
});

test("resigning ends the game and says so", { timeout: 60_000 }, async () => {
  const page = await open(context, server, "#/play?game=chess&side=0&agent=random&cpu=0.1");
  await page.click("[data-tool=resign]");
  await expect(async () => /You lost/.test(await page.locator(".status").textContent()), "the result");
  assert.equal(await page.locator(".place[data-next]").count(), 0);
  await visit(page, "#/");
  assert.match(await page.locator(".here").textContent(), /You lost/);
  await page.close();
});

test("a duel: several agents, the same processor time", { timeout: 120_000 }, async () => {
  const page = await open(context, server, "#/analyse?game=connect4&agents=uct%7Calphabeta&cpu=0.3");
  await page.click("[data-tool=think]");
  await expect(async () => /Done/.test(await page.locator(".status").textContent()), "both are done", { within: 60_000 });
  assert.equal(await page.locator(".opinion").count(), 2);
  const costs = (await page.locator(".facts").allTextContents()).map((text) => Number(/([\d.]+) s/.exec(text)[1]));
  for (const cost of costs) assert.ok(cost > 0.05 && cost < 1.5, `costs ${costs}`);
  assert.ok((await page.locator(".opinion .move").count()) <= 10, "at most five lines each");
  assert.ok((await page.locator(".thought").count()) > 0, "thoughts on the board");
  // Each overlay by itself, and nothing.
  await page.click("[data-overlay=none]");
  assert.equal(await page.locator(".thought").count(), 0);
  // A line that is clicked is played.
  await page.locator(".opinion .move").first().click();
  await expect(() => movesIn(page).length === 1, "the line's move");
  quiet(page);
  await page.close();
});

test("truth beside belief: a mate", { timeout: 120_000 }, async () => {
  const start = "4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1";
  const page = await open(context, server, `#/analyse?${new URLSearchParams({ game: "shogi", start, cpu: "0.3" })}`);
  await page.click("[data-tool=think]");
  await expect(async () => /Done/.test(await page.locator(".status").textContent()), "an opinion", { within: 60_000 });
  await page.click("[data-tool=truth]");
  await expect(async () => /Truth/.test(await page.locator(".truth").textContent()), "the truth", { within: 60_000 });
  assert.match(await page.locator(".truth").textContent(), /mate|wins/i);
  quiet(page);
  await page.close();
});

test("200 fast steps leave one search running", { timeout: 120_000 }, async () => {
  const page = await open(context, server);
  const game = await ask(page, "/api/random", { game: "chess", seed: 3, plies: 60 });
  await visit(page, `#/analyse?${new URLSearchParams({ game: "chess", moves: game.moves.join(" "), cpu: "10" })}`);
  await page.click("[data-tool=think]");
  await page.locator("h1").click();
  for (let step = 0; step < 200; step += 1) {
    await page.keyboard.press(step % 60 < 30 ? "ArrowLeft" : "ArrowRight");
    if (step % 10 === 0) assert.ok((await atWork(page)).length <= 1, "one at a time");
  }
  await page.waitForTimeout(800);
  assert.equal((await atWork(page)).length, 1);
  await page.click("[data-tool=think]");
  await expect(async () => (await atWork(page)).length === 0, "stopped");
  quiet(page);
  await page.close();
});

test("a closed tab's search ends", { timeout: 60_000 }, async () => {
  const watcher = await open(context, server);
  const page = await open(context, server, "#/analyse?game=chess&cpu=10");
  await page.click("[data-tool=think]");
  await expect(async () => (await atWork(watcher)).length === 1, "it thinks");
  await page.close();
  await expect(async () => (await atWork(watcher)).length === 0, "it has ended within a second", { within: 1000 });
  await watcher.close();
});

test("a position can be pasted, and a file of it saved", { timeout: 60_000 }, async () => {
  const page = await open(context, server, "#/analyse");
  await page.fill("textarea[name=text]", "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n");
  await page.click(".importer button.main");
  await expect(() => movesIn(page).join(" ") === "e2e4 e7e5 g1f3 b8c6", "the moves of the file");
  await page.goto(`${server.base}/#/analyse`);
  await page.fill("textarea[name=text]", "complete nonsense");
  await page.click(".importer button.main");
  await page.waitForSelector(".importer .notice:not([hidden])");
  page.problems = page.problems.filter((text) => !/api\/import/.test(text));
  await visit(page, "#/play?game=chess&side=both&moves=e2e4+e7e5");
  await page.selectOption("[data-tool=format]", "pgn");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("[data-tool=save]")]);
  assert.match(saved.suggestedFilename(), /\.pgn$/);
  quiet(page);
  await page.close();
});
