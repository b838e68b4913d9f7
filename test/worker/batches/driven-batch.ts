/** A batch over the storage of an object, driven by the real driver, whose calls to other objects a test answers. */
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { BatchDriver } from "../../../durable-objects/batch/batch-driver.ts";
import type {
  AdmittedRun,
  BatchEffects,
  PreparedRun,
} from "../../../durable-objects/batch/batch-effects.ts";
import { BatchStore } from "../../../durable-objects/batch/batch-store.ts";
import { LiveBatch } from "../../../durable-objects/batch/live-batch.ts";
import { StartTurns } from "../../../durable-objects/batch/start-turns.ts";
import { ObjectAlarm } from "../../../durable-objects/shared/object-alarm.ts";
import type {
  BatchRecord,
  RunEndRow,
  StagedItem,
} from "../../../src/contracts/batches/batch-object-api.ts";
import { NEW_FACTS } from "../../../src/domain/batches/batch-facts.ts";

const RECORD: BatchRecord = {
  id: "bat_0",
  workspace_id: "ws_0",
  organization_id: "org_0",
  correlation_id: "test",
  base_url: "https://svc.test",
  workflow: "wf_0",
  workflow_name: "Test",
  workflow_version: 1,
  common: { interface_id: null, output_node_ids: null, unit_costs: [], references: [] },
  admission_limits: {},
  name: null,
  client_reference: null,
  max_concurrency: null,
  max_failed_items: null,
  max_total_milli_credits: null,
  total_items: 0,
  exact_milli_credits: null,
  created_at_ms: 1,
};

export const STAGED: StagedItem = {
  client_reference: null,
  input_json: JSON.stringify({ inputs: [], parameter_overrides: [], prepaid: [] }),
  liability_milli_credits: 0,
  worst_milli_credits: 0,
  error_message: null,
};

/** Calls of the batch to other objects. By default each item is admitted, and nothing more is known of its run. */
export class AnsweredEffects {
  readonly admitted: string[] = [];
  readonly started: string[] = [];
  readonly cancelled: string[] = [];
  readonly failures: unknown[] = [];
  /** Runs of each admission, and of each call of a group. */
  readonly sizes: number[] = [];
  readonly grouped: number[] = [];
  /** Whether runs end within their start, in groups. */
  isQuick = false;
  admissions = 0;
  room = 0;

  async startOf(index: number, run_id: string): Promise<PreparedRun> {
    const inputs = [{ node_id: "in", value_json: String(index) }];
    // The driver reads no more of a start. One that uses the cache is never grouped.
    const start = { run_id, inputs, ...(!this.isQuick && { cache: {} }) };
    return { start, liability: 0 } as unknown as PreparedRun;
  }

  async admit(
    _offer: number,
    _wanted: number,
    runs: readonly { start: { run_id: string } }[],
    told: readonly { run_id: string }[],
  ) {
    this.admissions += 1;
    this.sizes.push(runs.length);
    this.admitted.push(...runs.map(({ start }) => start.run_id));
    const outcomes = runs.map(({ start: { run_id } }) => ({ kind: "admitted", start: { run_id } }));
    return {
      outcomes,
      room: this.room,
      ends: told.map(({ run_id }) => endOf(run_id)),
      is_heard: false,
    };
  }

  async runs(runIds: readonly string[]) {
    return { known: runIds.filter((id) => this.admitted.includes(id)), ends: [] as RunEndRow[] };
  }

  async start({ run_id: id }: AdmittedRun) {
    this.started.push(id);
    return { end: null, outputs: null };
  }

  async startGroup(runs: readonly AdmittedRun[]) {
    this.grouped.push(runs.length);
    await scheduler.wait(1);
    return runs.map(({ run_id }) => ({ end: { run_id }, outputs: null }));
  }

  async cancel(runId: string) {
    this.cancelled.push(runId);
    return true;
  }

  async list() {
    return { webhook_endpoints: [], base_url: "" };
  }

  async announce(): Promise<void> {
    // Every endpoint has the event.
  }

  unprepared(_index: number, error: unknown): void {
    this.failures.push(error);
  }

  failed(error: unknown): void {
    this.failures.push(error);
  }
}

export interface Driven {
  readonly batch: LiveBatch;
  readonly store: BatchStore;
  readonly driver: BatchDriver;
  readonly effects: AnsweredEffects;
}

/** Runs `work` over an empty database of its own. */
export async function withStorage<T>(work: (storage: DurableObjectStorage) => Promise<T> | T) {
  const stub = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
  const result = await runInDurableObject(stub, (_object, { storage }) => work(storage));
  await evictDurableObject(stub);
  return result;
}

/** Runs `work` with a started batch of this many items. Throws if a change of it could not be stored. */
export function withBatch(items: number, work: (driven: Driven) => Promise<void>): Promise<void> {
  return withStorage(async (storage) => {
    const store = new BatchStore(storage);
    store.stage(
      0,
      Array.from({ length: items }, () => STAGED),
    );
    const record = { ...RECORD, total_items: items };
    store.create(
      record,
      { starts: true, idempotency: null },
      { facts: NEW_FACTS, seq: 0, marks: [], listed: "pending" },
    );
    const faults: string[] = [];
    const batch = new LiveBatch(store, record, () => faults.push("the change was not stored"));
    const effects = new AnsweredEffects();
    const driver = new BatchDriver({
      batch,
      effects: effects as unknown as BatchEffects,
      alarm: new ObjectAlarm(storage, { object: "batch", failedEvent: "failed", retryMs: 1_000 }),
      waitUntil: (promise) => void promise,
      watchdogMs: 3_600_000,
      turns: new StartTurns(8),
      groupedMax: 64,
    });
    batch.start(false);
    await work({ batch, store, driver, effects });
    await storage.deleteAlarm();
    if (faults.length > 0) {
      throw new Error(faults[0]);
    }
  });
}

/** The end of a run. */
export function endOf(run_id: string, more: Partial<RunEndRow> = {}): RunEndRow {
  return {
    run_id,
    status: "completed",
    credits_used_milli: 1,
    error_code: null,
    error_message: null,
    completed_at_ms: Date.now(),
    ...more,
  };
}
