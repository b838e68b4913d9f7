/**
 * Runs before each file of the project `frozen-clock`: on Cloudflare the clock stands still between two I/O operations,
 * and locally it does not (docs/limits.md#production-limits-in-local-mode). Here it does: `Date` and `performance` return one time for a whole turn of
 * the event loop.
 */
const now = { date: Date.now.bind(Date), performance: performance.now.bind(performance) };

/** A request may set 10,000 timers; a busy turn reads the clock more often. */
const TIMERS_MAX = 100;
/** No turn takes this long, so the request that had to release the clock is gone. */
const STUCK_MS = 3_000;

let held: { readonly date: number; readonly performance: number } | undefined;
let timers = 0;

function release(): void {
  held = undefined;
  timers = 0;
}

function hold() {
  if (held !== undefined && now.performance() - held.performance > STUCK_MS) {
    release();
  }
  held ??= { date: now.date(), performance: now.performance() };
  const seen = held;
  if (timers < TIMERS_MAX) {
    timers += 1;
    try {
      // Several requests release it, each in a later turn: the first one may have ended by then.
      setTimeout(release, 0);
    } catch {
      // Without permission to set timers no code computes either.
      release();
    }
  }
  return seen;
}

const FROZEN = Symbol.for("edgeloom.clock-frozen");
const scope = globalThis as { [FROZEN]?: true };

// Once for all files, which share one isolate: changes of a setup file persist.
if (scope[FROZEN] === undefined) {
  scope[FROZEN] = true;
  globalThis.Date = new Proxy(Date, {
    get: (target, name) => (name === "now" ? () => hold().date : Reflect.get(target, name)),
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [hold().date] : args, newTarget) as object,
  });
  performance.now = () => hold().performance;
}
