import * as z from "zod";
import { ScheduleList, ScheduleStatus } from "../../contracts/schedules/schedule.ts";
import { listSchedules as list } from "../../domain/schedules/list-schedules.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { cursorField, limitField } from "../query-fields.ts";
import { READ_SCHEDULES } from "./schedule-route.ts";

export const listSchedules = defineEndpoint({
  method: "get",
  path: "/api/v1/schedules",
  operationId: "listSchedules",
  summary: "List schedules",
  description: "Schedules of the workspace, newest first, with the next time of each.",
  tag: "Schedules",
  access: READ_SCHEDULES,
  request: {
    query: z.object({
      limit: limitField(),
      starting_after: cursorField,
      status: ScheduleStatus.optional(),
      workflow: idField("workflow").optional(),
    }),
    codes: { "query.status": "invalid_status" },
  },
  responses: { 200: { description: "A page of schedules", body: ScheduleList } },
  errors: ["invalid_request", "invalid_id", "invalid_status"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await list(ctx, {
      limit: query.limit,
      startingAfter: query.starting_after,
      status: query.status,
      workflow: query.workflow,
    }),
  }),
});
