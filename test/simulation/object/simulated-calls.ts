/** What must stay the same from one attempt of a task to the next: the key of its call, its token, its number. */
import type { LeasedTask, TaskOutcome } from "../../../src/contracts/runs/task.ts";
import type { ObjectWorld } from "./object-world.ts";

interface Wait {
  readonly token: string;
  readonly atMs: number;
  readonly forwardMs: number;
  /** Tasks that were ready and had never been leased. */
  readonly unbegun: readonly number[];
}

/** A task that was ready all this time has been offered, whatever happened to hints and alarms. */
const TURN_MAX_MS = 1_200_000;

export class SimulatedCalls {
  /** How often tasks went on after a wait. */
  waits = 0;
  readonly #world: () => ObjectWorld;
  /** For tasks whose give-back the run has accepted: the number of the attempt that did not take place. */
  readonly #offeredAgain = new Map<number, Pick<LeasedTask, "attempt" | "fence">>();
  /** How often the run has accepted a give-back. */
  readonly #timesTaken = new Map<number, number>();
  /** By element the key of its call. */
  readonly #keys = new Map<string, string>();
  /** For waiting tasks: what the run has accepted, and which tasks had not started by then. */
  readonly #waiting = new Map<number, Wait>();
  /** Tokens in reports that were sent since. */
  readonly #sent = new Map<number, Set<string>>();

  constructor(world: () => ObjectWorld) {
    this.#world = world;
  }

  /** Checks a call that begins: one key per element, and after a wait the token that was accepted with it. */
  check({ task_id: id, node_id, indices, key, token, attempt, fence }: LeasedTask): void {
    const { violations, trueMs, forwardMs } = this.#world();
    const element = `${node_id}/${indices.join()}`;
    const known = this.#keys.get(element) ?? key;
    const isTaken = [...this.#keys].some(([other, its]) => other !== element && its === key);
    if (known !== key || isTaken) {
      violations.push(`${element} has the key ${key} after ${known}`);
    }
    this.#keys.set(element, key);
    const offered = this.#offeredAgain.get(id);
    this.#offeredAgain.delete(id);
    // A lease whose claim was lost may lie between the two.
    if (offered?.fence === fence - 1 && offered.attempt !== attempt) {
      violations.push(
        `task ${id} was given back in attempt ${offered.attempt}, and has ${attempt}`,
      );
    }
    const wait = this.#waiting.get(id);
    if (wait === undefined) {
      return;
    }
    if (token !== wait.token && this.#sent.get(id)?.has(token ?? "") !== true) {
      violations.push(`task ${id} waited with "${wait.token}" and goes on with "${token}"`);
    }
    if (trueMs - wait.atMs > TURN_MAX_MS && forwardMs === wait.forwardMs) {
      const passedOver = this.#world().stored.tasks.filter(
        (one) => one.fence === 0 && wait.unbegun.includes(one.id),
      );
      if (passedOver.length > 0) {
        violations.push(`task ${id} waited in the place of ${passedOver.length} others`);
      }
    }
  }

  /** A report is on its way: if it is in time, the task goes on with its token, also if nobody learns of that. */
  noteSent({ task_id: id }: LeasedTask, outcome: TaskOutcome): void {
    if ((outcome.kind === "waiting" || outcome.kind === "failed") && outcome.token !== undefined) {
      this.#sent.set(id, (this.#sent.get(id) ?? new Set<string>()).add(outcome.token));
    }
  }

  /** A report is durable; `isCurrent` if the task was not leased again meanwhile. */
  noteWritten(task: LeasedTask, outcome: TaskOutcome, isCurrent: boolean): void {
    this.#noteWait(task, outcome, isCurrent);
    this.#noteGiveBack(task, outcome);
  }

  /** The report is durable: from now on the token must not be lost. */
  #noteWait({ task_id: id, fence }: LeasedTask, outcome: TaskOutcome, isCurrent: boolean): void {
    const { trueMs: atMs, forwardMs } = this.#world();
    if (outcome.kind !== "waiting" || !isCurrent) {
      return;
    }
    // A task whose lease ended before its report arrived waits too, for another attempt.
    const { tasks } = this.#world().stored;
    const waits = tasks.some(
      (one) =>
        one.id === id &&
        one.fence === fence &&
        one.status === "waiting" &&
        one.wait?.token === outcome.token,
    );
    if (waits) {
      this.waits += 1;
      const unbegun = tasks
        .filter((one) => one.status === "ready" && one.fence === 0)
        .map((one) => one.id);
      this.#sent.delete(id);
      this.#waiting.set(id, { token: outcome.token, atMs, forwardMs, unbegun });
    }
  }

  /** The report is durable: from now on it has not cost an attempt. */
  #noteGiveBack({ task_id, fence, attempt }: LeasedTask, outcome: TaskOutcome): void {
    const row = this.#world().stored.tasks.find((one) => one.id === task_id && one.fence === fence);
    const times = row?.givenBack ?? 0;
    // A report that arrives after its lease has ended is ignored, although the task waits for a retry.
    if (outcome.kind === "given_back" && times > (this.#timesTaken.get(task_id) ?? 0)) {
      this.#timesTaken.set(task_id, times);
      this.#offeredAgain.set(task_id, { attempt, fence });
    }
  }
}
