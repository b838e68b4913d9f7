import type {
  AdmitBatchOutcome,
  AdmitBatchReply,
  AdmitBatchRequest,
  CloseRequest,
  RegisterBatchOutcome,
  RegisterBatchRequest,
  WorkspaceObjectApi,
} from "../../src/contracts/workspaces/admission.ts";
import type { RunEndRow } from "../../src/contracts/batches/batch-object-api.ts";
import { BatchShares } from "../../src/domain/batches/batch-shares.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import type { Env } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { batchObject } from "../../src/storage/objects/batch-object.ts";
import type { Admissions } from "./admissions.ts";
import type { BatchRegistry } from "./batch-registry.ts";
import type { KnownRun } from "./known-run.ts";
import type { LedgerStore } from "./ledger-store.ts";
import type { ReportedEnd, RunEnds } from "./run-ends.ts";
import type { Slots } from "./slots.ts";
import type { WorkflowPointers } from "./workflow-pointers.ts";
import type { WorkspaceStore } from "./workspace-store.ts";

interface BatchParts {
  readonly env: Env;
  readonly store: WorkspaceStore;
  readonly pointers: WorkflowPointers;
  readonly ledger: LedgerStore;
  readonly registry: BatchRegistry;
  readonly slots: Slots;
  readonly admissions: Admissions;
  readonly ends: RunEnds;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/**
 * Admission of the runs of batches, and messages to the batches: their runs that have ended, and slots that they may
 * take. The messages are in memory only: a batch whose message was lost asks by its own alarm.
 */
export class WorkspaceBatches {
  readonly #parts: BatchParts;
  readonly #shares = new BatchShares();
  readonly #log = createLogger({ service: "edgeloom", object: "workspace" });
  readonly #ends = new Map<string, RunEndRow[]>();
  readonly #told = new Set<string>();
  /** The last offer of each batch of which the outcome was asked for. Requests in flight end with the memory. */
  readonly #settled = new Map<string, number>();
  #isDue = false;

  constructor(parts: BatchParts) {
    this.#parts = parts;
    this.recount();
  }

  /** A transaction was rolled back, or the object has woken. */
  recount(): void {
    this.#shares.reset(this.#parts.store.liveOfBatches());
  }

  /** Lists a batch, if its items can be paid as far as that is known; must be called within a transaction. */
  register(request: RegisterBatchRequest, nowMs: number): RegisterBatchOutcome {
    const { registry, pointers, ledger } = this.#parts;
    const { entry, idempotency, exact_milli_credits: exact } = request;
    if (registry.has(entry.batch_id)) {
      return { kind: "registered" };
    }
    const recalled = registry.recall(idempotency, nowMs);
    if (recalled !== null) {
      return recalled;
    }
    if (pointers.get(entry.workflow_id) === undefined) {
      return { kind: "workflow_not_found" };
    }
    ledger.renew(nowMs, request.monthly_milli_credits);
    const balance = ledger.available();
    if (exact !== null && exact > balance) {
      return { kind: "insufficient_credits", balance_milli_credits: balance };
    }
    registry.add(entry, idempotency);
    return { kind: "registered" };
  }

  /** Returns what `WorkspaceObjectApi.reviveBatch` does; must be called within a transaction. */
  revive(batchId: string): boolean {
    const { registry, pointers } = this.#parts;
    const workflowId = registry.workflowOf(batchId);
    if (workflowId === undefined || pointers.get(workflowId) === undefined) {
      return false;
    }
    registry.setStatus(batchId, "running");
    return true;
  }

