/**
 * Workers whose tasks ask models of providers that lie. The executor's code for one task (`runTask`), the rules of calls
 * (`TaskJobs`) and the gate's object are the service's own. Workers die and stall at any request, and calls to the gate
 * are lost.
 */
import { RunningWork } from "../../../durable-objects/executor/running-work.ts";
import { runTask, type TaskRun } from "../../../durable-objects/executor/run-task.ts";
import { TaskAbort } from "../../../durable-objects/executor/task-abort.ts";
import { TaskInputs } from "../../../durable-objects/executor/task-inputs.ts";
import type { TaskScope } from "../../../durable-objects/executor/executor-parts.ts";
import type { ProviderGateApi } from "../../../src/contracts/models/provider-gate.ts";
import type { ReferencedModel } from "../../../src/contracts/models/model-calls.ts";
import type { GivenUpCall, LeasedTask } from "../../../src/contracts/runs/task.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import type { TaskContext } from "../../../src/nodes/define-tools.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import type { ObjectNamespace } from "../../../src/platform/object-namespace.ts";
import { unavailable } from "../../../src/providers/call-failure.ts";
import type { JobCall, JobProvider, ProviderIo } from "../../../src/providers/provider.ts";
import { cancelJobsOf, type Reach } from "../../../src/workers/runner/cancel-jobs.ts";
import {
  type GateScope,
  leaveQueue,
  pauseAfter,
  RequestPlaces,
  type TaskGate,
  taskGate,
} from "../../../src/workers/runner/model-gate.ts";
import { TaskJobs } from "../../../src/workers/runner/model-jobs.ts";
import { LyingProvider } from "../../support/providers/lying-provider.ts";
import { doneBy, type Doer, type ObjectWorld } from "../object/object-world.ts";
import type { TaskResult } from "../object/simulated-results.ts";
import type { SeededRandom } from "../seeded-random.ts";
import {
  fakeModelNode,
  type MadeCall,
  MODEL_KINDS,
  type ModelKind,
  PRICE_MAX,
  type SimulatedModelTools,
} from "./fake-model-node.ts";
import { LIMITS, SimulatedGates } from "./simulated-gates.ts";

/** Before the end of a place that is reserved for a task that has ended. */
const COUNTED_AFTER_MS = 6_000;
/** So that the slowest cancel of a job has arrived. */
const WATCHED_MS = 18_000;
const WORKSPACE = "ws_1";
const RUN = "run_1";
/** One worker with one lease. */
interface Worker extends Doer {
  /** Requests that it sends or whose answer it receives before it is lost; Infinity if it is not. */
  stepsLeft: number;
  readonly isStalled: boolean;
}

/** The price of what a call has made: it follows from its job or its key. */
function priceOf(of: string): number {
  const mixed = Buffer.from(of).reduce((sum, byte) => (sum * 31 + byte) % 9_973, 7);
  return PRICE_MAX / 2 + (mixed % (PRICE_MAX / 2));
}

const CALL: JobCall<null, { readonly of: string }> = {
  inputOf: () => Promise.resolve({}),
  // As `LyingProvider` answers.
  read: (output) => Promise.resolve(output as { of: string }),
};

export class SimulatedModels {
  readonly providers: ReadonlyMap<string, LyingProvider>;
  /** Requests, and repeats of them, that all leases together have counted. */
  readonly counted = { calls: 0, repeats: 0 };
  /** Workers that died or stalled with a lease. */
  lostWorkers = 0;
  /** Calls to a gate that were lost. */
  lostVisits = 0;
  /** Answers that broke off after their beginning. */
  brokenAnswers = 0;
  /** Free places of each gate after the run's end; empty before. */
  readonly freeAtEnd = new Map<string, number>();
  #hasLostLease = false;
  readonly #random: SeededRandom;
  readonly #lies: number;
  readonly #world: ObjectWorld;
  readonly #gates: SimulatedGates;

