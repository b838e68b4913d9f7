import { beforeAll, describe, expect, it } from "vitest";
import { call, type Caller, newCaller } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";

const SCHEMA = {
  type: "object",
  properties: { sku: { type: "string", minLength: 2 }, count: { type: "integer", minimum: 3 } },
  required: ["sku", "count"],
};

function definition(parameters: object) {
  return {
    nodes: [
      { id: "data", type: "input/json_value", label: "Order data", parameters },
      { id: "out", type: "output/json", label: "Out", parameters: {} },
    ],
    connections: [{ from: { node: "data", port: "json" }, to: { node: "out", port: "json" } }],
  };
}

let caller: Caller;

beforeAll(async () => {
  caller = await newCaller();
});

async function validate(parameters: object): Promise<unknown[]> {
  const body = { definition: definition(parameters) };
  const { json } = await call("POST", "/api/v1/workflows/validate", {
    token: caller.token,
    json: body,
  });
  return json.errors.map(({ code, path }: { code: string; path: string }) => [code, path]);
}

describe("a JSON value with a schema", () => {
  it("is rejected at submit if it violates the schema, with each rule named and nothing created", async () => {
    const workflow = await publishedWorkflow(caller, definition({ schema: SCHEMA }));
    const send = (value: string) =>
      call("POST", "/api/v1/executions", {
        token: caller.token,
        json: { workflow, inputs: { order_data: { value } } },
      });
    const refused = await send('{"sku":"a","count":1.5}');
    expect([refused.status, refused.json.code]).toEqual([400, "validation_error"]);
    const said = refused.json.errors.map((error: { message: string }) => error.message).join(" ");
    expect(said).toContain("/sku");
    expect(said).toContain("/count");
    expect(refused.json.errors[0].field).toBe("inputs.order_data.value");
    const { json: listed } = await call("GET", "/api/v1/executions", { token: caller.token });
    expect(listed.total_count).toBe(0);
    expect((await send('{"sku":"ab","count":3}')).status).toBe(202);
  });

  it("has an example in the contract that matches it", async () => {
    const workflow = await publishedWorkflow(caller, definition({ schema: SCHEMA }));
    const { json } = await call("GET", `/api/v1/workflows/${workflow}`, { token: caller.token });
    const { example } = json.execution_contract.primary;
    const response = await call("POST", "/api/v1/executions", {
      token: caller.token,
      json: example,
    });
    expect(response.status).toBe(202);
  });

  it("cannot be published with a schema that does not compile, or a default that violates it", async () => {
    expect(await validate({ schema: { type: "nonsense" } })).toEqual([
      ["INVALID_SCHEMA", "nodes[0].parameters.schema"],
    ]);
    expect(await validate({ schema: { $ref: "https://example.com/x" } })).toEqual([
      ["INVALID_SCHEMA", "nodes[0].parameters.schema"],
    ]);
    expect(await validate({ schema: "text" })).toEqual([
      ["INVALID_PARAMETER", "nodes[0].parameters.schema"],
    ]);
    expect(await validate({ schema: SCHEMA, default: { sku: "x" } })).toEqual([
      ["INVALID_PARAMETER", "nodes[0].parameters.default"],
    ]);
    expect(await validate({ schema: SCHEMA, default: { sku: "xx", count: 4 } })).toEqual([]);
  });
});
