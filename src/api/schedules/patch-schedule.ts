import * as z from "zod";
import { patchSchedule as patch } from "../../domain/schedules/change-schedule.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { fieldsOfPatch, PatchSchedule } from "./schedule-fields.ts";
import {
  CHANGE_SCHEDULES,
  CLIENT_KIND,
  isAgentCall,
  SCHEDULE_PARAMS,
  SCHEDULE_RESPONSE,
  scheduleReply,
  SUBMIT_ERRORS,
} from "./schedule-route.ts";

export const patchSchedule = defineEndpoint({
  method: "patch",
  path: "/api/v1/schedules/{id}",
  operationId: "patchSchedule",
  summary: "Change a schedule",
  description:
    "Omitted fields stay as they are; null restores the default of a field that may be null. With other times, the next one is after the change.",
  tag: "Schedules",
  access: CHANGE_SCHEDULES,
  request: {
    params: SCHEDULE_PARAMS,
    headers: z.object({
      "if-match": z.string().optional().describe("The ETag that was read; required."),
      "x-client-kind": CLIENT_KIND,
    }),
    body: PatchSchedule,
    codes: { "body.workflow": "invalid_request" },
  },
  responses: { 200: SCHEDULE_RESPONSE },
  errors: ["invalid_id", ...SUBMIT_ERRORS, "precondition_required", "precondition_failed"],
  handle: async (ctx, { params, body, headers, exactBody }) => ({
    status: 200,
    ...scheduleReply(
      await patch(ctx, params.id, {
        fields: fieldsOfPatch(body, exactBody()),
        ifMatch: headers["if-match"],
        isAgent: isAgentCall(ctx, headers["x-client-kind"]),
      }),
    ),
  }),
});
