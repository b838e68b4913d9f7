/**
 * A task of a node that asks a model, as its run and an executor treat it: leases, attempts, waits, lost workers, the
 * charge, and what the trace counts. The executor's code, the node, its tools, the provider and the rules of its gate
 * are the real ones. Files are held in memory.
 */
import {
  runTask,
  type TaskNode,
  type TaskResult,
} from "../../../durable-objects/executor/run-task.ts";
import { RunningWork } from "../../../durable-objects/executor/running-work.ts";
import { TaskAbort } from "../../../durable-objects/executor/task-abort.ts";
import { TaskInputs } from "../../../durable-objects/executor/task-inputs.ts";
import type { TaskMemory } from "../../../durable-objects/executor/task-slots.ts";
import { joined } from "../../../durable-objects/run/tasks/model-calls.ts";
import type { ReferencedModel } from "../../../src/contracts/models/model-calls.ts";
import type { GateLeaver, ProviderGateApi } from "../../../src/contracts/models/provider-gate.ts";
import type { NodeReference } from "../../../src/contracts/references.ts";
import type { ModelCalls } from "../../../src/contracts/runs/task.ts";
import { ProviderGate } from "../../../src/domain/models/provider-gate.ts";
import { nodeCost } from "../../../src/engine/plan/node-cost.ts";
import { checkCharge } from "../../../src/engine/step/charge.ts";
import { ATTEMPTS_MAX } from "../../../src/engine/step/retry-delay.ts";
import { encodeValue } from "../../../src/engine/values.ts";
import { compileSchema } from "../../../src/expressions/json-schema.ts";
import { prepareModelPicture } from "../../../src/images/prepare-model-picture.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { FileContent } from "../../../src/lib/files/file-content.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import type { RunValue } from "../../../src/nodes/define-ports.ts";
import type { AiBinding } from "../../../src/platform/ai-binding.ts";
import type { TaskEnv } from "../../../src/platform/env.ts";
import type { Logger } from "../../../src/platform/logger.ts";
import type { ObjectNamespace } from "../../../src/platform/object-namespace.ts";
import type { Connection } from "../../../src/providers/provider-io.ts";
import type { Provider } from "../../../src/providers/provider.ts";
import { createModelTools } from "../../../src/workers/runner/model-tools.ts";
import { createNodeContext } from "../../../src/workers/shared/node-context.ts";
import { imageCodecs } from "../images/wasm-modules.ts";

const WORKSPACE = "ws_1";

export const START_MS = 1_700_000_000_000;

/** The time of a test, which only the test moves: vitest's fake timers. */
export class TaskClock {
  readonly #timers: FakeTimers;
  #passing: Promise<unknown> = Promise.resolve();

  constructor(timers: FakeTimers) {
    this.#timers = timers;
  }

  /** Back to the time at which every test of these tasks begins. */
  async reset(): Promise<void> {
    await this.settled();
    this.#timers.setSystemTime(START_MS);
  }

  /** Fires the timers of so many milliseconds. */
  pass(ms: number): void {
    this.#passing = this.#passing.then(() => this.#timers.advanceTimersByTimeAsync(ms));
  }

  /** Until a gate has been told of the end of a task that no other one follows. */
  async told(): Promise<void> {
    if (this.#timers.isFakeTimers()) {
      this.pass(1);
      await this.settled();
    } else {
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
    }
  }

  /** Moves the time on and fires no timer. */
  async skip(ms: number): Promise<void> {
    await this.settled();
    this.#timers.setSystemTime(Date.now() + ms);
  }

  /** Resolves when the time stands still. */
  async settled(): Promise<void> {
    await this.#passing;
  }
}

interface FakeTimers {
  isFakeTimers(): boolean;
  advanceTimersByTimeAsync(ms: number): Promise<unknown>;
  setSystemTime(ms: number): unknown;
}

/** What faking needs for a `TaskClock`: connections and servers have timers of their own. */
export const FAKED_TIMERS = [
  "Date",
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
] as const;

export interface ModelTaskWorld {
  readonly provider: Provider;
  /** Null for a provider without an address. */
  readonly connection: Connection | null;
  readonly ai?: AiBinding;
  readonly model: ReferencedModel;
  readonly node: TaskNode;
  readonly params: object;
  readonly inputs: Readonly<Record<string, RunValue>>;
  /** Hosts of this machine that the operator, and callers, may name. */
  readonly operatorHosts?: string;
  readonly callerHosts?: string;
  readonly clock: TaskClock;
  /** Whether its charge may exceed the reservation, at which it ends. */
  readonly mayExceed?: boolean;
  /** The task's share of a budget; without one it has no limits. */
  readonly memory?: TaskMemory;
}

