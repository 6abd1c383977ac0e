// Every screen, at 390 and 1400 px, dark and light: nothing in the console, nothing that axe finds, nothing that sticks out
// sideways. And the weight of the first view.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AXE, browser, open, quiet, ready, serve, session, tesuji, violations, visit } from "./lib.mjs";
import { expect } from "./wait.mjs";

const FIRST_VIEW = 120_000;
const SCREENS = {
  home: "#/", play: "#/play", "play setup": "#/play?game=minishogi", chess: "#/play?game=chess&side=both&moves=e2e4+e7e5+g1f3",
  shogi: "#/play?game=shogi&side=both&moves=7g7f+3c3d+8h2b%2B", minishogi: "#/play?game=minishogi&side=both&flip=1", bingo: "#/play?game=bingo3d&side=both&moves=a1+b2+a1+c3",
  "connect four": "#/play?game=connect4&side=both&moves=d+d+c", "tic-tac-toe": "#/play?game=tictactoe&side=both&moves=b2", tubstap: "#/play?game=tubstap&side=both",
  analyse: "#/analyse", "analyse chess": "#/analyse?game=chess&moves=e2e4+e7e5", match: "#/match", runs: "#/runs", learn: "#/learn", wrong: "#/nowhere", "wrong game": "#/play?game=go&side=0",
};

let server, chrome;
before(async () => {
  server = await serve();
  chrome = await browser();
});
after(async () => {
  await chrome?.close();
  await server?.stop();
});

test("the first view weighs little", async () => {
  const context = await session(chrome, server);
  const page = await context.newPage();
  const loaded = [];
  page.on("requestfinished", (request) => loaded.push(request));
  await page.goto(`${server.base}/`);
  await ready(page);
  await page.waitForLoadState("networkidle");
  const foreign = loaded.map((request) => request.url()).filter((url) => !url.startsWith(server.base));
  assert.deepEqual(foreign, [], "nothing comes from elsewhere");
  let sum = 0;
  for (const request of loaded) {
    const answer = await request.response();
    const isFile = !request.url().includes("/api/");
    assert.equal(answer?.headers()["content-encoding"], isFile ? "gzip" : undefined, request.url());
    sum += (await request.sizes()).responseBodySize;
  }
  assert.ok(loaded.length > 10, `${loaded.length} answers`);
  console.log(`first view: ${loaded.length} answers, ${(sum / 1000).toFixed(1)} kB on the wire`);
  assert.ok(sum <= FIRST_VIEW, `${sum} bytes`);
  await context.close();
});

for (const theme of ["light", "dark"]) {
  for (const width of [390, 1400]) {
    test(`every screen, ${theme}, ${width} px`, { timeout: 300_000 }, async () => {
      const context = await session(chrome, server, { viewport: { width, height: 900 }, colorScheme: theme, bypassCSP: true });
      await context.addInitScript(AXE);
      const page = await open(context, server);
      for (const [name, hash] of Object.entries(SCREENS)) {
        await visit(page, hash);
        await page.waitForTimeout(150);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${name} is ${wide} px too wide`);
        assert.deepEqual(await violations(page), [], name);
      }
      page.problems = page.problems.filter((text) => !/api\/games\/go/.test(text));
      quiet(page);
      await context.close();
    });
  }
}

test("the policy for scripts and styles is kept: no violation on any screen", { timeout: 120_000 }, async () => {
  const context = await session(chrome, server);
  const page = await open(context, server);
  await page.evaluate(() => {
    window.violations = [];
    addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  for (const hash of Object.values(SCREENS)) await visit(page, hash);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  const header = (await page.request.get(`${server.base}/`)).headers()["content-security-policy"];
  assert.match(header, /script-src 'self'/);
  assert.doesNotMatch(header, /unsafe/);
  await context.close();
});

test("the theme can be chosen, and is remembered", async () => {
  const context = await session(chrome, server, { colorScheme: "light" });
  const page = await open(context, server);
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  await page.click("#theme");
  await page.click("#theme");
  assert.notEqual(await paper(), light);
  await page.reload();
  await ready(page);
  assert.notEqual(await paper(), light);
  await context.close();
});

test("focus can be seen, and the first Tab offers the content", async () => {
  const context = await session(chrome, server);
  const page = await open(context, server, "#/play?game=chess&side=both");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "To the content");
  for (let presses = 0; presses < 14; presses += 1) {
    await page.keyboard.press("Tab");
    const width = await page.evaluate(() => parseFloat(getComputedStyle(document.activeElement).outlineWidth));
    assert.ok(width >= 2, "an outline");
  }
  await context.close();
});

test("up and down are nobody's keys: they scroll", async () => {
  const context = await session(chrome, server, { viewport: { width: 900, height: 420 } });
  const page = await open(context, server, "#/play?game=chess&side=both&moves=e2e4+e7e5");
  const before = page.url();
  await page.keyboard.press("ArrowDown");
  await page.waitForTimeout(200);
  assert.ok((await page.evaluate(() => scrollY)) > 0);
  assert.equal(page.url(), before);
  await page.keyboard.press("ArrowLeft");
  await expect(() => page.url().includes("ply=1"), "one move back");
  await context.close();
});

test("what the page begins with is what the command line begins with", async () => {
  const context = await session(chrome, server);
  const page = await open(context, server, "#/runs");
  const [, experiment] = /\[default: (\S+)\]/.exec(tesuji("train", "--help").replace(/\s+/g, " "));
  assert.equal(await page.inputValue("select[name=experiment]"), experiment);
  assert.equal(await page.inputValue("input[name=budget]"), "10m");
  for (const [game, agent] of [["minishogi", "nnue"], ["tubstap", "alphabeta"]]) {
    await visit(page, `#/play?game=${game}`);
    assert.equal(await page.inputValue("select[data-agent]"), agent, `the opponent at ${game}`);
  }
  quiet(page);
  await context.close();
});

test("games have their names, files the format of the game's people first", async () => {
  const context = await session(chrome, server);
  const page = await open(context, server);
  await expect(async () => /3D-Bingo/.test(await page.locator(".here").textContent()), "networks are there");
  assert.doesNotMatch(await page.locator(".here").textContent(), /\) bingo3d/);
  for (const [game, first] of [["chess", "pgn (chess)"], ["shogi", "kif (shogi, minishogi)"], ["connect4", "tsjr (Tesuji's own)"]]) {
    await visit(page, `#/play?game=${game}&side=both`);
    assert.equal(await page.locator("[data-tool=format] option").first().textContent(), first);
  }
  quiet(page);
  await context.close();
});

test("on a phone the games to analyse have their boards", async () => {
  const context = await session(chrome, server, { viewport: { width: 390, height: 844 } });
  const page = await open(context, server, "#/analyse");
  const boards = page.locator(".shelf .pictured svg");
  await expect(async () => (await boards.count()) === 7, "seven boards");
  for (const board of await boards.all()) assert.ok(await board.isVisible(), "a board can be seen");
  // Beside the form of a new game there is no room for one.
  await visit(page, "#/play?game=chess");
  assert.ok(!(await page.locator(".pictured.large").isVisible()));
  quiet(page);
  await context.close();
});
