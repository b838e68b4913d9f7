import { CheckedExecution, CheckExecutionBody } from "../../contracts/embeds/embed-requests.ts";
import { checkExecution as check } from "../../domain/embeds/check-execution.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const checkExecution = defineEndpoint({
  method: "post",
  path: "/api/embed/check-execution",
  operationId: "checkEmbedExecution",
  summary: "Take a permit for one run",
  description:
    "Counts one run of the token. With a cap, `permit` is good for one submit within 10 minutes and is never given back; of any number of parallel calls at most `max_executions` succeed.",
  tag: "Embeds",
  access: "embed:ws:executions:create",
  request: { body: CheckExecutionBody, isBodyOptional: true },
  responses: { 200: { description: "The permit", body: CheckedExecution } },
  errors: ["execution_cap_exceeded"],
  handle: async (ctx) => ({ status: 200, body: await check(ctx) }),
});
