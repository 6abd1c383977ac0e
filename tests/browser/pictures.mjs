// The pictures of docs/serve.md and docs/first-ten-minutes.md: node pictures.mjs FOLDER [NAME...].

import { join } from "node:path";
import { make, movesIn, shown } from "./hands.mjs";
import { browser, folder, open, serve, session, visit } from "./lib.mjs";
import { expect } from "./wait.mjs";

const [to = ".", ...wanted] = process.argv.slice(2);
const server = await serve({ dir: process.env.TESUJI_DIR ?? folder() });
const chrome = await browser();

async function shots(theme, width, height, list) {
  list = list.filter(([name]) => wanted.length === 0 || wanted.includes(name));
  if (list.length === 0) return;
  const context = await session(chrome, server, { viewport: { width, height }, colorScheme: theme });
  const page = await open(context, server);
  for (const [name, hash, prepare] of list) {
    await visit(page, hash);
    await prepare?.(page);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(to, `${name}.png`) });
  }
  await context.close();
}

/** Thinks until it is done. */
async function think(page) {
  await page.click("[data-tool=think]");
  await expect(async () => /Done/.test(await page.locator(".status").first().textContent()), "done", { within: 120_000 });
}

const shogi = "7g7f 3c3d 8h2b+ 3a2b B*4e B*6e 4e3d 6e7f";
await shots("light", 1180, 760, [
  ["home", "#/"],
  ["play", `#/play?${new URLSearchParams({ game: "shogi", side: "both", moves: shogi })}`, (page) => page.click('.place[data-cell="2h"]')],
  ["analyse", "#/analyse?game=minishogi&agents=pv:net%3Dminishogi%7Calphabeta%7Cuct&cpu=1", think],
  ["tubstap", "#/play?game=tubstap&side=both"],
  ["learn", "#/learn?method=td0&episodes=5000", async (page) => {
    await page.click("[data-start]");
    await page.waitForSelector(".note", { timeout: 60_000 });
  }],
]);
await shots("light", 1000, 720, [
  ["ten-home", "#/"],
  ["ten-play", `#/play?${new URLSearchParams({ game: "minishogi", side: "0", agent: "nnue:net=nnue-minishogi", cpu: "0.1" })}`, async (page) => {
    const { gestures } = await shown(page);
    await make(page, gestures.find((gesture) => gesture.move === "3e2d"), 0);
    await expect(() => movesIn(page).length === 2, "the reply", { within: 60_000 });
  }],
]);
await shots("dark", 1180, 760, [
  ["chess-dark", "#/play?game=chess&side=both&moves=e2e4+e7e5+g1f3+b8c6+f1b5", (page) => page.click('.place[data-cell="g8"]')],
  ["bingo-dark", "#/play?game=bingo3d&side=both&moves=b2+c3+b2+b3+c2+c3+b3+a1+d4+b2", (page) => page.click("[data-tool=view]")],
]);
await shots("light", 390, 780, [["phone", "#/play?game=minishogi&side=both&moves=1e1d"]]);
await chrome.close();
await server.stop();
