import type { Execution } from "../../contracts/run.ts";
import { AppError } from "../../lib/errors.ts";

/** Throws `outputs_expired` for a run whose outputs the plan no longer keeps. */
export function requireOutputs({ id, outputs_expired_at: at }: Execution): void {
  if (at !== undefined) {
    throw new AppError(
      "outputs_expired",
      `The outputs of ${id} expired at ${at} and were deleted. Submit the workflow again to make them anew.`,
    );
  }
}
