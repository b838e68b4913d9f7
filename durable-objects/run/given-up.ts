import type { GivenUpCall } from "../../src/contracts/runs/task.ts";
import type { LiveRun } from "./live-run.ts";
import type { RunStore } from "./state/run-store.ts";
import type { TaskRow } from "./tasks/task-entry.ts";

/** Executors try for this long to end what a call has begun elsewhere; then its provider's own limits end it. */
const KEPT_MS = 120_000;

/** Calls that are handed over at once. */
const CALLS_MAX = 50;

/** When the records are dropped; 0 if there are none. */
const UNTIL_KEY = "given_up_until";
const TEXT_KEY = "given_up";

/**
 * Calls that the run ended while they waited. What they began elsewhere (the job of a provider) is ended by an executor,
 * which is given their tokens until it confirms, also after the run has ended and after a crash.
 */
export class GivenUp {
  readonly #store: RunStore;

  constructor(store: RunStore) {
    this.#store = store;
  }

  get isEmpty(): boolean {
    return Number(this.#store.getMetadata(UNTIL_KEY) ?? 0) === 0;
  }

  note(calls: readonly GivenUpCall[], nowMs: number): void {
    if (calls.length > 0) {
      this.#write([...this.#read(), ...calls], nowMs + KEPT_MS);
    }
  }

  /** Notes the calls of these tasks that may have begun something elsewhere: those that ask models. */
  noteTasks({ machine }: LiveRun, tasks: readonly TaskRow[], nowMs: number): void {
    const calls = tasks.flatMap(({ id, node, wait }) =>
      wait !== null && machine?.plan.nodes[node]?.type.needs?.includes("models") === true
        ? [{ task_id: id, token: wait.token }]
        : [],
    );
    this.note(calls, nowMs);
  }

  /** The calls to hand over now. */
  some(): readonly GivenUpCall[] {
    return this.isEmpty ? [] : this.#read().slice(0, CALLS_MAX);
  }

  confirm(tasks: readonly number[]): void {
    if (!this.isEmpty) {
      const ended = new Set(tasks);
      const left = this.#read().filter(({ task_id: id }) => !ended.has(id));
      this.#write(left, Number(this.#store.getMetadata(UNTIL_KEY)));
    }
  }

  /** Returns how many calls nobody confirmed in time. */
  expire(nowMs: number): number {
    if (this.isEmpty || nowMs < Number(this.#store.getMetadata(UNTIL_KEY))) {
      return 0;
    }
    const { length } = this.#read();
    this.#write([], 0);
    return length;
  }

  #read(): readonly GivenUpCall[] {
    return this.isEmpty ? [] : (JSON.parse(this.#store.getText(TEXT_KEY)) as GivenUpCall[]);
  }

  #write(calls: readonly GivenUpCall[], untilMs: number): void {
    this.#store.transaction(() => {
      if (calls.length > 0) {
        this.#store.putText(TEXT_KEY, JSON.stringify(calls));
      }
      this.#store.putMetadata(UNTIL_KEY, calls.length === 0 ? 0 : untilMs);
    });
  }
}
