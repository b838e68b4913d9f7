/**
 * One seed of the real run object in a hostile world: a random graph that is submitted, perhaps held, cancelled or
 * without enough credits, until it has ended and all late messages have arrived. Returns the problem, if any.
 */
import { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import { TaskStore } from "../../../durable-objects/run/tasks/task-store.ts";
import type { CacheOptions } from "../../../src/contracts/runs/cache-options.ts";
import { isTerminal, type RunStart } from "../../../src/contracts/runs/run.ts";
import { compile } from "../../../src/engine/compile/compile.ts";
import type { Plan } from "../../../src/engine/plan/plan.ts";
import type { Env } from "../../../src/platform/env.ts";
import type { SimulatedCache } from "../cache/simulated-cache.ts";
import type { SimulatedLookUps } from "../cache/simulated-look-ups.ts";
import { type RandomGraph, randomGraph } from "../random-graph.ts";
import { checkModels } from "../models/check-models.ts";
import { SimulatedModels } from "../models/simulated-models.ts";
import { SeededRandom } from "../seeded-random.ts";
import { findSimulatedNode } from "../simulate-seed.ts";
import {
  checkFiles,
  checkHeldFiles,
  checkLog,
  checkMoney,
  checkResult,
  checkRetries,
} from "./check-ended-run.ts";
import { type Fault, FAULTS, LOSSES } from "./faults.ts";
import type { ObjectVerdict } from "./object-verdict.ts";
import { ObjectWorld } from "./object-world.ts";
import { type Deploy, SimulatedDeploys } from "./simulated-deploys.ts";
import { SimulatedRunner } from "./simulated-runner.ts";
import { SimulatedWorkspace } from "./simulated-workspace.ts";
import { submittedInputs, widened } from "./submitted-graph.ts";

const WORKSPACE = "ws_1";
const RUN = "run_0000000000000000000000000000000a";
/** A run whose messages are lost now and then and whose tasks wait ends within this time; a longer one hangs. */
const TIME_MAX_MS = 12 * 3_600_000;
const EVENTS_MAX = 30_000;
/** Bindings that the environment check requires and no run object calls here. */
const UNUSED = Object.fromEntries(
  [
    "DB",
    "RUN",
    "RATE_LIMITER",
    "RUN_GROUP",
    "ORGANIZATION_ACCESS",
    "UPLOAD",
    "TEMPLATE_DRAFT",
    "SCHEDULE",
    "BATCH",
    "EMBED_TOKEN",
    "WEBHOOK_DELIVERIES",
    "WEBHOOK_ENDPOINT",
  ]
    .concat([
      "ZIP_EXPORT",
      "ZIP_BUILDERS",
      "BATCH_EXPORTS",
      "RESULT_CACHE",
      "ORGANIZATION_MOVES",
      "THUMBNAILS",
      "MODEL_PROVIDERS",
      "FONT_CHECKER",
      "FILE_TYPES",
      "RENDERER",
    ])
    .map((name) => [name, {}]),
);
/** Milli-credits; more than the cost of any run. */
const PLENTY = 1_000_000_000;
/** Most faults here concern tasks. */
const TASK_CHANCE = 0.5;
const YEAR_MS = 31_536_000_000;
/** One graph in this many has more tasks ready at once than a run may have with the runner. */
const WIDE_EVERY = 40;
/** Plans are cached by workflow, so each world has its own workflow. */
let workflows = 0;

/** `without` removes faults from the world and changes nothing else. */
export async function simulateObjectSeed(
  seed: number,
  without: readonly Fault[] = [],
): Promise<ObjectVerdict> {
  const graph = randomGraph(seed, findSimulatedNode, TASK_CHANCE);
  const isWide = seed % WIDE_EVERY === WIDE_EVERY / 2;
  return simulateObjectGraph(seed, isWide ? widened(graph) : graph, without);
}

/** The same, with a deploy between two steps. */
export async function simulateDeploySeed(seed: number): Promise<ObjectVerdict> {
  return simulateObjectGraph(seed, randomGraph(seed, findSimulatedNode, TASK_CHANCE), [], true);
}

export async function simulateObjectGraph(
  seed: number,
  graph: RandomGraph,
  without: readonly Fault[] = [],
  isDeployed = false,
): Promise<ObjectVerdict> {
  const { plan } = compile(graph.definition, findSimulatedNode);
  if (plan === undefined) {
    throw new Error("does not compile");
  }
  const trial = new Trial(
    seed,
    graph,
    plan,
    new Set(FAULTS.filter((fault) => !without.includes(fault))),
    isDeployed,
  );
  try {
    return await trial.run();
  } finally {
    trial.world.storage.close();
  }
}

/** A run of a workspace with a result cache. */
export interface CachedStart {
  readonly workspace: string;
  readonly run: string;
  readonly cache: SimulatedCache;
  /** What the run itself looks up; undefined where the entry point for that is not deployed yet. */
  readonly lookUps: SimulatedLookUps | undefined;
  /** As submitted; null if the submit says nothing. */
  readonly options: CacheOptions | null;
  /** Returns the first problem in what the run left. */
  readonly check: (ended: EndedRun) => Promise<string | undefined>;
}

export interface EndedRun {
  readonly plan: Plan;
  readonly store: RunStore;
  /** Milli-credits that it was settled with. */
  readonly settled: number | undefined;
  readonly isStopped: boolean;
  /** No worker, message or object was lost. */
  readonly isQuiet: boolean;
}

/** More than any world writes. */
const CACHE_BOUNDS = { ttl: 31_536_000, max_bytes: 1_000_000_000, quota_bytes: null };

/** The life of one run. `asksModels`: its tasks ask models of providers that lie. */
export class Trial {
  readonly world: ObjectWorld;
  readonly models: SimulatedModels | undefined;
  readonly #graph: RandomGraph;
  readonly #plan: Plan;
  readonly #runner: SimulatedRunner;
  readonly #workspace: SimulatedWorkspace;
  readonly #start: RunStart;
  readonly #cached: CachedStart | undefined;
  readonly #balance: number;
  /** No worker, message or object is lost. */
  readonly #isQuiet: boolean;
  #isCancelSent = false;
  #stateAtClose: unknown;

  constructor(
    seed: number,
    graph: RandomGraph,
    plan: Plan,
    faults: ReadonlySet<Fault>,
    isDeployed = false,
    asksModels = false,
    cached?: CachedStart,
  ) {
    const random = new SeededRandom(seed * 104_729);
    this.#graph = graph;
    this.#plan = plan;
    this.#cached = cached;
    this.#isQuiet = LOSSES.every((fault) => !faults.has(fault));
    // Uses a separate random sequence, so that the rest of the seed's world is unchanged.
    const dice = new SeededRandom(seed * 15_485_863);
    const planTasks = dice.chance(0.3) ? dice.pick([1, 2, 5, 8, 20]) : undefined;
    this.#runner = new SimulatedRunner(planTasks);
    const prepaid = plan.nodes.filter(
      ({ scope, costMilliCredits: cost }) => scope === 0 && cost > 0 && random.chance(0.5),
    );
    const reserved = prepaid.reduce((sum, { costMilliCredits: cost }) => sum + cost, 0);
    this.#balance = random.chance(0.15) ? random.pick([0, 100, 400]) : PLENTY;
    const run = cached?.run ?? RUN;
    this.#workspace = new SimulatedWorkspace(this.#balance, run, reserved, random.chance(0.4));
    this.#start = {
      v: 1,
      run_id: run,
      workspace_id: cached?.workspace ?? WORKSPACE,
      ...(cached !== undefined && { cache: { ...CACHE_BOUNDS, options: cached.options } }),
      organization_id: "org_1",
      correlation_id: "simulated",
      workflow_id: `wf_${seed}_${(workflows += 1)}`,
      workflow_name: "Simulated",
      workflow_version: 1,
      interface_id: null,
      definition_json: JSON.stringify(graph.definition),
      inputs: submittedInputs(plan, graph),
      parameter_overrides: [],
      output_node_ids: null,
      admission_limits: {},
      created_at_ms: 1_800_000_000_000,
      reserved_milli_credits: reserved,
      prepaid: prepaid.map(({ id }) => ({ node_id: id, iterations: 1 })),
      unit_costs: plan.nodes.map(({ id, costMilliCredits: cost }) => ({
        node_id: id,
        milli_credits: cost,
      })),
      time_limit_ms: YEAR_MS,
      ...(planTasks === undefined ? {} : { max_outstanding_tasks: planTasks }),
      is_held: random.chance(0.15),
    };
    this.world = new ObjectWorld(
      random,
      faults,
      () => this.#env(),
      () => !this.#isOver && !this.#workspace.isStartKept && this.world.stored.rows !== undefined,
    );
    if (isDeployed) {
      const deployDice = new SeededRandom(seed * 32_452_843);
      this.world.deploys = new SimulatedDeploys(deployDice, graph, plan, () => this.#isLive);
    }
    this.#workspace.world = this.world;
    const prices = new Map(plan.nodes.map(({ id, costMilliCredits: cost }) => [id, cost]));
    this.#workspace.priceOf = (nodeId) => prices.get(nodeId) ?? 0;
    this.#runner.world = this.world;
    this.#runner.cache = cached?.cache;
    this.#runner.lookUps = cached?.lookUps;
    cached?.lookUps?.join(this.world, () => this.#cancel());
    if (asksModels) {
      this.models = new SimulatedModels(new SeededRandom(seed * 49_979_687), this.world);
      this.#runner.models = this.models;
    }
    if (random.chance(0.25)) {
      // At once, while tasks are in progress, and after the leases of lost workers have expired.
      const atMs = random.int(1, random.pick([500, 20_000, 90_000]));
      this.world.after(atMs, () => this.#cancel());
    }
  }

  #env(): Env {
    return {
      ...UNUSED,
      ...this.#workspace.bindings,
      ...this.#runner.bindings,
      ...(this.#cached?.lookUps !== undefined && { RESULT_CACHE: this.#cached.lookUps.binding }),
      ENVIRONMENT: "production",
      BASE_URL: "",
      BOOT_ID: `boot_${this.world.boot}`,
      JWT_SECRET: "x".repeat(32),
    } as unknown as Env;
  }

  async run(): Promise<ObjectVerdict> {
    const { world } = this;
    this.#submit();
    this.#promote();
    this.#poll();
    const untilMs = world.trueMs + TIME_MAX_MS;
    const hasEnded = await world.run(() => this.#isDone, untilMs, EVENTS_MAX);
    if (hasEnded && world.violations.length === 0) {
      this.#stateAtClose = world.stored.state;
      this.models?.noteEnd();
      // Late messages arrive at an ended run.
      await world.run(() => false, Infinity, world.events + 500);
    }
    const problem = hasEnded ? (world.violations[0] ?? (await this.#check())) : this.#stuck();
    return {
      graph: this.#graph,
      problem,
      status: this.#status,
      crashes: world.crashes,
      staleReports: this.#runner.staleReports,
      tasks: this.#runner.files.size,
      waits: this.#runner.waits,
      heldFiles: this.#runner.held.checked,
      mostOutstanding: this.#runner.mostOutstanding,
      events: world.events,
      endedBy: this.#isIncompatible ? world.deploys?.deploy : undefined,
    };
  }

  /** Milli-credits that the run was settled with. */
  get charged(): number {
    return this.#workspace.settled ?? 0;
  }

  /** All receivers know. A run that ended within its start stores no record of that. */
  get #isOver(): boolean {
    const { settled, isStartKept } = this.#workspace;
    return (
      this.world.stored.fact("closed") !== undefined ||
      (settled !== undefined && !isStartKept && this.world.storage.alarmMs === null)
    );
  }

  get #isDone(): boolean {
    return this.world.violations.length > 0 || this.#isOver;
  }

  /** From the rows; undefined before the run exists. */
  get #isLive(): boolean | undefined {
    const status = this.world.stored.rows?.state().status;
    return status === undefined ? undefined : !isTerminal(status);
  }

  get #isIncompatible(): boolean {
    return this.world.stored.rows?.state().stopped?.code === "DEFINITION_INCOMPATIBLE";
  }

  get #status(): string {
    return this.world.stored.rows?.state().status ?? "unborn";
  }

  #stuck(): string {
    const { world } = this;
    const state = String(world.stored.state).slice(0, 300);
    const tasks = world.stored.tasks.slice(0, 3);
    return `not over after ${world.events} happenings, the clock at ${world.nowMs}, the alarm at ${world.storage.alarmMs}: ${state} ${JSON.stringify(tasks)}`;
  }

  /** Once as the API, then as the workspace's alarm while it keeps the start, and sometimes once more. */
  #submit(isRepeat = false): void {
    const { world } = this;
    if (isRepeat && !this.#workspace.isStartKept && !world.random.chance(0.05)) {
      return;
    }
    if (!world.strikes("refused calls", 0.1)) {
      world.rpc({
        send: (object) => object.start(this.#start),
        onResponse: (response) => {
          if (!response.ok) {
            world.violations.push(`start was refused: ${response.message}`);
          }
        },
      });
    }
    world.after(2_000, () => this.#submit(true));
  }

  /** A held run gets its slot, and is told until it has acknowledged. */
  #promote(): void {
    let isTold = !this.#start.is_held;
    const tell = () => {
      if (isTold) {
        return;
      }
      if (this.#isBorn) {
        this.world.rpc({
          send: (object) => object.promote({ v: 1 }),
          onResponse: () => (isTold = true),
        });
      }
      this.world.after(3_000, tell);
    };
    this.world.after(this.world.random.int(1, 5_000), tell);
  }

  /** Its start is durable: other objects may know of it. */
  get #isBorn(): boolean {
    return this.world.stored.rows !== undefined;
  }

  /** Reads of the run from time to time. */
  #poll(): void {
    const { world } = this;
    world.after(world.random.int(5_000, 60_000), () => {
      if (this.#isDone) {
        return;
      }
      this.#poll();
      if (this.#isBorn) {
        world.rpc({
          send: (object) =>
            object.read({
              v: 1,
              workspace_id: this.#start.workspace_id,
              base_url: "",
              if_none_match: null,
              wait_ms: 0,
            }),
        });
      }
    });
  }

  #cancel(): void {
    this.#isCancelSent = true;
    if (!this.#isBorn) {
      this.world.after(500, () => this.#cancel());
      return;
    }
    this.world.rpc({
      send: (object) =>
        object.cancel({ v: 1, workspace_id: this.#start.workspace_id, base_url: "" }),
      onLost: () => this.#cancel(),
    });
  }

  /** A deploy has ended the run exactly if it had to; its workers are released. */
  #checkDeploy(tasks: TaskStore, isStopped: boolean): string | undefined {
    const { deploys } = this.world;
    if (deploys?.mustEnd === true && !isStopped) {
      return `went on after a deploy of ${deploys.deploy}`;
    }
    if (!this.#isIncompatible) {
      return undefined;
    }
    if (deploys === undefined || !isBreaking(deploys.deploy)) {
      return `ended as incompatible by ${deploys?.deploy ?? "no deploy"}`;
    }
    const leased = tasks.leasedCount;
    return leased > 0 ? `ended as incompatible and keeps ${leased} leases` : undefined;
  }

  #checkModels(models: SimulatedModels, store: RunStore, isStopped: boolean): string | undefined {
    return (
      checkLog(this.#plan, store) ??
      (isStopped ? undefined : checkRetries(this.#plan, store)) ??
      checkModels(this.#plan, store, {
        models,
        workspace: this.#workspace,
        crashes: this.world.crashes,
        isStopped,
        isQuiet: this.#isQuiet,
      })
    );
  }

  async #checkCached({ check }: CachedStart, store: RunStore, isStopped: boolean) {
    const [plan, isQuiet, { settled }] = [this.#plan, this.#isQuiet, this.#workspace];
    return checkLog(plan, store) ?? (await check({ plan, store, settled, isStopped, isQuiet }));
  }

  /** The first problem in the data that the run left. */
  async #check(): Promise<string | undefined> {
    const { world } = this;
    if (world.stored.state !== this.#stateAtClose) {
      return "something late changed a run that was over";
    }
    const store = new RunStore(world.storage.open(), () => world.nowMs);
    const state = store.state();
    const isStopped = state.stopped !== null || state.status === "cancelled";
    const ofDeploy = this.#checkDeploy(new TaskStore(store), isStopped);
    if (ofDeploy !== undefined) {
      return ofDeploy;
    }
    const isIncompatible = this.#isIncompatible;
    const isPoor = this.#balance < PLENTY && state.stopped?.code === "INSUFFICIENT_CREDITS";
    if (isStopped && !this.#isCancelSent && !isPoor && !isIncompatible) {
      return `stopped by ${state.stopped?.code}`;
    }
    if (this.models !== undefined) {
      return this.#checkModels(this.models, store, isStopped);
    }
    if (this.#cached !== undefined) {
      return await this.#checkCached(this.#cached, store, isStopped);
    }
    return (
      checkLog(this.#plan, store) ??
      (await checkMoney(this.#plan, store, this.#workspace, this.#graph)) ??
      checkFiles(this.#plan, store, this.#runner, isIncompatible) ??
      checkHeldFiles(this.#plan, store, this.#runner) ??
      (isStopped ? undefined : checkRetries(this.#plan, store)) ??
      (isStopped ? undefined : await checkResult(this.#plan, store, this.#graph))
    );
  }
}

function isBreaking(deploy: Deploy): boolean {
  return deploy !== "nothing that matters" && deploy !== "a price";
}