/** How a task ended, and what its run keeps of it. */
export interface TaskEnd {
  /** Null if it has made its outputs. */
  readonly code: string | null;
  readonly attempts: number;
  readonly milliCredits: number;
  /** The most that it could have cost. */
  readonly reserved: number;
  /** The sums over the trace's `models[]`. */
  readonly calls: number;
  readonly repeats: number;
}

/** A file of the workspace of these tasks. */
export function storedFile(name: string, contentType: string, bytes: Uint8Array): FileRef {
  return new FileRef({
    key: `${WORKSPACE}/${name}`,
    name,
    contentType,
    sizeBytes: bytes.length,
    content: FileContent.ofBytes(bytes),
  });
}

export class ModelTask {
  /** All that the task's log has, and the messages of its failures. */
  readonly said: string[] = [];
  /** Milliseconds of each pause that the gate was asked for. */
  readonly pauses: number[] = [];
  /** After each failed attempt, the milliseconds for which its provider asked. */
  readonly waits: (number | null)[] = [];
  readonly gate = new ProviderGate([], 0);
  readonly #world: ModelTaskWorld;
  readonly #references: readonly NodeReference[];
  readonly #params: unknown;
  #models: readonly ModelCalls[] = [];
  #token: string | undefined;
  #attempt = 1;
  #lease = 0;

