import type { CloseOutcome, CloseRequest } from "../../src/contracts/workspaces/admission.ts";
import { DELIVERY_DEADLINE_MS } from "../../src/domain/webhooks/deliveries/next-attempt.ts";
import { type KnownRun, PHASE } from "./known-run.ts";
import type { LedgerStore } from "./ledger-store.ts";
import type { PendingStarts } from "./pending-starts.ts";
import type { Slots } from "./slots.ts";
import { NOBODY, type WebhookIndex } from "./webhook-index.ts";
import type { WorkspaceOutbox } from "./workspace-outbox.ts";
import type { WorkspaceStore } from "./workspace-store.ts";

interface EndParts {
  readonly store: WorkspaceStore;
  readonly pending: PendingStarts;
  readonly ledger: LedgerStore;
  readonly slots: Slots;
  readonly webhooks: WebhookIndex;
  readonly outbox: WorkspaceOutbox;
  /** A run has ended. */
  readonly onEnded: (nowMs: number) => void;
}

/** A run whose end was reported, and what is left to do once the transaction is over. */
export interface ReportedEnd {
  readonly run: KnownRun | undefined;
  readonly request: CloseRequest;
  /** Milli-credits that the run was charged; null if its end was known before. */
  readonly settled: number | null;
  /** The endpoints that receive the run's event; also for a repeat, because the run sends it until all have it. */
  readonly listeners: CloseOutcome;
  /** Whether the start stays stored, because only its repeat reminds the run of its event. */
  readonly keepsStart: boolean;
  /** Whether another run got the slot and must be told. */
  readonly hasPromoted: boolean;
}

/** Ends of runs: the run's row, its reservation, and its slot. */
export class RunEnds {
  readonly #parts: EndParts;

  constructor(parts: EndParts) {
    this.#parts = parts;
  }

  /** Whether a webhook endpoint receives the ends of the workflow's runs. */
  isHeard(workflowId: string | undefined): boolean {
    return this.#parts.webhooks.match(workflowId).webhook_endpoints.length > 0;
  }

  /**
   * The endpoints that receive the event of the end. A run that ended within its start does not store that it has handed its
   * event over, so it reports its end again when it wakes, months later too. Endpoints that did not exist at the end never
   * receive its event, and nobody does after a delivery's deadline, unless a start still reminds the run.
   */
  #listenersTo(run: KnownRun | undefined, request: CloseRequest, nowMs: number): CloseOutcome {
    const { webhooks } = this.#parts;
    if (run?.phase !== PHASE.ended) {
      return webhooks.match(run?.workflow_id);
    }
    const isReminded = request.is_unguarded !== true || run.has_start > 0;
    return isReminded || nowMs - request.completed_at_ms < DELIVERY_DEADLINE_MS
      ? webhooks.match(run.workflow_id, request.completed_at_ms)
      : NOBODY;
  }

  /** Must be called within a transaction. A repeat changes nothing. */
  report(request: CloseRequest, nowMs: number): ReportedEnd {
    const { store, pending, ledger, slots, outbox, onEnded } = this.#parts;
    const run = store.run(request.run_id);
    const listeners = this.#listenersTo(run, request, nowMs);
    const keepsStart = request.is_unguarded === true && listeners.webhook_endpoints.length > 0;
    const reported = { run, request, listeners, keepsStart };
    if (run === undefined) {
      return { ...reported, settled: null, hasPromoted: false };
    }
    if (keepsStart) {
      pending.ended(run.run_id);
    } else {
      pending.confirmed(run.run_id);
    }
    if (run.phase === PHASE.ended) {
      if (!keepsStart) {
        store.dropStart(run);
      }
      return { ...reported, settled: null, hasPromoted: false };
    }
    const settled = ledger.close(request.run_id, request.settled_milli_credits, nowMs);
    store.close(run, request, settled, keepsStart);
    if (request.is_damaged === true) {
      outbox.record(run.run_id, run.workflow_id, nowMs);
    }
    onEnded(nowMs);
    return { ...reported, settled, hasPromoted: slots.ended(run.slot) };
  }
}
