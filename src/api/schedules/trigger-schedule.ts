import { Execution } from "../../contracts/runs/run.ts";
import { readExecution } from "../../domain/executions/read/read-execution.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { triggerSchedule as trigger } from "../../domain/schedules/change-schedule.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import { CHANGE_SCHEDULES, SCHEDULE_ERRORS, SCHEDULE_PARAMS } from "./schedule-route.ts";

export const triggerSchedule = defineEndpoint({
  method: "post",
  path: "/api/v1/schedules/{id}/trigger",
  operationId: "triggerSchedule",
  summary: "Start a run of a schedule now",
  description:
    "Whatever the status of the schedule and the state of its earlier runs. The run does not count towards `max_runs`.",
  tag: "Schedules",
  access: CHANGE_SCHEDULES,
  createsOnce: true,
  request: { params: SCHEDULE_PARAMS },
  responses: { 202: { description: "The run", body: Execution } },
  errors: [
    ...SCHEDULE_ERRORS,
    "validation_error",
    "workflow_not_found",
    "workflow_not_published",
    "version_not_available",
    "insufficient_credits",
  ],
  handle: async (ctx, { params, creation }) => {
    const key = creation?.key ?? crypto.randomUUID();
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: async (claim) => {
        const execution = await trigger(ctx, params.id, key);
        await claim?.settle(execution.id, 202);
        return execution;
      },
      replay: ({ resourceId }) => readExecution(ctx, resourceId),
    });
    return { status: 202, body: value, headers: replayHeaders(isReplay) };
  },
});
