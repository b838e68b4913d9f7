import type {
  AdmitBatchOutcome,
  AdmitBatchRequest,
  AdmitOutcome,
  AdmitRequest,
  AdmitRunsRequest,
  AdmittedStart,
} from "../../src/contracts/workspaces/admission.ts";
import { labelsOf } from "../../src/contracts/workspaces/admission.ts";
import { recall, Withdrawn } from "./admission-outcomes.ts";
import { PHASE, SLOT } from "./known-run.ts";
import type { LedgerStore } from "./ledger-store.ts";
import type { OutputRetention } from "./output-retention.ts";
import type { PendingStarts } from "./pending-starts.ts";
import type { Slots } from "./slots.ts";
import type { WorkflowPointers } from "./workflow-pointers.ts";
import type { WorkspaceOutbox } from "./workspace-outbox.ts";
import type { KeyRecord, WorkspaceStore } from "./workspace-store.ts";

interface AdmissionParts {
  readonly store: WorkspaceStore;
  readonly pending: PendingStarts;
  readonly pointers: WorkflowPointers;
  readonly ledger: LedgerStore;
  readonly slots: Slots;
  readonly retention: OutputRetention;
  readonly outbox: WorkspaceOutbox;
  /** A larger plan gave slots to waiting runs, which must be told. */
  readonly onPromoted: () => void;
  /** A run has ended at its admission. */
  readonly onEnded: (nowMs: number) => void;
}

