import type { ProviderCheck } from "../../contracts/provider.ts";
import { AppError } from "../../lib/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { noProvider, type ProviderScope, providersOf } from "./provider-scope.ts";

/**
 * Asks a provider of a scope something that costs nothing, also a disabled one. Throws `not_found`, and `feature_disabled`
 * for a kind without such a call.
 */
export async function checkProvider(
  ctx: AppContext,
  scope: ProviderScope,
  id: string,
): Promise<ProviderCheck> {
  // Throws for an unknown workspace.
  await providersOf(ctx, scope);
  const result = await ctx.env.MODEL_PROVIDERS.check({ v: 1, workspace_id: scope, id });
  if (result === "none") {
    throw noProvider(id, scope);
  }
  if (result === "no_free_call") {
    throw new AppError(
      "feature_disabled",
      "A provider of this kind has no call that costs nothing. Submit a run that uses one of its models.",
    );
  }
  return result;
}
