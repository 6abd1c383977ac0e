// Legal moves as a tree of steps. At each moment only the next steps of moves that begin with the steps made so far are
// allowed; the page knows no other rule.

/** @typedef {import("../types.js").Gesture} Gesture */
/** @typedef {import("../types.js").Step} Step */

/**
 * A step's name: two steps with the same name are the same step.
 * @param {Step} step
 */
export function stepKey(step) {
  if (step.cell !== undefined) return `cell:${step.cell}`;
  if (step.hand !== undefined) return `hand:${step.hand}`;
  return `choice:${step.choice}`;
}

/** A person's way through the gestures of one position. */
export class Walk {
  /** @param {Gesture[]} gestures */
  constructor(gestures) {
    this.gestures = gestures;
    /** @type {string[]} */
    this.made = [];
  }

  /** The moves that are still possible. */
  left() {
    return this.gestures.filter((gesture) => this.made.every((key, at) => stepKey(gesture.steps[at] ?? {}) === key));
  }

  /**
   * The steps that are allowed now, by name.
   * @returns {Map<string, Step>}
   */
  next() {
    const steps = new Map();
    for (const gesture of this.left()) {
      const step = gesture.steps[this.made.length];
      if (step && !steps.has(stepKey(step))) steps.set(stepKey(step), step);
    }
    return steps;
  }

  /** The steps that are allowed at the beginning. */
  first() {
    return new Walk(this.gestures).next();
  }

  /**
   * Makes a step. A choice that is no choice is made at once.
   * @param {string} key
   * @returns {Gesture|null} the move, once it is whole
   */
  take(key) {
    if (!this.next().has(key)) return null;
    this.made.push(key);
    const left = this.left();
    if (left.length !== 1) return null;
    const rest = left[0].steps.slice(this.made.length);
    return rest.every((step) => step.choice !== undefined) ? left[0] : null;
  }

  back() {
    this.made.pop();
  }

  reset() {
    this.made = [];
  }
}
