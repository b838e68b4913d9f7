import type { Provider, PutProvider } from "../../contracts/models/provider.ts";
import { AppError, type FieldError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { checkBaseUrl, providerLoopback } from "../../platform/egress/check-operator-url.ts";
import {
  baseUrlOf,
  completeModel,
  isBuiltInSlug,
  providerProblems,
} from "../../platform/provider-rules.ts";
import { type SecretPlace, sealSecret } from "../../platform/provider-secrets.ts";
import type { ProviderRow } from "../../storage/d1/provider-store.ts";
import { forgetProviders } from "../models/workspace-models.ts";
import { noProvider, type ProviderScope, providersOf } from "./provider-scope.ts";
import { describeProvider, SETTINGS_FORMAT, type StoredProvider } from "./stored-provider.ts";

/**
 * Creates a provider or replaces its settings; a key that is omitted stays. Throws `not_found`, `validation_error`,
 * `invalid_url`, `conflict` for a slug that is taken, and `feature_disabled` for a secret without
 * `PROVIDER_KEYS_SECRET`. No message contains a key, the value of a header or an address.
 */
export async function putProvider(
  ctx: AppContext,
  scope: ProviderScope,
  id: string,
  body: PutProvider,
): Promise<Provider> {
  const store = await providersOf(ctx, scope);
  refuseFields(fieldProblems(id, body, await store.find(id)));
  const baseUrl = baseUrlOf(body);
  if (baseUrl !== null) {
    refuseBaseUrl(ctx, baseUrl);
  }
  const models = body.models.map(completeModel);
  const slugs = models.map(({ model }) => model);
  const taken = slugs.find((slug) => isBuiltInSlug(slug)) ?? (await store.takenSlug(id, slugs));
  if (taken !== undefined) {
    throw slugTaken(taken);
  }
  const settings: StoredProvider = {
    format: SETTINGS_FORMAT,
    base_url: baseUrl,
    enabled: body.enabled,
    catalog: body.catalog,
    prices: body.prices,
    models,
    max_concurrency: body.max_concurrency,
    max_concurrency_per_workspace: body.max_concurrency_per_workspace,
    header_names: Object.keys(body.headers ?? {}),
  };
  const place = { scope: scope === null ? "system" : "workspace", workspaceId: scope } as const;
  const seal = (field: SecretPlace["field"], text: string) =>
    sealSecret(requireSecret(ctx), { ...place, providerId: id, field }, text);
  const hasHeaders = settings.header_names.length > 0;
  const outcome = await store.put(
    {
      id,
      kind: body.kind,
      settings: JSON.stringify(settings),
      api_key:
        typeof body.api_key === "string" ? await seal("api_key", body.api_key) : body.api_key,
      headers: hasHeaders ? await seal("headers", JSON.stringify(body.headers)) : null,
      updated_at_ms: ctx.nowMs(),
    },
    slugs,
  );
  forgetProviders();
  if (outcome === "slug_taken") {
    throw slugTaken(undefined);
  }
  const stored = await store.find(id);
  if (outcome === "other_kind") {
    refuseFields(fieldProblems(id, body, stored));
  }
  if (stored === undefined) {
    throw noProvider(id, scope);
  }
  return describeProvider(stored);
}

function fieldProblems(
  id: string,
  body: PutProvider,
  stored: ProviderRow | undefined,
): FieldError[] {
  const problems = providerProblems(id, body);
  if (stored !== undefined && stored.kind !== body.kind) {
    const message = `Must stay ${stored.kind}: the kind of a provider never changes. Delete the provider first.`;
    return [{ field: "kind", message }, ...problems];
  }
  return problems;
}

function refuseFields(errors: FieldError[]): void {
  const [first] = errors;
  if (first !== undefined) {
    throw new AppError("validation_error", `${first.field}: ${first.message}`, { errors });
  }
}

function refuseBaseUrl(ctx: AppContext, baseUrl: string): void {
  const checked = checkBaseUrl(baseUrl, providerLoopback(ctx.env));
  if (!checked.isAllowed) {
    const message = `The address cannot be used: ${checked.reason}.`;
    throw new AppError("invalid_url", `base_url: ${message}`, {
      errors: [{ field: "base_url", message }],
    });
  }
}

function requireSecret(ctx: AppContext): string {
  const secret = ctx.env.PROVIDER_KEYS_SECRET ?? "";
  if (secret === "") {
    throw new AppError(
      "feature_disabled",
      "This deployment cannot keep keys and headers of providers: its secret PROVIDER_KEYS_SECRET is not set (docs/deploy.md). Set it, or send neither.",
    );
  }
  return secret;
}

function slugTaken(slug: string | undefined): AppError {
  const which = slug === undefined ? "One of these slugs" : `The slug "${slug}"`;
  return new AppError(
    "conflict",
    `${which} belongs to a built-in model or to another provider of the same scope. Give the model another slug.`,
  );
}
