/** What a batch responds to calls that it refuses. */
import type {
  BatchRecord,
  BatchState,
  CreatedBatch,
} from "../../src/contracts/batches/batch-object-api.ts";
import { KEY_REUSED } from "../../src/lib/idempotency-record.ts";
import { type Failure, fail, ok, type Result } from "../../src/lib/result.ts";
import type { BatchEffects } from "./batch-effects.ts";
import type { LiveBatch } from "./live-batch.ts";

/** Returns why a batch cannot be retried now; undefined if it can. */
export function refusalOfRetry(batch: LiveBatch, includePartial: boolean): Failure | undefined {
  const partial = includePartial ? ", and none completed in part" : "";
  switch (batch.ledger.refusalOfRetry(includePartial)) {
    case "invalid_state":
      return invalidState("retry", batch.state, "It has not ended.");
    case "no_failed_items":
      return fail(
        "no_failed_items",
        `No item of the batch failed or was cancelled${partial}. There is nothing to retry.`,
      );
    default:
      return undefined;
  }
}

/** A call that the batch's state does not allow. */
export function invalidState(call: string, { status }: BatchState, why: string): Failure {
  return fail("invalid_state", `The batch is ${status}, so ${call} is not possible. ${why}`);
}

/** The response to a creation that the workspace did not register. */
export function refusalOfCreation(
  outcome: Exclude<Awaited<ReturnType<BatchEffects["register"]>>, { readonly kind: "registered" }>,
  record: BatchRecord,
  state: BatchState,
): Result<CreatedBatch> {
  switch (outcome.kind) {
    case "replayed":
      return ok({ state, replayed: outcome.batch_id });
    case "idempotency_conflict":
      return fail("idempotency_conflict", KEY_REUSED);
    case "workflow_not_found":
      return fail("workflow_not_found", `The workflow ${record.workflow} was deleted meanwhile.`);
    case "insufficient_credits":
      return fail(
        "insufficient_credits",
        `The runs of all items cost ${String(record.exact_milli_credits)} milli-credits, and the balance is ${String(outcome.balance_milli_credits)}. Send fewer items, or add credits.`,
      );
  }
}
