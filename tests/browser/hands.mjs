// A person's hands on the board of a page: clicks, taps, drags and keys.

import assert from "node:assert/strict";
import { expect } from "./wait.mjs";
import { ask, state } from "./lib.mjs";

/** The selector of a step. */
export function selector(step, mover) {
  if (step.cell !== undefined) return `.place[data-cell="${step.cell}"]`;
  if (step.hand !== undefined) return `.place[data-hand="${step.hand}"][data-owner="${mover}"]`;
  return `[data-choice="${step.choice}"]`;
}

/** The position that the page shows, asked from the server by what the URL says. */
export function shown(page) {
  const { game, rules, start, moves = "" } = state(page);
  return ask(page, "/api/position", { game, ...(rules ? { rules } : {}), ...(start ? { start } : {}), moves: moves.split(" ").filter(Boolean) });
}

export function movesIn(page) {
  return (state(page).moves ?? "").split(" ").filter(Boolean);
}

/** Makes a move by pressing its steps one after the other; waits until the page has taken it. */
export async function make(page, gesture, mover, press = (target) => target.click()) {
  const before = movesIn(page).length;
  for (const [at, step] of gesture.steps.entries()) {
    const target = page.locator(selector(step, mover)).first();
    // A choice that is no choice is made by the page.
    if (step.choice !== undefined && at > 0 && !(await appears(page, target, before))) break;
    await press(target);
  }
  await expect(() => movesIn(page).length > before, `the move ${gesture.move} is taken`);
  assert.equal(movesIn(page)[before], gesture.move);
}

/** Whether a choice is asked for before the move has been made. */
async function appears(page, target, before) {
  for (let tries = 0; tries < 40; tries += 1) {
    if (await target.isVisible()) return true;
    if (movesIn(page).length > before) return false;
    await page.waitForTimeout(10);
  }
  return false;
}

/** Drags from one step to the next. */
export async function drag(page, from, to) {
  const [a, b] = [await page.locator(from).first().boundingBox(), await page.locator(to).first().boundingBox()];
  await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
  await page.mouse.down();
  await page.mouse.move((a.x + b.x) / 2 + 10, (a.y + b.y) / 2 + 10, { steps: 4 });
  await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 4 });
  await page.mouse.up();
}

/** Walks to a place by arrow keys alone. */
export async function walkTo(page, target) {
  const place = typeof target === "string" ? page.locator(target).first() : target;
  let [before, sideways] = ["", null];
  for (let tries = 0; tries < 80; tries += 1) {
    const [here, there] = await Promise.all([page.evaluate(() => {
      const box = document.activeElement.getBoundingClientRect();
      return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    }), place.boundingBox()]);
    const [dx, dy] = [there.x + there.width / 2 - here.x, there.y + there.height / 2 - here.y];
    if (Math.abs(dx) < 4 && Math.abs(dy) < 4) return;
    const now = `${here.x} ${here.y}`;
    // Where there is nothing in one direction, the other one leads around.
    sideways = now === before ? !sideways : Math.abs(dx) > Math.abs(dy);
    before = now;
    if (sideways) await page.keyboard.press(dx > 0 ? "ArrowRight" : "ArrowLeft");
    else await page.keyboard.press(dy > 0 ? "ArrowDown" : "ArrowUp");
  }
  assert.fail(`the keys do not reach ${target}`);
}

/** Presses Tab until something holds of the element that has the focus. */
async function tabUntil(page, holds, what) {
  for (let tries = 0; tries < 80; tries += 1) {
    if (await holds()) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not reach ${what}`);
}

/** Presses Tab until the focus is on the board. */
export function tabToBoard(page) {
  return tabUntil(page, () => page.evaluate(() => Boolean(document.activeElement?.closest(".touch"))), "the board");
}

/** A press by keys alone: Tab to the board or the question, arrows to the place, Enter. */
export function byKeys(page) {
  return async (target) => {
    if ((await target.getAttribute("data-choice")) === null) {
      await tabToBoard(page);
      await walkTo(page, target);
    } else {
      await tabUntil(page, () => target.evaluate((element) => element === document.activeElement), "the choice");
    }
    await page.keyboard.press("Enter");
  };
}