  constructor(random: SeededRandom, world: ObjectWorld) {
    this.#random = random;
    this.#world = world;
    this.#gates = new SimulatedGates(world);
    this.#lies = random.pick([0, 0.1, 0.3, 0.5]);
    this.providers = new Map(
      MODEL_KINDS.map((kind) => [kind, new LyingProvider(random, this.#lies)]),
    );
  }

  /** Whether the providers never lie. */
  get isHonest(): boolean {
    return this.#lies === 0;
  }

  /** What the providers and the workers did. */
  get seen(): ReadonlySet<string> {
    return new Set([
      ...[...this.providers.values()].flatMap(({ seen }) => [...seen]),
      ...(this.lostWorkers > 0 ? ["lost worker"] : []),
      ...(this.lostVisits > 0 ? ["lost visit"] : []),
      ...(this.#hasLostLease ? ["lost lease"] : []),
      ...(this.brokenAnswers > 0 ? ["broken answer"] : []),
    ]);
  }

  isAskedBy({ node_type: type }: LeasedTask): boolean {
    return type === fakeModelNode.type;
  }

  /** Runs a lease; the result never comes from a worker that dies. */
  run(task: LeasedTask, isStalled: boolean): ModelWork {
    const world = this.#world;
    const isLost = world.strikes("lost workers", 0.1);
    this.lostWorkers += isLost || isStalled ? 1 : 0;
    const worker = this.#worker(isLost ? this.#random.int(0, 4) : Infinity, isStalled);
    const abort = new TaskAbort();
    const result = doneBy(worker, () => this.#run(worker, task, abort));
    return {
      result,
      isAlive: () => worker.isAlive(),
      abort: (isCancelled) => {
        this.#hasLostLease ||= !isCancelled;
        const code = isCancelled ? "CANCELLED" : "LEASE_LOST";
        doneBy(worker, () => {
          abort.abort(new NodeError(code, "The lease has ended.", { retryable: !isCancelled }));
        });
      },
    };
  }

  /** Ends what calls have begun, as an executor does that is handed their tokens, and confirms it. */
  giveUp(calls: readonly GivenUpCall[]): void {
    const worker = this.#worker(Infinity, false);
    void doneBy(worker, async () => {
      const reach = this.#reach(worker, { workspaceId: WORKSPACE, runId: "", taskId: 0 });
      await Promise.all(calls.map(({ token }) => cancelJobsOf(token, reach)));
      const tasks = calls.map(({ task_id: id }) => id);
      this.#world.rpc({ send: (object) => object.gaveUp({ v: 1, tasks }) });
    });
  }

  /** Counts the places that are free at each gate after the run's end. */
  noteEnd(): void {
    this.#world.after(WATCHED_MS, () => {});
    this.#world.after(COUNTED_AFTER_MS, () => {
      for (const kind of MODEL_KINDS) {
        void this.#gates.freePlaces(kind).then((free) => this.freeAtEnd.set(kind, free));
      }
    });
  }

  #worker(stepsLeft: number, isStalled: boolean): Worker {
    const { boot } = this.#world;
    const worker: Worker = {
      stepsLeft,
      isStalled,
      isAlive: () => worker.stepsLeft >= 0 && this.#world.boot === boot,
    };
    return worker;
  }

  async #run(worker: Worker, task: LeasedTask, abort: TaskAbort): Promise<TaskResult> {
    const made = await runTask({
      env: {},
      parts: {
        createContext: (_env: unknown, scope: TaskScope) =>
          this.#context(worker, scope, elementOf(task)),
      },
      workspaceId: WORKSPACE,
      runId: RUN,
      executor: this,
      node: fakeModelNode,
      task,
      inputs: new TaskInputs(task.inputs),
      params: fakeModelNode.params.parse(JSON.parse(task.params_json)),
      memory: { give: () => {} },
      ownBytes: 0,
      references: [],
      room: { bytesMax: 0, take: () => true, files: [] },
      work: new RunningWork(() => {}),
      abort,
      readElements: () => Promise.resolve(null),
      emitText: () => {},
      log: createLogger({ worker: "runner" }),
      // This node reads no files, needs no other tool and holds no memory.
    } as unknown as TaskRun);
    const { outcome, charge, models = [] } = made;
    for (const { calls, unconfirmed_repeats: repeats } of models) {
      this.counted.calls += calls;
      this.counted.repeats += repeats;
    }
    return { outcome, claim: charge?.milli_credits, models };
  }

  #context(worker: Worker, scope: TaskScope, element: string): TaskContext {
    const { task, signal } = scope;
    const jobs = new TaskJobs({
      task,
      signal,
      nowMs: () => this.#world.trueMs,
      onSubmission: ({ model, provider }, isRepeat) => {
        task.countCalls({ provider, model, calls: 1, unconfirmed_repeats: isRepeat ? 1 : 0 });
      },
      beforeFetch: () => Promise.resolve(),
      reach: this.#reach(worker, scope),
    });
    const places = new RequestPlaces(task.key, signal);
    scope.atEnd((isLast) => {
      places.end();
      if (isLast && task.token !== null) {
        for (const kind of MODEL_KINDS) {
          leaveQueue(this.#gateOf(worker, kind, scope), task.key, kind === "jobs");
        }
      }
    });
    const jobOf = (name: string) =>
      jobs.of(name, modelOf("jobs", element, name), CALL, () => Promise.resolve(null));
    const models: SimulatedModelTools & Pick<TaskJobs, "giveUp"> = {
      begin: (name) => jobs.remembering(name, () => jobOf(name).begin()),
      fetch: (name) =>
        jobs.remembering(name, async () => {
          const { of } = await jobOf(name).fetch();
          return { of, price: priceOf(of) };
        }),
      request: (kind, name) =>
        jobs.remembering(name, () =>
          this.#request(worker, scope, { jobs, places, model: modelOf(kind, element, name), name }),
        ),
      giveUp: () => jobs.giveUp(),
    };
    // This node needs no other tool.
    return { task, models } as unknown as TaskContext;
  }

  /** A call that one request answers, as the runner sends it; the answer may break off after its beginning. */
  async #request(
    worker: Worker,
    scope: TaskScope,
    { jobs, places, model, name }: RequestAsk,
  ): Promise<MadeCall> {
    const { provider: kind, remote_model: call } = model;
    const gate = this.#gateOf(worker, kind, scope);
    const isIdempotent = kind === "keys";
    await places.pass(gate, (waitMs) => jobs.queue(waitMs));
    try {
      await jobs.request({ name, model, isIdempotent }, async (sends) => {
        sends();
        await this.#pass(worker);
        const failure = this.#of(kind).request(call);
        await this.#pass(worker);
        if (failure !== undefined) {
          throw failure;
        }
      });
      places.made();
    } catch (error) {
      pauseAfter(error, gate);
      throw error;
    }
    if (this.#random.chance(this.#lies / 4)) {
      this.brokenAnswers += 1;
      throw jobs.lost({ name, isIdempotent }, unavailable(new Error("reset")));
    }
    return { of: call, price: priceOf(call) };
  }

