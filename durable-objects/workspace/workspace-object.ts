import { DurableObject } from "cloudflare:workers";
import {
  type AcknowledgeRequest,
  type AdmitBatchReply,
  type AdmitBatchRequest,
  type AdmitOutcome,
  type AdmitRequest,
  type AdmitRunsOutcome,
  type AdmitRunsRequest,
  type Balance,
  type BatchListFilter,
  type BatchListPage,
  type CloseOutcome,
  type CloseRequest,
  type GrantOutcome,
  type GrantRequest,
  type LedgerPage,
  type RegisterBatchOutcome,
  type RegisterBatchRequest,
  type ReleaseRequest,
  type RemoveWorkflowOutcome,
  type ReserveOutcome,
  type ReserveRequest,
  type RunIndexRow,
  type RunListFilter,
  type RunListPage,
  type SettleRequest,
  type WorkflowPointer,
  type WorkspaceObjectApi,
} from "../../src/contracts/workspaces/admission.ts";
import type { WebhookIndexEntry } from "../../src/contracts/webhooks/webhook-object-api.ts";
import { fail, ok, type Result } from "../../src/lib/result.ts";
import { effectMade, watchEffects } from "../../src/platform/effect-log.ts";
import type { Env } from "../../src/platform/env.ts";
import { openDatabase } from "../shared/migrations.ts";
import { Admissions } from "./admissions.ts";
import { outcomesOf, recall } from "./admission-outcomes.ts";
import { PendingStarts } from "./pending-starts.ts";
import { LedgerStore } from "./ledger-store.ts";
import { OutputRetention } from "./output-retention.ts";
import { BatchRegistry } from "./batch-registry.ts";
import { GroupCommit } from "./group-commit.ts";
import { type KnownRun, PHASE } from "./known-run.ts";
import { RunAudit } from "./run-audit.ts";
import { type ReportedEnd, RunEnds } from "./run-ends.ts";
import { Slots } from "./slots.ts";
import { WebhookIndex } from "./webhook-index.ts";
import { WorkflowPointers } from "./workflow-pointers.ts";
import { WorkspaceAlarms } from "./workspace-alarms.ts";
import { WorkspaceBatches } from "./workspace-batches.ts";
import { WorkspaceEffects } from "./workspace-effects.ts";
import { WorkspaceOutbox } from "./workspace-outbox.ts";
import { createWorkspaceTables, WORKSPACE_SCHEMA } from "./workspace-schema.ts";
import { WorkspaceStore } from "./workspace-store.ts";
import { WorkspaceUpkeep } from "./workspace-upkeep.ts";
import { isEnvUsable } from "../../src/platform/check-env.ts";
import { parseEntries } from "../shared/entries.ts";
import { WORKSPACE_ENTRIES } from "./workspace-entries.ts";

/**
 * One workspace: credits, idempotency records, slots, the index of its runs, and the published version of each
 * workflow. Every submit of the workspace passes through `admit`, which is therefore a handful of statements without an
 * await.
 */
