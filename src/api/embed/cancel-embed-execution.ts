import * as z from "zod";
import { EmbedExecution } from "../../contracts/embeds/embed-execution.ts";
import { embedExecution } from "../../domain/embeds/without-credits.ts";
import { cancelExecution } from "../../domain/executions/cancel-execution.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const cancelEmbedExecution = defineEndpoint({
  method: "post",
  path: "/api/embed/executions/{id}/cancel",
  operationId: "cancelEmbedExecution",
  summary: "Cancel a run of the token",
  description:
    "No new work starts, and work in progress is settled. Poll until the status is `cancelled`.",
  tag: "Embeds",
  access: "embed:ws:executions:create",
  request: { params: z.object({ id: idField("run") }) },
  responses: { 200: { description: "The execution, `cancelling`", body: EmbedExecution } },
  errors: ["invalid_id", "not_found", "already_terminal"],
  handle: async (ctx, { params }) => ({
    status: 200,
    body: embedExecution(await cancelExecution(ctx, params.id)),
  }),
});
