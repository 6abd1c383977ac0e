// The page: shows the screen that the URL names.
//
// | where | what |
// |---|---|
// | `board/` | the board for any scene: geometry, drawing, pieces, the walk through gestures, pointers and keys |
// | `parts/` | what several screens use: agents as forms, moves, opinions, charts, reports, the time-lapse |
// | `screens/` | the screens; each is loaded when it is shown |
// | `api.js`, `jobs.js` | requests; long work and the stream of events |
// | `link.js`, `recent.js`, `dom.js`, `types.js` | URLs, remembered games, elements, the shapes of answers |

import { h, put, reason } from "./dom.js";
import { here } from "./link.js";

/** @typedef {(root: HTMLElement, at: import("./link.js").Here, signal: AbortSignal) => Promise<void>} Screen */

/** @type {Record<string, () => Promise<{screen: Screen}>>} */
const SCREENS = {
  "": () => import("./screens/home.js"),
  play: () => import("./screens/play.js"),
  analyse: () => import("./screens/analyse.js"),
  match: () => import("./screens/match.js"),
  runs: () => import("./screens/runs.js"),
  learn: () => import("./screens/learn.js"),
};

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
let leaving = new AbortController();
let first = true;

async function show() {
  const at = here();
  if (location.hash === "#main") return;
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  for (const anchor of document.querySelectorAll("header nav a")) {
    const current = anchor.getAttribute("href") === `#/${at.screen}`;
    if (current) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
  const root = h("div", { class: `screen screen-${at.screen || "home"}` });
  const load = SCREENS[at.screen];
  try {
    if (!load) throw new Error(`There is no screen "${at.screen}".`);
    const { screen } = await load();
    if (signal.aborted) return;
    put(main, root);
    await screen(root, at, signal);
  } catch (error) {
    if (signal.aborted) return;
    put(main, root);
    put(root, h("h1", {}, "That did not work"), h("p", { class: "notice bad", role: "alert" }, reason(error)), h("p", {}, h("a", { href: "#/" }, "Home")));
  }
  if (signal.aborted) return;
  root.dataset.ready = "";
  document.title = `${root.querySelector("h1")?.textContent ?? "Tesuji"} · Tesuji`;
  if (!first) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  first = false;
}

function themes() {
  const button = /** @type {HTMLButtonElement} */ (document.getElementById("theme"));
  const order = ["system", "light", "dark"];
  let now = localStorage.getItem("theme") ?? "system";
  const apply = () => {
    if (now === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = now;
    button.textContent = `Theme: ${now}`;
    localStorage.setItem("theme", now);
  };
  button.addEventListener("click", () => {
    now = order[(order.indexOf(now) + 1) % order.length];
    apply();
  });
  apply();
}

themes();
addEventListener("hashchange", show);
void show();
