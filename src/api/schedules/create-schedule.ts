import * as z from "zod";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { readSchedule } from "../../domain/schedules/change-schedule.ts";
import { createSchedule as create } from "../../domain/schedules/create-schedule.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import { CreateSchedule, fieldsOfBody } from "./schedule-fields.ts";
import {
  CHANGE_SCHEDULES,
  CLIENT_KIND,
  isAgentCall,
  SCHEDULE_RESPONSE,
  scheduleReply,
  SUBMIT_ERRORS,
} from "./schedule-route.ts";
import { withOneTiming } from "./timing-fields.ts";

export const createSchedule = defineEndpoint({
  method: "post",
  path: "/api/v1/schedules",
  operationId: "createSchedule",
  summary: "Create a schedule",
  description:
    "Starts runs of a published workflow at the times of a cron expression or an interval. The inputs are checked as at a submit. A schedule acts for its workspace: it goes on when the key that made it is revoked.",
  tag: "Schedules",
  access: CHANGE_SCHEDULES,
  // The workflow and the inputs of samples/greeting-card.json.
  example: {
    name: "Card of the day",
    workflow: "wf_0190f3a27c1e70008000000000000000",
    inputs: {
      name: { value: '"Ada Lovelace"' },
      link: { value: '"https://example.com/party"' },
    },
    cron: "30 6 * * MON-FRI",
    time_zone: "Europe/Berlin",
  },
  createsOnce: true,
  request: {
    body: withOneTiming(CreateSchedule),
    codes: { "body.workflow": "invalid_request" },
    headers: z.object({ "x-client-kind": CLIENT_KIND }),
  },
  responses: { 201: SCHEDULE_RESPONSE },
  errors: [...SUBMIT_ERRORS, "plan_limit_exceeded"],
  handle: async (ctx, { body, exactBody, headers, creation }) => {
    const given = {
      fields: fieldsOfBody(body, exactBody()),
      isAgent: isAgentCall(ctx, headers["x-client-kind"]),
    };
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: (claim) => create(ctx, given, claim?.statements(201)),
      replay: ({ resourceId }) => readSchedule(ctx, resourceId),
    });
    const reply = scheduleReply(value);
    return { status: 201, ...reply, headers: { ...reply.headers, ...replayHeaders(isReplay) } };
  },
});
