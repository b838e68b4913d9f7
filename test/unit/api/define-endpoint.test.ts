import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineEndpoint } from "../../../src/api/define-endpoint.ts";

const base = {
  method: "get",
  path: "/things/{id}",
  operationId: "getThing",
  summary: "Read a thing",
  tag: "Discovery",
  errors: [],
} as const;
const Thing = z.object({ id: z.string(), state: z.enum(["on", "off"]), tags: z.array(z.string()) });
const responses = { 200: { description: "The thing", body: Thing }, 204: { description: "None" } };
const anyone = { scope: null, permission: null } as const;
const tags: readonly string[] = ["a"];

describe("defineEndpoint checks an endpoint against its declaration at compile time", () => {
  test("responses of the declared status and shape compile, including read-only data", () => {
    const endpoint = defineEndpoint({
      ...base,
      access: anyone,
      request: { query: z.object({ n: z.string().transform(Number) }) },
      responses,
      handle: async (ctx, { query }) => {
        if (query.n > 1) {
          return { status: 204 };
        }
        return {
          status: 200,
          body: { id: ctx.principal.keyId, state: query.n ? "on" : "off", tags },
        };
      },
    });
    expect(endpoint.path).toBe("/things/{id}");
  });

  test("a response that does not match the declaration does not compile", () => {
    // @ts-expect-error -- no access declared
    defineEndpoint({ ...base, responses, handle: () => ({ status: 204 }) });
    const wrongScope = { scope: "x:y", permission: null } as const;
    // @ts-expect-error -- a scope that does not exist
    defineEndpoint({ ...base, access: wrongScope, responses, handle: () => ({ status: 204 }) });
    const open = { ...base, access: "public", responses } as const;
    // @ts-expect-error -- a status that is not declared
    defineEndpoint({ ...open, handle: () => ({ status: 201 }) });
    // @ts-expect-error -- a body that lacks fields
    defineEndpoint({ ...open, handle: () => ({ status: 200, body: { id: "a" } }) });
    defineEndpoint({
      ...base,
      access: "public",
      responses,
      handle: (ctx) => {
        // @ts-expect-error -- a public route has no caller
        expect(ctx.principal).toBeDefined();
        return { status: 204 };
      },
    });
    expect(Object.keys(responses)).toEqual(["200", "204"]);
  });
});
