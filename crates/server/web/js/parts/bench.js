// A board with its tools: flip, the signs of the pieces, the view. What a person prefers is remembered.

import { BoardView } from "../board/board.js";
import { h, put } from "../dom.js";

/** @typedef {import("../types.js").Scene} Scene */
/** @typedef {import("../types.js").Gesture} Gesture */

/**
 * @param {{onMove?: (gesture: Gesture) => void, onFlip?: (flipped: boolean) => void, flipped?: boolean}} options
 */
export function bench({ onMove, onFlip, flipped = false }) {
  const board = new BoardView({ onMove });
  board.view.flipped = flipped;
  board.signs = localStorage.getItem("signs") === "international" ? "international" : "japanese";
  board.view.iso = localStorage.getItem("view") === "aslant";
  const tools = h("div", { class: "buttons tools" });

  const flip = () => {
    board.flip(!board.view.flipped);
    onFlip?.(board.view.flipped);
  };
  /** @param {Scene} scene */
  function drawTools(scene) {
    const style = scene.boards[0].style;
    put(tools,
      style !== "rack" && h("button", { type: "button", class: "plain", "data-tool": "flip", title: "Key: f", onclick: flip }, "Flip"),
      style === "wood" && h("button", { type: "button", class: "plain", "data-tool": "signs", onclick: () => {
        board.setSigns(board.signs === "japanese" ? "international" : "japanese");
        localStorage.setItem("signs", board.signs);
        drawTools(scene);
      } }, board.signs === "japanese" ? "International pieces" : "Japanese pieces"),
      scene.layout === "levels" && h("button", { type: "button", class: "plain", "data-tool": "view", onclick: () => {
        board.look({ iso: !board.view.iso });
        localStorage.setItem("view", board.view.iso ? "aslant" : "levels");
        drawTools(scene);
      } }, board.view.iso ? "Show levels" : "Show in 3D"),
      scene.layout === "levels" && board.view.iso && [
        h("button", { type: "button", class: "plain", "data-tool": "left", "aria-label": "Turn left", onclick: () => board.look({ turn: board.view.turn + 15 }) }, "⟲"),
        h("button", { type: "button", class: "plain", "data-tool": "right", "aria-label": "Turn right", onclick: () => board.look({ turn: board.view.turn - 15 }) }, "⟳"),
      ]);
  }
  let look = "";
  return {
    board,
    element: h("div", { class: "bench" }, board.element, tools),
    flip,
    /**
     * @param {Scene} scene
     * @param {Gesture[]} [gestures]
     */
    show(scene, gestures) {
      board.show(scene, gestures);
      const now = scene.boards[0].style + scene.layout;
      if (now !== look) drawTools(scene);
      look = now;
    },
  };
}

/**
 * Keys of a whole screen. Up and down are never taken: they scroll. A field that is being typed into keeps its keys.
 * @param {Record<string, () => void>} keys
 * @param {AbortSignal} signal
 */
export function screenKeys(keys, signal) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest?.("input, select, textarea, [role=grid], .touch")) {
      // On the board the arrows walk from cell to cell; letters are free there.
      if (!target.closest(".touch") || event.key.startsWith("Arrow") || event.key === " ") return;
    }
    if (event.key === " " && target.closest?.("button, a, summary")) return;
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }, { signal });
}
