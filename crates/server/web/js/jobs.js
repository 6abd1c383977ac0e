// Long work on the server and the one stream of events of this tab. A job's end ends its promise.

import { post, remove } from "./api.js";

/** @typedef {import("./types.js").Job} Job */

const TAB = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @type {Map<string, Job>} */
const jobs = new Map();
/** @type {Set<(job: Job) => void>} */
const watchers = new Set();
/** @type {Promise<void>|null} */
let opened = null;

/** Jobs that are over and are still known; the server lists as many. */
const MOST_OVER = 64;

/** @param {Job} job */
function note(job) {
  jobs.delete(job.id);
  jobs.set(job.id, job);
  const over = [...jobs.values()].filter(ended);
  for (const old of over.slice(0, Math.max(0, over.length - MOST_OVER))) jobs.delete(old.id);
  for (const watcher of [...watchers]) watcher(job);
}

/** Opens the stream, once. The browser itself connects again after a break. */
function stream() {
  opened ??= new Promise((resolve) => {
    const source = new EventSource(`/api/events?tab=${TAB}`);
    source.addEventListener("snapshot", (event) => {
      const listed = /** @type {Job[]} */ (JSON.parse(event.data).jobs);
      // The latest comes first; what was under way and is not listed any more will never be told of again.
      for (const job of listed.reverse()) note(job);
      const ids = new Set(listed.map((job) => job.id));
      for (const job of [...jobs.values()]) if (!ended(job) && !ids.has(job.id)) note({ ...job, state: "cancelled" });
      resolve();
    });
    source.addEventListener("job", (event) => note(JSON.parse(event.data)));
    source.addEventListener("open", () => resolve());
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) opened = null;
      resolve();
    });
  });
  return opened;
}

/**
 * Tells about every job, until the signal.
 * @param {(job: Job) => void} watcher
 * @param {AbortSignal} signal
 */
export function watch(watcher, signal) {
  void stream();
  watchers.add(watcher);
  signal.addEventListener("abort", () => watchers.delete(watcher));
}

/** @param {Job} job */
const ended = (job) => job.state === "done" || job.state === "cancelled" || job.state === "failed";

/**
 * Starts a job and waits for its end; aborting cancels it.
 * @param {Record<string, unknown>} order
 * @param {{signal?: AbortSignal, onUpdate?: (job: Job) => void}} [options]
 * @returns {Promise<Job>}
 */
export async function run(order, { signal, onUpdate } = {}) {
  await stream();
  if (signal?.aborted) throw new DOMException("stopped", "AbortError");
  const begun = /** @type {Job} */ (await post("/api/jobs", { ...order, tab: TAB }));
  return follow(begun, { signal, onUpdate, cancel: true });
}

/**
 * @param {Job} begun
 * @param {{signal?: AbortSignal, onUpdate?: (job: Job) => void, cancel?: boolean}} options
 * @returns {Promise<Job>}
 */
export function follow(begun, { signal, onUpdate, cancel = false }) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      watchers.delete(heard);
      signal?.removeEventListener("abort", stopped);
    };
    const stopped = () => {
      stop();
      if (cancel) remove(`/api/jobs/${begun.id}`).catch(() => {});
      reject(new DOMException("stopped", "AbortError"));
    };
    const heard = (/** @type {Job} */ job) => {
      if (job.id !== begun.id) return;
      onUpdate?.(job);
      if (!ended(job)) return;
      stop();
      if (job.state === "done") resolve(job);
      else if (job.state === "failed") reject(new Error(job.error ?? "the work failed"));
      else reject(new DOMException("cancelled", "AbortError"));
    };
    watchers.add(heard);
    if (signal?.aborted) return stopped();
    signal?.addEventListener("abort", stopped);
    // An event may have come before the answer to the request that began the job.
    heard(jobs.get(begun.id) ?? begun);
  });
}

/**
 * Starts work that belongs to no tab.
 * @param {Record<string, unknown>} order
 * @returns {Promise<Job>}
 */
export async function begin(order) {
  await stream();
  return post("/api/jobs", order);
}

/** @param {string} id */
export function cancel(id) {
  return remove(`/api/jobs/${id}`);
}

/**
 * Whether an error only says that something was stopped.
 * @param {unknown} error
 */
export function wasStopped(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
