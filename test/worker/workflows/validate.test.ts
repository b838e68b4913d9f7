import { describe, expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";
import { greeting, greetingWith } from "../../support/sample-definitions.ts";

const { token } = await newCaller();
const api = (method: string, path: string, json?: unknown) =>
  call(method, `/api/v1${path}`, { token, ...(json === undefined ? {} : { json }) });

describe("both validate routes", () => {
  test("return valid, errors and warnings, and store nothing", async () => {
    const { json: workflow } = await api("POST", "/workflows", { name: "W", definition: greeting });
    for (const path of ["/workflows/validate", `/workflows/${workflow.id}/validate`]) {
      const good = await api("POST", path, { definition: greeting });
      expect([good.status, good.json]).toEqual([200, { valid: true, errors: [], warnings: [] }]);
      const bad = await api("POST", path, { definition: { ...greeting, connections: [] } });
      expect(bad.status).toBe(200);
      expect(bad.json.valid).toBe(false);
      expect(bad.json.errors).toContainEqual({
        field: "nodes[2]",
        path: "nodes[2]",
        code: "PORT_NOT_CONNECTED",
        node_id: "message",
        message: expect.any(String),
        suggestion: expect.any(String),
      });
      expect(bad.json.warnings).toMatchObject([{ code: "UNUSED_NODE" }, { code: "UNUSED_NODE" }]);
    }
    expect((await api("GET", `/workflows/${workflow.id}/definition`)).json).toEqual(greeting);
  });

  test("warn about a missing output node, which only publishing requires", async () => {
    const { json } = await api("POST", "/workflows/validate", { definition: { nodes: [] } });
    expect(json).toMatchObject({ valid: true, errors: [], warnings: [{ code: "NO_OUTPUT" }] });
  });

  test("check the working definition of the workflow if none is sent", async () => {
    const definition = { ...greeting, connections: [] };
    const { json: workflow } = await api("POST", "/workflows", { name: "W", definition });
    expect((await api("POST", `/workflows/${workflow.id}/validate`)).json.valid).toBe(false);
  });

  test.each([{}, { definition: [] }, { definition: null }, greeting])(
    "require the wrapped definition: %j is 400",
    async (body) => {
      const { status, json } = await api("POST", "/workflows/validate", body);
      expect([status, json.code]).toEqual([400, "validation_error"]);
    },
  );

  test("report 10,000 nodes, and a definition over 1 MiB, as one error", async () => {
    const nodes = Array.from({ length: 10_000 }, (_, index) => ({
      id: `n${index}`,
      type: "input/text",
    }));
    const many = await api("POST", "/workflows/validate", { definition: { nodes } });
    expect(many.json.errors).toMatchObject([{ code: "DEFINITION_TOO_LARGE", field: "nodes" }]);
    const definition = greetingWith({ parameters: { default: "x".repeat(1024 * 1024) } });
    const large = await api("POST", "/workflows/validate", { definition });
    expect(large.json.errors).toMatchObject([{ code: "DEFINITION_TOO_LARGE", field: "" }]);
  });

  test("report each of thousands of problems in time", async () => {
    const definition = {
      nodes: greeting.nodes.map((node) => ({ ...node, x: 1, label: 5 })),
      connections: Array.from({ length: 2000 }, () => ({ from: { node: "q", port: 1 }, to: {} })),
    };
    const { status, json } = await api("POST", "/workflows/validate", { definition });
    expect(status).toBe(200);
    const ofShape = json.errors.filter(({ code }: { code: string }) => code.endsWith("_FIELD"));
    // Two a node; a connection lacks from.port as text, to.node and to.port.
    expect(ofShape).toHaveLength(3 * 2 + 2000 * 3);
  });

  test("validate a formula of 100 kB and a cycle of 500 nodes in time", async () => {
    const ring = Array.from({ length: 500 }, (_, index) => ({
      id: `n${index}`,
      type: "text/template",
      parameters: { template: "[x]", placeholders: [{ inputPort: "x" }] },
    }));
    const connections = ring.map(({ id }, index) => ({
      from: { node: id, port: "text" },
      to: { node: `n${(index + 1) % 500}`, port: "x" },
    }));
    const cycle = await api("POST", "/workflows/validate", {
      definition: { nodes: ring, connections },
    });
    expect(cycle.json.errors).toMatchObject([{ code: "CYCLE" }]);
    const formula = {
      nodes: [
        { id: "c", type: "utility/calculate", parameters: { expression: "1+".repeat(50_000) } },
      ],
    };
    const long = await api("POST", "/workflows/validate", { definition: formula });
    expect(long.json.errors).toMatchObject([
      { code: "invalid_dynamic_config", path: "nodes[0].parameters.expression" },
    ]);
    expect(long.json.errors[0].message).toMatch(/character/);
  });
});
