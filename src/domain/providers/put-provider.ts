import {
  type Provider,
  type ProviderKind,
  type ProviderModel,
  type PutProvider,
  SAMPLE_PROVIDER_ID,
  WORKERS_AI_PROVIDER_ID,
} from "../../contracts/provider.ts";
import { AppError, type FieldError } from "../../lib/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { checkBaseUrl, providerLoopback } from "../../platform/egress/check-operator-url.ts";
import { type SecretPlace, sealSecret } from "../../platform/provider-secrets.ts";
import { BUILT_IN_MODELS } from "../../providers/entries.ts";
import type { ProviderRow } from "../../storage/d1/provider-store.ts";
import { forgetProviders } from "../models/workspace-models.ts";
import { noProvider, type ProviderScope, providersOf } from "./provider-scope.ts";
import { describeProvider, SETTINGS_FORMAT, type StoredProvider } from "./stored-provider.ts";

const DEFAULT_BASES: Readonly<Record<ProviderKind, string | null>> = {
  openai_compatible: null,
  replicate: "https://api.replicate.com/v1",
  fal: "https://queue.fal.run",
  elevenlabs: "https://api.elevenlabs.io",
  workers_ai: null,
  sample: null,
};

const BUILT_IN_SLUGS: ReadonlySet<string> = new Set(
  [...BUILT_IN_MODELS.values()].flat().map(({ model }) => model),
);

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
  const baseUrl = body.base_url ?? DEFAULT_BASES[body.kind];
  if (baseUrl !== null) {
    refuseBaseUrl(ctx, baseUrl);
  }
  const models = body.models.map(completeModel);
  const slugs = models.map(({ model }) => model);
  const taken =
    slugs.find((slug) => BUILT_IN_SLUGS.has(slug)) ?? (await store.takenSlug(id, slugs));
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
  { kind, prices, models, catalog }: PutProvider,
  stored: ProviderRow | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  if (stored !== undefined && stored.kind !== kind) {
    const message = `Must stay ${stored.kind}: the kind of a provider never changes. Delete the provider first.`;
    errors.push({ field: "kind", message });
  }
  if (id === SAMPLE_PROVIDER_ID) {
    const message = "The id sample is reserved for the built-in provider.";
    errors.push({ field: "id", message });
  }
  if ((id === WORKERS_AI_PROVIDER_ID) !== (kind === "workers_ai")) {
    const message = `The id ${WORKERS_AI_PROVIDER_ID} is that of the kind workers_ai, and this kind has no other id.`;
    errors.push({ field: "kind", message });
  }
  const builtIn = kind === "openai_compatible" && catalog === null ? [] : BUILT_IN_MODELS.get(kind);
  for (const [slug, price] of Object.entries(prices)) {
    const entry = builtIn?.find(({ model }) => model === slug);
    const field = `prices.${slug.slice(0, 80).toWellFormed()}`;
    if (entry === undefined) {
      errors.push({ field, message: "Is not a built-in model of this provider." });
    } else if (
      (entry.price.cost_unit === "per_1k_tokens") ===
      (price.credit_cost_milli_credits !== undefined)
    ) {
      const message = `Must have the prices of the model's unit, ${entry.price.cost_unit}.`;
      errors.push({ field, message });
    }
  }
  models.forEach(({ model }, index) => {
    if (models.findIndex((other) => other.model === model) !== index) {
      errors.push({ field: `models[${index}].model`, message: "Is the slug of an earlier model." });
    }
  });
  return errors;
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

/** A model with every member that the catalog shows. */
function completeModel(model: ProviderModel): ProviderModel {
  const input = model.input_milli_credits_per_1k ?? null;
  const output = model.output_milli_credits_per_1k ?? null;
  return {
    ...model,
    remote_model: model.remote_model ?? model.model,
    display_name: model.display_name ?? model.model,
    capabilities: [...new Set(model.capabilities)],
    input_milli_credits_per_1k: input,
    output_milli_credits_per_1k: output,
    // The cost of 1,000 tokens in and 500 out, as the catalog shows it.
    ...(input !== null &&
      output !== null && { credit_cost_milli_credits: Math.ceil(input + output / 2) }),
  };
}
