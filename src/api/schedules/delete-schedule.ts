import { deleteSchedule as remove } from "../../domain/schedules/change-schedule.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { CHANGE_SCHEDULES, SCHEDULE_ERRORS, SCHEDULE_PARAMS } from "./schedule-route.ts";

export const deleteSchedule = defineEndpoint({
  method: "delete",
  path: "/api/v1/schedules/{id}",
  operationId: "deleteSchedule",
  summary: "Delete a schedule",
  description: "Nothing more is started. Its runs stay, and go on if they have not ended.",
  tag: "Schedules",
  access: CHANGE_SCHEDULES,
  request: { params: SCHEDULE_PARAMS },
  responses: { 204: { description: "Deleted" } },
  errors: SCHEDULE_ERRORS,
  handle: async (ctx, { params }) => {
    await remove(ctx, params.id);
    return { status: 204 };
  },
});
