import * as z from "zod";
import { type EnvironmentProvidersEnv, environmentProblems } from "./environment-providers.ts";
import { unlimited } from "./limits.ts";
import { createLogger } from "./logger.ts";
import { parseSecretKeys } from "./provider-secrets.ts";

/** HS256 needs a key at least as long as its hash (RFC 7518 §3.2). */
const JWT_SECRET_MIN_BYTES = 32;
const ADMIN_TOKEN_MIN_CHARS = 16;

const binding = z.custom<object>((value) => typeof value === "object" && value !== null, {
  error: "the binding is missing; compare the deployment with wrangler.toml",
});

/** Exceptions to the egress guards are for tests on one machine; they have no effect in a deployment. */
const EXCEPTIONS = ["EGRESS_ALLOW_LOOPBACK", "PROVIDERS_ALLOW_LOOPBACK"] as const;

const shared = {
  DB: binding,
  FILES: binding,
  ENVIRONMENT: z.string().min(1),
  BOOT_ID: z.string().min(1),
  EGRESS_ALLOW_LOOPBACK: z.string().optional(),
  PROVIDERS_ALLOW_LOOPBACK: z.string().optional(),
};

function withoutExceptions<T extends z.ZodObject<typeof shared>>(schema: T) {
  return EXCEPTIONS.reduce<z.ZodType>(
    (checked, name) =>
      checked.refine(
        (env) => {
          const { ENVIRONMENT, [name]: named } = env as z.output<z.ZodObject<typeof shared>>;
          return ENVIRONMENT === "local" || (named ?? "") === "";
        },
        {
          path: [name],
          error: "may be set only when ENVIRONMENT is local; unset it to start this deployment",
        },
      ),
    schema,
  );
}

/** Encrypts and decrypts the keys of providers. */
const providerKeys = z
  .string()
  .refine((secret) => secret === "" || parseSecretKeys(secret) !== undefined, {
    error: "must be base64 of 32 bytes, or several separated by commas: openssl rand -base64 32",
  })
  .optional();

/** The secrets of providers, which the API Worker and the runner have. */
const providerSecrets = { PROVIDER_KEYS_SECRET: providerKeys, AI_PROVIDERS: z.string().optional() };

/** The environment of a Worker that knows the providers of models. */
function withProviders<T extends z.ZodObject<typeof shared & typeof providerSecrets>>(schema: T) {
  return withoutExceptions(schema).superRefine((env, ctx) => {
    for (const { member, rule } of environmentProblems(env as EnvironmentProvidersEnv)) {
      ctx.addIssue({ code: "custom", path: [member], message: rule });
    }
  });
}

const ApiEnv = withProviders(
  z.object({
    ...shared,
    RUN: binding,
    RUN_GROUP: binding,
    WORKSPACE: binding,
    RATE_LIMITER: binding,
    ORGANIZATION_ACCESS: binding,
    WEBHOOK_ENDPOINT: binding,
    UPLOAD: binding,
    TEMPLATE_DRAFT: binding,
    SCHEDULE: binding,
    BATCH: binding,
    EMBED_TOKEN: binding,
    NODE_TASKS: binding,
    WEBHOOK_DELIVERIES: binding,
    ZIP_EXPORT: binding,
    ZIP_BUILDERS: binding,
    RESULT_CACHE: binding,
    ORGANIZATION_MOVES: binding,
    BATCH_EXPORTS: binding,
    THUMBNAILS: binding,
    MODEL_PROVIDERS: binding,
    FONT_CHECKER: binding,
    FILE_TYPES: binding,
    RENDERER: binding,
    BASE_URL: z.union([
      z.literal(""),
      z
        .url({ protocol: /^https?$/ })
        .refine((url) => !url.endsWith("/"), "must not end with a slash"),
    ]),
    JWT_SECRET: z
      .string()
      .refine((secret) => new TextEncoder().encode(secret).byteLength >= JWT_SECRET_MIN_BYTES, {
        error: `must be at least ${JWT_SECRET_MIN_BYTES} bytes: openssl rand -base64 48`,
      }),
    ADMIN_TOKEN: z
      .string()
      .refine((token) => token === "" || token.length >= ADMIN_TOKEN_MIN_CHARS, {
        error: `must be at least ${ADMIN_TOKEN_MIN_CHARS} characters, or unset to switch the operator API off`,
      })
      .optional(),
    FILE_ACCESS: z.enum(["public", "private"]).optional(),
    ...providerSecrets,
    SAMPLE_PROVIDER: z.enum(["on", "off"]).optional(),
    PRESIGNED_UPLOADS: z.enum(["on", "off"]).optional(),
    MULTIPART_MAX_BYTES: z
      .string()
      .regex(/^\d{1,15}$/, "must be a number of bytes")
      .optional(),
    S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  }),
);

const RunnerEnvironment = withProviders(
  z.object({
    ...shared,
    ...providerSecrets,
    RUN: binding,
    EXECUTOR: binding,
    RENDERER_EXECUTOR: binding,
    MEDIA_EXECUTOR: binding,
    SOUND_DECODER: binding,
    WEBHOOK_ENDPOINT: binding,
    WEBHOOK_SENDER: binding,
    ZIP_EXPORT: binding,
    ZIP_BUILDER: binding,
    BATCH: binding,
    BATCH_EXPORT: binding,
    PROVIDER_GATE: binding,
    CACHE: binding,
    ORGANIZATION_MOVE: binding,
  }),
);

const RendererEnvironment = withoutExceptions(
  z.object({ ...shared, RUN: binding, EXECUTOR: binding, RESULT_CACHE: binding, ASSETS: binding }),
);

const MediaEnvironment = withoutExceptions(
  z.object({ ...shared, RUN: binding, EXECUTOR: binding, RESULT_CACHE: binding }),
);

/**
 * Returns the environment check of one Worker. Each environment is checked once, at the Worker's first event. The log
 * receives names and rules only, never a value, because some values are secrets.
 */
function checkOf(worker: string, schema: z.ZodType): (env: object) => boolean {
  const known = new WeakMap<object, boolean>();
  return (env) => {
    const bindings = unlimited(env);
    const seen = known.get(bindings);
    if (seen !== undefined) {
      return seen;
    }
    const parsed = schema.safeParse(bindings);
    if (!parsed.success) {
      createLogger({ service: "edgeloom", worker }).error("bad_environment", {
        problems: parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`),
      });
    }
    known.set(bindings, parsed.success);
    return parsed.success;
  };
}

/** Whether the API Worker may serve requests. */
export const isEnvUsable: (env: object) => boolean = checkOf("api", ApiEnv);

/** Whether the runner may work: with an invalid environment it accepts no message, hint or call. */
export const isRunnerEnvUsable: (env: object) => boolean = checkOf("runner", RunnerEnvironment);

/** The same for the renderer. */
export const isRendererEnvUsable: (env: object) => boolean = checkOf(
  "renderer",
  RendererEnvironment,
);

/** The same for the media Worker. */
export const isMediaEnvUsable: (env: object) => boolean = checkOf("media", MediaEnvironment);
