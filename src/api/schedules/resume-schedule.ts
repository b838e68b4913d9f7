import { defineEndpoint } from "../define-endpoint.ts";
import { statusChange } from "./status-change.ts";

const change = statusChange("resume");

export const resumeSchedule = defineEndpoint({
  ...change,
  method: "post",
  path: "/api/v1/schedules/{id}/resume",
  operationId: "resumeSchedule",
  summary: "Resume a schedule",
  description:
    "The next time is the first one from now on. Resuming an active schedule changes nothing.",
  errors: [...change.errors, "invalid_state"],
});