export class WorkspaceObject extends DurableObject<Env> implements WorkspaceObjectApi {
  readonly #store: WorkspaceStore;
  readonly #pointers: WorkflowPointers;
  readonly #ledger: LedgerStore;
  readonly #webhooks: WebhookIndex;
  readonly #outbox: WorkspaceOutbox;
  readonly #effects: WorkspaceEffects;
  readonly #alarms: WorkspaceAlarms;
  readonly #retention: OutputRetention;
  readonly #pending: PendingStarts;
  readonly #groupCommit = new GroupCommit(Date.now, () => scheduler.wait(0));
  readonly #slots: Slots;
  readonly #upkeep: WorkspaceUpkeep;
  readonly #admissions: Admissions;
  readonly #ends: RunEnds;
  readonly #registry: BatchRegistry;
  readonly #batches: WorkspaceBatches;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    watchEffects(env);
    if (openDatabase(ctx.storage, WORKSPACE_SCHEMA).version === 0) {
      ctx.storage.transactionSync(() => {
        createWorkspaceTables(ctx.storage.sql);
      });
    }
    this.#store = new WorkspaceStore(ctx.storage.sql);
    this.#pointers = new WorkflowPointers(ctx.storage.sql);
    this.#ledger = new LedgerStore(ctx.storage.sql);
    this.#webhooks = new WebhookIndex(ctx.storage.sql);
    this.#outbox = new WorkspaceOutbox(env, ctx.storage.sql, this.#webhooks, (runId) =>
      this.#store.row(runId),
    );
    this.#pending = new PendingStarts(this.#store.pendingStarts(), Date.now());
    this.#effects = new WorkspaceEffects(env, this.#store.starts);
    this.#alarms = new WorkspaceAlarms(
      ctx.storage,
      this.#store.starts,
      this.#pending,
      this.#effects,
      env.ENVIRONMENT === "local",
    );
    this.#retention = new OutputRetention(env, ctx.storage.sql, (work) => {
      ctx.waitUntil(work);
    });
    this.#slots = new Slots(this.#store, this.#pending);
    const audit = new RunAudit({
      env,
      sql: ctx.storage.sql,
      workspaceId: () => this.#retention.workspaceId,
      isAnySlotTaken: () => this.#slots.isAnyTaken,
    });
    this.#upkeep = new WorkspaceUpkeep(audit, this.#retention, (atMs) => {
      this.#alarms.arm(atMs);
    });
    this.#admissions = new Admissions({
      store: this.#store,
      pending: this.#pending,
      pointers: this.#pointers,
      ledger: this.#ledger,
      slots: this.#slots,
      retention: this.#retention,
      outbox: this.#outbox,
      onPromoted: () => {
        this.#alarms.arm(Date.now() + 1);
      },
      onEnded: (nowMs) => {
        this.#upkeep.noteEnded(nowMs);
      },
    });
    this.#ends = new RunEnds({
      store: this.#store,
      pending: this.#pending,
      ledger: this.#ledger,
      slots: this.#slots,
      webhooks: this.#webhooks,
      outbox: this.#outbox,
      onEnded: (nowMs) => {
        this.#upkeep.noteEnded(nowMs);
      },
    });
    this.#registry = new BatchRegistry(ctx.storage.sql);
    this.#batches = new WorkspaceBatches({
      env,
      store: this.#store,
      pointers: this.#pointers,
      ledger: this.#ledger,
      registry: this.#registry,
      slots: this.#slots,
      admissions: this.#admissions,
      ends: this.#ends,
      waitUntil: (work) => {
        ctx.waitUntil(work);
      },
    });
  }

  /** Idempotency record, reservation, slot and index row in one transaction (ARCHITECTURE.md). */
  async admit(request: AdmitRequest): Promise<Result<AdmitOutcome>> {
    await this.#groupCommit.wait();
    const nowMs = Date.now();
    const outcome = this.#atomically(() => this.#admissions.decide(request, nowMs));
    this.#afterAdmission([outcome], nowMs);
    return ok(outcome);
  }

  async admitRuns(request: AdmitRunsRequest): Promise<Result<readonly AdmitRunsOutcome[]>> {
    await this.#groupCommit.wait();
    const nowMs = Date.now();
    const outcomes = outcomesOf(() =>
      this.#atomically(() => this.#admissions.decideAll(request, nowMs)),
    );
    this.#afterAdmission(outcomes, nowMs);
    return ok(outcomes);
  }

  async admitBatch(request: AdmitBatchRequest): Promise<AdmitBatchReply> {
    await this.#groupCommit.wait();
    const nowMs = Date.now();
    const { reply, ends } = this.#atomically(() => this.#batches.admit(request, nowMs));
    if (reply.outcomes.some(({ kind }) => kind === "admitted")) {
      effectMade("admission");
      this.#alarms.arm(nowMs + this.#alarms.retryMs);
    }
    if (ends.length > 0) {
      effectMade("settle");
      this.#afterEnds(ends, nowMs);
    }
    return reply;
  }

  async batchRuns(request: Parameters<WorkspaceObjectApi["batchRuns"]>[0]) {
    return this.#batches.runs(request);
  }

  async registerBatch(request: RegisterBatchRequest): Promise<RegisterBatchOutcome> {
    const nowMs = Date.now();
    return this.#atomically(() => this.#batches.register(request, nowMs));
  }

  async recallBatch(idempotency: { key: string; fingerprint: string }) {
    return this.#registry.recall(idempotency, Date.now());
  }

  async updateBatch({
    batch_id,
    status,
  }: Parameters<WorkspaceObjectApi["updateBatch"]>[0]): Promise<CloseOutcome> {
    return this.#webhooks.match(this.#registry.setStatus(batch_id, status));
  }

  async reviveBatch({ batch_id }: { v: 1; batch_id: string }): Promise<boolean> {
    return this.#atomically(() => this.#batches.revive(batch_id));
  }

  async listBatches(filter: BatchListFilter): Promise<Result<BatchListPage>> {
    const page = this.#registry.list(filter);
    return page === undefined ? badCursor(filter.starting_after, "a batch") : ok(page);
  }

  async recall(idempotency: { key: string; fingerprint: string }) {
    return recall(this.#store.keyRecord(idempotency.key, Date.now()), idempotency);
  }

  async acknowledge(request: AcknowledgeRequest): Promise<void> {
    await this.#groupCommit.wait();
    this.#atomically(() => {
      const run = this.#store.run(request.run_id);
      if (run !== undefined) {
        this.#store.acknowledge(run, request);
        this.#pending.confirmed(run.run_id);
        this.#dropValues(run);
      }
    });
  }

  async close(request: CloseRequest): Promise<CloseOutcome> {
    await this.#groupCommit.wait();
    const nowMs = Date.now();
    const end = this.#atomically(() => this.#ends.report(request, nowMs));
    effectMade("settle");
    if (end.run !== undefined && end.settled !== null) {
      this.#batches.ended(end.run, request, end.settled);
    }
    if (request.is_damaged === true) {
      this.#sendEvents(nowMs);
    }
    this.#afterEnds([end], nowMs);
    return end.listeners;
  }

  async putWebhookEndpoint(entry: WebhookIndexEntry): Promise<void> {
    this.#atomically(() => {
      this.#webhooks.put(entry);
    });
  }

  async reserve(request: ReserveRequest): Promise<ReserveOutcome> {
    const nowMs = Date.now();
    return this.#atomically(() => {
      const run = this.#store.run(request.run_id);
      if (run === undefined || run.phase === PHASE.ended) {
        // A late repeat: nothing would ever release a hold of an ended run.
        return { kind: "insufficient_credits", balance_milli_credits: this.#ledger.available() };
      }
      return this.#ledger.reserve(request, nowMs);
    });
  }

  async settle(request: SettleRequest): Promise<void> {
    const nowMs = Date.now();
    this.#atomically(() => {
      this.#ledger.settle(request.run_id, request.cumulative_milli_credits, nowMs);
    });
    effectMade("settle");
  }

  async release(request: ReleaseRequest): Promise<void> {
    const nowMs = Date.now();
    this.#atomically(() => {
      this.#ledger.release(request, nowMs);
    });
  }

  async listRuns(filter: RunListFilter): Promise<Result<RunListPage>> {
    if (filter.status === "pending" || filter.status === "running") {
      await this.#pending.untilConfirmed(Date.now());
    }
    const page = this.#store.list(filter);
    return page === undefined ? badCursor(filter.starting_after, "a run") : ok(page);
  }

  async getRun(runId: string): Promise<RunIndexRow | null> {
    return this.#store.row(runId) ?? null;
  }

  async setWorkflowPointer(pointer: WorkflowPointer): Promise<void> {
    this.#pointers.set(pointer);
  }

  async getWorkflowPointer(workflowId: string): Promise<WorkflowPointer | null> {
    return this.#pointers.get(workflowId) ?? null;
  }

  async removeWorkflow(workflowId: string): Promise<RemoveWorkflowOutcome> {
    return this.#atomically(() => {
      const live = this.#store.countLive(workflowId) + this.#registry.countLive(workflowId);
      if (live > 0) {
        return { kind: "executions_in_progress", live };
      }
      this.#pointers.remove(workflowId);
      return { kind: "removed" };
    });
  }

  async countLiveRuns(workflowId: string | null): Promise<number> {
    return workflowId === null ? this.#slots.live : this.#store.countLive(workflowId);
  }

  async balance(monthly: number | null): Promise<Balance> {
    return this.#atomically(() => this.#ledger.balance(Date.now(), monthly));
  }

  async grant(request: GrantRequest): Promise<GrantOutcome> {
    const nowMs = Date.now();
    return this.#atomically(() => {
      const kind = this.#ledger.grant(request.idempotency_key, request.milli_credits, nowMs);
      return { kind, balance: this.#ledger.balance(nowMs, null) };
    });
  }

  async listLedger(limit: number, startingAfter: string | null): Promise<Result<LedgerPage>> {
    const page = this.#ledger.entries(limit, startingAfter);
    return page === undefined ? badCursor(startingAfter, "an entry", "of this ledger") : ok(page);
  }

  override alarm(): Promise<void> {
    return this.#alarms.fire(async () => {
      if (!(await this.#outbox.deliver())) {
        this.#alarms.arm(Date.now() + this.#alarms.retryMs);
      }
      await this.#upkeep.pass();
    });
  }

  #afterEnds(ends: readonly ReportedEnd[], nowMs: number): void {
    for (const { run, keepsStart } of ends) {
      if (run !== undefined && !keepsStart) {
        this.#dropValues(run);
      }
    }
    if (ends.some(({ hasPromoted }) => hasPromoted)) {
      // The alarm repeats calls that a crash after this point loses.
      this.#alarms.arm(nowMs + this.#alarms.retryMs);
      this.ctx.waitUntil(this.#effects.deliverPromotions());
    }
  }

  #afterAdmission(outcomes: readonly AdmitRunsOutcome[], nowMs: number): void {
    if (outcomes.some(({ kind }) => kind === "admitted")) {
      effectMade("admission");
      this.#alarms.arm(nowMs + this.#alarms.retryMs);
    }
    if (outcomes.some(({ kind }) => kind === "insufficient_credits")) {
      this.#sendEvents(nowMs);
    }
  }

  /** Sends what the outbox has recorded. The alarm repeats what a crash loses. */
  #sendEvents(nowMs: number): void {
    if (this.#outbox.hasEvents) {
      this.#alarms.arm(nowMs + this.#alarms.retryMs);
      this.ctx.waitUntil(this.#outbox.deliver());
    }
  }

  /** Its values are useless once the start is dropped; after a crash they are deleted with the run's files. */
  #dropValues({ values_key: key }: KnownRun): void {
    if (key !== null) {
      this.ctx.waitUntil(this.env.FILES.delete(key));
    }
  }

  #atomically<T>(work: () => T): T {
    try {
      return this.ctx.storage.transactionSync(work);
    } catch (error) {
      // The state in memory may be ahead of the rows that were just rolled back.
      this.#store.forget();
      this.#pending.reset(this.#store.pendingStarts(), Date.now());
      this.#pointers.forget();
      this.#ledger.forget();
      this.#slots.recount();
      this.#batches.recount();
      this.#retention.reload();
      throw error;
    }
  }
}

function badCursor(given: string | null, kind: string, where = "of this workspace") {
  return fail(
    "invalid_request",
    `starting_after "${String(given)}" is not ${kind} ${where}. Send next_cursor of the previous page, as it was returned.`,
  );
}

parseEntries(WorkspaceObject, isEnvUsable, WORKSPACE_ENTRIES);
