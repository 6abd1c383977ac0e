// A game's moves as a list, in the notation of the game's people; each leads to its position.

import { h, put } from "../dom.js";

/**
 * @param {{onPick: (ply: number) => void}} options
 */
export function moveList({ onPick }) {
  const list = h("ol", { class: "moves", "aria-label": "Moves" });
  return {
    element: list,
    /**
     * @param {string[]} notation
     * @param {number} ply how many moves have been made on the board that is shown
     * @param {(string|null)[]} [remarks] a mark for each move, or none
     */
    show(notation, ply, remarks = []) {
      put(list, notation.map((text, at) =>
        h("li", { class: remarks[at] ?? null },
          h("button", { type: "button", class: "move", "aria-current": ply === at + 1 ? "step" : null, onclick: () => onPick(at + 1) }, text))));
      const current = list.querySelector("[aria-current]");
      // Only the list scrolls, never the page.
      if (current instanceof HTMLElement) list.scrollTop = current.offsetTop - list.clientHeight / 2;
      else list.scrollTop = ply === 0 ? 0 : list.scrollHeight;
    },
  };
}
