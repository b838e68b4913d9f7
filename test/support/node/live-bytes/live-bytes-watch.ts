import { setTimeout as delay } from "node:timers/promises";
import { connectInspector, type Inspector } from "../../../../bench/inspector.ts";
import {
  BEFORE_FAULT,
  COLLECTED_MEMORIES,
  plantFault,
  POINT_MET,
  REMOVE_FAULT,
  WATCHING,
} from "./watched-code.ts";

/** The memory limit of any path. */
export const LIVE_BYTES_MAX = 64 * 1024 * 1024;

/** How often memory is measured between turns. Samples at points are taken in any case. */
export interface Pauses {
  /** Shortest time between two samples: a sample collects all garbage, which takes some 20 ms of the Worker's time. */
  readonly ms: number;
  /** The same as a multiple of what a sample took: on a busy machine one takes a second. */
  readonly perSample: number;
}

const USUAL_PAUSES: Pauses = { ms: 250, perSample: 2 };
/** For Workers whose points are met again and again while they process something: the rest between is for the surprise. */
export const RARE: Pauses = { ms: 2_000, perSample: 12 };
/** Of `hasSeen`. */
const POLL_MS = 250;

/** Where an isolate is measured in the middle of its work. */
export interface WatchPoint {
  readonly name: string;
  /** Code that occurs once in the bundle, at the beginning of a statement. Names may end with a number. */
  readonly before: RegExp;
  /** Only every so many times: the first sample takes about 100 ms, others some 20 ms. */
  readonly every?: number;
  /**
   * In an async function, whose work waits there while memory is measured, with all that it holds. The isolate goes on, and needs no
   * debugger: with one its wasm takes up to twice the time. The isolate is paused at all other points.
   */
  readonly isAwaited?: boolean;
}

/** A fault: while it is active, the value of `holds` is kept forever whenever the position is passed. */
export interface PlantedFault {
  readonly before: RegExp;
  /** An expression; `$1` is the value of the position's first group. */
  readonly holds: string;
  /** An expression that is evaluated whenever the position is passed, with or without a fault; `$1` as in `holds`. */
  readonly always?: string;
}

/** Bytes in use, by kind. */
interface Held {
  readonly heap: number;
  readonly buffers: number;
  readonly wasm: number;
}

export interface LiveBytes {
  /** The maximum above the level at the start of the watch. */
  readonly peak: number;
  /** Where that was: a point's name, or between two turns. */
  readonly at: string;
  readonly held: Held;
  /** The total maximum, including the level at rest. */
  readonly most: number;
  readonly samples: number;
  /** How often the isolate was paused at each point. */
  readonly met: ReadonlyMap<string, number>;
}

/** How often the wasm memories in the heap are compared with those that were noted, before a difference is a fault of the watch. */
const EXACT_TRIES = 3;

/** Of the inspector. */
type Answer = Record<string, unknown>;
/** The wasm memories that were noted, and those that were found in the heap, if it was asked. */
type Memories = readonly [noted: Answer, found: Answer | undefined];
interface Remote {
  readonly objectId: string;
}

const NOTHING: Held = { heap: 0, buffers: 0, wasm: 0 };

/**
 * Measures the memory of a Worker's isolate after garbage collection: its heap, its buffers and its wasm memories. An
 * isolate responds only between two turns; memory during a turn is measured at its points.
 */
export class LiveBytesWatch {
  readonly #inspector: Inspector;
  readonly #memoryPrototype: string;
  readonly #pauses: Pauses;
  #atRest: Held = NOTHING;
  #peak: Held = NOTHING;
  #most = 0;
  #at = "";
  #samples = 0;
  #questions = 0;
  /** The sample for which the isolate has not collected its garbage yet. */
  #asked: Promise<Held> | undefined;
  #met = new Map<string, number>();
  /** Points at which the noted memories have been compared with those in the heap. */
  readonly #checked = new Set<string>();
  /** The first of a sample at a point. */
  #failure: unknown;

  private constructor(inspector: Inspector, memoryPrototype: string, pauses: Pauses) {
    this.#inspector = inspector;
    this.#memoryPrototype = memoryPrototype;
    this.#pauses = pauses;
  }

