import * as z from "zod";
import type { ScheduleState } from "../../contracts/schedules/schedule-object-api.ts";
import { Schedule } from "../../contracts/schedules/schedule.ts";
import { scheduleEtag, scheduleView } from "../../domain/schedules/schedule-view.ts";
import { idField } from "../id-field.ts";

/** Access of the routes that read schedules. */
export const READ_SCHEDULES = {
  scope: "executions:read",
  permission: "ws:executions:read",
} as const;

/** Access of the routes that change schedules or start their runs. */
export const CHANGE_SCHEDULES = {
  scope: "executions:write",
  permission: "ws:executions:create",
} as const;

export const SCHEDULE_PARAMS = z.object({ id: idField("schedule") });

/** Refusals of a route that names a schedule. */
export const SCHEDULE_ERRORS = ["invalid_id", "forbidden", "not_found"] as const;

/** Refusals of a workflow and its inputs, as those of a submit. */
export const SUBMIT_ERRORS = [
  "invalid_request",
  "validation_error",
  "workflow_not_found",
  "not_found",
  "workflow_not_published",
  "invalid_version",
  "version_not_available",
  "forbidden",
  "payload_too_large",
] as const;

export const CLIENT_KIND = z
  .string()
  .optional()
  .describe("`agent` for schedules that an agent makes on its own.");

/** Whether an agent makes or changes the schedule (docs/contract/access.md#agents). */
export function isAgentCall(
  ctx: { readonly principal: { readonly isAgent: boolean } },
  kind: string | undefined,
): boolean {
  return ctx.principal.isAgent || kind?.trim().toLowerCase() === "agent";
}

export const SCHEDULE_RESPONSE = {
  description: "The schedule",
  body: Schedule,
  headers: { ETag: "Send it as `If-Match` of a change." },
} as const;

/** The parts of a response with a schedule. */
export function scheduleReply(state: ScheduleState) {
  return { body: scheduleView(state), headers: { etag: scheduleEtag(state) } };
}
