import { DurableObject } from "cloudflare:workers";
import type {
  GateAnswer,
  GateEntry,
  GateLeave,
  GateLeaver,
  GateLimits,
  GatePause,
  GateRenewal,
  ProviderGateApi,
} from "../../src/contracts/models/provider-gate.ts";
import { ProviderGate, type Wake } from "../../src/domain/models/provider-gate.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import {
  atLeast,
  flag,
  list,
  nullable,
  object,
  optional,
  text,
  version,
  whole,
} from "../../src/lib/json/shape.ts";
import { isRunnerEnvUsable } from "../../src/platform/check-env.ts";
import type { RunnerEnv } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { parseEntries } from "../shared/entries.ts";

/**
 * Row of the holders of jobs, which outlive every executor. Its value has the format's version first. It needs no list of
 * migrations (docs/decisions/provider-gate.md).
 */
const JOBS_KEY = "jobs";
const JOBS_FORMAT = 1;
type StoredJobs = readonly [
  format: number,
  ...jobs: (readonly [holder: string, workspace: string])[],
];

/** The longest timer; it is set again. */
const TIMER_MAX_MS = 60_000;

/**
 * The gate of one configured provider. Places of requests and the queue are in memory only: executors renew their
 * places, and tasks that wait ask again (docs/decisions/provider-gate.md).
 */
export class ProviderGateObject extends DurableObject<RunnerEnv> implements ProviderGateApi {
  readonly #gate: ProviderGate;
  #stored = "";
  /** The row is of a later release, which reads it again when it is deployed again. */
  readonly #isRowLater: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAtMs = Infinity;

  constructor(state: DurableObjectState, env: RunnerEnv) {
    super(state, env);
    const stored = state.storage.kv.get<StoredJobs>(JOBS_KEY);
    // Jobs that a later release has noted show themselves with their next poll.
    const [format = JOBS_FORMAT, ...jobs] = stored ?? [];
    this.#isRowLater = format !== JOBS_FORMAT;
    this.#gate = new ProviderGate(this.#isRowLater ? [] : jobs, Date.now());
    this.#stored = JSON.stringify(this.#gate.jobs);
  }

  enter(request: GateEntry): Promise<GateAnswer> {
    const { workspace_id: workspace, run_id: run, task_id: task, holder, limits } = request;
    this.#leave(request.left);
    const wakes: Wake[] = [];
    const answer = this.#gate.enter({ workspace, run, task, holder }, limits, Date.now(), wakes);
    this.#after(wakes);
    return Promise.resolve(answer);
  }

  renew({ workspace_id: workspace, holder, is_job: isJob, was }: GateRenewal): Promise<number> {
    const pausedMs = this.#gate.renew({ workspace, holder }, { isJob, was }, Date.now());
    this.#after();
    return Promise.resolve(pausedMs);
  }

  leave({ left }: GateLeave): Promise<void> {
    this.#leave(left);
    this.#after();
    return Promise.resolve();
  }

  #leave(left: readonly GateLeaver[]): void {
    for (const { workspace_id: workspace, run_id: run, holder } of left) {
      this.#gate.leave({ workspace, run, holder });
    }
  }

  pause({ workspace_id: workspace, for_ms: forMs }: GatePause): Promise<void> {
    this.#gate.pause(workspace, forMs, Date.now());
    this.#after();
    return Promise.resolve();
  }

  #after(woken: readonly Wake[] = []): void {
    const wakes = [...woken, ...this.#gate.grant(Date.now())];
    for (const [run, theirs] of Map.groupBy(wakes, (wake) => wake.run)) {
      this.ctx.waitUntil(this.#wake(run, theirs));
    }
    const { jobs } = this.#gate;
    const text = JSON.stringify(jobs);
    if (text !== this.#stored && !this.#isRowLater) {
      this.#stored = text;
      this.ctx.storage.kv.put(JOBS_KEY, [JOBS_FORMAT, ...jobs] satisfies StoredJobs);
    }
    this.#arm();
  }

  /** A place whose task does not wait any more goes to the next one at once. */
  async #wake(run: string, wakes: readonly Wake[]): Promise<void> {
    const { RUN } = this.env;
    try {
      const tasks = wakes.map(({ task }) => task);
      const waiting = await RUN.get(RUN.idFromName(run)).resume({ v: 1, tasks });
      const gone = wakes.filter(({ task }) => waiting?.includes(task) !== true);
      if (waiting === null) {
        this.#gate.forgetRun(wakes[0]?.workspace ?? "", run);
      }
      for (const { workspace, holder } of gone) {
        this.#gate.leave({ workspace, run, holder });
      }
      if (gone.length > 0) {
        this.#after();
      }
    } catch (error) {
      // The reserved places end soon, and the tasks ask again.
      createLogger({ worker: "runner", object: "provider_gate" }).error("gate.wake_failed", {
        run_id: run,
        cause: describeCause(error),
      });
    }
  }

  /** Ends leases and pauses in time. Lost with the object's memory, together with the queue. */
  #arm(): void {
    const nextMs = this.#gate.nextMs();
    // A timer that ends too early sets the next one, which costs less than a new timer for each place.
    if (nextMs !== null && nextMs >= this.#timerAtMs) {
      return;
    }
    clearTimeout(this.#timer);
    this.#timerAtMs = Infinity;
    if (nextMs === null) {
      return;
    }
    const nowMs = Date.now();
    this.#timerAtMs = Math.min(Math.max(nextMs, nowMs + 1), nowMs + TIMER_MAX_MS);
    this.#timer = setTimeout(() => {
      this.#timerAtMs = Infinity;
      this.#after();
    }, this.#timerAtMs - nowMs);
  }
}

const leaver = { workspace_id: text, run_id: text, holder: text };
const holder = { v: version(1), ...leaver };
const leavers = list(object<GateLeaver>(leaver));

parseEntries<ProviderGateApi>(ProviderGateObject, isRunnerEnvUsable, {
  enter: [
    object<GateEntry>({
      ...holder,
      left: leavers,
      task_id: nullable(whole),
      limits: object<GateLimits>({ all: atLeast(1), each: atLeast(1) }),
    }),
  ],
  renew: [object<GateRenewal>({ ...holder, is_job: flag, was: optional(text) })],
  leave: [object<GateLeave>({ v: version(1), left: leavers })],
  pause: [object<GatePause>({ v: version(1), workspace_id: text, for_ms: whole })],
});
