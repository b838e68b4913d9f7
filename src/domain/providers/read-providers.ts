import type { Provider, ProviderList } from "../../contracts/models/provider.ts";
import type { AppContext } from "../../platform/context.ts";
import {
  type EnvironmentProvider,
  environmentProviders,
} from "../../platform/environment-providers.ts";
import { forgetProviders } from "../models/workspace-models.ts";
import { noProvider, type ProviderScope, providersOf } from "./provider-scope.ts";
import { describeEnvironmentProvider, describeProvider } from "./stored-provider.ts";
import { badCursor, pageOf } from "../list-page.ts";

/** One provider of a scope. Throws `not_found`. */
export async function getProvider(
  ctx: AppContext,
  scope: ProviderScope,
  id: string,
): Promise<Provider> {
  const row = await (await providersOf(ctx, scope)).find(id);
  if (row !== undefined) {
    return describeProvider(row);
  }
  const ofEnvironment = environmentOf(ctx, scope).find((provider) => provider.id === id);
  if (ofEnvironment === undefined) {
    throw noProvider(id, scope);
  }
  return describeEnvironmentProvider(ofEnvironment);
}

/** The system's providers include those of the environment. */
function environmentOf(ctx: AppContext, scope: ProviderScope): readonly EnvironmentProvider[] {
  return scope === null ? environmentProviders(ctx.env) : [];
}

/** A page of the providers of a scope, by id; the cursor is the `id`. Throws `not_found` for an unknown workspace, and `invalid_request` for a cursor that is not in the list. */
export async function listProviders(
  ctx: AppContext,
  scope: ProviderScope,
  { limit, startingAfter }: { readonly limit: number; readonly startingAfter: string | undefined },
): Promise<ProviderList> {
  const store = await providersOf(ctx, scope);
  const given = environmentOf(ctx, scope);
  const isListed = async (id: string) =>
    given.some((provider) => provider.id === id) || (await store.find(id)) !== undefined;
  if (startingAfter !== undefined && !(await isListed(startingAfter))) {
    throw badCursor(startingAfter, "a provider of this list");
  }
  // One provider more than the page shows whether there is another page.
  const { rows, total } = await store.list(startingAfter ?? "", limit + 1);
  const replaced = given.length === 0 ? [] : await store.existing(given.map(({ id }) => id));
  const additional = given.filter(({ id }) => !replaced.includes(id));
  const found = [
    ...rows.map(describeProvider),
    ...additional.filter(({ id }) => id > (startingAfter ?? "")).map(describeEnvironmentProvider),
  ].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return pageOf(
    { rows: found, total: total + additional.length },
    limit,
    (provider) => provider,
    ({ id }) => id,
  );
}

/** Removes a stored provider with its key. Throws `not_found`. */
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