  /** Takes the current memory as the level at rest. `names` are those of the Worker's points that pause it, by line. */
  static async open(
    inspectorPort: number,
    worker: string,
    names: ReadonlyMap<number, string> = new Map(),
    pauses: Pauses = USUAL_PAUSES,
  ): Promise<LiveBytesWatch> {
    const inspector = await connectInspector(inspectorPort, worker);
    const { result } = await inspector.send("Runtime.evaluate", {
      expression: "WebAssembly.Memory.prototype",
      contextId: inspector.contextId,
    });
    const { objectId } = result as { objectId: string };
    const watch = new LiveBytesWatch(inspector, objectId, pauses);
    inspector.on("Debugger.paused", ({ callFrames }) => {
      const [{ location }] = callFrames as readonly [{ location: { lineNumber: number } }];
      void watch.#meet(names.get(location.lineNumber) ?? "a point of nobody's");
    });
    inspector.on("Runtime.bindingCalled", ({ payload }) => {
      const { name, number } = JSON.parse(payload as string) as { name: string; number: number };
      void watch.#meet(name, number);
    });
    await inspector.send("Runtime.addBinding", { name: POINT_MET });
    await watch.#evaluate(WATCHING);
    await watch.#noteMemories();
    if (names.size > 0) {
      await inspector.send("Debugger.enable");
    }
    watch.#atRest = await watch.#held(true);
    return watch;
  }

