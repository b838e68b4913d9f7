import * as z from "zod";
import { VERSION } from "../../platform/version.ts";
import { defineEndpoint } from "../define-endpoint.ts";

const Health = z
  .object({
    status: z.literal("ok").describe("Always `ok`."),
    version: z.string().describe("Version of the service."),
  })
  .meta({ id: "Health" });

export const getHealth = defineEndpoint({
  method: "get",
  path: "/health",
  operationId: "getHealth",
  summary: "Check that the service responds",
  description:
    "Needs no token and reads no storage. It confirms that requests are served, and by which version.",
  tag: "Discovery",
  access: "public",
  responses: { 200: { description: "The service responds", body: Health } },
  errors: [],
  handle: () => ({
    status: 200,
    headers: { "cache-control": "no-store" },
    body: { status: "ok", version: VERSION },
  }),
});
