/**
 * Runs the real service under a mixed load, kills it at seeded moments, starts it again without
 * traffic, and checks what must hold: every run ended by itself, outputs right, credits conserved,
 * every event delivered under one id, uploads whole, nothing left over in storage.
 */
import assert from "node:assert/strict";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { waitForRun } from "../../scripts/run-workflow.ts";
import type { Effect } from "../../src/platform/effect-log.ts";
import { SeededRandom } from "../simulation/seeded-random.ts";
import { FaultReceiver } from "../support/node/fault-receiver.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { WebhookClient } from "../support/node/webhook-client.ts";
import {
  ChaosLoad,
  finishExport,
  type Kind,
  KINDS,
  type LoadedRun,
  requestExport,
  type LoadedUpload,
  upload,
} from "./chaos-load.ts";
import { PICTURES } from "./crash-workflows.ts";
import { countEffect, lastEffect, type Strike } from "./effect-watch.ts";
import { checkDatabase } from "./check-database.ts";
import { checkLedger } from "./check-ledger.ts";
import { checkStorage } from "./check-storage.ts";
import { judgeRuns } from "./judge-runs.ts";

const AIMS = ["admission", "lease", "report", "settle", "outbox"] as const;
const QUIET_MS = 600;
const SILENCE_MAX_MS = 30_000;
/** Runs of each kind with nothing beside them, after a warm-up: the slowest is the kind's own work. */
const ALONE_RUNS = 3;
const UPLOAD_BYTES = 200_000;

export interface ChaosOptions {
  readonly kills: number;
  readonly seed: number;
  /** Runs of each kind in flight at each kill. */
  readonly copies?: number;
  readonly onKill?: (kill: KillRecord) => void;
}

export interface KillRecord {
  readonly kill: number;
  /** The moment or the step it was meant for. */
  readonly at: string;
  readonly struckAfter: Strike;
  /** Runs that were not over when it struck. */
  readonly cutShort: number;
  /** Admitted runs whose 202 was lost with the process; each was over before anybody asked for it. */
  readonly lost202: number;
  /** Of these, such as had not begun: the workspace's alarm started them. */
  readonly startedUnasked: number;
  /** The longest that a run took to end after the service was ready. */
  readonly slowestEndMs: number;
  /** What it might have taken: 3 s and the own work of the runs that went on together. */
  readonly allowedMs: number;
}

export interface ChaosReport {
  readonly seed: number;
  readonly kills: readonly KillRecord[];
  readonly histogram: Readonly<Partial<Record<Strike, number>>>;
  readonly runs: number;
  readonly cutShort: number;
  readonly lost202: number;
  readonly startedUnasked: number;
  readonly slowestEndMs: number;
  readonly windowMs: number;
  /** Of each kind, milliseconds from submit to end with nothing beside it. */
  readonly ownMs: Readonly<Record<Kind, number>>;
  readonly events: { readonly runs: number; readonly requests: number };
  readonly uploads: number;
  readonly ledgerEntries: number;
  readonly files: number;
  /** Of D1. */
  readonly rows: number;
  readonly seconds: number;
}

