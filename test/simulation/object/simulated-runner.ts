/** The queue and the workers: they claim, work, send heartbeats and report, and do all of it unreliably. */
import type { Claim, LeasedTask, NodeTasksMessage } from "../../../src/contracts/runs/task.ts";
import type { NodeInputs } from "../../../src/nodes/define-ports.ts";
import { fakeGatherNode, gatheredInputs } from "../fake-task-node.ts";
import type { ReadElements } from "../../support/executor/read-elements.ts";
import { FILE_PORT, SimulatedFiles } from "./simulated-files.ts";
import type { ChunkCache } from "../../../durable-objects/executor/chunk-cache.ts";
import { digestsOf, lookUp, receivedBy, type SimulatedCache } from "../cache/simulated-cache.ts";
import type { SimulatedLookUps } from "../cache/simulated-look-ups.ts";
import type { ObjectWorld } from "./object-world.ts";
import { SimulatedCalls } from "./simulated-calls.ts";
import type { ModelWork, SimulatedModels } from "../models/simulated-models.ts";
import { reportOf, resultOf, STALE, type TaskResult, valuesOf } from "./simulated-results.ts";

const LEASE_MS = 30_000;
const HEARTBEAT_MS = 5_000;
const ATTEMPTS_MAX = 4;
/** A run has at most this many tasks with the runner (docs/limits.md#tasks), and at most its workspace's plan allows. */
const OUTSTANDING_MAX = 64;

interface Lease {
  readonly task: LeasedTask;
  readonly boot: number;
  /** When it was given or last extended, in real time. */
  atMs: number;
  /** How far the object's clock had jumped by then. */
  forwardMs: number;
  isReported: boolean;
  /** An accepted report was acknowledged: the work must not be repeated. */
  hasResponded: boolean;
  /** The worker has stopped, whatever the lease says. */
  isOver: boolean;
  /** Of a task that asks models. */
  work?: ModelWork;
  /** Of the chunk that the task was claimed with. */
  readonly cache: ChunkCache | undefined;
  /** What the task received, once it was looked up. */
  received?: string;
}

export class SimulatedRunner {
  /** Files of attempts, by key, as stored. */
  readonly files = new Map<string, { readonly task: number; readonly fence: number }>();
  /** Their additional files, in rows and packs. */
  readonly held = new SimulatedFiles();
  staleReports = 0;
  /** The most tasks with the runner at once, and the limit. */
  mostOutstanding = 0;
  /** Pages of elements that tasks of aggregators read. */
  pages = 0;
  readonly #outstandingMax: number;
  /** How often tasks were given back, by task. */
  readonly givenBack = new Map<number, number>();
  /** Keys, tokens and attempts of calls. */
  readonly #calls = new SimulatedCalls(() => this.#world);
  readonly #leases = new Map<number, Lease>();
  world: ObjectWorld | undefined;
  /** Runs the tasks that ask models, and ends what they have begun elsewhere. */
  models: SimulatedModels | undefined;
  /** Where its tasks are looked up; undefined in a world without a result cache. */
  cache: SimulatedCache | undefined;
  /** What runs have looked up themselves; undefined for workers that do not know of it. */
  lookUps: SimulatedLookUps | undefined;

  /** `planTasks`: the plan's limit for the whole workspace; undefined if it has none. */
  constructor(planTasks: number | undefined) {
    this.#outstandingMax = Math.min(OUTSTANDING_MAX, planTasks ?? OUTSTANDING_MAX);
  }

  /** How often tasks went on after a wait. */
  get waits(): number {
    return this.#calls.waits;
  }

