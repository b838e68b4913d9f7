/** The queue and the workers: they claim, work, send heartbeats and report, and do all of it unreliably. */
import {
  type Claim,
  type LeasedTask,
  type NodeTasksMessage,
  type TaskOutcome,
  type TaskReport,
} from "../../../src/contracts/task.ts";
import { decodeValue, encodeValue } from "../../../src/engine/values.ts";
import { GIVE_BACK_REASONS } from "../../../src/lib/task-given-back.ts";
import { NodeError } from "../../../src/lib/node-error.ts";
import { NodeInputs, type RunValue } from "../../../src/nodes/define-ports.ts";
import {
  fakeClaim,
  fakeGiveBacks,
  fakeGatherNode,
  fakeTaskNode,
  gatheredInputs,
  nextFakeToken,
  runFakeTask,
} from "../fake-task-node.ts";
import { FILE_PORT, SimulatedFiles } from "./simulated-files.ts";
import type { ObjectWorld } from "./object-world.ts";

type FakeParams = Parameters<typeof runFakeTask>[1];

const LEASE_MS = 30_000;
const HEARTBEAT_MS = 5_000;
const ATTEMPTS_MAX = 4;
/** A run has at most this many tasks with the runner (docs/limits.md#tasks), and at most its workspace's plan allows. */
const OUTSTANDING_MAX = 64;

interface Wait {
  readonly token: string;
  readonly atMs: number;
  readonly forwardMs: number;
  /** Tasks that were ready and had never been leased. */
  readonly unbegun: readonly number[];
}