/** Throws at the first thing that does not hold, naming the seed and the kill. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const receiver = await FaultReceiver.start();
  const chaos = new Chaos(options, receiver);
  try {
    return await chaos.run();
  } finally {
    await chaos.end();
    await receiver.stop();
  }
}

class Chaos {
  readonly #options: ChaosOptions;
  readonly #receiver: FaultReceiver;
  readonly #random: SeededRandom;
  readonly #runs: LoadedRun[] = [];
  readonly #uploads: LoadedUpload[] = [];
  readonly #aims: Effect[] = [];
  #service!: RunningService;
  #load!: ChaosLoad;

  constructor(options: ChaosOptions, receiver: FaultReceiver) {
    this.#options = options;
    this.#receiver = receiver;
    this.#random = new SeededRandom(options.seed);
  }

  async run(): Promise<ChaosReport> {
    const startedAt = performance.now();
    const { kills, seed } = this.#options;
    this.#service = await this.#boot();
    this.#load = await ChaosLoad.create(this.#service);
    await new WebhookClient(this.#service).active(this.#receiver.url("/hook"));
    await this.#timeBatch("warm-up");
    const windowMs = await this.#timeBatch("whole");
    await this.#timeAlone();
    const records: KillRecord[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const record = await this.#killOnce(kill, windowMs);
      records.push(record);
      this.#options.onKill?.(record);
    }
    const events = await this.#checkEvents();
    await this.#checkUploads();
    const total = await this.#countRuns();
    assert.equal(total, this.#runs.length, "each idempotency key made one run, however often sent");
    const ledgerEntries = await checkLedger(this.#service, total);
    await this.#service.stop();
    const files = await checkStorage(this.#service.directory, this.#runs, this.#uploads, kills);
    const rows = await checkDatabase(this.#service.directory, this.#uploads);
    return {
      seed,
      kills: records,
      histogram: histogramOf(records),
      runs: total,
      cutShort: sumOf(records, "cutShort"),
      lost202: sumOf(records, "lost202"),
      startedUnasked: sumOf(records, "startedUnasked"),
      slowestEndMs: Math.max(...records.map(({ slowestEndMs }) => slowestEndMs)),
      windowMs,
      ownMs: Object.fromEntries(
        KINDS.map((kind) => [kind, this.#load.ownMs(kind)]),
      ) as ChaosReport["ownMs"],
      events,
      uploads: this.#uploads.length,
      ledgerEntries,
      files,
      rows,
      seconds: (performance.now() - startedAt) / 1000,
    };
  }

  async end(): Promise<void> {
    if (this.#service !== undefined) {
      await this.#service.stop();
      await rm(this.#service.directory, { recursive: true, force: true });
    }
  }

  #boot(before?: RunningService): Promise<RunningService> {
    return startService({
      env: { EGRESS_ALLOW_LOOPBACK: this.#receiver.host, EFFECT_LOG: "1" },
      ...(before !== undefined && { directory: before.directory, port: before.port }),
    });
  }

  #batch(name: string): { runs: LoadedRun[]; file: LoadedUpload } {
    const copies = this.#options.copies ?? 1;
    const runs = KINDS.flatMap((kind) =>
      Array.from({ length: copies }, (_, copy): LoadedRun => ({
        kind,
        key: `${name}-${kind}-${copy}`,
      })),
    );
    const line = `${name},${"x".repeat(80)}\n`;
    const bytes = Buffer.from(line.repeat(Math.ceil(UPLOAD_BYTES / line.length)));
    return { runs, file: { key: `upload-${name}`, name: `${name}.csv`, bytes } };
  }

  /** Milliseconds from the first submit to the last end, with no kill. */
  async #timeBatch(name: string): Promise<number> {
    const { runs, file } = this.#batch(name);
    const startedAt = performance.now();
    await Promise.all([
      ...runs.map(async (run) => {
        run.runId = await this.#load.submit(this.#service, run);
        await waitForRun(this.#service.client, run.runId);
      }),
      upload(this.#service, file),
    ]);
    const elapsedMs = performance.now() - startedAt;
    for (const run of runs) {
      await this.#load.checkOutputs(this.#service, run, "no kill");
    }
    this.#runs.push(...runs);
    this.#uploads.push(file);
    return elapsedMs;
  }

  /** What each kind's own work is, which a run that is cut short may take anew. */
  async #timeAlone(): Promise<void> {
    for (const kind of KINDS) {
      for (let copy = 0; copy < ALONE_RUNS; copy += 1) {
        const run: LoadedRun = { kind, key: `alone-${kind}-${copy}` };
        const startedAtMs = Date.now();
        run.runId = await this.#load.submit(this.#service, run);
        const { completed_at: endedAt } = await waitForRun(this.#service.client, run.runId);
        this.#load.ranAlone(kind, Date.parse(endedAt!) - startedAtMs);
        await this.#load.checkOutputs(this.#service, run, "alone");
        this.#runs.push(run);
      }
    }
  }

  async #killOnce(kill: number, windowMs: number): Promise<KillRecord> {
    const { runs, file } = this.#batch(`kill-${kill}`);
    const momentMs = this.#random.next() * windowMs;
    // Commits are many and would draw most kills: every other one is aimed at a step of another kind.
    const aim = kill % 2 === 0 ? undefined : this.#nextAim();
    const at = aim === undefined ? `at ${momentMs.toFixed(0)} ms` : `at the ${aim}`;
    const where = `kill ${kill} ${at}, seed ${this.#options.seed}`;
    const { client } = this.#service;
    await client.token();
    // Known before, so that the kill follows its step at once.
    const workerd = await this.#service.workerdPid();
    const exported = this.#runs.findLast((run) => run.kind === "pictures")!;
    // What the kill cuts off is sent again afterwards, with the same key.
    const sending = [
      ...runs.map((run) =>
        this.#load.submit(this.#service, run).then(
          (id) => (run.runId = id),
          () => undefined,
        ),
      ),
      upload(this.#service, file).catch(() => undefined),
      requestExport(this.#service, exported).catch(() => undefined),
    ];
    await (aim === undefined ? sleep(momentMs) : this.#until(aim, windowMs));
    const killedAtMs = Date.now();
    await this.#service.kill(workerd);
    await Promise.all(sending);
    const struckAfter = lastEffect(this.#service.log());
    this.#service = await this.#boot(this.#service);
    const readyAtMs = Date.now();
    await silence(this.#service.directory);
    const heardOf = new Set(
      [...this.#runs, ...runs].flatMap(({ runId }) => (runId === undefined ? [] : [runId])),
    );
    const restart = { killedAtMs, readyAtMs, where, heardOf };
    const { unheardOf, ...judged } = await judgeRuns(this.#service, this.#load, restart);
    // Those that never got as far as the workspace were cut short as well.
    const cutShort =
      judged.goneOn + runs.filter(({ runId }) => runId === undefined).length - unheardOf.size;
    for (const run of runs) {
      if (run.runId === undefined) {
        run.runId = await this.#load.submit(this.#service, run);
        await waitForRun(this.#service.client, run.runId);
      }
      await this.#load.checkOutputs(this.#service, run, where);
    }
    const ids = new Set(runs.map(({ runId }) => runId));
    assert.deepEqual(
      [...unheardOf].filter((id) => !ids.has(id)),
      [],
      `the key of a run whose 202 was lost answers that run: ${where}`,
    );
    if (file.path === undefined) {
      await upload(this.#service, file);
    }
    await finishExport(this.#service, exported, PICTURES);
    this.#runs.push(...runs);
    this.#uploads.push(file);
    const { startedUnasked, slowestEndMs, allowedMs } = judged;
    const lost202 = unheardOf.size;
    return { kill, at, struckAfter, cutShort, lost202, startedUnasked, slowestEndMs, allowedMs };
  }

  /** Every kind of step in turn, in an order that the seed decides. */
  #nextAim(): Effect {
    if (this.#aims.length === 0) {
      this.#aims.push(...this.#random.shuffled(AIMS));
    }
    return this.#aims.pop()!;
  }

  /** Waits for one more such step than there were; at most as long as the load takes. */
  async #until(effect: Effect, maxMs: number): Promise<void> {
    const before = countEffect(this.#service.log(), effect) + this.#random.below(3);
    const untilMs = Date.now() + maxMs;
    while (Date.now() < untilMs && countEffect(this.#service.log(), effect) <= before) {
      await sleep(1);
    }
  }

  /** Every run's end was told, under one id, however often it was sent. */
  async #checkEvents(): Promise<ChaosReport["events"]> {
    const missing = () => {
      const told = new Map<string, Set<string>>();
      for (const { headers, body } of this.#receiver.at("/hook")) {
        const event = JSON.parse(body) as { subject?: string; type: string; id: string };
        if (event.type === "com.svc.execution.finished.v1") {
          assert.equal(event.id, headers["webhook-id"]);
          const ids = told.get(event.subject!) ?? new Set();
          told.set(event.subject!, ids.add(event.id));
        }
      }
      for (const [run, ids] of told) {
        assert.equal(ids.size, 1, `${run} has one event, told under ${[...ids].join()}`);
      }
      return this.#runs.filter(({ runId }) => !told.has(runId!));
    };
    // A kill between an attempt and its record makes the next one wait for its place in the schedule.
    for (let waited = 0; missing().length > 0 && waited < 90; waited += 1) {
      await sleep(1000);
    }
    assert.deepEqual(
      missing().map(({ key, runId }) => `${key} ${runId}`),
      [],
      "every event is delivered",
    );
    return { runs: this.#runs.length, requests: this.#receiver.at("/hook").length };
  }

  async #checkUploads(): Promise<void> {
    for (const { key, path, bytes } of this.#uploads) {
      assert.ok(path, key);
      const { url } = await this.#service.client.call<{ url: string }>(
        "GET",
        `/api/v1/assets/download-url?path=${encodeURIComponent(path)}`,
      );
      const stored = Buffer.from(await (await fetch(url)).arrayBuffer());
      assert.ok(stored.equals(bytes), `${key} is stored as it was sent`);
    }
  }

  async #countRuns(): Promise<number> {
    const { total_count: total } = await this.#service.client.call<{ total_count: number }>(
      "GET",
      "/api/v1/executions?limit=1",
    );
    return total;
  }
}

function sumOf(
  records: readonly KillRecord[],
  name: "cutShort" | "lost202" | "startedUnasked",
): number {
  return records.reduce((sum, record) => sum + record[name], 0);
}

function histogramOf(records: readonly KillRecord[]): ChaosReport["histogram"] {
  const histogram: Partial<Record<Strike, number>> = {};
  for (const { struckAfter } of records) {
    histogram[struckAfter] = (histogram[struckAfter] ?? 0) + 1;
  }
  return histogram;
}

/**
 * Waits, sending nothing, until no file of the objects has changed for a while: an object
 * that works writes. An alarm that is due fires about a second after a boot.
 */
export async function silence(directory: string): Promise<void> {
  const deadline = Date.now() + SILENCE_MAX_MS;
  await sleep(1500);
  while (Date.now() < deadline) {
    if (Date.now() - (await lastChangeMs(join(directory, "objects"))) > QUIET_MS) {
      return;
    }
    await sleep(100);
  }
}

async function lastChangeMs(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const times = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    );
  return Math.max(0, ...(await Promise.all(times)));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