  constructor(world: ModelTaskWorld) {
    this.#world = world;
    const { node, model, params } = world;
    this.#params = node.params.parse({ model: model.model, ...params });
    this.#references = [
      {
        kind: "model",
        id: model.model,
        revision: null,
        path: "model",
        version: "1",
        content: model as unknown as JsonValue,
      },
    ];
  }

  /** Runs leases and attempts until the task has ended. Of a lease in `lost` (from 1) nothing is reported. */
  async toEnd(lost: readonly number[] = []): Promise<TaskEnd> {
    for (;;) {
      // oxlint-disable no-await-in-loop -- leases follow each other
      const { outcome, charge, models = [] } = await this.#run();
      if (lost.includes(this.#lease)) {
        continue;
      }
      this.#models = joined(this.#models, models);
      switch (outcome.kind) {
        case "ok":
          await this.#world.clock.told();
          return this.#ended(null, charge);
        case "waiting":
          this.#token = outcome.token;
          await this.#world.clock.skip(Math.max(250, outcome.resume_after_ms));
          break;
        case "failed":
          this.said.push(outcome.message);
          this.waits.push(outcome.retry_after_ms);
          this.#token = outcome.token ?? this.#token;
          if (!outcome.retryable || this.#attempt >= ATTEMPTS_MAX) {
            await this.#world.clock.told();
            return this.#ended(outcome.code, charge);
          }
          this.#attempt += 1;
          await this.#world.clock.skip(Math.max(500, outcome.retry_after_ms ?? 0));
          break;
        case "given_back":
          throw new Error(`The task was given back: ${outcome.reason}.`);
      }
      // oxlint-enable no-await-in-loop
      if (this.#lease > LEASES_MAX) {
        throw new Error(`The task has not ended after ${LEASES_MAX} leases.`);
      }
    }
  }

  #ended(code: string | null, claimed: TaskResult["charge"]): TaskEnd {
    const { node, inputs } = this.#world;
    const connected = Object.keys(inputs).map((port) => ({ port, type: "any" as const }));
    const stored = new Map(this.#references.map((reference) => [reference.path, reference]));
    const cost = nodeCost(node, this.#params, connected, stored);
    const { charge, problem } = checkCharge(cost, code === null ? "ok" : "failed", claimed);
    if (problem !== null && !(problem === "capped" && this.#world.mayExceed === true)) {
      throw new Error(`The charge of the task is ${problem}.`);
    }
    const sum = (of: (models: ModelCalls) => number) =>
      this.#models.reduce((all, models) => all + of(models), 0);
    return {
      code,
      attempts: this.#attempt,
      milliCredits: charge?.milliCredits ?? 0,
      reserved: cost.costMilliCredits,
      calls: sum(({ calls }) => calls),
      repeats: sum(({ unconfirmed_repeats: repeats }) => repeats),
    };
  }

  async #run(): Promise<TaskResult> {
    const { node, inputs, clock } = this.#world;
    await clock.settled();
    this.#lease += 1;
    return await runTask({
      env: this.#env(),
      parts: {
        worker: "runner",
        findNode: () => node,
        isEnvUsable: () => true,
        ...this.#tools(),
      },
      workspaceId: WORKSPACE,
      runId: "run_1",
      executor: this,
      cache: undefined,
      node,
      task: {
        task_id: 1,
        fence: this.#lease,
        attempt: this.#attempt,
        key: "call",
        ...(this.#token !== undefined && { token: this.#token }),
        node_id: "node",
        node_type: node.type,
        params_json: "{}",
        inputs: [],
        time_limit_ms: 900_000,
        file_prefix: `${WORKSPACE}/run_1/${this.#lease}/`,
        indices: [],
      },
      inputs: new TaskInputs(
        Object.entries(inputs).map(([port, value]) => ({ port, value: encodeValue(value) })),
      ),
      params: this.#params,
      memory: this.#world.memory ?? NO_LIMITS,
      ownBytes: 64 * 1024 * 1024,
      references: this.#references,
      room: { bytesMax: 64 * 1024 * 1024, take: () => true, files: [] },
      work: new RunningWork(() => {}),
      abort: new TaskAbort(),
      readElements: () => Promise.resolve(null),
      emitText: () => {},
      log: this.#log(),
    });
  }

  #env(): TaskEnv {
    const { ai, operatorHosts = "", callerHosts = "" } = this.#world;
    return {
      ENVIRONMENT: "local",
      BOOT_ID: "test",
      PROVIDERS_ALLOW_LOOPBACK: operatorHosts,
      EGRESS_ALLOW_LOOPBACK: callerHosts,
      PROVIDER_GATE: this.#gates(),
      ...(ai !== undefined && { AI: ai }),
    } as TaskEnv;
  }

  #tools() {
    const { provider, connection } = this.#world;
    const gate = provider.kind === "sample" ? null : { name: "gate", limits: { all: 4, each: 4 } };
    const none = () => Promise.reject(new Error("no pictures are decoded here"));
    const parts = {
      findProvider: () => Promise.resolve({ provider, connection, gate }),
      preparePicture: (bytes: Uint8Array, type: string) => prepareModelPicture(bytes, type, none),
      openPicture: none,
      pixels: imageCodecs.pixels,
      finishPicture: ({ bytes }: { readonly bytes: Uint8Array | AsyncIterable<Uint8Array> }) =>
        Promise.resolve(bytes),
    } as unknown as Parameters<typeof createModelTools>[0];
    return createNodeContext({
      models: (env, scope, files) => createModelTools(parts, env, scope, files),
      images: () => ({}) as never,
      schemas: () => ({ compile: compileSchema }),
    });
  }

  #gates(): ObjectNamespace<ProviderGateApi> {
    const { gate } = this;
    const leave = (left: readonly GateLeaver[]) => {
      for (const { workspace_id: workspace, run_id: run, holder } of left) {
        gate.leave({ workspace, run, holder });
      }
    };
    const api: ProviderGateApi = {
      enter: ({ workspace_id: workspace, run_id: run, task_id: task, holder, left, limits }) => {
        leave(left);
        return Promise.resolve(
          gate.enter({ workspace, run, task, holder }, limits, Date.now(), []),
        );
      },
      renew: ({ workspace_id: workspace, holder, is_job: isJob, was }) =>
        Promise.resolve(gate.renew({ workspace, holder }, { isJob, was }, Date.now())),
      leave: ({ left }) => {
        leave(left);
        return Promise.resolve();
      },
      pause: ({ workspace_id: workspace, for_ms: forMs }) => {
        this.pauses.push(forMs);
        gate.pause(workspace, forMs, Date.now());
        return Promise.resolve();
      },
    };
    return { idFromName: (name) => name as unknown as DurableObjectId, get: () => api };
  }

  #log(): Logger {
    const write = (event: string, fields?: Record<string, unknown>) => {
      this.said.push(JSON.stringify({ event, ...fields }));
    };
    const log: Logger = { info: write, error: write, with: () => log };
    return log;
  }
}

const LEASES_MAX = 400;

const NO_LIMITS = {
  give: () => {},
  shrink: () => {},
  exchange: () => Promise.resolve(),
  setMore: () => Promise.resolve(),
} as unknown as TaskMemory;
