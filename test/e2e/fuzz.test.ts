/** Every endpoint, from the document that the service serves, with hostile values in each field. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { FaultReceiver } from "../support/node/fault-receiver.ts";
import { newWorkspaceToken } from "../support/node/new-workspace-token.ts";
import type { DrawnRequest, FuzzWorld, Operation } from "../support/fuzz/draw-request.ts";
import { fuzzApi, type FuzzReport } from "../support/fuzz/fuzz-api.ts";
import { ServedDocument } from "../support/openapi/served-document.ts";
import {
  MARKER,
  namesTenantResource,
  newTenant,
  pathFor,
  type Tenant,
  type TenantWorld,
} from "../support/tenant/tenant-fixture.ts";
import { waitUntil } from "../support/wait-until.ts";
import { sizeOf } from "../support/sizes.ts";

const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261_120);
const EXECUTIONS = Number(process.env["FUZZ_EXECUTIONS"] ?? sizeOf("apiFuzz"));

/** Operations that would leave nothing to attack. */
const FINAL = /^(?:delete|revert|archive|abort|revoke)/;

/** The receiver of the attacker's webhooks, so that tests, retries and replays are sent. */
let receiver: FaultReceiver;
let service: RunningService;
let victim: Tenant;
let attacker: Tenant;
/** A tenant with a key and nothing else. */
let stranger: string;

