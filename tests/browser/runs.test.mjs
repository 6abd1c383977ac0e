// Runs while they learn: the curve of strength by cost grows before one's eyes, and a position through the checkpoints shows
// what the network can tell.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ask, browser, open, quiet, ready, serve, session, visit } from "./lib.mjs";
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

/** Pictures for people to look at: TESUJI_PICTURES=DIR. */
async function picture(page, name) {
  const dir = process.env.TESUJI_PICTURES;
  if (!dir) return;
  mkdirSync(dir, { recursive: true });
  await page.screenshot({ path: join(dir, `runs-${name}.png`), fullPage: true });
}

/** Begins a run by the form, and is on its page. */
async function begin(page, experiment, budget, settings) {
  await visit(page, "#/runs");
  await page.selectOption("select[name=experiment]", experiment);
  await page.fill("input[name=budget]", budget);
  await page.click("text=Settings");
  await page.fill("textarea[name=set]", settings);
  await page.click("[data-start]");
  await page.waitForURL(/#\/runs\/.+/);
  await ready(page);
  return `/api/runs/${/#\/runs\/([^?]+)/.exec(page.url())[1]}`;
}

test("strength by cost, live while a run learns", { timeout: 240_000 }, async () => {
  const page = await open(context, server);
  const path = await begin(page, "td-tictactoe", "100000", "selfplay.games = 50\nmeasure.every = 3\nmeasure.games = 20\nmeasure.final_games = 20");
  const figure = (by) => page.locator(`svg[aria-label="Strength against random by ${by}"]`);
  const dots = (by) => figure(by).locator("circle").evaluateAll((all) => all.map((dot) => ({ x: Number(dot.dataset.x), y: Number(dot.dataset.y), px: dot.cx.baseVal.value })));
  const atWork = async () => /^at work/.test(await page.locator("[data-run]").textContent());

  // Nothing is loaded again: what is new appears by itself, while the run is at work.
  await page.evaluate(() => (window.sameDocument = true));
  const some = await expect(async () => {
    const now = await dots("processor minutes");
    return now.length >= 2 ? now : null;
  }, "two measurements", { within: 60_000, every: 100 });
  assert.ok(await atWork(), "it is still learning");
  const more = await expect(async () => {
    const now = await dots("processor minutes");
    return now.length >= some.length + 2 ? now : null;
  }, "two more measurements", { within: 60_000, every: 100 });
  assert.ok(await atWork(), "and goes on learning");
  assert.equal(await page.evaluate(() => window.sameDocument), true, "the page was not loaded again");
  const values = (list) => list.map(({ x, y }) => ({ x, y }));
  assert.deepEqual(values(more).slice(0, some.length), values(some), "what was measured stays");
  for (let at = 1; at < more.length; at += 1) {
    assert.ok(more[at].x > more[at - 1].x && more[at].px > more[at - 1].px, "later measurements cost more, and stand further right");
  }
  await picture(page, "strength-by-cost");

  // The axis is processor time, in words and in numbers; the interval is a band; the other axes are theirs.
  await page.click("[data-tool=stop]");
  await page.waitForSelector("[data-tool=resume]", { timeout: 60_000 });
  const run = await ask(page, path);
  const places = new Map(run.places.map((place) => [place.generation, place]));
  const measured = run.events.filter((event) => event.event === "strength" && event.opponent === "random");
  for (const [button, axis, key] of [["cost", "processor minutes", "cpu_minutes"], ["time", "minutes", "minutes"], ["step", "training steps", "steps"]]) {
    await page.click(`.overlays >> text="${button}"`);
    const drawn = await expect(async () => {
      const now = await dots(axis);
      return now.length === measured.length ? now : null;
    }, `every measurement is drawn by ${button}: ${measured.length}`);
    assert.deepEqual(drawn.map((dot) => dot.x), measured.map((event) => places.get(event.generation)[key]));
    assert.deepEqual(drawn.map((dot) => dot.y), measured.map((event) => event.elo[0] ?? event.elo[1] ?? event.elo[2]));
    assert.equal(await figure(axis).locator("text.axis").textContent(), axis);
    assert.ok((await figure(axis).locator(".band").count()) === 1, "the interval");
  }
  assert.ok(run.places.at(-1).cpu_minutes <= run.cpu_seconds / 60 + 1e-9, "no measurement costs more than the run");
  assert.match(page.url(), /by=step/, "the axis is in the URL");
  await page.reload();
  await ready(page);
  await expect(async () => (await dots("training steps")).length === measured.length, "the same curve after loading it anew");
  quiet(page);
  await page.close();
});

test("runs are compared by cost", { timeout: 120_000 }, async () => {
  const page = await open(context, server);
  for (const games of [20, 40]) {
    const path = await begin(page, "td-tictactoe", "4", `selfplay.games = ${games}\nmeasure.every = 2\nmeasure.games = 10\nmeasure.final_games = 10`);
    await expect(async () => (await ask(page, path)).job === null && (await ask(page, path)).generation === 4, "the run ends", { within: 60_000, every: 200 });
  }
  const runs = (await ask(page, "/api/runs")).filter((run) => run.generation === 4);
  await visit(page, `#/runs?${new URLSearchParams({ compare: runs.map((run) => run.id).join(","), by: "cost" })}`);
  const figure = page.locator('svg[aria-label="Strength against random by processor minutes"]');
  await expect(async () => (await figure.locator("path.curve:not(.band)").count()) >= 2, "a curve for each");
  assert.deepEqual(await page.locator("figure.chart .legend").first().locator("button").allTextContents(), runs.map((run) => run.name));
  quiet(page);
  await page.close();
});

test("a position through the checkpoints: chances of an integer network, which has no policy", { timeout: 120_000 }, async () => {
  const page = await open(context, server);
  const path = await begin(page, "nnue-tictactoe", "3", "selfplay.games = 60\nmeasure.games = 2\nmeasure.final_games = 2");
  await expect(async () => (await ask(page, path)).job === null && (await ask(page, path)).generation === 3, "the run ends", { within: 60_000, every: 200 });
  await page.reload();
  await ready(page);
  const said = page.locator(".lapse .status");
  await expect(async () => /Generation 3/.test(await said.textContent()), "every checkpoint has been asked");
  assert.match(await said.textContent(), /the best move is \S+; the side to move wins with [\d.]+%$/);
  assert.doesNotMatch(await page.locator(".lapse").textContent(), /probability|policy/i);
  const marks = await page.locator(".lapse .thought text").allTextContents();
  assert.ok(marks.length >= 2 && marks.every((mark) => /^[\d.]+%$/.test(mark)), `marks ${marks}`);
  assert.notDeepEqual(marks, ["100%"], "certain of one move");
  const figure = page.locator('.lapse svg[aria-label="Winning chance by generation"]');
  assert.ok((await figure.locator("circle").count()) >= 4, "a chance for each checkpoint");
  await picture(page, "integer-network");
  // An earlier one says something else.
  const last = await said.textContent();
  await page.locator(".lapse input[type=range]").fill("0");
  await expect(async () => /Generation 0/.test(await said.textContent()), "the first checkpoint");
  assert.notEqual(await said.textContent(), last);
  quiet(page);
  await page.close();
});

test("a position through the checkpoints: probabilities of a policy network", { timeout: 300_000 }, async () => {
  const page = await open(context, server);
  const path = await begin(page, "connect4-laptop", "2", "selfplay.games = 8\nselfplay.simulations = 8\ntraining.steps = 8\nmeasure.every = 0\nmeasure.final_games = 2");
  await expect(async () => (await ask(page, path)).job === null && (await ask(page, path)).generation === 2, "the run ends", { within: 240_000, every: 200 });
  await page.reload();
  await ready(page);
  const said = page.locator(".lapse .status");
  await expect(async () => /Generation 2/.test(await said.textContent()), "every checkpoint has been asked");
  assert.match(await said.textContent(), /with probability [\d.]+%; the side to move wins with [\d.]+%$/);
  assert.equal(await page.locator('.lapse svg[aria-label="Winning chance and policy of the best moves by generation"]').count(), 1);
  assert.ok((await page.locator(".lapse .thought").count()) >= 2, "several moves are likely");
  await picture(page, "policy-network");
  quiet(page);
  await page.close();
});
