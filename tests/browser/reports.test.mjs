// Reports as pages, at 390, 1000 and 1400 px, dark and light: nothing in the console, no plot without points, no text over text,
// nothing that axe finds, nothing that sticks out sideways; and what the small script adds.
// Those of reports/ are among them. REPORTS=a.html,b.html checks these as well; SHOTS=DIR keeps pictures.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { browser, folder, tesuji } from "./lib.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pages = (process.env.REPORTS ?? "").split(",").filter(Boolean);
const REPORTS = new URL("../../reports/", import.meta.url).pathname;
let chrome;

before(async () => {
  pages.push(...readdirSync(REPORTS).filter((name) => name.endsWith(".html")).map((name) => join(REPORTS, name)));
  const dir = folder();
  const journal = join(dir, "match.jsonl");
  tesuji("match", "connect4", "uct:sims=30", "bot", "--games", "8", "--journal", journal);
  tesuji("report", journal, "--out", join(dir, "match.html"));
  tesuji("train", "td-tictactoe", "--budget", "3", "--set", "selfplay.games=20", "--set", "measure.final_games=200", "--out", join(dir, "run"));
  tesuji("compare", "--game", "tictactoe", "uct", "bot", "random", "--at", "1ms,3ms", "--games", "4", "--out", join(dir, "c"), "--report", join(dir, "compare.html"));
  tesuji("reproduce", "bingo3d-td", "--scale", "smoke", "--out", join(dir, "bingo"));
  pages.push(join(dir, "match.html"), join(dir, "run/report.html"), join(dir, "compare.html"), join(dir, "bingo/report.html"));
  chrome = await browser();
});
after(() => chrome?.close());

/** What is wrong with the boxes of a page. */
function boxes() {
  const problems = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth + 1) problems.push(`the page is ${wide} px wide`);
  for (const cell of document.querySelectorAll("td")) {
    if (!/^[+-]?[\d.,]+$/.test(cell.textContent.trim())) continue;
    const words = document.createRange();
    words.selectNodeContents(cell);
    const lines = new Set([...words.getClientRects()].map((box) => Math.round(box.top)));
    if (lines.size > 1) problems.push(`the number ${cell.textContent} is broken over lines`);
  }
  for (const svg of document.querySelectorAll("svg.chart")) {
    const name = svg.getAttribute("aria-label").slice(0, 60);
    const marks = [...svg.querySelectorAll(".p")].filter((mark) => { const box = mark.getBoundingClientRect(); return box.width > 0 && box.height > 0; });
    if (marks.length === 0) problems.push(`${name}: no point is drawn`);
    const texts = [...svg.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
    const own = svg.getBoundingClientRect();
    for (const [words, box] of texts) {
      if (box.left < own.left - 2 || box.right > own.right + 2 || box.bottom > own.bottom + 2) problems.push(`${name}: ${words} sticks out`);
    }
    texts.forEach(([words, a], index) => {
      for (const [other, b] of texts.slice(index + 1)) {
        const over = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (over > 1 && down > 2) problems.push(`${name}: ${words} over ${other}`);
      }
    });
    const legend = svg.parentElement.querySelector(".legend");
    if (legend) {
      const box = legend.getBoundingClientRect();
      if (Math.min(box.right, own.right) - Math.max(box.left, own.left) > 1 && Math.min(box.bottom, own.bottom) - Math.max(box.top, own.top) > 1) problems.push(`${name}: the legend covers the plot`);
    }
  }
  return problems;
}

for (const width of [390, 1000, 1400]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`reports at ${width} px, ${colorScheme}`, async () => {
      for (const path of pages) {
        const context = await chrome.newContext({ viewport: { width, height: 900 }, colorScheme });
        const page = await context.newPage();
        const problems = [];
        page.on("console", (message) => { if (["error", "warning"].includes(message.type())) problems.push(message.text()); });
        page.on("pageerror", (error) => problems.push(String(error)));
        page.on("request", (request) => { if (!request.url().startsWith("file:")) problems.push(`asks for ${request.url()}`); });
        await page.goto(`file://${path}`);
        problems.push(...(await page.evaluate(boxes)));
        await page.evaluate(AXE);
        const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
        problems.push(...found.violations.map((item) => `${item.id}: ${item.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`));
        if (process.env.SHOTS) {
          const name = path.split("/").slice(-2).join("-").replace(".html", "");
          await page.screenshot({ path: join(process.env.SHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        }
        assert.deepEqual(problems, [], basename(path));
        await context.close();
      }
    });
  }
}

test("hover, legend, sorting and zoom", async () => {
  const page = await chrome.newPage({ viewport: { width: 1400, height: 900 } });
  await page.goto(`file://${pages.find((path) => path.endsWith("bingo/report.html"))}`);
  const series = page.locator("figure:has(.legend) svg g[data-s='0']").first();
  await series.locator(".p").first().hover();
  assert.match(await page.locator("#tip").textContent(), /\d/);
  await page.locator(".legend button").first().click();
  assert.equal(await series.evaluate((element) => getComputedStyle(element).display), "none");
  const head = page.locator("table:has(tbody tr:nth-child(3)) th.num button").first();
  await head.click();
  const sorted = await head.evaluate((button) => {
    const column = button.closest("th").cellIndex;
    return [...button.closest("table").tBodies[0].rows].map((row) => Number(row.cells[column].dataset.v));
  });
  assert.deepEqual(sorted, [...sorted].sort((a, b) => a - b));
  await page.locator(".zoom").first().click();
  assert.ok(await page.locator("dialog svg").isVisible());
});

test("everything is there without script", async () => {
  const context = await chrome.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`file://${pages.find((path) => path.endsWith("bingo/report.html"))}`);
  assert.ok((await page.locator("svg.chart .p").count()) > 10);
  assert.ok((await page.locator(".verdict").count()) > 5);
  await context.close();
});
