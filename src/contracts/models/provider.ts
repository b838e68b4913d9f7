/** Providers of models, as operators configure them (docs/contract/models.md#providers). */
import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { listOf } from "../list.ts";
import {
  COST_UNITS,
  MODEL_CAPABILITIES,
  QUALITY_TIERS,
  SPEED_TIERS,
  VOICE_CONTROLS,
} from "./model.ts";

export const PROVIDER_KINDS = [
  "openai_compatible",
  "replicate",
  "fal",
  "elevenlabs",
  "workers_ai",
  "sample",
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Ids of the providers that need no configuration. */
export const SAMPLE_PROVIDER_ID = "sample";
export const WORKERS_AI_PROVIDER_ID = "workers_ai";

const CONFIGURABLE_KINDS = [
  "openai_compatible",
  "replicate",
  "fal",
  "elevenlabs",
  "workers_ai",
] as const satisfies readonly ProviderKind[];

export const ProviderId = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/)
  .describe("Id of the provider: a lower-case letter, then up to 39 of `a-z0-9_-`.");

const ModelSlug = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,79}$/);
const API_KEY_CHARS_MAX = LIMITS.provider_api_key.value;
const HEADERS_MAX = LIMITS.provider_headers.value;
const HEADER_VALUE_CHARS_MAX = LIMITS.provider_header_value.value;
const ENTRIES_MAX = LIMITS.provider_entries.value;
const TEXT_CHARS_MAX = LIMITS.provider_text.value;
const IMAGES_MAX = LIMITS.provider_images.value;
const Cost = z.int().min(0).max(LIMITS.provider_cost.value);
/** RFC 9110 §5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Headers that the connection sets. */
const HEADERS_OF_CONNECTION = new Set(
  ["host", "content-length", "content-type", "connection"].concat(["transfer-encoding", "upgrade"]),
);
// oxlint-disable-next-line no-control-regex -- refusing control characters is the point
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** A model that an operator adds. All members of a stored model are present. */
export const ProviderModel = z
  .strictObject({
    model: ModelSlug.describe("Slug of the model."),
    remote_model: z
      .string()
      .min(1)
      .max(TEXT_CHARS_MAX)
      .optional()
      .describe("The provider's own name of the model; the slug if omitted."),
    display_name: z
      .string()
      .min(1)
      .max(TEXT_CHARS_MAX)
      .optional()
      .describe("Name of the model for people; the slug if omitted."),
    capabilities: z
      .array(z.enum(MODEL_CAPABILITIES))
      .min(1)
      .max(MODEL_CAPABILITIES.length)
      .describe("What the model can be used for."),
    cost_unit: z.enum(COST_UNITS).describe("What one unit is."),
    credit_cost_milli_credits: Cost.optional().describe(
      "Cost of one unit, in milli-credits. With `per_1k_tokens` it follows from the two prices.",
    ),
    input_milli_credits_per_1k: Cost.nullish().describe(
      "Cost of 1,000 tokens in; with `per_1k_tokens` only.",
    ),
    output_milli_credits_per_1k: Cost.nullish().describe(
      "Cost of 1,000 tokens out; with `per_1k_tokens` only.",
    ),
    supports_vision: z.boolean().default(false).describe("Whether a text model takes pictures."),
    quality_tier: z.enum(QUALITY_TIERS).default("standard").describe("How good its results are."),
    speed_tier: z.enum(SPEED_TIERS).default("medium").describe("How fast the model is."),
    json_mode: z
      .enum(["json_schema", "json_object", "prompt"])
      .default("json_schema")
      .describe("How the model is asked for JSON."),
    max_tokens_field: z
      .enum(["max_tokens", "max_completion_tokens"])
      .default("max_tokens")
      .describe("The member of a request that limits the tokens of the answer."),
    voices: z
      .array(z.string().min(1).max(TEXT_CHARS_MAX))
      .max(LIMITS.provider_voices.value)
      .default([])
      .describe("The voices that the model speaks with; any voice if empty."),
    controls: z
      .array(z.enum(VOICE_CONTROLS))
      .max(VOICE_CONTROLS.length)
      .default([])
      .describe("What a voice model lets its callers choose."),
    max_input_images: z
      .int()
      .min(1)
      .max(IMAGES_MAX)
      .default(1)
      .describe("Most pictures in one call; more than 1 is needed for `multi_image_edit`."),
    max_images_per_call: z
      .int()
      .min(1)
      .max(IMAGES_MAX)
      .default(1)
      .describe("Most pictures that one call returns."),
    sizes: z
      .array(z.string().regex(/^[1-9]\d{0,4}x[1-9]\d{0,4}$/))
      .max(ENTRIES_MAX)
      .default([])
      .describe("Sizes in pixels, `WxH`; any size if empty."),
    timeout_ms: z
      .int()
      .min(1000)
      .max(LIMITS.provider_timeout.value)
      .default(120_000)
      .describe("Longest that one call may take, in milliseconds."),
  })
  .superRefine((model, ctx) => {
    const isByToken = model.cost_unit === "per_1k_tokens";
    const prices = ["input_milli_credits_per_1k", "output_milli_credits_per_1k"] as const;
    for (const price of prices) {
      if (isByToken !== (typeof model[price] === "number")) {
        const message = isByToken
          ? "Required with per_1k_tokens: give a whole number."
          : "Is only for a model with the cost_unit per_1k_tokens.";
        ctx.addIssue({ code: "custom", path: [price], message });
      }
    }
    if (!isByToken && model.credit_cost_milli_credits === undefined) {
      const message = "Required: give the cost of one unit, a whole number.";
      ctx.addIssue({ code: "custom", path: ["credit_cost_milli_credits"], message });
    }
    if (model.capabilities.includes("multi_image_edit") && model.max_input_images < 2) {
      const message = "Must be at least 2 for a model with multi_image_edit.";
      ctx.addIssue({ code: "custom", path: ["max_input_images"], message });
    }
  })
  .meta({ id: "ProviderModel" });
