import * as z from "zod";
import type { BatchState } from "../../contracts/batches/batch-object-api.ts";
import { BatchExecution } from "../../contracts/batches/batch.ts";
import { readBatch, showBatch } from "../../domain/batches/read-batch.ts";
import type { CreationKey } from "../../domain/idempotency/create-once.ts";
import type { CallerContext } from "../../platform/context.ts";
import { idField } from "../id-field.ts";
import { readWaitPreference } from "../read-wait-preference.ts";
import { replayHeaders } from "../replay-headers.ts";

/** Access of the routes that read batches. */
export const READ_BATCHES = { scope: "executions:read", permission: "ws:executions:read" } as const;

/** Access of the routes that make, start or cancel batches. */
export const CHANGE_BATCHES = {
  scope: "executions:write",
  permission: "ws:executions:create",
} as const;

export const BATCH_PARAMS = z.object({ id: idField("batch") });

/** Refusals of a route that names a batch. */
export const BATCH_ERRORS = ["invalid_id", "not_found", "forbidden"] as const;

export const CLIENT_KIND = z
  .string()
  .optional()
  .describe("`agent` for batches that an agent makes on its own.");

/** Whether an agent calls: declared by the caller, or marked on its key. */
export function isAgentCall(ctx: CallerContext, clientKind: string | undefined): boolean {
  return ctx.principal.isAgent || clientKind?.trim().toLowerCase() === "agent";
}

/** Refusals of the body of a creation. */
export const CREATION_ERRORS = [
  "invalid_request",
  "validation_error",
  "not_found",
  "workflow_not_found",
  "workflow_not_published",
  "invalid_version",
  "version_not_available",
  "forbidden",
  "source_changed",
  "payload_too_large",
  "file_too_large",
  "unsupported_media_type",
  "unsupported_format",
  "duplicate_column",
  "ambiguous_table",
  "invalid_data",
  "row_limit_exceeded",
] as const;

export const PREFER = z.string().optional().describe("`wait=N`, N in seconds, up to 60.");

export const BATCH_RESPONSE = {
  description: "The batch",
  body: BatchExecution,
  headers: { "Preference-Applied": "The `wait=N` that was applied" },
} as const;

/** The response with a batch, after the wait that the caller prefers. */
export async function batchReply(
  ctx: CallerContext,
  state: BatchState,
  prefer: string | undefined,
  isReplay = false,
) {
  const wait = readWaitPreference(prefer);
  const isDone = state.completed_at_ms !== null || wait === null || wait === 0;
  const shown = isDone ? state : await readBatch(ctx, state.record.id, wait * 1000);
  return {
    body: await showBatch(ctx, shown),
    headers: {
      ...replayHeaders(isReplay),
      ...(wait !== null && { "preference-applied": `wait=${String(wait)}` }),
    },
  };
}

/** A key as batches store it: keys of different routes differ. `fingerprint` is that of a body that is read apart. */
export function idempotencyOf(
  creation: CreationKey | undefined,
  fingerprint?: () => string,
): { readonly key: string; readonly fingerprint: string } | null {
  return creation === undefined
    ? null
    : {
        key: `${creation.route} ${creation.key}`,
        fingerprint: fingerprint?.() ?? creation.fingerprint ?? "",
      };
}
