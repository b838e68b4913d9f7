import type { CreditGrant } from "../../contracts/workspaces/ledger.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { workspaceObject } from "../../storage/objects/workspace-object.ts";
import { readBillingPlan } from "../billing-plans/workspace-billing-plans.ts";

export interface GrantCredits {
  readonly workspaceId: string;
  readonly milliCredits: number;
  readonly idempotencyKey: string;
}

/**
 * Adds credits that do not expire, once for each key (docs/contract/credits.md#balance). Throws
 * `not_found` for an unknown workspace, `idempotency_conflict` if the key was used with another
 * amount.
 */
export async function grantCredits(
  ctx: AppContext,
  { workspaceId, milliCredits, idempotencyKey }: GrantCredits,
): Promise<{ readonly grant: CreditGrant; readonly isReplay: boolean }> {
  const { limits } = await readBillingPlan(ctx, workspaceId);
  const workspace = workspaceObject(ctx, workspaceId);
  // Opens the account with the plan's grant if it does not exist yet.
  await workspace.balance(limits.max_credits_per_month * 1000);
  const { kind, balance } = await workspace.grant({
    v: 1,
    idempotency_key: idempotencyKey,
    milli_credits: milliCredits,
  });
  if (kind === "conflict") {
    throw new AppError(
      "idempotency_conflict",
      "This idempotency_key was used for a grant of another amount. Send that amount again, or use a new key.",
    );
  }
  if (kind === "too_much") {
    const message = `With ${String(milliCredits)} more the workspace would hold more milli-credits than can be counted exactly. Grant less.`;
    throw new AppError("validation_error", `milli_credits: ${message}`, {
      errors: [{ field: "milli_credits", message }],
    });
  }
  return {
    grant: {
      workspace_id: workspaceId,
      milli_credits: milliCredits,
      idempotency_key: idempotencyKey,
      balance_milli_credits: balance.balance_milli_credits,
    },
    isReplay: kind === "repeated",
  };
}