/** A task that was ready all this time has been offered, whatever happened to hints and alarms. */
const TURN_MAX_MS = 1_200_000;

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
  /** How often tasks went on after a wait. */
  waits = 0;
  readonly #outstandingMax: number;
  /** How often tasks were given back, by task. */
  readonly givenBack = new Map<number, number>();
  /** For tasks whose give-back the run has accepted: the number of the attempt that did not take place. */
  readonly #offeredAgain = new Map<number, Pick<LeasedTask, "attempt" | "fence">>();
  /** How often the run has accepted a give-back. */
  readonly #timesTaken = new Map<number, number>();
  /** By element the key of its call. */
  readonly #keys = new Map<string, string>();
  /** For waiting tasks: what the run has accepted, and which tasks had not started by then. */
  readonly #waiting = new Map<number, Wait>();
  readonly #leases = new Map<number, Lease>();
  world: ObjectWorld | undefined;

  /** `planTasks`: the plan's limit for the whole workspace; undefined if it has none. */
  constructor(planTasks: number | undefined) {
    this.#outstandingMax = Math.min(OUTSTANDING_MAX, planTasks ?? OUTSTANDING_MAX);
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
      };
      this.#leases.set(task.task_id, lease);
      this.#checkCall(task);
    }
    if (claim !== null) {
      // A row records a task as leased until its outcome is in the state, or it is leased again.
      const n = this.#world.tasks.filter(
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

  /** One key per element, and after a wait the token that was accepted with it. */
  #checkCall({ task_id: id, node_id, indices, key, token, attempt, fence }: LeasedTask): void {
    const { violations, trueMs, forwardMs } = this.#world;
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
    if (token !== wait.token) {
      violations.push(`task ${id} waited with "${wait.token}" and goes on with "${token}"`);
    }
    if (trueMs - wait.atMs > TURN_MAX_MS && forwardMs === wait.forwardMs) {
      const passedOver = this.#world.tasks.filter(
        (one) => one.fence === 0 && wait.unbegun.includes(one.id),
      );
      if (passedOver.length > 0) {
        violations.push(`task ${id} waited in the place of ${passedOver.length} others`);
      }
    }
  }

  #work(lease: Lease): void {
    const inputs = valuesOf(lease.task.inputs);
    if (lease.task.node_type === fakeGatherNode.type) {
      this.#read(lease, { once: inputs, elements: [], from: 0 }, 0);
    } else {
      this.#do(lease, inputs);
    }
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
        const elements = [...reading.elements, ...page.elements.map(valuesOf)];
        if (page.next === null) {
          this.#do(lease, gatheredInputs(elements, once));
        } else {
          this.#read(lease, { once, elements, from: page.next }, 0);
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
        this.#report(lease, { outcome, claim }, tookMs, 0);
      }
    });
  }

  #filed(task: LeasedTask, result: TaskResult): TaskResult {
    const { outcome } = result;
    if (outcome.kind !== "ok") {
      return result;
    }
    const file = { port: FILE_PORT, value: this.held.made(task) };
    return { ...result, outcome: { ...outcome, outputs: [...outcome.outputs, file] } };
  }

  #beat(lease: Lease): void {
    const world = this.#world;
    const { task_id, fence } = lease.task;
    world.after(HEARTBEAT_MS, () => {
      if (lease.isOver || lease.boot !== world.boot) {
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

  /** The report is durable: from now on the token must not be lost. */
  #noteWait({ task }: Lease, { outcome }: TaskResult): void {
    const { trueMs: atMs, forwardMs } = this.#world;
    const { task_id: id, fence } = task;
    const isCurrent = this.#leases.get(id)!.task.fence === fence;
    if (outcome.kind !== "waiting" || !isCurrent) {
      return;
    }
    // A task whose lease ended before its report arrived waits too, for another attempt.
    const { tasks } = this.#world;
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
      this.#waiting.set(id, { token: outcome.token, atMs, forwardMs, unbegun });
    }
  }

  /** The report is durable: from now on it has not cost an attempt. */
  #noteGiveBack({ task: { task_id, fence, attempt } }: Lease, { outcome }: TaskResult): void {
    const row = this.#world.tasks.find((one) => one.id === task_id && one.fence === fence);
    const times = row?.givenBack ?? 0;
    // A report that arrives after its lease has ended is ignored, although the task waits for a retry.
    if (outcome.kind === "given_back" && times > (this.#timesTaken.get(task_id) ?? 0)) {
      this.#timesTaken.set(task_id, times);
      this.#offeredAgain.set(task_id, { attempt, fence });
    }
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
      world.rpc({
        send: (object) =>
          object.report({
            v: 1,
            reports: [reportOf(task_id, fence, tookMs, isStale ? STALE : result)],
          }),
        // Also if the object dies before it responds: the attempt has ended, and the next may be leased.
        onKept: () => {
          lease.isReported = true;
        },
        onWritten: () => {
          this.#noteWait(lease, result);
          this.#noteGiveBack(lease, result);
        },
        onResponse: () => {
          lease.hasResponded ||= mustBeTaken;
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

interface Reading {
  readonly once: NodeInputs;
  readonly elements: readonly NodeInputs[];
  readonly from: number;
}

function valuesOf(inputs: LeasedTask["inputs"]): NodeInputs {
  return new NodeInputs(
    new Map(inputs.map(({ port, value }) => [port, decodeValue(value as string) as RunValue])),
  );
}

interface TaskResult {
  readonly outcome: TaskOutcome;
  readonly claim: number | undefined;
}

/** An abandoned attempt returns another result than the accepted one, as a picture or a model would. */
const STALE: TaskResult = {
  outcome: {
    kind: "ok",
    outputs: [
      { port: "out", value: encodeValue("STALE") },
      { port: "text", value: encodeValue("STALE") },
    ],
  },
  claim: 99,
};

function reportOf(
  task_id: number,
  fence: number,
  duration_ms: number,
  { outcome, claim }: TaskResult,
): TaskReport {
  const charge = claim === undefined ? {} : { charge: { milli_credits: claim, usage: null } };
  return { task_id, fence, duration_ms, outcome, ...charge };
}

/** `givenBack`: how often the task was given back; `afterMs`: how long it waits, if it does. */
function resultOf(
  task: LeasedTask,
  inputs: NodeInputs,
  givenBack: number,
  afterMs: () => number,
): TaskResult {
  const node = task.node_type === fakeGatherNode.type ? fakeGatherNode : fakeTaskNode;
  const params = node.params.parse(JSON.parse(task.params_json)) as FakeParams;
  if (givenBack < fakeGiveBacks(inputs, params)) {
    const reason = GIVE_BACK_REASONS[givenBack % GIVE_BACK_REASONS.length]!;
    return { outcome: { kind: "given_back", reason }, claim: 50 };
  }
  try {
    const token = nextFakeToken(inputs, params, task.token ?? null);
    if (token !== null) {
      // A charge claimed in a report that its task waits is ignored.
      return { outcome: { kind: "waiting", token, resume_after_ms: afterMs() }, claim: 50 };
    }
    const outputs = runFakeTask(inputs, params, task.attempt);
    return {
      outcome: {
        kind: "ok",
        outputs: [...outputs].map(([port, value]) => ({ port, value: encodeValue(value) })),
      },
      claim: fakeClaim(inputs, params, true),
    };
  } catch (error) {
    if (!(error instanceof NodeError)) {
      throw error;
    }
    const { code, message, retryable } = error;
    return {
      outcome: { kind: "failed", code, message, retryable, retry_after_ms: null },
      claim: fakeClaim(inputs, params, false),
    };
  }
}
