import * as z from "zod";
import { ScheduleFiringList } from "../../contracts/schedules/schedule.ts";
import { listFirings as list } from "../../domain/schedules/list-schedules.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, limitField } from "../query-fields.ts";
import { READ_SCHEDULES, SCHEDULE_ERRORS, SCHEDULE_PARAMS } from "./schedule-route.ts";

export const listFirings = defineEndpoint({
  method: "get",
  path: "/api/v1/schedules/{id}/firings",
  operationId: "listScheduleFirings",
  summary: "List the firings of a schedule",
  description: "What happened at its latest times, newest first. The last 100 are kept.",
  tag: "Schedules",
  access: READ_SCHEDULES,
  request: {
    params: SCHEDULE_PARAMS,
    query: z.object({ limit: limitField(), starting_after: cursorField }),
  },
  responses: { 200: { description: "A page of firings", body: ScheduleFiringList } },
  errors: [...SCHEDULE_ERRORS, "invalid_request"],
  handle: async (ctx, { params, query }) => ({
    status: 200,
    body: await list(ctx, params.id, {
      limit: query.limit,
      startingAfter: query.starting_after,
    }),
  }),
});
