/** The places of one task at the gates of its providers (docs/contract/models.md#concurrency). */
import { NodeError } from "../../lib/errors/node-error.ts";
import type {
  GateLeaver,
  GateLimits,
  ProviderGateApi,
} from "../../contracts/models/provider-gate.ts";
import { TaskGivenBack } from "../../lib/task-given-back.ts";
import type { ObjectNamespace } from "../../platform/object-namespace.ts";

/** The gate of a configured provider: its object's name, and its places. */
export interface GateOfProvider {
  readonly name: string;
  readonly limits: GateLimits;
}

/** A gate as one task reaches it. */
export interface TaskGate {
  readonly name: string;
  /** Undefined once the holder has a place; otherwise after how many milliseconds to ask again. */
  enter(holder: string, isWoken: boolean): Promise<number | undefined>;
  /**
   * Returns the milliseconds for which the provider may not be called. `was` is the holder until now. Never throws: a place
   * lasts for a while without its renewal, and what the task has begun must not be given back.
   */
  renew(holder: string, job?: { readonly was?: string }): Promise<number>;
  /** Never throws: a place that is not given back ends by itself. */
  leave(holder: string): void;
  /** Holds back all calls of the workspace to the provider. Never throws. */
  pause(forMs: number): void;
}

/** Whose places these are. */
export interface GateScope {
  readonly workspaceId: string;
  readonly runId: string;
  readonly taskId: number;
}

/**
 * Holders that have left a gate and that it has not been told of yet: the next call of an isolate tells it, or a timer. Mostly
 * a task begins when another one has ended, so that a call of a provider costs one call of the gate in place of two.
 */
const leaving = new Map<string, { readonly left: GateLeaver[]; armedMs: number }>();

function takeLeaving(name: string): readonly GateLeaver[] {
  const known = leaving.get(name);
  leaving.delete(name);
  return known?.left ?? [];
}

/** Longer than from the end of a task until the next one of its lane is at the gate. */
const LEAVE_MS = 1;
/** After which a timer is taken for lost, with the object that had set it. */
const LOST_MS = 1_000;

function soon(flush: () => void): void {
  setTimeout(flush, LEAVE_MS);
}

/** `later` calls the function that it is given soon afterwards. */
export function taskGate(
  gates: ObjectNamespace<ProviderGateApi> | undefined,
  { name, limits }: GateOfProvider,
  { workspaceId, runId, taskId }: GateScope,
  later: (flush: () => void) => void = soon,
): TaskGate {
  if (gates === undefined) {
    throw new TaskGivenBack("environment");
  }
  const gate = gates.get(gates.idFromName(name));
  const who = (holder: string) => ({ workspace_id: workspaceId, run_id: runId, holder });
  const as = (holder: string) => ({ v: 1, ...who(holder) }) as const;
  const flush = () => {
    const left = takeLeaving(name);
    if (left.length > 0) {
      gate.leave({ v: 1, left }).catch(ignore);
    }
  };
  return {
    name,
    async enter(holder, isWoken) {
      const answer = await reached(
        gate.enter({
          ...as(holder),
          left: takeLeaving(name),
          task_id: isWoken ? taskId : null,
          limits,
        }),
      );
      return answer.admitted ? undefined : answer.wait_ms;
    },
    async renew(holder, job) {
      const was = job?.was;
      const renewal = { is_job: job !== undefined, ...(was !== undefined && { was }) };
      return await gate.renew({ ...as(holder), ...renewal }).catch(() => 0);
    },
    leave(holder) {
      const known = leaving.get(name) ?? { left: [], armedMs: -Infinity };
      leaving.set(name, known);
      known.left.push(who(holder));
      if (Math.abs(Date.now() - known.armedMs) > LOST_MS) {
        known.armedMs = Date.now();
        later(flush);
      }
    },
    pause(forMs) {
      gate
        .pause({ v: 1, workspace_id: workspaceId, for_ms: Math.max(0, Math.ceil(forMs)) })
        .catch(ignore);
    },
  };
}

/** A gate that cannot be reached costs no attempt, and lets nobody in. */
async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new TaskGivenBack("environment", { cause: error });
  }
}