export type ProviderModel = z.output<typeof ProviderModel>;

const Prices = z
  .record(
    z.string(),
    z
      .strictObject({
        credit_cost_milli_credits: Cost.optional().describe("Cost of one unit."),
        input_milli_credits_per_1k: Cost.optional().describe("Cost of 1,000 tokens in."),
        output_milli_credits_per_1k: Cost.optional().describe("Cost of 1,000 tokens out."),
      })
      .meta({ id: "ProviderPrice" }),
  )
  .refine(
    (prices) => Object.keys(prices).length <= ENTRIES_MAX,
    `Must have at most ${ENTRIES_MAX} members.`,
  );

/**
 * A secret in a body. All of its problems are custom issues, because the messages of others repeat the value
 * (`describe-issue.ts`).
 */
const ApiKey = z
  .unknown()
  .transform((given, ctx): string | null => {
    const problem =
      given === null
        ? undefined
        : typeof given !== "string" || given === ""
          ? "Must be a text that is not empty, or null to remove the key."
          : given.length > API_KEY_CHARS_MAX
            ? `Must have at most ${API_KEY_CHARS_MAX} characters.`
            : CONTROL.test(given) || !given.isWellFormed()
              ? "Must not contain line breaks or other control characters."
              : undefined;
    if (problem !== undefined) {
      ctx.addIssue({ code: "custom", message: problem });
      return z.NEVER;
    }
    return given as string | null;
  })
  .meta({ type: ["string", "null"], maxLength: API_KEY_CHARS_MAX });

const Headers = z
  .unknown()
  .transform((given, ctx): Readonly<Record<string, string>> => {
    const refuse = (message: string, path: string[] = []) => {
      ctx.addIssue({ code: "custom", message, path });
      return z.NEVER;
    };
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      return refuse("Must be an object of texts by name of the header.");
    }
    const entries = Object.entries(given);
    if (entries.length > HEADERS_MAX) {
      return refuse(`Must have at most ${HEADERS_MAX} headers.`);
    }
    const seen = new Set<string>();
    for (const [name, value] of entries) {
      const lower = name.toLowerCase();
      if (!HEADER_NAME.test(name) || HEADERS_OF_CONNECTION.has(lower) || seen.has(lower)) {
        return refuse(
          "Has a name that is not that of a header, that the connection sets itself, or that is there twice.",
        );
      }
      seen.add(lower);
      if (
        typeof value !== "string" ||
        value.length > HEADER_VALUE_CHARS_MAX ||
        !/^[\t\x20-\x7e]*$/.test(value)
      ) {
        return refuse(
          `Must be a text of at most ${HEADER_VALUE_CHARS_MAX} printable ASCII characters.`,
          [name],
        );
      }
    }
    return given as Record<string, string>;
  })
  .meta({ type: "object", additionalProperties: { type: "string" }, maxProperties: HEADERS_MAX });