beforeAll(async () => {
  receiver = await FaultReceiver.start();
  service = await startService({ env: { EGRESS_ALLOW_LOOPBACK: receiver.host } });
  const tenants: TenantWorld = {
    newToken: () => newWorkspaceToken(service),
    call: async (method, path, { token, json, body, headers }) => {
      const response = await fetch(service.baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(json !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        ...(body !== undefined && { body }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.includes("json") === true;
      return { status: response.status, text, json: isJson ? JSON.parse(text) : undefined };
    },
  };
  [victim, attacker, stranger] = await Promise.all([
    newTenant(tenants),
    newTenant(tenants, "Mine", receiver.url("/mine")).then((own) => withDelivery(tenants, own)),
    newWorkspaceToken(service),
  ]);
});

afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

/** The same tenant with its endpoint active, and a delivery of a run instead of one of a test, which can be sent again. */
async function withDelivery(tenants: TenantWorld, tenant: Tenant): Promise<Tenant> {
  const { token, ids } = tenant;
  const call = tenants.call.bind(tenants);
  const headers = { "idempotency-key": "activated-by-me" };
  const endpoint = `/api/v1/webhooks/endpoints/${ids["webhook"]}`;
  const active = await call("POST", `${endpoint}/activate`, { token, headers });
  expect(active.json.status, active.text).toBe("active");
  const json = { workflow: ids["workflow"], inputs: {} };
  const { json: run } = await call("POST", "/api/v1/executions", { token, json });
  const delivery = await waitUntil("the delivery of a run", async () => {
    const path = `/api/v1/webhooks/deliveries?execution=${run.id}`;
    const { json: list } = await call("GET", path, { token });
    return list.data.find(({ status }: { status: string }) => status === "delivered");
  });
  return { token, ids: { ...ids, delivery: delivery.id } };
}

function show({ executions, seconds, slowestMs, slowest, statuses }: FuzzReport): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  return `fuzz: seed ${SEED}, ${executions} executions in ${seconds} s, slowest ${slowestMs} ms (${slowest}), ${counts.join(", ")}`;
}

describe("a caller who sends hostile values", () => {
  test(
    "gets documented answers within 2 s, drawn pages within 20 s, never a 500, never another tenant's data",
    { timeout: 900_000 },
    async () => {
      const response = await fetch(`${service.baseUrl}/swagger/public-v1/swagger.json`);
      const document = (await response.json()) as { components: { schemas: unknown } };
      const report = await fuzzApi({
        seed: SEED,
        executions: EXECUTIONS,
        document,
        served: new ServedDocument(document),
        secret: MARKER,
        world: world(document.components.schemas),
        send: (drawn) => fetch(toRequest(drawn, tokenFor(drawn))),
      });
      process.stderr.write(`${show(report)}\n`);
      const told = report.findings.map((finding) => JSON.stringify(finding).slice(0, 2000));
      expect(told, `seed ${SEED}`).toEqual([]);
      expect(report.executions).toBe(EXECUTIONS);
      // If authentication refused most requests, the code behind it would not be tried.
      const accepted = Object.entries(report.statuses)
        .filter(([status]) => Number(status) < 300)
        .reduce((sum, [, count]) => sum + count, 0);
      expect(accepted).toBeGreaterThan(EXECUTIONS / 20);
      expect(receiver.at("/mine").length, "tests and replays are sent").toBeGreaterThan(2);
    },
  );
});

function world(components: unknown): FuzzWorld {
  return {
    components,
    foreign: Object.values(victim.ids),
    pathValue: ({ path, method, spec }: Operation, name: string) => {
      if (!namesTenantResource({ path }) || method === "DELETE" || FINAL.test(spec.operationId)) {
        return undefined;
      }
      const at = path.split("/").findIndex((part) => part.startsWith(`{${name}}`));
      const [value = ""] = pathFor({ path }, attacker).split("/")[at]?.split(":") ?? [];
      return decodeURIComponent(value);
    },
    bodies: {
      createWorkflow: { name: "Mine", tags: ["a"], definition: BIG_DEFINITION },
      validateDefinition: { definition: BIG_DEFINITION },
      validateWorkflow: { definition: BIG_DEFINITION },
      putWorkflowDefinition: BIG_DEFINITION,
      patchWorkflow: { name: "Mine", description: "d", tags: ["a", "b"] },
      submitExecution: {
        workflow: attacker.ids["workflow"],
        inputs: { words: { value: '"x"' } },
        admission_limits: { max_iterations_per_node: 5 },
      },
      estimateWorkflow: {
        workflow: attacker.ids["workflow"],
        inputs: { words: { value: '"x"' } },
      },
      moveWorkflows: { workflow_ids: [attacker.ids["workflow"]], folder_id: null },
      createWorkflowFolder: { name: "Mine", parent_id: attacker.ids["folder"] },
      inspectDataset: { asset_path: attacker.ids["asset"], format: "csv", sample_rows: 5 },
      createToken: "grant_type=client_credentials",
    },
  };
}

/** A definition with nodes of many types, so that all their parameters can be attacked. */
const BIG_DEFINITION = {
  nodes: [
    { id: "in", type: "input/text", label: "Words", parameters: { required: true } },
    { id: "out", type: "output/text", label: "Said", parameters: { file_name: "said-{index}" } },
    { id: "n", type: "input/number", label: "N", parameters: { min: 1, max: 9, default: 2 } },
    { id: "j", type: "input/json_value", label: "J", parameters: { schema: { type: "object" } } },
    {
      id: "rows",
      type: "input/json",
      label: "Rows",
      parameters: {
        jsonConfig: {
          properties: [
            { path: "a", outputPort: "a", outputType: "text" },
            { path: "b", outputPort: "b", outputType: "text", isComputed: true, formula: "{{a}}" },
          ],
        },
      },
    },
    { id: "range", type: "enumerate/range", parameters: { start: 1, end: 3, step: 1 } },
    { id: "calc", type: "utility/calculate", parameters: { expression: "n * 2 + sqrt(4)" } },
    {
      id: "tpl",
      type: "text/template",
      parameters: { template: "Hi [n]", placeholders: [{ inputPort: "n" }] },
    },
    {
      id: "cond",
      type: "utility/condition",
      parameters: { operator: "matches", operand: "^a+$", path: "$.a" },
    },
    { id: "sw", type: "utility/switch", parameters: { cases: [{ equals: 1 }], path: "$.a" } },
    { id: "pick", type: "utility/json_path", parameters: { path: "$.a", output_type: "text" } },
    {
      id: "check",
      type: "utility/json_schema_validate",
      parameters: { schema_definition: { type: "object" }, mode: "report" },
    },
    { id: "code", type: "image/code", parameters: { symbology: "qr", size: 256 } },
    { id: "agg", type: "aggregate/text", parameters: { separator: ",", collapse: "all" } },
  ],
  connections: [
    { from: { node: "in", port: "text" }, to: { node: "out", port: "text" } },
    { from: { node: "n", port: "number" }, to: { node: "calc", port: "n" } },
    { from: { node: "n", port: "number" }, to: { node: "tpl", port: "n" } },
    { from: { node: "j", port: "json" }, to: { node: "cond", port: "value" } },
    { from: { node: "j", port: "json" }, to: { node: "sw", port: "value" } },
    { from: { node: "j", port: "json" }, to: { node: "pick", port: "json" } },
    { from: { node: "j", port: "json" }, to: { node: "check", port: "json" } },
    { from: { node: "tpl", port: "text" }, to: { node: "code", port: "text" } },
    { from: { node: "rows", port: "a" }, to: { node: "agg", port: "text" } },
  ],
  interfaces: [
    {
      id: "int_a",
      name: "A",
      fields: [{ key: "k", type: "text", required: true, bind: { node: "in" } }],
      outputs: [{ key: "o", node: "out" }],
    },
  ],
  settings: {},
};

function tokenFor({ url }: DrawnRequest): string {
  if (url.startsWith("/admin/")) {
    return service.credentials.admin_token;
  }
  // Mostly the owner of half of the ids; sometimes a tenant without any resource.
  return url.length % 10 === 0 ? stranger : attacker.token;
}

function toRequest({ method, url, headers, body }: DrawnRequest, token: string): Request {
  return new Request(service.baseUrl + url, {
    method,
    redirect: "manual",
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { body }),
  });
}
