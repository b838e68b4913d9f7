/**
 * The look-ups that a run makes itself [E47], in a hostile world: the runner's own code over the tables of the cache. Answers
 * come late or never, are of a part of a page, are lost with the object that asked, and what was found is deleted meanwhile.
 */
import { findEntries } from "../../../durable-objects/cache/find-entries.ts";
import type {
  CacheAnswer,
  FoundEntry,
  CacheLookUp,
} from "../../../src/contracts/runs/result-cache.ts";
import type { Claim } from "../../../src/contracts/runs/task.ts";
import { receivedKey } from "../../../src/engine/reuse/cache-key.ts";
import { isolateMemory } from "../../../src/lib/memory/memory-budget.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import type { ObjectWorld } from "../object/object-world.ts";
import { referenceKey } from "../reference-reuse.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { SimulatedCache } from "./simulated-cache.ts";

/** A run waits no longer for an answer: its timer is set just after the one here. */
const WAITS_MS = 10_999;

/** An answer for a key that a run has received. */
export interface Told {
  /** `lost`: nobody answered, or not in time. `later`: it has to be asked for again. */
  readonly kind: "found" | "missed" | "later" | "lost";
  readonly entry?: FoundEntry;
  /** The run had been stopped or cancelled by then. */
  readonly isStopped: boolean;
}

/** Answers that runs received, by kind, and some that they did not wait for. */
export type LookUpCounts = Record<
  Told["kind"] | "late" | "stopped" | "repeated" | "outdated",
  number
>;

export function noLookUps(): LookUpCounts {
  return {
    found: 0,
    missed: 0,
    later: 0,
    lost: 0,
    late: 0,
    stopped: 0,
    repeated: 0,
    outdated: 0,
  };
}

export class SimulatedLookUps {
  /** By key, all answers in order: equal elements that became ready before and after a restart may each have one. */
  readonly told = new Map<string, Told[]>();
  /** What a claim says that a task was looked up by, by node id and indices. */
  readonly received = new Map<string, string>();
  readonly counts: LookUpCounts;
  readonly #cache: SimulatedCache;
  readonly #dice: SeededRandom;
  readonly #of: { readonly workspace: string; readonly run: string };
  #joined: { readonly world: ObjectWorld; readonly cancel: () => void } | undefined;

  constructor(
    cache: SimulatedCache,
    of: { readonly workspace: string; readonly run: string },
    dice: SeededRandom,
    counts: LookUpCounts,
  ) {
    this.#cache = cache;
    this.#of = of;
    this.#dice = dice;
    this.counts = counts;
  }

  /** The run's world. `cancel` has a caller cancel it. */
  join(world: ObjectWorld, cancel: () => void): void {
    this.#joined = { world, cancel };
  }

