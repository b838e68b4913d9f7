import * as z from "zod";
import { defineEndpoint } from "../define-endpoint.ts";

const Link = z.array(
  z
    .object({
      href: z.string().describe("The address."),
      type: z.string().describe("Media type of what is there."),
    })
    .meta({ id: "CatalogLink" }),
);
const Linkset = z.object({
  linkset: z
    .array(
      z.object({
        anchor: z.string().describe("Address of the API."),
        "service-desc": Link.describe("The OpenAPI document."),
        "service-doc": Link.describe("The reference for people."),
        "service-meta": Link.describe("What else describes the API."),
      }),
    )
    .describe("One entry for each API."),
});

export const getApiCatalog = defineEndpoint({
  method: "get",
  path: "/.well-known/api-catalog",
  operationId: "getApiCatalog",
  summary: "Get the API catalog (RFC 9727)",
  description:
    "A linkset of the OpenAPI document, the reference, the health check and the skills for agents. It needs no token.",
  tag: "Discovery",
  access: "public",
  responses: {
    200: { description: "A linkset", contentType: "application/linkset+json", body: Linkset },
  },
  errors: [],
  handle: (ctx) => ({
    status: 200,
    headers: {
      "content-type":
        'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"; charset=utf-8',
      // docs/contract/discovery.md#api-catalog.
      "cache-control": "public, max-age=3600",
    },
    body: {
      linkset: [
        {
          anchor: `${ctx.baseUrl}/api/v1`,
          "service-desc": [
            { href: `${ctx.baseUrl}/swagger/public-v1/swagger.json`, type: "application/json" },
          ],
          "service-doc": [{ href: `${ctx.baseUrl}/docs`, type: "text/html" }],
          // RFC 8631: other information about the service; here, the skills for agents.
          "service-meta": [
            {
              href: `${ctx.baseUrl}/.well-known/agent-skills/index.json`,
              type: "application/json",
            },
          ],
        },
      ],
    },
  }),
});
