// Where one is, as a URL: `#/play?game=shogi&moves=7g7f+3c3d`. Everything that a screen shows can be read from it.

/** @typedef {{screen: string, id: string, query: URLSearchParams}} Here */

/** @returns {Here} */
export function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [screen = "", id = ""] = path.split("/");
  return { screen, id: decodeURIComponent(id), query: new URLSearchParams(query) };
}

/**
 * The URL of a screen. What is empty, null or undefined is left out.
 * @param {string} path
 * @param {Record<string, string|number|boolean|null|undefined>} [query]
 */
export function link(path, query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value !== "" && value !== null && value !== undefined && value !== false);
  const text = new URLSearchParams(kept.map(([name, value]) => [name, value === true ? "1" : String(value)])).toString();
  return `#/${path}${text ? `?${text}` : ""}`;
}

/**
 * Goes to a screen, as a new step of the browser's history.
 * @param {string} path
 * @param {Parameters<typeof link>[1]} [query]
 */
export function go(path, query) {
  location.hash = link(path, query);
}

/**
 * Says in the URL what the screen shows now, without loading it again.
 * @param {string} path
 * @param {Parameters<typeof link>[1]} [query]
 */
export function stay(path, query) {
  history.replaceState(null, "", link(path, query));
}

/**
 * A list of moves in a URL, and back.
 * @param {string|null} text
 */
export function movesOf(text) {
  return text ? text.split(/[\s,]+/).filter(Boolean) : [];
}
