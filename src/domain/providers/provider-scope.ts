import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { ProviderStore } from "../../storage/d1/provider-store.ts";
import { requireWorkspace } from "../admin/require-tenant.ts";

/** Whose providers a request is about: a workspace's, or the system's (null). */
export type ProviderScope = string | null;

/** The store of a scope. Throws `not_found` for an unknown workspace. */
export async function providersOf(ctx: AppContext, scope: ProviderScope): Promise<ProviderStore> {
  if (scope !== null) {
    await requireWorkspace(ctx, scope);
  }
  return new ProviderStore(ctx.env, scope);
}

export function noProvider(id: string, scope: ProviderScope): AppError {
  const where = scope === null ? "The system" : `The workspace ${scope}`;
  return new AppError(
    "not_found",
    `${where} has no provider "${id.slice(0, 80).toWellFormed()}". List its providers for their ids.`,
  );
}
