import { isTerminal, type Execution } from "../../contracts/runs/run.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { runObject } from "../../storage/objects/run-object.ts";
import { findIndexedRun } from "./read/find-indexed-run.ts";
import { runCaller } from "./run-caller.ts";

/**
 * Requests the cancellation of a run; a repeat returns the same result. Throws `already_terminal`
 * for a run that has ended (docs/contract/executions.md#statuses).
 */
export async function cancelExecution(ctx: CallerContext, runId: string): Promise<Execution> {
  const result = await runObject(ctx, runId).cancel({
    ...runCaller(ctx),
  });
  if (result.ok) {
    return result.value;
  }
  const row = await findIndexedRun(ctx, runId, result);
  if (isTerminal(row.status)) {
    throw new AppError(
      "already_terminal",
      `The execution ${runId} has ended: it is ${row.status}.`,
    );
  }
  // Admitted, but its start has not reached its run object yet, which takes moments.
  throw new AppError("service_unavailable", `The execution ${runId} is being started. Try again.`, {
    headers: { "retry-after": "1" },
  });
}
