import type { ProviderCheck } from "../../contracts/models/provider.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { noProvider, type ProviderScope, providersOf } from "./provider-scope.ts";

/**
 * Asks a provider of a scope something that costs nothing, also a disabled one. Throws `not_found`, and `feature_disabled`
 * for a kind without such a call. Throws `service_unavailable` if the runner does not respond, or has no memory in time.
 */
export async function checkProvider(
  ctx: AppContext,
  scope: ProviderScope,
  id: string,
): Promise<ProviderCheck> {
  // Throws for an unknown workspace.
  await providersOf(ctx, scope);
  const request = { v: 1, workspace_id: scope, id } as const;
  const result = await ctx.env.MODEL_PROVIDERS.check(request).catch((cause: unknown) => {
    throw new AppError(
      "service_unavailable",
      "Providers cannot be checked at the moment. Try again.",
      { cause, headers: { "retry-after": "5" } },
    );
  });
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
