// What every test needs: a server of its own, a browser, pages that fail on any error in the console.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "../..");

/** The program under test: TESUJI_BIN, else what cargo built. */
export const BIN = process.env.TESUJI_BIN ?? ["debug", "release"].map((kind) => join(ROOT, "target", kind, "tesuji")).find(existsSync);

export const GAMES = ["chess", "shogi", "minishogi", "bingo3d", "connect4", "tictactoe", "tubstap"];

/** Runs the program and gives its standard output. */
export function tesuji(...args) {
  return execFileSync(BIN, args, { encoding: "utf8" });
}

/** An empty folder that is there until the process ends. */
export function folder() {
  const made = mkdtempSync(join(tmpdir(), "tesuji-browser-"));
  process.on("exit", () => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Starts a server; `url` opens its page once. */
export async function serve({ dir = folder(), port = 0 } = {}) {
  assert.ok(BIN, "build the program first: cargo build");
  const child = spawn(BIN, ["serve", "--port", String(port), "--runs", join(dir, "runs")], { cwd: dir, stdio: ["ignore", "pipe", "pipe"] });
  process.on("exit", () => child.kill("SIGKILL"));
  let text = "";
  child.stderr.on("data", (data) => (text += data));
  const url = await new Promise((resolve, reject) => {
    const heard = (data) => {
      text += data;
      const found = /http:\/\/\S+/.exec(text);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", heard);
    child.stderr.on("data", () => heard(""));
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
    setTimeout(() => reject(new Error(`no URL from the server: ${text}`)), 30_000).unref();
  });
  const base = new URL(url).origin;
  return {
    url, base, dir, child,
    async stop(signal = "SIGTERM") {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill(signal);
      await ended;
    },
  };
}

/** A browser that talks to nobody but the server. */
export function browser() {
  const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  assert.ok(executablePath, "no chromium: apt-get install chromium");
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage"],
  });
}

/** A session in the browser that has been let in: opens the printed URL once. */
export async function session(chrome, server, options = {}) {
  const context = await chrome.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce", ...options });
  if (server.cookies) await context.addCookies(server.cookies);
  else {
    const page = await context.newPage();
    await page.goto(server.url);
    server.cookies = await context.cookies();
    await page.close();
  }
  return context;
}

/** A page whose console must stay empty; `problems` collects what is said there. */
export async function open(context, server, hash = "#/") {
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.problems.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => page.problems.push(String(error)));
  await page.goto(`${server.base}/${hash}`);
  await ready(page);
  return page;
}

/** Goes to another state of the page. */
export async function visit(page, hash) {
  await page.evaluate((to) => {
    document.querySelector(".screen")?.removeAttribute("data-ready");
    if (location.hash === to) dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = to;
  }, hash);
  await ready(page);
}

export async function ready(page) {
  await page.waitForSelector(".screen[data-ready]", { timeout: 20_000 });
}

export function quiet(page) {
  assert.deepEqual(page.problems, [], "the console is empty");
}

/** The script of axe. Only contexts with `bypassCSP` can run it: the page's own policy forbids foreign scripts. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong with a page. */
export function violations(page) {
  return page.evaluate(async () => {
    const result = await axe.run(document, { resultTypes: ["violations"] });
    return result.violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.failureSummary}`).slice(0, 3).join("; ")}`);
  });
}

/** Asks the server from within the page. */
export function ask(page, path, body) {
  return page.evaluate(async ([to, what]) => {
    const answer = await fetch(to, what === null ? {} : { method: "POST", body: JSON.stringify(what), headers: { "Content-Type": "application/json" } });
    return answer.json();
  }, [path, body ?? null]);
}

/** What the URL says: the state of the page. */
export function state(page) {
  const [path, query = ""] = new URL(page.url()).hash.replace(/^#\//, "").split("?");
  return { path, ...Object.fromEntries(new URLSearchParams(query)) };
}

/** Numbers that repeat: the tests choose the same moves every time. */
export function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
