import { DurableObject } from "cloudflare:workers";
import { readEventsRequest } from "../../src/contracts/runs/run-events-request.ts";
import type {
  BatchCall,
  BatchItemRow,
  BatchObjectApi,
  BatchRecord,
  BatchState,
  ChangedBatch,
  CheckRetryCall,
  CreatedBatch,
  ItemsRequest,
  RetryBatchCall,
  RunEndRow,
  StagedItem,
} from "../../src/contracts/batches/batch-object-api.ts";
import { NEW_FACTS } from "../../src/domain/batches/batch-facts.ts";
import { KEY_REUSED } from "../../src/lib/idempotency-record.ts";
import { type Failure, fail, ok, type Result } from "../../src/lib/result.ts";
import { isEnvUsable } from "../../src/platform/check-env.ts";
import { watchEffects } from "../../src/platform/effect-log.ts";
import type { Env } from "../../src/platform/env.ts";
import { parsed, parseEntries } from "../shared/entries.ts";
import { ObjectAlarm } from "../shared/object-alarm.ts";
import { type AwakeBatch, awakeBatch } from "./awake-batch.ts";
import { BATCH_ENTRIES, BATCH_EVENTS_REQUEST } from "./batch-entries.ts";
import { type BatchMark, BatchStore } from "./batch-store.ts";
import { BatchStreams } from "./batch-streams.ts";
import { invalidState, refusalOfCreation, refusalOfRetry } from "./batch-refusals.ts";
import type { LiveBatch } from "./live-batch.ts";

/** Items that are staged without a pause. */
const STAGED_AT_ONCE = 50;
/** A creation takes seconds; what it has staged is deleted after this time. */
const UNCREATED_MS = 15 * 60_000;
const WATCHDOG_MS = 15_000;
/** In the local service a killed process loses messages, so the watchdog runs more often. */
const LOCAL_WATCHDOG_MS = 1_000;

/**
 * One batch: its items, their runs, and what has become of them, in one database. This class is the RPC surface;
 * `BatchLedger` makes the decisions, BatchStore has the rows, BatchDriver the calls to other objects.
 */
