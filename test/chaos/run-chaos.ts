/**
 * Runs the real service under a mixed load, kills it at seeded moments, restarts it without traffic, and checks the
 * guarantees: every run ended by itself, outputs are correct, credits are conserved, every event was delivered under
 * one id, uploads are complete, and storage has no leftovers.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { waitForRun } from "../../scripts/run-workflow.ts";
import type { Effect } from "../../src/platform/effect-log.ts";
import { SeededRandom } from "../simulation/seeded-random.ts";
import { FaultReceiver } from "../support/node/fault-receiver.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { WebhookClient } from "../support/node/webhook-client.ts";
import { ChaosLoad, type Kind, KINDS, type LoadedRun } from "./chaos-load.ts";
import { finishExport, type LoadedExport, requestExport } from "./chaos-exports.ts";
import {
  checkUpload,
  finishUpload,
  loadedUpload,
  type LoadedUpload,
  upload,
} from "./chaos-uploads.ts";
import { PICTURES } from "./crash-workflows.ts";
import { countEffect, lastEffect, type Strike } from "./effect-watch.ts";
import { checkDatabase } from "./check-database.ts";
import { checkLedger } from "./check-ledger.ts";
import { checkStorage } from "./check-storage.ts";
import { verifyRuns } from "./verify-runs.ts";
import { silence } from "./silence.ts";

const AIMS = ["admission", "lease", "report", "settle", "outbox", "finalize"] as const;
const FINALIZE_MAX_MS = 5000;
const FINALIZE_SPAN_MS = 60;
/** Runs of each kind without other load, after a warm-up: their median is the kind's own work. */
const ALONE_RUNS = 3;
const KILLS_A_TIMING = 10;

export interface ChaosOptions {
  readonly kills: number;
  readonly seed: number;
  /** Runs of each kind in flight at each kill. */
  readonly copies?: number;
  readonly onKill?: (kill: KillRecord) => void;
}

export interface KillRecord {
  readonly kill: number;
  /** The moment or the step that the kill was aimed at. */
  readonly at: string;
  readonly struckAfter: Strike;
  /** Runs that had not ended at the kill. */
  readonly cutShort: number;
  /** Admitted runs whose 202 was lost with the process; each ended before any request for it. */
  readonly lost202: number;
  /** Those of them that had not started: the workspace's alarm started them. */
  readonly startedUnasked: number;
  /** The longest time from ready to the end of a run. */
  readonly slowestEndMs: number;
  /** The allowed time: 3 s plus the own work of the concurrent runs. */
  readonly allowedMs: number;
  /** The multipart upload was completed, its end not seen before, and it finished without a repeated request. */
  readonly uploadWentOn: boolean;
  /** The export existed, was completed after the kill, and was not requested again. */
  readonly exportWentOn: boolean;
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
  /** As last measured. */
  readonly windowMs: number;
  /** As last measured: for each kind, milliseconds from submit to end without other load. */
  readonly ownMs: Readonly<Record<Kind, number>>;
  readonly events: { readonly runs: number; readonly requests: number };
  readonly uploads: number;
  readonly uploadsWentOn: number;
  readonly exportsWentOn: number;
  readonly ledgerEntries: number;
  readonly files: number;
  /** Of D1. */
  readonly rows: number;
  readonly seconds: number;
}

