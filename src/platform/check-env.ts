import { z } from "zod";
import type { Env } from "./env.ts";
import { unlimited } from "./limits.ts";
import { createLogger } from "./logger.ts";

/** HS256 wants a key as long as its hash (RFC 7518 §3.2). */
const JWT_SECRET_MIN_BYTES = 32;
const ADMIN_TOKEN_MIN_CHARS = 16;

const binding = z.custom<object>((value) => typeof value === "object" && value !== null, {
  error: "the binding is missing; compare the deployment with wrangler.toml",
});

const DeployedEnv = z
  .object({
    DB: binding,
    FILES: binding,
    RUN: binding,
    WORKSPACE: binding,
    RATE_LIMITER: binding,
    WEBHOOK_ENDPOINT: binding,
    UPLOAD: binding,
    NODE_TASKS: binding,
    WEBHOOK_DELIVERIES: binding,
    ZIP_EXPORT: binding,
    FONT_CHECKER: binding,
    ZIP_BUILDERS: binding,
    ENVIRONMENT: z.string().min(1),
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
    BOOT_ID: z.string().min(1),
    EGRESS_ALLOW_LOOPBACK: z.string().optional(),
    FILE_ACCESS: z.enum(["public", "private"]).optional(),
    PRESIGNED_UPLOADS: z.enum(["on", "off"]).optional(),
    MULTIPART_MAX_BYTES: z
      .string()
      .regex(/^\d{1,15}$/, "must be a number of bytes")
      .optional(),
    S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  })
  // decisions §2: the egress guard cannot be relaxed in a deployment.
  .refine((env) => env.ENVIRONMENT === "local" || (env.EGRESS_ALLOW_LOOPBACK ?? "") === "", {
    path: ["EGRESS_ALLOW_LOOPBACK"],
    error: "may be set only when ENVIRONMENT is local; unset it to start this deployment",
  });

const known = new WeakMap<object, boolean>();

/**
 * Whether this deployment may serve. Checked once per `env`, the reasons go to the log: names and
 * rules only, never a value, since half of these are secrets.
 */
export function isEnvUsable(env: Env): boolean {
  const bindings = unlimited(env);
  const seen = known.get(bindings);
  if (seen !== undefined) {
    return seen;
  }
  const parsed = DeployedEnv.safeParse(bindings);
  if (!parsed.success) {
    createLogger({ service: "edgeloom" }).error("bad_environment", {
      problems: parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`),
    });
  }
  known.set(bindings, parsed.success);
  return parsed.success;
}