  /** Stores the ends of runs of a batch, and decides about others in their order; must be called within a transaction. */
  admit(
    request: AdmitBatchRequest,
    nowMs: number,
  ): { readonly reply: AdmitBatchReply; readonly ends: readonly ReportedEnd[] } {
    const { store, admissions } = this.#parts;
    const { batch } = request;
    admissions.limitTo(request.max_concurrent_executions);
    const ends = this.#report(request, nowMs);
    this.#shares.wants(batch, request.wanted, nowMs);
    const isLate = request.offer <= (this.#settled.get(batch) ?? 0);
    let room = isLate ? 0 : this.#roomOf(batch, nowMs);
    const outcomes: AdmitBatchOutcome[] = [];
    for (const run of request.runs) {
      if (store.run(run.start.run_id) !== undefined) {
        outcomes.push({ kind: "known" });
      } else if (room === 0) {
        outcomes.push({ kind: "waits" });
      } else {
        const outcome = admissions.admitOfBatch(run, request, nowMs);
        if (outcome.kind === "admitted") {
          room--;
          this.#shares.admitted(batch);
        }
        outcomes.push(outcome);
      }
    }
    const reply: AdmitBatchReply = {
      outcomes,
      room: this.#roomOf(batch, nowMs),
      ends: ends.length === 0 ? [] : store.batchRuns(ends.map((end) => end.request.run_id)).ends,
      is_heard:
        ends.some(({ listeners }) => listeners.webhook_endpoints.length > 0) ||
        this.#parts.ends.isHeard(request.runs[0]?.start.workflow_id),
    };
    return { reply, ends };
  }

  /** The ends that the batch reports for its runs. The batch learns of them from the reply. */
  #report({ batch, ends: requests = [] }: AdmitBatchRequest, nowMs: number): ReportedEnd[] {
    const ends: ReportedEnd[] = [];
    for (const request of requests) {
      const end = this.#parts.ends.report(request, nowMs);
      // A batch can report the ends of its own runs only.
      if (end.settled !== null && end.run?.batch === batch) {
        this.#shares.ended(batch);
      }
      ends.push(end);
    }
    if (ends.length > 0 && this.#shares.hasWaitingBeside(batch)) {
      this.#tellSoon();
    }
    return ends;
  }

  /** Returns what `WorkspaceObjectApi.batchRuns` does. */
  runs({ batch, settles, run_ids }: Parameters<WorkspaceObjectApi["batchRuns"]>[0]) {
    if (settles > 0) {
      this.#settled.set(batch, settles);
    }
    return this.#parts.store.batchRuns(run_ids);
  }

  /** A run has ended and gave back its slot; called after the transaction. */
  ended(run: KnownRun, request: CloseRequest, settledMilli: number): void {
    if (run.batch !== null) {
      this.#shares.ended(run.batch);
      const ends = this.#ends.get(run.batch) ?? [];
      this.#ends.set(run.batch, ends);
      ends.push({
        run_id: run.run_id,
        status: request.status,
        credits_used_milli: settledMilli,
        error_code: request.error_code,
        error_message: request.error_message,
        completed_at_ms: request.completed_at_ms,
      });
    }
    if (this.#ends.size > 0 || this.#shares.hasWaiting) {
      this.#tellSoon();
    }
  }

  #roomOf(batch: string, nowMs: number): number {
    return this.#rooms(nowMs).get(batch) ?? 0;
  }

  #rooms(nowMs: number): ReadonlyMap<string, number> {
    const { slots } = this.#parts;
    return this.#shares.rooms(slots.max, slots.free, nowMs);
  }

  /** Once for all runs that end in the same turn. */
  #tellSoon(): void {
    if (!this.#isDue) {
      this.#isDue = true;
      this.#parts.waitUntil(
        scheduler.wait(0).then(() => {
          this.#isDue = false;
          this.#tell();
        }),
      );
    }
  }

  /** One call at a time to each batch: what happens meanwhile is told by the next. */
  #tell(): void {
    const rooms = this.#rooms(Date.now());
    for (const batch of new Set([...this.#ends.keys(), ...rooms.keys()])) {
      if (!this.#told.has(batch)) {
        this.#told.add(batch);
        const ends = this.#ends.get(batch) ?? [];
        this.#ends.delete(batch);
        this.#parts.waitUntil(this.#nudge(batch, ends, rooms.get(batch) ?? 0));
      }
    }
  }

  async #nudge(batch: string, ends: readonly RunEndRow[], room: number): Promise<void> {
    try {
      await batchObject(this.#parts, batch).nudge({ v: 1, ends, room });
    } catch (error) {
      this.#log.error("batch.not_told", { batch_id: batch, reason: describeCause(error) });
    } finally {
      this.#told.delete(batch);
      if (this.#ends.has(batch)) {
        this.#tellSoon();
      }
    }
  }
}