const concurrency = (byDefault: number) =>
  z.int().min(1).max(LIMITS.provider_concurrency.value).default(byDefault);

const settings = {
  kind: z.enum(CONFIGURABLE_KINDS).describe("The interface of the provider; it never changes."),
  enabled: z
    .boolean()
    .default(true)
    .describe("A workspace's entry with `false` hides the system's provider of this id."),
  catalog: z
    .literal("openai")
    .nullable()
    .default(null)
    .describe("`openai` adds the built-in models of OpenAI; for `openai_compatible` only."),
  prices: Prices.default({}).describe("Prices of the provider's built-in models, by slug."),
  models: z
    .array(ProviderModel)
    .max(ENTRIES_MAX)
    .default([])
    .describe("The operator's own models; for `openai_compatible` only."),
  max_concurrency: concurrency(16).describe("Most calls at once, of all workspaces."),
  max_concurrency_per_workspace: concurrency(8).describe("Most calls at once of one workspace."),
};

/** The body of a PUT of a provider. Its secrets are `api_key` and the values of `headers`. */
export const PutProvider = z
  .strictObject({
    ...settings,
    base_url: z
      .string()
      .nullish()
      .describe("Address of the interface; required for `openai_compatible`."),
    api_key: ApiKey.optional().describe(
      "The provider's key. Omit it to keep the stored key; `null` removes it.",
    ),
    headers: Headers.optional().describe("Headers of every request; their values are secret."),
  })
  .superRefine(({ kind, base_url: base, catalog, models }, ctx) => {
    const refuse = (path: string, message: string) =>
      ctx.addIssue({ code: "custom", path: [path], message });
    if (kind === "openai_compatible") {
      if (typeof base !== "string") {
        refuse(
          "base_url",
          "Required: give the address of the interface, up to and with its version.",
        );
      }
      return;
    }
    if (kind === "workers_ai" && typeof base === "string") {
      refuse("base_url", "Is not for workers_ai, which is called through its binding.");
    }
    if (catalog !== null) {
      refuse("catalog", "Is only for a provider of the kind openai_compatible.");
    }
    if (models.length > 0) {
      refuse("models", "Is only for a provider of the kind openai_compatible.");
    }
  })
  .meta({ id: "PutProvider" });
export type PutProvider = z.output<typeof PutProvider>;

export const PROVIDER_SCOPES = ["system", "workspace", "environment"] as const;
export type ProviderScope = (typeof PROVIDER_SCOPES)[number];

/** A configured provider, without its secrets. */
export const Provider = z
  .object({
    id: ProviderId,
    ...settings,
    scope: z.enum(PROVIDER_SCOPES).describe("Where the provider is configured."),
    base_url: z.string().nullable().describe("Address of the interface; null for a binding."),
    has_api_key: z.boolean().describe("Whether a key is stored. The key is never returned."),
    api_key_updated_at: z.iso
      .datetime()
      .nullable()
      .describe("When the key was last set; null without one."),
    header_names: z
      .array(z.string())
      .describe("Names of the stored headers. Their values are never returned."),
    created_at: z.iso
      .datetime()
      .nullable()
      .describe("When the provider was created; null for one of the environment."),
    updated_at: z.iso
      .datetime()
      .nullable()
      .describe("When the provider was last changed; null for one of the environment."),
  })
  .meta({ id: "Provider" });
export type Provider = z.output<typeof Provider>;

export const ProviderList = listOf(Provider).meta({ id: "ProviderList" });
export type ProviderList = z.output<typeof ProviderList>;

export const ProviderCheck = z
  .object({
    ok: z.boolean().describe("Whether the provider answered as it should."),
    latency_ms: z.int().describe("Time until its answer was read, in milliseconds."),
    error_code: z
      .string()
      .nullable()
      .describe("The code with which a node's call would have failed; null if `ok`."),
  })
  .meta({ id: "ProviderCheck" });
export type ProviderCheck = z.infer<typeof ProviderCheck>;
