// A game at the board. The URL says everything: the moves are in it, so it can be sent, bookmarked and reloaded.

import { file, game as gameInfo, position, save } from "../api.js";
import { placesOf } from "../board/board.js";
import { h, put, reason } from "../dom.js";
import { run, wasStopped } from "../jobs.js";
import { link, movesOf, stay } from "../link.js";
import { bench, screenKeys } from "../parts/bench.js";
import { moveList } from "../parts/moves.js";
import { chip, named } from "../parts/names.js";
import { brief } from "../parts/shelf.js";
import { remember } from "../recent.js";

/** @typedef {import("../types.js").Position} Position */

/**
 * @param {HTMLElement} root
 * @param {string} name
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export async function table(root, name, query, signal) {
  const info = await gameInfo(name);
  const place = { game: name, rules: query.get("rules") ?? info.rules[0], start: query.get("start") ?? "startpos", moves: movesOf(query.get("moves")) };
  const [agent, cpu, side] = [query.get("agent") || info.best, Number(query.get("cpu") ?? 1), query.get("side") ?? "0"];
  const [called] = await named([agent]);
  const me = side === "both" ? null : Number(side);
  let resigned = query.has("resigned") ? Number(query.get("resigned")) : null;
  let ply = query.has("ply") ? Math.min(Number(query.get("ply")), place.moves.length) : place.moves.length;
  /** @type {Position} the position at the end of the game so far */
  let now = await position(place);
  let thinking = new AbortController();
  signal.addEventListener("abort", () => thinking.abort());

  const status = h("p", { class: "status", role: "status" });
  const notes = h("ul", { class: "notes" });
  const sides = h("div", { class: "sides" });
  const moves = moveList({ onPick: (at) => void look(at) });
  const stand = bench({ onMove: (gesture) => void play(gesture.move), flipped: query.has("flip"), onFlip: () => url() });
  const button = (/** @type {string} */ tool, /** @type {string} */ text, /** @type {() => void} */ onclick, title = "") =>
    h("button", { type: "button", "data-tool": tool, onclick, title }, text);
  const undo = button("undo", "Undo", () => void takeBack(), "Key: u");
  const hint = button("hint", "Hint", () => void askHint(), "Key: Space or h");
  const resign = button("resign", "Resign", () => {
    resigned = me ?? now.scene.to_move;
    thinking.abort();
    void look(place.moves.length);
  });
  // First what the game's people use; our own format holds every game.
  const ordered = [...info.formats].sort((a, b) => Number(a.name === "tsjr") - Number(b.name === "tsjr"));
  const formats = h("select", { "aria-label": "File format", "data-tool": "format" }, ordered.map((format) => h("option", { value: format.name }, `${format.name} (${format.title})`)));
  const download = button("save", "Save", async () => {
    try {
      const made = await file("/api/export", { ...place, format: formats.value, players: [0, 1].map((one) => (me === null || me === one ? "human" : agent)), resigned });
      save(made.name, made.text);
    } catch (error) {
      say(reason(error), true);
    }
  });
  const analyse = h("a", { class: "button", "data-tool": "analyse" }, "Analyse this game");
  const again = h("a", { class: "button", "data-tool": "again", href: link("play", { game: name, rules: place.rules, start: place.start, agent, cpu, side, setup: true }) }, "New game");
  put(root, h("h1", { class: "quiet" }, brief(info.title)),
    h("div", { class: "table" }, stand.element,
      h("div", { class: "beside" }, sides, status, notes, moves.element,
        h("div", { class: "buttons" }, undo, hint, resign, analyse, again),
        h("div", { class: "buttons save" }, formats, download))));
  screenKeys({
    ArrowLeft: () => void look(Math.max(ply - 1, 0)), ArrowRight: () => void look(Math.min(ply + 1, place.moves.length)),
    f: stand.flip, u: () => void takeBack(), h: () => void askHint(), " ": () => void askHint(),
  }, signal);

  /** @param {string} text @param {boolean} [bad] */
  function say(text, bad = false) {
    put(status, text);
    status.classList.toggle("bad", bad);
  }

  function url() {
    stay("play", {
      game: name, rules: place.rules, start: place.start, agent: query.get("agent"), cpu: query.get("cpu"), side,
      moves: place.moves.join(" "), ply: ply === place.moves.length ? null : ply, flip: stand.board.view.flipped,
      resigned: resigned === null ? null : String(resigned),
    });
    const at = { game: name, rules: place.rules, start: place.start, moves: place.moves.join(" "), ply: place.moves.length || null };
    analyse.setAttribute("href", link("analyse", { ...at, flip: stand.board.view.flipped, report: over() }));
  }

  const over = () => now.outcome !== null || resigned !== null;
  const mine = () => !over() && (me === null || now.scene.to_move === me);

  function result() {
    if (!over()) return "";
    const winner = now.outcome ? now.outcome.winner : resigned === null ? null : 1 - resigned;
    const why = now.outcome ? now.ending : `${info.sides[resigned ?? 0]} resigned`;
    const who = winner === null ? "A draw" : me === null ? `${info.sides[winner]} won` : winner === me ? "You won" : "You lost";
    return why ? `${who}: ${why}.` : `${who}.`;
  }

  /** Shows the game as it stood after some moves. @param {number} at */
  async function look(at) {
    const shown = await position({ ...place, moves: place.moves.slice(0, at) });
    if (signal.aborted) return;
    ply = at;
    const atEnd = at === place.moves.length;
    stand.board.think([]);
    stand.show(shown.scene, atEnd && mine() ? shown.gestures : []);
    moves.show(now.notation, ply);
    put(notes, shown.scene.notes.map((note) => h("li", {}, note)));
    put(sides, [0, 1].map((one) => h("div", { class: shown.scene.to_move === one ? "side turn" : "side" },
      h("span", { class: chip(info, one) }), h("strong", {}, info.sides[one]), " ", me === null || me === one ? "you" : h("code", {}, called))));
    undo.disabled = place.moves.length === 0;
    hint.disabled = !mine() || !atEnd;
    resign.disabled = over();
    if (over()) say(result());
    else if (!atEnd) say(`After move ${at} of ${place.moves.length}. Right arrow goes on.`);
    else say(mine() ? `${me === null ? info.sides[now.scene.to_move ?? 0] : "You"} to move${now.in_check ? ", in check" : ""}.` : `${called} is thinking…`);
    url();
    if (over()) remember({ url: location.hash, title: `${brief(info.title)}: ${me === null ? "both sides" : called}`, result: result(), when: Date.now() });
  }

  /** @param {string} move */
  async function play(move) {
    try {
      const next = await position({ ...place, moves: [...place.moves, move] });
      if (signal.aborted) return;
      place.moves = [...place.moves, move];
      now = next;
      await look(place.moves.length);
      await reply();
    } catch (error) {
      say(reason(error), true);
    }
  }

  async function reply() {
    if (over() || mine()) return;
    thinking.abort();
    thinking = new AbortController();
    try {
      const job = await run({ kind: "reply", ...place, agent, cpu }, { signal: thinking.signal });
      await play(job.result.move);
    } catch (error) {
      if (!wasStopped(error)) say(reason(error), true);
    }
  }

  /** Takes back moves until it is the person's turn again. */
  async function takeBack() {
    if (!place.moves.length) return;
    thinking.abort();
    resigned = null;
    let kept = place.moves;
    let back = now;
    do {
      kept = kept.slice(0, -1);
      back = await position({ ...place, moves: kept });
    } while (kept.length && me !== null && back.scene.to_move !== me);
    if (signal.aborted) return;
    place.moves = kept;
    now = back;
    await look(kept.length);
    await reply();
  }

  async function askHint() {
    if (!mine() || ply !== place.moves.length) return;
    thinking.abort();
    thinking = new AbortController();
    say("Thinking about a hint…");
    const before = place.moves.length;
    try {
      const job = await run({ kind: "reply", ...place, agent: info.best, cpu: Math.min(cpu, 1) }, { signal: thinking.signal });
      const gesture = now.gestures.find((one) => one.move === job.result.move);
      if (!gesture || place.moves.length !== before) return;
      stand.board.think([{ places: placesOf(gesture.steps, now.scene.to_move), weight: 0.7, kind: "hint" }]);
      say(`Hint of ${info.best}: ${gesture.notation}.`);
    } catch (error) {
      if (!wasStopped(error)) say(reason(error), true);
    }
  }

  await look(ply);
  void reply();
}
