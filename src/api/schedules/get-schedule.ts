import * as z from "zod";
import { readSchedule } from "../../domain/schedules/change-schedule.ts";
import { matchesEntityTag } from "../../lib/http/entity-tag.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  READ_SCHEDULES,
  SCHEDULE_ERRORS,
  SCHEDULE_PARAMS,
  SCHEDULE_RESPONSE,
  scheduleReply,
} from "./schedule-route.ts";

export const getSchedule = defineEndpoint({
  method: "get",
  path: "/api/v1/schedules/{id}",
  operationId: "getSchedule",
  summary: "Read a schedule",
  description: "With its status, its next time and the number of its runs.",
  tag: "Schedules",
  access: READ_SCHEDULES,
  request: {
    params: SCHEDULE_PARAMS,
    headers: z.object({
      "if-none-match": z.string().optional().describe("The `ETag` of your copy."),
    }),
  },
  responses: {
    200: SCHEDULE_RESPONSE,
    304: { description: "Not modified since the `ETag` that was sent" },
  },
  errors: SCHEDULE_ERRORS,
  handle: async (ctx, { params, headers }) => {
    const reply = scheduleReply(await readSchedule(ctx, params.id));
    return matchesEntityTag(headers["if-none-match"] ?? null, reply.headers.etag)
      ? { status: 304, headers: reply.headers }
      : { status: 200, ...reply };
  },
});
