import type { BatchEstimate } from "../../../contracts/batches/batch.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { workspaceObject } from "../../../storage/objects/workspace-object.ts";
import { getBillingPlan } from "../../billing-plans/workspace-billing-plans.ts";
import { type BatchBody, checkItems, subjectOf } from "./check-items.ts";

/** What the batch of this body would cost. Creates nothing. Throws the codes of `createBatch`, but for the balance. */
export async function estimateBatch(ctx: CallerContext, body: BatchBody): Promise<BatchEstimate> {
  const checks = await checkItems(ctx, body, await subjectOf(ctx, body));
  const { limits } = await getBillingPlan(ctx, ctx.principal);
  const { balance_milli_credits: balance } = await workspaceObject(
    ctx,
    ctx.principal.workspaceId,
  ).balance(limits.max_credits_per_month * 1000);
  const { milliCredits, isExact, count, valid, least, most, warnings } = checks;
  return {
    estimated_milli_credits: milliCredits,
    estimated_credits: milliCredits / 1000,
    is_exact: isExact,
    total_items: count,
    invalid_items: count - valid,
    min_item_milli_credits: least,
    max_item_milli_credits: most,
    balance_milli_credits: balance,
    sufficient: balance >= milliCredits,
    warnings:
      balance >= milliCredits
        ? warnings
        : [
            {
              code: "INSUFFICIENT_CREDITS",
              milli_credits: milliCredits,
              limit: balance,
              message: `The runs of all items may cost ${String(milliCredits)} milli-credits, and the balance is ${String(balance)}. Send fewer items, or add credits.`,
            },
            ...warnings,
          ],
  };
}
