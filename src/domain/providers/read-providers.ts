import type { Provider, ProviderList } from "../../contracts/provider.ts";
import { AppError } from "../../lib/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { forgetProviders } from "../models/workspace-models.ts";
import { noProvider, type ProviderScope, providersOf } from "./provider-scope.ts";
import { describeProvider } from "./stored-provider.ts";

/** One provider of a scope. Throws `not_found`. */
export async function getProvider(
  ctx: AppContext,
  scope: ProviderScope,
  id: string,
): Promise<Provider> {
  const row = await (await providersOf(ctx, scope)).find(id);
  if (row === undefined) {
    throw noProvider(id, scope);
  }
  return describeProvider(row);
}

/** A page of the providers of a scope, by id; the cursor is the `id`. Throws `not_found` for an unknown workspace, and `invalid_request` for a cursor that is not in the list. */
export async function listProviders(
  ctx: AppContext,
  scope: ProviderScope,
  { limit, startingAfter }: { readonly limit: number; readonly startingAfter: string | undefined },
): Promise<ProviderList> {
  const store = await providersOf(ctx, scope);
  if (startingAfter !== undefined && (await store.find(startingAfter)) === undefined) {
    throw new AppError(
      "invalid_request",
      `starting_after "${startingAfter.slice(0, 80).toWellFormed()}" is not a provider of this list. Send next_cursor of the previous page, as it was returned.`,
    );
  }
  // One provider more than the page shows whether there is another page.
  const { rows, total } = await store.list(startingAfter ?? "", limit + 1);
  const page = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return {
    data: page.map(describeProvider),
    has_more: hasMore,
    next_cursor: hasMore ? (page.at(-1)?.id ?? null) : null,
    total_count: total,
  };
}

/** Removes a provider with its key. Throws `not_found`. */
export async function deleteProvider(
  ctx: AppContext,
  scope: ProviderScope,
  id: string,
): Promise<void> {
  const store = await providersOf(ctx, scope);
  if (!(await store.delete(id))) {
    throw noProvider(id, scope);
  }
  forgetProviders();
}
