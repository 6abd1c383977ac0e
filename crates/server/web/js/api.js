// Requests to the server: see docs/api.md.

/** @typedef {import("./types.js").Scene} Scene */
/** @typedef {import("./types.js").Place} Place */
/** @typedef {import("./types.js").Position} Position */
/** @typedef {import("./types.js").GameInfo} GameInfo */

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 */
async function ask(method, path, body) {
  /** @type {RequestInit} */
  const request = { method, credentials: "same-origin" };
  if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers = { "Content-Type": "application/json" };
  }
  let answer;
  try {
    answer = await fetch(path, request);
  } catch {
    throw new Error("The server does not answer. Is `tesuji serve` running?");
  }
  if (answer.ok) return answer;
  const text = await answer.text();
  let message = text;
  try {
    message = JSON.parse(text).error ?? text;
  } catch {
    // Not JSON: the text itself is what there is to say.
  }
  throw new Error(message || `${answer.status} ${answer.statusText}`);
}

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function get(path) {
  return (await ask("GET", path)).json();
}

/**
 * @param {string} path
 * @param {unknown} body
 * @returns {Promise<any>}
 */
export async function post(path, body) {
  return (await ask("POST", path, body)).json();
}

/** @param {string} path */
export async function remove(path) {
  await ask("DELETE", path);
}

/**
 * The text of a file that the server makes, and its name.
 * @param {string} path
 * @param {unknown} [body]
 */
export async function file(path, body) {
  const answer = await ask(body === undefined ? "GET" : "POST", path, body);
  const name = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1];
  return { text: await answer.text(), name: name ?? "game.txt" };
}

/** @type {Map<string, Promise<any>>} */
const kept = new Map();

/**
 * Asks once and keeps the answer; a failure is not kept.
 * @template T
 * @param {string} key
 * @param {() => Promise<T>} make
 * @param {number} [most]
 * @returns {Promise<T>}
 */
function once(key, make, most = 2000) {
  const old = kept.get(key);
  if (old) return old;
  if (kept.size >= most) kept.delete(kept.keys().next().value ?? "");
  const answer = make();
  kept.set(key, answer);
  answer.catch(() => kept.delete(key));
  return answer;
}

/** @returns {Promise<GameInfo[]>} */
export const games = () => once("games", () => get("/api/games"));

/**
 * @param {string} name
 * @returns {Promise<GameInfo>}
 */
export const game = (name) => once(`game ${name}`, () => get(`/api/games/${encodeURIComponent(name)}`));

/**
 * @param {Place} place
 * @returns {Promise<Position>}
 */
export function position(place) {
  const asked = { game: place.game, rules: place.rules, start: place.start, moves: place.moves };
  return once(`position ${JSON.stringify(asked)}`, () => post("/api/position", asked));
}

/**
 * Lets the person save a text.
 * @param {string} name
 * @param {string} text
 * @param {string} [type]
 */
export function save(name, text, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