  get #world(): ObjectWorld {
    return this.#joined!.world;
  }

  /** The run's binding of the runner's entry point. */
  get binding(): { find: (request: CacheLookUp) => Promise<readonly CacheAnswer[]> } {
    return { find: (request) => this.#find(request) };
  }

  /** Tasks were leased: nothing is worked out whose answer the run has not received. */
  leased({ tasks, cache }: Claim): void {
    for (const { node_id: id, indices, received } of tasks) {
      const definition = cache?.nodes[id]?.definition;
      const place = referenceKey(id, indices);
      if (definition === undefined || received === undefined || this.received.has(place)) {
        continue;
      }
      this.received.set(place, received);
      const last = this.told.get(receivedKey(this.#of.workspace, definition, received))?.at(-1);
      // An equal element of the run itself may have been kept after this one was released [E45].
      const isOwn = last?.entry?.execution === this.#of.run;
      if (last === undefined || last.kind === "later" || (last.kind === "found" && !isOwn)) {
        const answer = last?.kind ?? "nothing";
        this.#world.violations.push(`${place} is worked out, and the cache said: ${answer}`);
      }
    }
  }

  #find(request: CacheLookUp): Promise<readonly CacheAnswer[]> {
    const world = this.#world;
    const dice = this.#dice;
    const lateMs = this.#lateMs();
    let isOver = false;
    const receive = (answers: readonly CacheAnswer[] | null) => {
      this.counts.late += isOver && answers !== null ? 1 : 0;
      if (!isOver) {
        isOver = true;
        this.#note(request, answers);
      }
    };
    // Set by the object, and lost with it.
    setTimeout(() => receive(null), WAITS_MS);
    if (dice.chance(0.1)) {
      world.after(dice.int(0, lateMs + 40), this.#joined!.cancel);
    }
    const answering = world.call(() => this.#answer(request), lateMs);
    answering.then(receive, () => receive(null));
    return answering;
  }

  /** Sometimes seconds, and in a world where calls are lost more than anybody waits. */
  #lateMs(): number {
    const dice = this.#dice;
    if (dice.chance(0.2)) {
      return dice.int(100, 8_000);
    }
    return this.#world.strikes("refused calls", 0.05) ? dice.int(12_000, 60_000) : 0;
  }

  async #answer(request: CacheLookUp): Promise<readonly CacheAnswer[]> {
    const world = this.#world;
    const dice = this.#dice;
    if (world.strikes("refused calls", 0.04)) {
      return dice.chance(0.5) ? [] : request.wanted.map(() => "later");
    }
    // As a page that is full: at least the first one has an answer.
    const length = dice.chance(0.25) ? dice.int(1, request.wanted.length) : request.wanted.length;
    const wanted = request.wanted.slice(0, length);
    const expected = wanted.map((want) => this.#cache.expected(want));
    const silent = world.strikes("refused calls", 0.05) ? dice.int(0, 15).toString(16) : "";
    const answers = await findEntries(
      {
        env: this.#cache.runnerEnv(silent),
        log: createLogger({ worker: "simulated" }),
        waitUntil: (promise) => void promise,
      },
      { ...request, wanted },
    );
    for (const [at, { key }] of wanted.entries()) {
      const answer = answers[at] ?? null;
      const of = answer === null || answer === "later" ? answer : answer.execution;
      const shouldBe = key.startsWith(silent) && silent !== "" ? null : expected[at];
      if (of !== shouldBe) {
        world.violations.push(`the cache has ${shouldBe} for ${key}, and answered ${of}`);
      }
    }
    if (dice.chance(0.15)) {
      // What was found is gone before the run takes it.
      this.counts.outdated += this.#cache.disturb(dice);
    }
    return [...answers, ...request.wanted.slice(length).map(() => "later" as const)];
  }

  #note({ wanted }: CacheLookUp, answers: readonly CacheAnswer[] | null): void {
    if (this.#dice.chance(0.2)) {
      // After the first piece of work with the answers.
      this.#world.after(0, takeAllMemory);
    }
    const state = this.#world.stored.rows?.state();
    const isStopped = state === undefined || state.status !== "running" || state.stopped !== null;
    const isLost = answers === null || answers.every((answer) => answer === "later");
    for (const [at, { key }] of wanted.entries()) {
      const answer = answers?.[at] ?? null;
      const told: Told = isLost
        ? { kind: "lost", isStopped }
        : answer === null
          ? { kind: "missed", isStopped }
          : answer === "later"
            ? { kind: "later", isStopped }
            : { kind: "found", entry: answer, isStopped };
      this.counts[told.kind] += 1;
      this.counts.stopped += isStopped ? 1 : 0;
      const before = this.told.get(key) ?? [];
      this.counts.repeated += [...before, told].every(({ kind }) => kind === "found")
        ? before.length
        : 0;
      this.told.set(key, [...before, told]);
    }
  }
}

/** What is only kept has to go. */
function takeAllMemory(): void {
  isolateMemory.takeAnyway(isolateMemory.holder(), isolateMemory.bytesMax).release();
}
