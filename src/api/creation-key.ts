import type { Context } from "hono";
import * as z from "zod";
import type { CreationKey } from "../domain/idempotency/create-once.ts";
import { checkIdempotencyKey } from "../domain/idempotency/idempotency-key.ts";
import { requestFingerprint } from "../domain/idempotency/request-fingerprint.ts";
import type { Principal } from "../platform/context.ts";
import type { AppEnv } from "./app-env.ts";
import { idempotencyKeyField } from "./idempotency-key-field.ts";
import type { RequestSchemas } from "./endpoint-declaration.ts";
import type { ParsedRequest } from "./parse-request.ts";

/** Scope of keys on operator routes, which belong to no workspace. */
const OPERATOR = "operator";

/** The request of a route that supports `Idempotency-Key`, with this header. */
export function withCreationKey(
  createsOnce: true | "required",
  request: RequestSchemas = {},
): RequestSchemas {
  const isRequired = createsOnce === "required";
  const headers = request.headers instanceof z.ZodObject ? request.headers : z.object({});
  return {
    ...request,
    headers: headers.extend({
      "idempotency-key": isRequired
        ? idempotencyKeyField
        : z
            .string()
            .optional()
            .describe(
              "8 to 255 characters. A repeat within 24 hours returns the resource that the first request created, and creates nothing.",
            ),
    }),
    ...(isRequired && {
      codes: { ...request.codes, "headers.idempotency-key": "missing_idempotency_key" as const },
    }),
  };
}

/**
 * Returns the key of a request that creates a resource, undefined if none was sent. The key's route is the address with
 * canonical ids. Throws `invalid_idempotency_key`.
 */
export async function creationKey(
  c: Context<AppEnv>,
  endpoint: { readonly method: string; readonly path: string; readonly rawBody?: unknown },
  { params, exactBody }: ParsedRequest,
): Promise<CreationKey | undefined> {
  const key = checkIdempotencyKey(c.req.header("idempotency-key"));
  if (key === null) {
    return undefined;
  }
  return {
    scope: scopeOf(c.var.principal),
    route: routeOf(endpoint, params),
    key,
    // A form is read as a stream, so its fingerprint is known only at its end.
    fingerprint: endpoint.rawBody === undefined ? await requestFingerprint(exactBody()) : null,
  };
}

/** Keys of a runtime embed token are its own; all others belong to the workspace. */
function scopeOf(principal: Principal | undefined): string {
  if (principal === undefined) {
    return OPERATOR;
  }
  const token = principal.embedViewer?.token;
  return token === undefined ? principal.workspaceId : `${principal.workspaceId} ${token}`;
}

/** The method and the address with canonical ids. */
export function routeOf(
  { method, path }: { readonly method: string; readonly path: string },
  params: unknown,
): string {
  const values = (params ?? {}) as Readonly<Record<string, unknown>>;
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values[name])),
  );
  return `${method.toUpperCase()} ${address}`;
}
