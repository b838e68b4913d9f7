import * as z from "zod";
import { readSchedule } from "../../domain/schedules/change-schedule.ts";
import { matchesEntityTag } from "../../lib/http/entity-tag.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { IF_NONE_MATCH, NOT_MODIFIED } from "../tagged-reply.ts";
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
    headers: z.object(IF_NONE_MATCH),
  },
  responses: {
    200: SCHEDULE_RESPONSE,
    304: NOT_MODIFIED,
  },
  errors: SCHEDULE_ERRORS,
  handle: async (ctx, { params, headers }) => {
    const reply = scheduleReply(await readSchedule(ctx, params.id));
    const answered = { ...reply.headers, "cache-control": "private, no-cache" };
    return matchesEntityTag(headers["if-none-match"] ?? null, reply.headers.etag)
      ? { status: 304, headers: answered }
      : { status: 200, ...reply, headers: answered };
  },
});
