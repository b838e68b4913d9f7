/**
 * The code of a Worker with the watch's own statements in it: cheaper than breakpoints, whose conditions take 5 ms each and whose
 * functions the engine does not optimize.
 */
import type { PlantedFault, WatchPoint } from "./live-bytes-watch.ts";

const FAULT = "globalThis.plantedFault";
const PLANTED = "globalThis.planted";
/** For the expression of a fault: see `LiveBytesWatch.duringFault`. */
export const BEFORE_FAULT = "globalThis.beforeFault";

/** Tells the watch of an awaited point; made by `Runtime.addBinding`. */
export const POINT_MET = "watchedPointMet";

/**
 * What the statements call, evaluated in the isolate. `start` counts from the beginning, and meets points more rarely. `memories` has
 * the wasm memories, held weakly, of those that are made from now on: their makers are replaced.
 */
export const WATCHING = `globalThis.watching = {
  memories: new WeakSet(),
  passed: new Map(),
  thinning: 1,
  held: new Set(),
  last: 0,
  start(thinning) {
    this.passed.clear();
    this.thinning = thinning;
  },
  isDue(name, every) {
    const passed = this.passed.get(name) ?? 0;
    this.passed.set(name, passed + 1);
    return passed % (every * this.thinning) === 0;
  },
  async hold(name) {
    const number = (this.last += 1);
    this.held.add(number);
    ${POINT_MET}(JSON.stringify({ name, number }));
    while (this.held.has(number)) {
      await scheduler.wait(2);
    }
  },
  note(instance) {
    for (const one of Object.values(instance.exports)) {
      if (one instanceof WebAssembly.Memory) {
        this.memories.add(one);
      }
    }
    return instance;
  },
  noteMakers() {
    const { instantiate } = WebAssembly;
    WebAssembly.Memory = new Proxy(WebAssembly.Memory, {
      construct: (...made) => {
        const memory = Reflect.construct(...made);
        this.memories.add(memory);
        return memory;
      },
    });
    WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
      construct: (...made) => this.note(Reflect.construct(...made)),
    });
    WebAssembly.instantiate = async (...given) => {
      const made = await instantiate(...given);
      this.note(made.instance ?? made);
      return made;
    };
  },
}, watching.noteMakers()`;

/** Collects all garbage as the inspector does when it looks for objects, and takes a sixth of its time. Needs V8's `--expose-gc`. */
export const COLLECTED_MEMORIES = `(gc({ type: "major", flavor: "last-resort" }), watching.memories)`;

export const plantFault = (holds: string, before: string): string =>
  `${BEFORE_FAULT} = ${before}, ${FAULT} = ${JSON.stringify(holds)}, 0`;
export const REMOVE_FAULT = `${PLANTED} = ${FAULT} = ${BEFORE_FAULT} = undefined`;

interface Insertion {
  readonly at: number;
  readonly statement: string;
}

/** A bundle's code, to which statements are added on lines that are there. */
export class WatchedCode {
  readonly #source: string;
  readonly #insertions: Insertion[] = [];
  readonly #names = new Map<number, string>();

  constructor(source: string) {
    this.#source = source;
  }

  /** Names of the points that pause the isolate, by line; lines count from 0. */
  get names(): ReadonlyMap<number, string> {
    return this.#names;
  }

  get text(): string {
    const sorted = this.#insertions.toSorted((a, b) => a.at - b.at);
    const ends = [...sorted.map(({ at }) => at), this.#source.length];
    const pieces = sorted.map(
      ({ statement }, i) => `${statement}${this.#source.slice(ends[i], ends[i + 1])}`,
    );
    return this.#source.slice(0, ends[0]) + pieces.join("");
  }

  /** Throws unless its text occurs exactly once, at the beginning of a statement. */
  stopAt({ name, before, every = 1, isAwaited = false }: WatchPoint): void {
    const { at } = this.#find(before);
    const text = JSON.stringify(name);
    const stop = isAwaited ? `await globalThis.watching.hold(${text})` : "debugger";
    this.#insertions.push({
      at,
      statement: `if (globalThis.watching?.isDue(${text}, ${every})) ${stop}; `,
    });
    // The debugger is enabled for names alone.
    if (!isAwaited) {
      this.#names.set(this.#source.slice(0, at).split("\n").length - 1, name);
    }
  }

  /** The same for a fault, which keeps nothing before it is active. */
  plant({ before, holds, always = "0" }: PlantedFault): void {
    const { at, group } = this.#find(before);
    const [held, first] = [holds, always].map((text) => text.replaceAll("$1", group));
    this.#insertions.push({
      at,
      statement: `(${first}, ${FAULT} === ${JSON.stringify(holds)} && (${PLANTED} ??= []).push(${held})); `,
    });
  }

  #find(text: RegExp): { readonly at: number; readonly group: string } {
    const found = [...this.#source.matchAll(new RegExp(text, "g"))];
    const [only] = found;
    if (only === undefined || found.length > 1) {
      throw new Error(
        `${String(text)} is ${found.length} times in the Worker's code. The guard of the memory budget stops there: name the place as it is written now.`,
      );
    }
    const { index: at, 1: group = "" } = only;
    const previous = this.#source
      .slice(Math.max(0, at - 200), at)
      .trimEnd()
      .at(-1);
    if (previous === undefined || !"{};".includes(previous)) {
      throw new Error(
        `${String(text)} is not at the beginning of a statement of the Worker's code.`,
      );
    }
    return { at, group };
  }
}