  #of(kind: string): LyingProvider {
    const provider = this.providers.get(kind);
    if (provider === undefined) {
      throw new TypeError(`there is no provider ${kind}`);
    }
    return provider;
  }

  #reach(worker: Worker, scope: GateScope): Reach {
    return (kind) => {
      const { provider } = this.#of(kind);
      const asked = async <T>(ask: () => Promise<T>): Promise<T> => {
        await this.#pass(worker);
        return await ask().finally(() => this.#pass(worker));
      };
      const jobs: JobProvider = {
        placesOf: provider.placesOf,
        calls: {},
        submit: (...of) => asked(() => provider.submit(...of)),
        poll: (...of) => asked(() => provider.poll(...of)),
        cancel: (...of) => asked(() => provider.cancel(...of)),
      };
      // Where this provider's jobs are follows from their ids.
      const io = {
        place: (_named: unknown, documented: string) => documented,
      } as unknown as ProviderIo;
      return Promise.resolve({ jobs, io, gate: this.#gateOf(worker, kind, scope) });
    };
  }

  /** Resolves when a request, or its answer, has arrived; never if its worker is dead by then. */
  #pass(worker: Worker): Promise<void> {
    const random = this.#random;
    const isSlow = worker.isStalled || random.chance(0.03);
    const ms = isSlow ? random.int(5_000, 50_000) : random.int(1, 400);
    return new Promise((resolve) => {
      worker.stepsLeft -= 1;
      this.#after(worker, ms, resolve);
    });
  }

  #after(worker: Worker, ms: number, act: () => void): void {
    this.#world.after(ms, () => {
      if (worker.isAlive()) {
        act();
      }
    });
  }

  /** The gate as a task reaches it. */
  #gateOf(worker: Worker, kind: string, scope: GateScope): TaskGate {
    const visit =
      <M extends keyof ProviderGateApi>(method: M) =>
      (request: never) =>
        this.#visit(worker, () => this.#gates.of(kind)[method](request) as Promise<never>);
    const api: ProviderGateApi = {
      enter: visit("enter"),
      renew: visit("renew"),
      leave: visit("leave"),
      pause: visit("pause"),
    };
    // Names of this world's gates are their ids.
    const gates = {
      idFromName: (name: string) => name,
      get: () => api,
    } as unknown as ObjectNamespace<ProviderGateApi>;
    return taskGate(gates, { name: kind, limits: LIMITS }, scope, (flush) => flush());
  }

  #visit<T>(worker: Worker, act: () => Promise<T>): Promise<T> {
    const world = this.#world;
    const delay = () => this.#random.int(0, 10);
    return new Promise((resolve, reject) => {
      const lose = () => {
        this.lostVisits += 1;
        this.#after(worker, delay(), () => reject(new Error("the gate was not reached")));
      };
      world.after(delay(), () => {
        if (world.strikes("refused calls", 0.02)) {
          lose();
          return;
        }
        act().then((answer) => {
          if (world.strikes("refused calls", 0.02)) {
            lose();
          } else {
            this.#after(worker, delay(), () => resolve(answer));
          }
        }, reject);
      });
    });
  }
}

/** The work of one lease. */
export interface ModelWork extends Doer {
  /** Ends it: its run was cancelled, or another worker has its lease. */
  readonly abort: (isCancelled: boolean) => void;
  readonly result: Promise<TaskResult>;
}

interface RequestAsk {
  readonly jobs: TaskJobs;
  readonly places: RequestPlaces;
  readonly model: ReferencedModel;
  /** Of the call among those of its task. */
  readonly name: string;
}

/** The element of a task, the same in every world of a seed; the task's key is not. */
function elementOf({ node_id: node, indices }: LeasedTask): string {
  return `${node}[${indices.join()}]`;
}

/** The parts of a catalog entry that calls read. The provider knows a call by its remote model. */
function modelOf(kind: ModelKind, element: string, name: string): ReferencedModel {
  return {
    model: "tiny",
    provider: kind,
    remote_model: `${element}/${name}`,
    timeout_ms: 60_000,
  } as ReferencedModel;
}
