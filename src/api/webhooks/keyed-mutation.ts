import * as z from "zod";
import { idempotencyKeyField } from "../idempotency-key-field.ts";

/** The common part of all webhook mutations: access, and the idempotency key (docs/contract/webhooks.md#mutations). */
export const KEYED_MUTATION = {
  tag: "Webhooks",
  access: { scope: "webhooks:write", permission: "ws:webhooks:manage" },
  headers: z.object({ "idempotency-key": idempotencyKeyField }),
  codes: { "headers.idempotency-key": "missing_idempotency_key" },
  responseHeaders: { "Idempotency-Replayed": "`true` when an earlier request made this change" },
  errors: [
    "invalid_id",
    "missing_idempotency_key",
    "invalid_idempotency_key",
    "forbidden",
    "not_found",
  ],
} as const;