  get #world(): ObjectWorld {
    return this.world!;
  }

  get bindings() {
    return {
      NODE_TASKS: {
        sendBatch: (messages: readonly { body: NodeTasksMessage }[]) =>
          this.#world.call(() => {
            for (const { body } of messages) {
              this.#carry(body);
            }
          }),
      },
      FILES: {
        list: ({ prefix }: { prefix: string }) =>
          this.#world.call(() => ({
            objects: [...this.files.keys(), ...this.held.packs.keys()]
              .filter((key) => key.startsWith(prefix))
              .map((key) => ({ key })),
          })),
        delete: (keys: readonly string[]) =>
          this.#world.call(() => {
            for (const key of keys) {
              this.files.delete(key);
              this.held.packs.delete(key);
            }
          }),
      },
    };
  }

  #carry({ chunk }: NodeTasksMessage): void {
    const world = this.#world;
    const { boot } = world;
    const deliver = () => {
      // The local queue is lost with the machine.
      if (boot === world.boot) {
        this.#claim(chunk);
      }
    };
    if (!world.strikes("lost hints", 0.2)) {
      world.after(world.random.int(1, 20), deliver);
    }
    if (world.strikes("lost hints", 0.1)) {
      world.after(world.random.int(1, 20_000), deliver);
    }
  }

  #claim(chunk: number): void {
    const world = this.#world;
    const { boot } = world;
    world.rpc({
      send: (object) => object.claim({ v: 1, chunk, executor: "simulated", takes_files: true }),
      onWritten: (claim) => {
        this.#noteLeases(claim);
      },
      onResponse: (claim) => {
        if (boot === world.boot && claim?.given_up !== undefined) {
          this.models?.giveUp(claim.given_up);
        }
        for (const task of claim?.tasks ?? []) {
          const lease = this.#leases.get(task.task_id);
          if (lease?.task === task && boot === world.boot) {
            this.#work(lease);
          }
        }
      },
    });
  }

  /** One live lease per element: another only after the last was reported, expired, or was lost with its start. */
  #noteLeases(claim: Claim | null): void {
    const { boot, trueMs, forwardMs, violations } = this.#world;
    const cache = claim === null ? undefined : this.cache?.of(claim);
    if (claim !== null) {
      this.lookUps?.leased(claim);
    }
    for (const task of claim?.tasks ?? []) {
      const before = this.#leases.get(task.task_id);
      if (before !== undefined) {
        const elapsed = trueMs - before.atMs + forwardMs - before.forwardMs;
        if (task.fence <= before.task.fence) {
          violations.push(`task ${task.task_id}: fence ${task.fence} after ${before.task.fence}`);
        }
        if (before.hasResponded) {
          violations.push(`task ${task.task_id} is leased again, its report was answered`);
        }
        if (!before.isReported && before.boot === boot && elapsed < LEASE_MS) {
          violations.push(`task ${task.task_id} has two leases, the other ${elapsed} ms old`);
        }
      }
      const lease = {
        task,
        boot,
        atMs: trueMs,
        forwardMs,
        isReported: false,
        hasResponded: false,
        isOver: false,
        cache,
      };
      this.#leases.set(task.task_id, lease);
      this.#calls.check(task);
    }
    if (claim !== null) {
      // A row records a task as leased until its outcome is in the state, or it is leased again.
      const n = this.#world.stored.tasks.filter(
        ({ id, status, fence }) =>
          status === "leased" &&
          this.#leases.get(id)?.task.fence === fence &&
          this.#leases.get(id)?.boot === boot &&
          this.#leases.get(id)?.isReported === false,
      ).length;
      this.mostOutstanding = Math.max(this.mostOutstanding, n);
      if (n > this.#outstandingMax) {
        violations.push(`${n} tasks are outstanding, and ${this.#outstandingMax} may be`);
      }
    }
  }

  #work(lease: Lease): void {
    if (this.models?.isAskedBy(lease.task) === true) {
      this.#ask(lease, this.models);
      return;
    }
    const inputs = valuesOf(lease.task.inputs);
    if (lease.task.node_type === fakeGatherNode.type) {
      this.#read(lease, { once: inputs, elements: [], failed: 0, from: 0 }, 0);
    } else {
      this.#do(lease, inputs);
    }
  }

  /** The task of a node that asks models, which an executor's own code runs. */
  #ask(lease: Lease, models: SimulatedModels): void {
    const world = this.#world;
    const startMs = world.trueMs;
    const isStalled = world.strikes("lost workers", 0.05);
    const work = models.run(lease.task, isStalled);
    lease.work = work;
    if (!isStalled) {
      this.#beat(lease);
    }
    void work.result.then((made) => {
      if (!lease.isOver && lease.boot === world.boot) {
        lease.isOver = true;
        this.#report(lease, made, world.trueMs - startMs, 0);
      }
    });
  }

  /** An aggregator's elements, page by page; one whose lease is lost stops. */
  #read(lease: Lease, reading: Reading, tries: number): void {
    const world = this.#world;
    const { boot } = world;
    const { task_id, fence } = lease.task;
    const { from, once } = reading;
    const isSuperseded = this.#leases.get(task_id) !== lease;
    world.rpc({
      send: (object) => object.elements({ v: 1, task_id, fence, from }),
      onWritten: (page) => {
        if (isSuperseded && page !== null) {
          world.violations.push(`fence ${fence} of task ${task_id} read its elements late`);
        }
      },
      onResponse: (page) => {
        if (page === null || boot !== world.boot) {
          return;
        }
        this.pages += 1;
        const { places = [], failed = 0 } = page;
        const elements = page.elements.map((element, at) => ({
          inputs: valuesOf(element),
          place: places[at] ?? -1,
        }));
        const read = {
          elements: [...reading.elements, ...elements],
          failed: reading.failed + failed,
        };
        if (page.next === null) {
          this.#do(lease, gatheredInputs(read, once));
        } else {
          this.#read(lease, { once, ...read, from: page.next }, 0);
        }
      },
      onLost: () => {
        if (tries < 10 && boot === world.boot) {
          this.#read(lease, reading, tries + 1);
        }
      },
    });
  }

  #do(lease: Lease, inputs: NodeInputs): void {
    const world = this.#world;
    const { task, cache, boot } = lease;
    if (cache?.uses(task) !== true) {
      this.#make(lease, inputs);
      return;
    }
    lease.received = receivedBy(inputs);
    const worker = { isAlive: () => boot === world.boot };
    const isOld = this.lookUps === undefined;
    void lookUp(worker, cache, task, lease.received, isOld).then((found) => {
      if (found === null) {
        this.#make(lease, inputs);
      } else {
        lease.isOver = true;
        // A claim of what costs nothing is ignored.
        this.#report(lease, { ...found, claim: 77 }, 1, 0);
      }
    });
  }

  #make(lease: Lease, inputs: NodeInputs): void {
    const world = this.#world;
    const { task } = lease;
    const isLast = task.attempt >= ATTEMPTS_MAX;
    const givenBack = this.givenBack.get(task.task_id) ?? 0;
    const { outcome, claim } = this.#filed(
      task,
      resultOf(task, inputs, givenBack, () => this.#waitMs()),
    );
    if (outcome.kind === "given_back") {
      this.givenBack.set(task.task_id, givenBack + 1);
    }
    if (outcome.kind === "ok") {
      this.files.set(`${task.file_prefix}out`, { task: task.task_id, fence: task.fence });
    }
    if (!isLast && world.strikes("lost workers", 0.15)) {
      return;
    }
    const isLong = !isLast && world.random.chance(0.15);
    const isStalled = isLong && world.strikes("lost workers", 0.5);
    const tookMs = isLong ? world.random.int(4_000, 90_000) : world.random.int(1, 1_000);
    if (!isStalled && isLong) {
      this.#beat(lease);
    }
    world.after(tookMs, () => {
      if (!lease.isOver && lease.boot === world.boot) {
        lease.isOver = true;
        const digests =
          lease.received === undefined ? {} : { digests: digestsOf(lease.received, outcome) };
        this.#report(lease, { outcome, claim, ...digests }, tookMs, 0);
      }
    });
  }

  #filed(task: LeasedTask, result: TaskResult): TaskResult {
    const { outcome } = result;
    // With a cache, results of one run would lead to the files of another, which only the service's own tests have.
    if (outcome.kind !== "ok" || this.cache !== undefined) {
      return result;
    }
    const file = { port: FILE_PORT, value: this.held.made(task) };
    return { ...result, outcome: { ...outcome, outputs: [...outcome.outputs, file] } };
  }

  #beat(lease: Lease): void {
    const world = this.#world;
    const { task_id, fence } = lease.task;
    world.after(HEARTBEAT_MS, () => {
      if (lease.isOver || lease.boot !== world.boot || lease.work?.isAlive() === false) {
        return;
      }
      this.#beat(lease);
      if (world.strikes("unruly reports", 0.2)) {
        return;
      }
      const isSuperseded = this.#leases.get(task_id) !== lease;
      const [atMs, forwardMs] = [world.trueMs, world.forwardMs];
      world.rpc({
        send: (object) => object.heartbeat({ v: 1, tasks: [{ task_id, fence }] }),
        onWritten: ({ lost }) => {
          if (!lost.includes(task_id)) {
            lease.atMs = atMs;
            lease.forwardMs = forwardMs;
            if (isSuperseded) {
              world.violations.push(`fence ${fence} of task ${task_id} was extended late`);
            }
          }
        },
        onResponse: ({ cancel, lost }) => {
          if (lease.work !== undefined) {
            lease.isOver ||= lost.length > 0;
            if (cancel || lost.length > 0) {
              lease.work.abort(lost.length === 0);
            }
            return;
          }
          // A worker that is told to stop usually does.
          lease.isOver ||= (cancel || lost.length > 0) && world.random.chance(0.6);
        },
      });
    });
  }

  /** Usually the time of a poll, sometimes of a long job. */
  #waitMs(): number {
    const { random } = this.#world;
    return random.chance(0.1) ? random.int(60_000, 2_400_000) : random.int(1, 5_000);
  }

  #report(lease: Lease, result: TaskResult, tookMs: number, tries: number): void {
    const world = this.#world;
    const { task_id, fence, attempt } = lease.task;
    const isLast = attempt >= ATTEMPTS_MAX;
    const deliver = () => {
      const isStale = this.#leases.get(task_id)!.task.fence > fence;
      this.staleReports += isStale ? 1 : 0;
      const elapsed = world.trueMs - lease.atMs + world.forwardMs - lease.forwardMs;
      const mustBeTaken =
        !isStale && result.outcome.kind === "ok" && elapsed < LEASE_MS && lease.boot === world.boot;
      this.#calls.noteSent(lease.task, result.outcome);
      const report = reportOf(task_id, fence, tookMs, isStale ? STALE : result);
      world.rpc({
        send: (object) => object.report({ v: 1, reports: [report] }),
        // Also if the object dies before it responds: the attempt has ended, and the next may be leased.
        onKept: () => {
          lease.isReported = true;
        },
        onWritten: () => {
          const isCurrent = this.#leases.get(task_id)!.task.fence === fence;
          this.#calls.noteWritten(lease.task, result.outcome, isCurrent);
        },
        onResponse: ({ accepted }) => {
          lease.hasResponded ||= mustBeTaken;
          if (lease.boot === world.boot) {
            lease.cache?.write([report], accepted);
          }
        },
        onLost: () => {
          if (tries < 10 && (lease.boot === world.boot || isLast)) {
            this.#report(lease, result, tookMs, tries + 1);
          }
        },
      });
    };
    const isUnruly = (chance: number) => !isLast && world.strikes("unruly reports", chance);
    const delayMs = isUnruly(0.15) ? world.random.int(100, 120_000) : world.random.int(1, 50);
    if (!isUnruly(0.05)) {
      world.after(delayMs, deliver);
    }
    if (world.strikes("unruly reports", 0.15)) {
      world.after(world.random.int(1, 60_000), deliver);
    }
  }
}

interface Reading extends ReadElements {
  readonly once: NodeInputs;
  readonly from: number;
}
