import * as z from "zod";
import { EmbedConfig } from "../../contracts/embeds/embed-config.ts";
import { readConfig } from "../../domain/embeds/read-config.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { interfaceQuery } from "./interface-query.ts";

export const getConfig = defineEndpoint({
  method: "get",
  path: "/api/embed/config",
  operationId: "getEmbedConfig",
  summary: "Read what a page shows",
  description:
    "The workflow of the token in its latest published version: the fields of its form, its outputs, and the runs that are left. Takes no permit.",
  tag: "Embeds",
  access: "embed:ws:workflows:read",
  request: {
    query: z.object(interfaceQuery),
  },
  responses: { 200: { description: "The config", body: EmbedConfig } },
  errors: ["not_found", "workflow_not_published", "validation_error", "version_not_available"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await readConfig(ctx, query.interface ?? null),
  }),
});
