import { defineEndpoint } from "../define-endpoint.ts";
import { statusChange } from "./status-change.ts";

export const pauseSchedule = defineEndpoint({
  ...statusChange("pause"),
  method: "post",
  path: "/api/v1/schedules/{id}/pause",
  operationId: "pauseSchedule",
  summary: "Pause a schedule",
  description:
    "Nothing is started at its times until it is resumed, and times missed meanwhile are never caught up. Pausing a paused or ended schedule changes nothing.",
});