/** Idempotency record, pointer, slot, reservation and index row of a submit. */
export class Admissions {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** Decides about one submit and stores the decision; must be called within a transaction. */
  decide(request: AdmitRequest, nowMs: number): AdmitOutcome {
    const { idempotency, start } = request;
    const record =
      idempotency === null ? undefined : this.#parts.store.keyRecord(idempotency.key, nowMs);
    const recalled = recall(record, idempotency);
    if (recalled !== null) {
      return recalled;
    }
    const pointer = this.#parts.pointers.get(start.workflow_id);
    // A run of the working definition needs no published version.
    const isRunnable =
      start.is_draft === true ? pointer?.status !== "archived" : pointer?.status === "published";
    if (
      pointer === undefined ||
      !isRunnable ||
      (request.is_pinned
        ? start.workflow_version > pointer.version
        : start.workflow_version !== pointer.version)
    ) {
      return { kind: "stale_pointer", pointer: pointer ?? null };
    }
    // Lists are sorted by admission and show this time, so it must never decrease.
    const createdAtMs = Math.max(nowMs, this.#parts.store.latestCreatedAtMs);
    const liability = request.exact_liability_milli_credits;
    // First, because a larger plan gives free slots to waiting runs.
    this.limitTo(request.max_concurrent_executions);
    const admitted: AdmittedStart = {
      ...start,
      workflow_name: pointer.name,
      created_at_ms: createdAtMs,
      reserved_milli_credits: liability,
      is_held: this.#parts.slots.isFull,
    };
    // Also if no cost is known yet: plans resolved during the run reserve from this balance.
    this.#parts.ledger.renew(nowMs, request.monthly_milli_credits);
    if (liability > 0) {
      const reserved = this.#parts.ledger.reserveAtAdmission(start.run_id, liability, nowMs);
      if (reserved.kind === "insufficient_credits") {
        return this.#refuse(admitted, request, record, reserved.balance_milli_credits, nowMs);
      }
    }
    this.#insert(admitted, request, record, null, nowMs);
    this.#parts.slots.admitted(admitted.is_held);
    const { run_id, workflow_name, created_at_ms, is_held } = admitted;
    return {
      kind: "admitted",
      start: { run_id, workflow_name, created_at_ms, is_held, reserved_milli_credits: liability },
    };
  }

  /** Decides about several submits. Throws `Withdrawn` unless all are admitted, if the call is for all or none. */
  decideAll(request: AdmitRunsRequest, nowMs: number): readonly AdmitOutcome[] {
    const decided = request.runs.map((run) => this.decide({ ...run, ...request }, nowMs));
    const areAll = decided.every(({ kind }) => kind === "admitted" || kind === "replayed");
    if (request.mode === "all" && !areAll) {
      throw new Withdrawn(decided);
    }
    return decided;
  }

  /** Sets the plan's concurrency. */
  limitTo(max: number): void {
    if (this.#parts.slots.limitTo(max)) {
      this.#parts.onPromoted();
    }
  }

  /**
   * Admits a run of a batch that does not exist yet and has a slot. Stores nothing for a run without credits, whatever
   * the state of its workflow; must be called within a transaction.
   */
  admitOfBatch(
    { start, exact_liability_milli_credits: liability }: AdmitBatchRequest["runs"][number],
    request: Pick<AdmitBatchRequest, "monthly_milli_credits">,
    nowMs: number,
  ): AdmitBatchOutcome {
    const { store, pointers, ledger, slots } = this.#parts;
    const createdAtMs = Math.max(nowMs, store.latestCreatedAtMs);
    const workflowName = pointers.get(start.workflow_id)?.name ?? start.workflow_name;
    ledger.renew(nowMs, request.monthly_milli_credits);
    if (liability > 0) {
      const reserved = ledger.reserveAtAdmission(start.run_id, liability, nowMs);
      if (reserved.kind === "insufficient_credits") {
        return reserved;
      }
    }
    const admitted: AdmittedStart = {
      ...start,
      workflow_name: workflowName,
      created_at_ms: createdAtMs,
      reserved_milli_credits: liability,
      is_held: false,
    };
    this.#insert(admitted, { idempotency: null, labels: labelsOf(start) }, undefined, null, nowMs);
    slots.admitted(false);
    return {
      kind: "admitted",
      start: {
        run_id: start.run_id,
        workflow_name: workflowName,
        created_at_ms: createdAtMs,
        is_held: false,
        reserved_milli_credits: liability,
      },
    };
  }

  /** An admitted run, or one that failed at its admission. */
  #insert(
    start: AdmittedStart,
    { idempotency, labels }: Pick<AdmitRequest, "idempotency" | "labels">,
    record: KeyRecord | undefined,
    error: { code: string; message: string } | null,
    nowMs: number,
  ): void {
    if (record?.kind === "lapsed") {
      this.#parts.store.forgetKey(record.seq);
    }
    const phase = error === null ? PHASE.starting : PHASE.ended;
    const slot = error !== null ? SLOT.refused : start.is_held ? SLOT.held : SLOT.taken;
    const pendingFrom = this.#parts.pending.from;
    const seq = this.#parts.store.insertRun(start, {
      phase,
      slot,
      error,
      idempotency,
      labels,
      pendingFrom,
    });
    if (error === null) {
      const { run_id, created_at_ms, is_held } = start;
      this.#parts.pending.add(
        { seq, run_id, created_at_ms, phase, is_live: is_held ? 1 : 0 },
        nowMs,
      );
    }
    this.#parts.retention.noteAdmitted(start.workspace_id);
  }

  /**
   * docs/contract/credits.md#plans-known-at-submit: with an idempotency key a failed run is committed; without one
   * nothing is stored.
   */
  #refuse(
    start: AdmittedStart,
    request: AdmitRequest,
    record: KeyRecord | undefined,
    balance: number,
    nowMs: number,
  ): AdmitOutcome {
    if (request.idempotency === null) {
      return { kind: "insufficient_credits", run_id: null, balance_milli_credits: balance };
    }
    const message = `The run may cost up to ${String(start.reserved_milli_credits)} milli-credits and the balance is ${String(balance)}.`;
    this.#insert(start, request, record, { code: "insufficient_credits", message }, nowMs);
    this.#parts.onEnded(nowMs);
    this.#parts.outbox.record(start.run_id, start.workflow_id, nowMs);
    return { kind: "insufficient_credits", run_id: start.run_id, balance_milli_credits: balance };
  }
}
