// Waiting for something to become true.

/** Waits until `ready` gives something true, and gives that. */
export async function expect(ready, what, { within = 20_000, every = 25 } = {}) {
  const end = Date.now() + within;
  for (;;) {
    const found = await ready();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${within / 1000} s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}