  /** Those that were made before the watch. */
  async #noteMemories(): Promise<void> {
    const { send } = this.#inspector;
    const objectGroup = "before the watch";
    const { objects } = await send("Runtime.queryObjects", {
      prototypeObjectId: this.#memoryPrototype,
      objectGroup,
    });
    await send("Runtime.callFunctionOn", {
      objectId: (objects as Remote).objectId,
      functionDeclaration: "function () { this.forEach((one) => watching.memories.add(one)); }",
    });
    await send("Runtime.releaseObjectGroup", { objectGroup });
  }

  /** Measures while the Worker processes something, at one in `thinning` of what its points are met at otherwise. */
  async during(act: () => Promise<unknown>, thinning = 1): Promise<LiveBytes> {
    await this.#evaluate(`watching.start(${thinning})`);
    this.#peak = NOTHING;
    this.#most = 0;
    this.#at = "nowhere";
    this.#samples = 0;
    this.#met = new Map();
    this.#checked.clear();
    this.#failure = undefined;
    let isDone = false;
    const acting = act().finally(() => {
      isDone = true;
    });
    // Reported where it is awaited.
    acting.catch(() => undefined);
    while (!isDone) {
      const beganAt = performance.now();
      this.#note(await this.#held(), "between turns");
      const tookMs = performance.now() - beganAt;
      const pauseMs = Math.max(this.#pauses.ms, tookMs * this.#pauses.perSample);
      await Promise.race([
        delay(pauseMs, undefined, { ref: false }),
        acting.catch(() => undefined),
      ]);
    }
    await acting;
    this.#note(await this.#held(true), "at its end");
    if (this.#failure !== undefined) {
      throw this.#failure;
    }
    return {
      peak: sumOf(this.#peak),
      held: this.#peak,
      most: this.#most,
      at: this.#at,
      samples: this.#samples,
      met: this.#met,
    };
  }

  /**
   * The same with one of the faults that the watch was opened with; its expression may use `before`, which is evaluated
   * when the fault begins.
   */
  async duringFault(
    fault: PlantedFault,
    act: () => Promise<unknown>,
    before = "undefined",
  ): Promise<LiveBytes> {
    await this.#evaluate(plantFault(fault.holds, before));
    try {
      return await this.during(act);
    } finally {
      await this.#evaluate(REMOVE_FAULT);
    }
  }

  /**
   * Resolves when more than this many bytes were measured at once in the watch that is in progress, and at the latest
   * after `timeoutMs`. Holds back what would release them, so that no test depends on their lasting until a sample.
   */
  async hasSeen(bytes: number, timeoutMs: number): Promise<void> {
    const untilMs = performance.now() + timeoutMs;
    while (this.#most <= bytes && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Ends what `before` of `duringFault` began, while the fault goes on. */
  async endBefore(): Promise<void> {
    await this.#evaluate(`${BEFORE_FAULT} = undefined`);
  }

  /** The memory taken from the isolate's budget now; requires one of its faults to be planted. */
  async takenBytes(): Promise<number> {
    const { contextId } = this.#inspector;
    const expression = "globalThis.isolateBudget?.takenBytes";
    const { result } = await this.#inspector.send("Runtime.evaluate", { expression, contextId });
    const { value } = result as { value?: unknown };
    if (typeof value !== "number") {
      throw new Error("Nobody has asked the isolate's budget for memory.");
    }
    return value;
  }

  close(): void {
    this.#inspector.close();
  }

  async #evaluate(expression: string): Promise<void> {
    const { contextId } = this.#inspector;
    await this.#inspector.send("Runtime.evaluate", { expression, contextId });
  }

  #note({ heap, buffers, wasm }: Held, at: string): void {
    const atRest = this.#atRest;
    this.#samples++;
    this.#most = Math.max(this.#most, sumOf({ heap, buffers, wasm }));
    const over = {
      heap: heap - atRest.heap,
      buffers: buffers - atRest.buffers,
      wasm: wasm - atRest.wasm,
    };
    if (sumOf(over) > sumOf(this.#peak)) {
      this.#peak = over;
      this.#at = at;
    }
  }

  /** `number` is that of the work that waits at the point; without it the isolate is paused. */
  async #meet(name: string, number?: number): Promise<void> {
    this.#met.set(name, (this.#met.get(name) ?? 0) + 1);
    try {
      // The isolate answers in order: what it has not answered before the point, it measures there.
      this.#note(await (this.#asked ?? this.#heldAt(name)), name);
    } catch (error) {
      // Reported by `during`, so that the isolate goes on.
      this.#failure ??= error;
    }
    if (number === undefined) {
      await this.#inspector.send("Debugger.resume");
    } else {
      await this.#evaluate(`watching.held.delete(${number})`);
    }
  }

  #heldAt(name: string): Promise<Held> {
    const isExact = !this.#checked.has(name);
    this.#checked.add(name);
    return this.#held(isExact);
  }

  /**
   * `isExact` also finds the wasm memories in the heap, and throws if they are not those that were noted when they were made. This takes
   * five times as long, so it is done at rest, once at each point and at the end.
   */
  #held(isExact = false): Promise<Held> {
    // A separate group: two samples may be in progress when the isolate pauses at a point.
    this.#questions++;
    const objectGroup = `held ${this.#questions}`;
    // The isolate carries these out one after another, at once and also while it is paused.
    const memories = this.#askMemories(objectGroup, isExact);
    const answers = Promise.all([memories, this.#inspector.send("Runtime.getHeapUsage")]);
    const held = this.#read(answers, objectGroup);
    this.#asked = held;
    const isAnswered = () => {
      if (this.#asked === held) {
        this.#asked = undefined;
      }
    };
    answers.then(isAnswered, isAnswered);
    return held;
  }

  /** The wasm memories that were noted, after a collection, and with `isExact` those in the heap. */
  #askMemories(objectGroup: string, isExact: boolean): Promise<Memories> {
    const { send, contextId } = this.#inspector;
    const expression = COLLECTED_MEMORIES;
    return Promise.all([
      send("Runtime.evaluate", { expression, contextId, objectGroup }),
      isExact
        ? send("Runtime.queryObjects", { prototypeObjectId: this.#memoryPrototype, objectGroup })
        : undefined,
    ]);
  }

  async #read(answers: Promise<readonly [Memories, Answer]>, objectGroup: string): Promise<Held> {
    try {
      return await this.#compare(await answers, objectGroup);
    } finally {
      // Otherwise the inspector would keep the memories.
      await this.#inspector.send("Runtime.releaseObjectGroup", { objectGroup });
    }
  }

  async #compare(
    [memories, { usedSize, backingStorageSize }]: readonly [Memories, Answer],
    objectGroup: string,
  ): Promise<Held> {
    let [noted, found] = await this.#sizesOf(memories);
    // An isolate that is not paused may make one between the two questions.
    for (let tries = 1; found !== undefined && found !== noted; tries++) {
      if (tries === EXACT_TRIES) {
        throw new Error(`There are wasm memories of ${found} bytes, and ${noted} were noted.`);
      }
      // oxlint-disable-next-line no-await-in-loop -- one try after the other
      [noted, found] = await this.#sizesOf(await this.#askMemories(objectGroup, true));
    }
    if (typeof usedSize !== "number" || typeof backingStorageSize !== "number") {
      throw new Error("The inspector gave no sizes.");
    }
    return { heap: usedSize, buffers: backingStorageSize, wasm: noted };
  }

  async #sizesOf([{ result: noted }, found]: Memories): Promise<[number, number | undefined]> {
    const { internalProperties } = await this.#inspector.send("Runtime.getProperties", {
      objectId: (noted as Remote).objectId,
      ownProperties: true,
    });
    // Read by the inspector, since what the isolate itself reads of something weak lives until its turn ends.
    const entries = (internalProperties as readonly { name: string; value: Remote }[]).find(
      ({ name }) => name === "[[Entries]]",
    );
    return await Promise.all([
      this.#sizeOf(entries?.value, ".value"),
      found === undefined ? undefined : this.#sizeOf(found["objects"] as Remote, ""),
    ]);
  }

  /** The bytes of the wasm memories in an array of the isolate's; `path` leads from an element to its memory. */
  async #sizeOf(array: Remote | undefined, path: string): Promise<number> {
    const { result } = await this.#inspector.send("Runtime.callFunctionOn", {
      objectId: array?.objectId,
      // The inspector's own array has no methods.
      functionDeclaration: `function () {
        let sum = 0;
        for (let i = 0; i < this.length; i++) sum += this[i]${path}.buffer.byteLength;
        return sum;
      }`,
      returnByValue: true,
    });
    const { value } = result as { value: unknown };
    if (typeof value !== "number") {
      throw new Error(`The inspector gave no size, but ${JSON.stringify(result)}.`);
    }
    return value;
  }
}

function sumOf({ heap, buffers, wasm }: Held): number {
  return heap + buffers + wasm;
}