function ignore(): void {}

/** A third of the time after which a place that nobody renews is free. */
const RENEW_MS = 10_000;

/** Renews a place until the returned function is called. */
export function keepPlace(gate: Pick<TaskGate, "renew">, holder: string): () => void {
  const timer = setInterval(() => {
    gate.renew(holder).catch(ignore);
  }, RENEW_MS);
  return () => {
    clearInterval(timer);
  };
}

/** The holder of the place of a task's job while it is submitted: one at a time. Afterwards the job holds it. */
export function submissionHolder(taskKey: string): string {
  return `${taskKey}/submission`;
}

/**
 * Takes a task that will not run again out of the queue of a gate. A place that was reserved for it meanwhile would be kept from
 * the others until the reservation ends.
 */
export function leaveQueue(gate: Pick<TaskGate, "leave">, taskKey: string, hasJobs: boolean): void {
  gate.leave(hasJobs ? submissionHolder(taskKey) : taskKey);
}

/** The place for the requests of one attempt: it makes one at a time, and keeps the place until it has ended. */
export class RequestPlaces {
  readonly #holder: string;
  readonly #signal: AbortSignal;
  readonly #held = new Map<string, { gate: TaskGate; stop: () => void }>();
  /** Gates in whose queue the attempt waits in place. */
  readonly #asked = new Map<string, TaskGate>();
  /** A request was answered, so that running the node again would ask and pay for it again. */
  #hasMade = false;

  constructor(holder: string, signal: AbortSignal) {
    this.#holder = holder;
    this.#signal = signal;
  }

  /** Returns once the gate lets a request pass. Calls `suspend`, which throws, where the task can wait elsewhere. */
  async pass(gate: TaskGate, suspend: (waitMs: number) => never): Promise<void> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- until there is a place
      const waitMs = await this.#ask(gate);
      if (waitMs === undefined) {
        return;
      }
      if (!this.#hasMade) {
        suspend(waitMs);
      }
      this.#asked.set(gate.name, gate);
      // oxlint-disable-next-line no-await-in-loop -- what the attempt has made would be lost with a wait elsewhere
      await sleep(Math.min(waitMs, IN_PLACE_MS), this.#signal);
    }
  }

  /** Whether the attempt has made something that would be lost. */
  get hasMade(): boolean {
    return this.#hasMade;
  }

  made(): void {
    this.#hasMade = true;
  }

  /** Gives all places back, also those in queues. */
  end(): void {
    for (const { gate, stop } of this.#held.values()) {
      stop();
      this.#asked.set(gate.name, gate);
    }
    this.#held.clear();
    for (const gate of this.#asked.values()) {
      gate.leave(this.#holder);
    }
    this.#asked.clear();
  }

  /** What the attempt has made would be lost if it were given back, so it asks again. */
  async #enter(gate: TaskGate): Promise<number | undefined> {
    try {
      return await gate.enter(this.#holder, !this.#hasMade);
    } catch (error) {
      if (this.#hasMade && error instanceof TaskGivenBack) {
        return IN_PLACE_MS;
      }
      throw error;
    }
  }

  async #ask(gate: TaskGate): Promise<number | undefined> {
    const isHeld = this.#held.has(gate.name);
    if (isHeld) {
      const pausedMs = await gate.renew(this.#holder);
      return pausedMs > 0 ? pausedMs : undefined;
    }
    const waitMs = await this.#enter(gate);
    if (waitMs === undefined) {
      this.#held.set(gate.name, { gate, stop: keepPlace(gate, this.#holder) });
    }
    return waitMs;
  }
}

const IN_PLACE_MS = 500;

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
  signal.throwIfAborted();
}

/** A provider that asks for a pause of at most a minute gets it for all calls of the workspace. */
export function pauseAfter(error: unknown, gate: Pick<TaskGate, "pause"> | null): void {
  if (error instanceof NodeError && error.code === "PROVIDER_RATE_LIMITED" && error.retryable) {
    const { retryAfterMs = 0 } = error;
    if (retryAfterMs > 0) {
      gate?.pause(retryAfterMs);
    }
  }
}
