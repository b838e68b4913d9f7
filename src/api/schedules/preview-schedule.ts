import * as z from "zod";
import { SchedulePreview } from "../../contracts/schedules/schedule-preview.ts";
import { previewTimes } from "../../domain/schedules/preview-times.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { scheduleTimeField, timingFields, withOneTiming } from "./timing-fields.ts";

const COUNT_MAX = LIMITS.schedule_preview.value;

const Body = withOneTiming(
  z
    .strictObject({
      ...timingFields,
      from: scheduleTimeField.nullish().describe("Only times after it; by default, now."),
      count: z.int().min(1).max(COUNT_MAX).default(10).describe("Most times to return."),
    })
    .meta({ id: "PreviewSchedule" }),
);

export const previewSchedule = defineEndpoint({
  method: "post",
  path: "/api/v1/schedules/preview",
  operationId: "previewSchedule",
  summary: "Preview the times of a schedule",
  description:
    "Returns the next nominal times of a cron expression or an interval, by the rules of schedules for daylight saving time. Nothing is stored.",
  tag: "Schedules",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  example: { cron: "30 2 * * MON-FRI", time_zone: "Europe/Berlin", count: 3 },
  isReadOnly: true,
  request: { body: Body },
  responses: { 200: { description: "The times", body: SchedulePreview } },
  errors: ["validation_error"],
  handle: (ctx, { body }) => ({ status: 200, body: previewTimes(body, ctx.nowMs()) }),
});