export class BatchObject extends DurableObject<Env> implements BatchObjectApi {
  readonly #store: BatchStore;
  readonly #streams: BatchStreams;
  readonly #alarm: ObjectAlarm;
  readonly #watchdogMs: number;
  #awake: AwakeBatch | undefined;
  #registering: Promise<Result<CreatedBatch>> | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    watchEffects(env);
    this.#store = new BatchStore(ctx.storage);
    this.#streams = new BatchStreams(this.#store, ctx.storage);
    this.#watchdogMs = env.ENVIRONMENT === "local" ? LOCAL_WATCHDOG_MS : WATCHDOG_MS;
    this.#alarm = new ObjectAlarm(ctx.storage, {
      object: "batch",
      failedEvent: "batch.alarm_failed",
      fields: { batch_id: ctx.id.name },
      retryMs: this.#watchdogMs,
    });
  }

  async stage({ from, items }: { from: number; items: readonly StagedItem[] }): Promise<void> {
    for (let at = 0; at < items.length; at += STAGED_AT_ONCE) {
      if (at > 0 && this.env.ENVIRONMENT === "local") {
        // All objects share one thread there, which answers nothing else meanwhile.
        await scheduler.wait(0);
      }
      if (this.#store.record === undefined) {
        this.#store.stage(from + at, items.slice(at, at + STAGED_AT_ONCE));
        this.#alarm.arm(Date.now() + UNCREATED_MS);
      }
    }
  }

  async create(request: Parameters<BatchObjectApi["create"]>[0]): Promise<Result<CreatedBatch>> {
    const { record, starts, idempotency } = request;
    if (this.#store.record === undefined) {
      if (this.#store.stagedCount !== record.total_items) {
        return fail("service_unavailable", "The items of the batch were lost. Send it again.");
      }
      this.#store.create(
        record,
        { starts, idempotency },
        { facts: NEW_FACTS, seq: 1, marks: [born(record.created_at_ms)], listed: null },
      );
      // If the registration is cut off, the alarm repeats it.
      this.#alarm.moveTo(Date.now() + this.#watchdogMs);
    }
    return await this.#register();
  }

  async discard(_request: { v: 1 }): Promise<void> {
    if (this.#store.record === undefined) {
      await this.#store.forget();
    }
  }

  async read(request: { workspace_id: string; wait_ms: number }): Promise<Result<BatchState>> {
    const found = await this.#find(request);
    if (!found.ok) {
      return found;
    }
    const { batch, driver } = found.value;
    const untilMs = Date.now() + request.wait_ms;
    for (let left = request.wait_ms; left > 0 && !batch.ledger.isTerminal;) {
      await this.#streams.within(left);
      left = untilMs - Date.now();
    }
    const { state } = batch;
    if (batch.isListedAsBefore) {
      await driver.told();
    }
    return ok(state);
  }

  async start(request: BatchCall): Promise<Result<ChangedBatch>> {
    return this.#change(request, ({ batch }) =>
      batch.ledger.facts.attempt > 0 || batch.ledger.isTerminal
        ? invalidState("start", batch.state, "Only a batch that was never started can be started.")
        : (batch.start(false), undefined),
    );
  }

  async cancel(request: BatchCall): Promise<Result<ChangedBatch>> {
    const changed = await this.#change(request, ({ batch }) =>
      batch.cancel() === "invalid_state"
        ? invalidState("cancel", batch.state, "It has ended.")
        : undefined,
    );
    const awake = this.#wake();
    if (!changed.ok || awake === undefined) {
      return changed;
    }
    // Items that were offered before may just be accepted: none is after the answer.
    await awake.driver.turn();
    return ok({ ...changed.value, state: awake.batch.state });
  }

  async checkRetry(request: CheckRetryCall): Promise<Result<ChangedBatch>> {
    const found = await this.#find(request);
    if (!found.ok) {
      return found;
    }
    const { batch } = found.value;
    return (
      this.#earlier(request, batch) ??
      refusalOfRetry(batch, request.include_partial) ??
      ok({ state: batch.state, is_replay: false })
    );
  }

  async retry(request: RetryBatchCall): Promise<Result<ChangedBatch>> {
    const { include_partial: includePartial, move } = request;
    const checked = await this.checkRetry(request);
    const awake = this.#wake();
    if (!checked.ok || checked.value.is_replay || awake === undefined) {
      return checked;
    }
    const { batch, effects } = awake;
    // First, so that the workflow cannot be deleted meanwhile. A turn lists the batch again, whatever comes of it.
    batch.listed(null);
    this.#alarm.arm(Date.now() + this.#watchdogMs);
    if (!(await effects.revive())) {
      batch.listed(batch.ledger.status);
      const { workflow } = batch.record;
      return fail("workflow_not_found", `The workflow ${workflow} was deleted.`);
    }
    return this.#change(request, () => {
      // Another call may have come first while this one waited.
      const refused = refusalOfRetry(batch, includePartial);
      if (refused === undefined) {
        batch.retry(includePartial);
        this.#store.attemptWith(move);
      }
      return refused;
    });
  }

  async items(
    request: ItemsRequest,
  ): Promise<Result<{ rows: readonly BatchItemRow[]; total: number }>> {
    const found = await this.#find(request);
    return found.ok ? ok(this.#store.items(request)) : found;
  }

  async item(request: { workspace_id: string; index: number }): Promise<Result<BatchItemRow>> {
    const found = await this.#find(request);
    if (!found.ok) {
      return found;
    }
    const row = this.#store.item(request.index);
    return row === undefined
      ? fail("not_found", `The batch has no item ${String(request.index)}.`)
      : ok(row);
  }

  async inputs(
    request: Parameters<BatchObjectApi["inputs"]>[0],
  ): Promise<Result<readonly (string | null)[]>> {
    const found = await this.#find(request);
    return found.ok ? ok(this.#store.inputs.pageFrom(request.from)) : found;
  }

  async forgetOutputs({
    workspace_id,
    run_id,
    index,
  }: Parameters<BatchObjectApi["forgetOutputs"]>[0]): Promise<void> {
    if (this.#store.record?.workspace_id === workspace_id) {
      this.#store.forgetOutputs(run_id, index);
    }
  }

  async nudge({ ends, room }: { ends: readonly RunEndRow[]; room: number }): Promise<void> {
    const awake = this.#wake();
    if (awake !== undefined) {
      awake.batch.runsEnded(ends);
      await awake.driver.turn(room);
    }
  }

  /** The events for `openBatchEvents`. */
  override async fetch(request: Request): Promise<Response> {
    const asked = parsed("BatchObject.fetch", BATCH_EVENTS_REQUEST, readEventsRequest(request.url));
    const found = await this.#find(asked);
    const opened = found.ok ? this.#streams.open(found.value.batch, asked.last_event_id) : found;
    return opened.ok
      ? new Response(opened.value, { status: opened.value === null ? 204 : 200 })
      : Response.json(opened, { status: 400 });
  }

  override alarm(): Promise<void> {
    return this.#alarm.fire(async () => {
      if (this.#store.record === undefined) {
        await this.#store.forget();
        return;
      }
      if (this.#store.creation !== undefined) {
        await this.#register();
        return;
      }
      await this.#wake()?.driver.watch();
    });
  }

  /**
   * Enters the batch into the workspace's list, and begins it. A batch that the workspace refuses is forgotten. Calls that
   * overlap have one outcome: otherwise one of them could forget what the workspace lists for another.
   */
  #register(): Promise<Result<CreatedBatch>> {
    this.#registering ??= this.#tryToRegister().finally(() => {
      this.#registering = undefined;
    });
    return this.#registering;
  }

  async #tryToRegister(): Promise<Result<CreatedBatch>> {
    const { creation, record } = this.#store;
    if (record === undefined) {
      return fail("not_found", "There is no such batch.");
    }
    const awake = this.#awaken(record);
    if (creation !== undefined) {
      const outcome = await awake.effects.register("pending", creation);
      if (outcome.kind !== "registered") {
        await this.#store.forget();
        this.#awake = undefined;
        return refusalOfCreation(outcome, record, awake.batch.state);
      }
      this.#atomically(() => {
        this.#store.registered();
        awake.batch.listed("pending");
        if (creation.starts) {
          awake.batch.start(true);
        }
      });
      this.#alarm.arm(Date.now());
      this.ctx.waitUntil(awake.driver.turn());
    }
    return ok({ state: awake.batch.state, replayed: null });
  }

  /** Runs a change once for each key. The change returns a refusal, or undefined. */
  async #change(
    request: BatchCall,
    change: (awake: AwakeBatch) => Failure | undefined,
  ): Promise<Result<ChangedBatch>> {
    const found = await this.#find(request);
    if (!found.ok) {
      return found;
    }
    const { batch, driver } = found.value;
    const { idempotency } = request;
    const nowMs = Date.now();
    const earlier = this.#earlier(request, batch);
    if (earlier !== undefined) {
      return earlier;
    }
    const refusal = this.#atomically(() => {
      const refused = change(found.value);
      if (refused === undefined && idempotency !== null) {
        this.#store.noteCall(idempotency, nowMs);
      }
      return refused;
    });
    if (refusal !== undefined) {
      return refusal;
    }
    this.#alarm.arm(nowMs + this.#watchdogMs);
    const state = ok({ state: batch.state, is_replay: false });
    this.ctx.waitUntil(driver.turn());
    if (batch.isListedAsBefore) {
      await driver.told();
    }
    return state;
  }

  /** The response to a repeat of a call that has changed the batch; undefined for one that is new. */
  #earlier({ idempotency }: BatchCall, { state }: LiveBatch): Result<ChangedBatch> | undefined {
    const known =
      idempotency === null ? undefined : this.#store.callWith(idempotency.key, Date.now());
    if (known === undefined) {
      return undefined;
    }
    return known === idempotency?.fingerprint
      ? ok({ state, is_replay: true })
      : fail("idempotency_conflict", KEY_REUSED);
  }

  /**
   * The batch of a caller. The workspace may list a batch, and remember its key, before the batch has heard that: a creation that
   * was cut off there is finished first. Throws if the workspace cannot be reached for that.
   */
  async #find({ workspace_id }: { readonly workspace_id: string }): Promise<Result<AwakeBatch>> {
    if (this.#store.record?.workspace_id === workspace_id && this.#store.creation !== undefined) {
      await this.#register();
    }
    const { record } = this.#store;
    const awake = this.#wake();
    if (record === undefined || awake === undefined) {
      return fail("not_found", "There is no such batch.");
    }
    return record.workspace_id === workspace_id
      ? ok(awake)
      : fail("forbidden", "The batch belongs to another workspace. Use a key of that workspace.");
  }

  /** Undefined if there is no batch that the workspace knows. */
  #wake(): AwakeBatch | undefined {
    const { record } = this.#store;
    return record === undefined || this.#store.creation !== undefined
      ? undefined
      : this.#awaken(record);
  }

  #awaken(record: BatchRecord): AwakeBatch {
    this.#awake ??= awakeBatch(
      {
        env: this.env,
        store: this.#store,
        alarm: this.#alarm,
        watchdogMs: this.#watchdogMs,
        waitUntil: (work) => {
          this.ctx.waitUntil(work);
        },
        onEvents: () => {
          this.#streams.tell();
        },
        onFault: () => {
          this.#abort();
        },
      },
      record,
    );
    return this.#awake;
  }

  /** Runs a change of the batch and stores it. The batch in memory is ahead of the rows of a change that cannot be stored. */
  #atomically<T>(change: () => T): T {
    try {
      return this.#store.transaction(change);
    } catch (error) {
      this.#abort();
      throw error;
    }
  }

  #abort(): void {
    this.ctx.abort("the batch's state could not be stored");
  }
}

/** The first event of a batch. */
function born(atMs: number): BatchMark {
  return { seq: 1, event: "status", status: "pending", at_ms: atMs };
}

parseEntries<BatchObjectApi>(BatchObject, isEnvUsable, BATCH_ENTRIES);
