// The games that were played in this browser, newest first. They are kept in this browser only.

/** @typedef {{url: string, title: string, result: string, when: number}} Recent */

const KEY = "recent";

/** @returns {Recent[]} */
export function recent() {
  try {
    const list = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** @param {Recent} game */
export function remember(game) {
  const others = recent().filter((one) => one.url !== game.url);
  localStorage.setItem(KEY, JSON.stringify([game, ...others].slice(0, 12)));
}