/** Throws at the first violated guarantee, naming the seed and the kill. */
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
    let windowMs = 0;
    const records: KillRecord[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      // The load of the machine may have changed, so neither bound nor moment may use old measurements.
      if (kill % KILLS_A_TIMING === 0) {
        windowMs = await this.#timeBatch(`whole-${kill}`);
        await this.#timeAlone(kill);
      }
      const record = await this.#killOnce(kill, windowMs);
      records.push(record);
      this.#options.onKill?.(record);
    }
    const events = await this.#checkEvents();
    for (const file of this.#uploads.filter(({ isDeleted }) => isDeleted !== true)) {
      await checkUpload(this.#service, file);
    }
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
      uploadsWentOn: records.filter(({ uploadWentOn }) => uploadWentOn).length,
      exportsWentOn: records.filter(({ exportWentOn }) => exportWentOn).length,
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

  #batch(name: string, mode: LoadedUpload["mode"]): { runs: LoadedRun[]; file: LoadedUpload } {
    const copies = this.#options.copies ?? 1;
    const runs = KINDS.flatMap((kind) =>
      Array.from({ length: copies }, (_, copy): LoadedRun => ({
        kind,
        key: `${name}-${kind}-${copy}`,
      })),
    );
    return { runs, file: loadedUpload(name, mode) };
  }

  /** Milliseconds from the first submit to the last end, without a kill. */
  async #timeBatch(name: string): Promise<number> {
    const { runs, file } = this.#batch(name, "single_put");
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

  /** Each kind's own work, which an interrupted run may repeat. */
  async #timeAlone(kill: number): Promise<void> {
    for (const kind of KINDS) {
      const tookMs: number[] = [];
      for (let copy = 0; copy < ALONE_RUNS; copy += 1) {
        const run: LoadedRun = { kind, key: `alone-${kill}-${kind}-${copy}` };
        const startedAtMs = Date.now();
        run.runId = await this.#load.submit(this.#service, run);
        const { completed_at: endedAt } = await waitForRun(this.#service.client, run.runId);
        tookMs.push(Date.parse(endedAt!) - startedAtMs);
        await this.#load.checkOutputs(this.#service, run, "alone");
        this.#runs.push(run);
      }
      this.#load.ranAlone(kind, tookMs.toSorted((a, b) => a - b)[ALONE_RUNS >> 1]!);
    }
  }

  async #killOnce(kill: number, windowMs: number): Promise<KillRecord> {
    const momentMs = this.#random.next() * windowMs;
    // Commits are frequent and would attract most kills, so every other kill is aimed at a step of another kind.
    const aim = kill % 2 === 0 ? undefined : this.#nextAim();
    // Only a multipart upload is validated asynchronously.
    const inParts = aim === "finalize" || kill % 4 >= 2;
    const { runs, file } = this.#batch(`kill-${kill}`, inParts ? "multipart" : "single_put");
    const at = aim === undefined ? `at ${momentMs.toFixed(0)} ms` : `at the ${aim}`;
    const where = `kill ${kill} ${at}, seed ${this.#options.seed}`;
    const { client } = this.#service;
    await client.token();
    // Known before, so that the kill follows its step at once.
    const workerd = await this.#service.workerdPid();
    const exported: LoadedExport = {
      run: this.#runs.findLast(({ kind }) => kind === "pictures")!,
      isAccepted: false,
    };
    // Requests that the kill interrupts are repeated afterwards, with the same key.
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
    const { unheardOf, ...checked } = await verifyRuns(this.#service, this.#load, restart);
    // Runs that had not reached the workspace were interrupted as well.
    const cutShort =
      checked.goneOn + runs.filter(({ runId }) => runId === undefined).length - unheardOf.size;
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
    const uploadWentOn = file.path === undefined && (await finishUpload(this.#service, file));
    await checkUpload(this.#service, file);
    const exportedAtMs = await finishExport(this.#service, exported, PICTURES);
    this.#runs.push(...runs);
    this.#uploads.push(file);
    const { startedUnasked, slowestEndMs, allowedMs } = checked;
    const lost202 = unheardOf.size;
    const exportWentOn = exportedAtMs !== undefined && exportedAtMs > killedAtMs;
    return {
      kill,
      at,
      struckAfter,
      cutShort,
      lost202,
      startedUnasked,
      slowestEndMs,
      allowedMs,
      uploadWentOn,
      exportWentOn,
    };
  }

  /** Every kind of step in turn, in an order that the seed determines. */
  #nextAim(): Effect {
    if (this.#aims.length === 0) {
      this.#aims.push(...this.#random.shuffled(AIMS));
    }
    return this.#aims.pop()!;
  }

  /** Waits for one more step of this kind; at most as long as the load takes. */
  async #until(effect: Effect, maxMs: number): Promise<void> {
    const isUpload = effect === "finalize";
    const before =
      countEffect(this.#service.log(), effect) + (isUpload ? 0 : this.#random.below(3));
    // A multipart upload makes this step once, often after the last run has ended.
    const untilMs = Date.now() + (isUpload ? FINALIZE_MAX_MS : maxMs);
    while (Date.now() < untilMs && countEffect(this.#service.log(), effect) <= before) {
      await sleep(1);
    }
    if (isUpload) {
      // Before the response, in the queue, or in the validation.
      await sleep(this.#random.below(FINALIZE_SPAN_MS));
    }
  }

  /** Every run's end was delivered, under one id, however often it was sent. */
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
    // After a kill between an attempt and its record, the next attempt follows the schedule.
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

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
