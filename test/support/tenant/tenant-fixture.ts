/** A workspace with one of everything, and how each route's path is filled with what belongs to it. */
import type { Endpoint } from "../../../src/api/define-endpoint.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { call, type Caller, newCaller } from "../api-caller.ts";
import { upload } from "../asset-form.ts";
import { publishedWorkflow } from "../published-workflow.ts";
import { waitUntil } from "../wait-until.ts";

/** Stands in every name and value of a tenant: found in an answer to another, it is a leak. */
export const MARKER = "Geheimnis-7f3a";

export interface Tenant {
  readonly caller: Caller;
  /** By kind: `workflow`, `run`, `node`, `folder`, `asset`, … */
  readonly ids: Readonly<Record<string, string>>;
}

const DEFINITION = {
  nodes: [
    { id: "words", type: "input/text", label: `Words ${MARKER}`, parameters: { required: false } },
    { id: "rows", type: "enumerate/range", parameters: { start: 1, end: 3 } },
    { id: "each", type: "output/json", label: "Each" },
    { id: "said", type: "output/text", label: "Said" },
  ],
  connections: [
    { from: { node: "words", port: "text" }, to: { node: "said", port: "text" } },
    { from: { node: "rows", port: "value" }, to: { node: "each", port: "json" } },
  ],
};

const FINISHED = "com.svc.execution.finished.v1";

const isThere = (operationId: string) =>
  ENDPOINTS.some((endpoint) => endpoint.operationId === operationId);

/** A tenant with one resource of each kind that the service knows. */
export async function newTenant(): Promise<Tenant> {
  const caller = await newCaller();
  const { token } = caller;
  const make = async (path: string, json?: unknown, headers: Record<string, string> = {}) => {
    const answer = await call("POST", path, { token, json, headers });
    if (answer.status >= 300) {
      throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
    }
    return answer.json;
  };
  const folder = await make("/api/v1/workflow-folders", { name: MARKER });
  const workflow = await publishedWorkflow(caller, DEFINITION);
  await call("PATCH", `/api/v1/workflows/${workflow}`, { token, json: { name: MARKER } });
  const run = await make("/api/v1/executions", {
    workflow,
    inputs: { words: { value: JSON.stringify(MARKER) } },
  });
  await waitUntil("the run to end", async () => {
    const { json } = await call("GET", `/api/v1/executions/${run.id}`, { token });
    return json.completed_at !== null;
  });
  const ids: Record<string, string> = { folder: folder.id, workflow, run: run.id, node: "each" };
  const stored = await upload(caller, "table.csv", `name,n\n${MARKER},1\n`);
  ids["asset"] = stored.json.path;
  if (isThere("createUpload")) {
    const session = await make("/api/v1/assets/uploads", {
      file_name: `${MARKER}.csv`,
      size_bytes: 5,
      upload_mode: "single_put",
    });
    ids["upload"] = session.upload_id;
  }
  if (isThere("createWebhookEndpoint")) {
    const endpoint = await make(
      "/api/v1/webhooks/endpoints",
      {
        name: MARKER,
        url: `https://${MARKER.toLowerCase()}.example/hook`,
        event_types: [FINISHED],
      },
      { "idempotency-key": "one-endpoint-of-mine" },
    );
    ids["webhook"] = endpoint.id;
    await call("POST", `/api/v1/webhooks/endpoints/${endpoint.id}/test`, {
      token,
      headers: { "idempotency-key": "one-test-of-mine" },
    });
    const { json } = await call("GET", "/api/v1/webhooks/deliveries", { token });
    ids["delivery"] = json.data[0].id;
  }
  return { caller, ids };
}

/** What stands for a path parameter, by the route it belongs to; `shared` is nobody's. */
const KINDS: readonly (readonly [path: RegExp, parameter: string, kind: string])[] = [
  [/^\/api\/v1\/workflows\//, "id", "workflow"],
  [/^\/api\/v1\/executions\//, "id", "run"],
  [/^\/api\/v1\/executions\//, "run_id", "run"],
  [/^\/api\/v1\/executions\/.*\/nodes\//, "node_id", "node"],
  [/^\/api\/v1\/workflow-folders\//, "folder", "folder"],
  [/^\/api\/v1\/webhooks\/endpoints\//, "endpoint_id", "webhook"],
  [/^\/api\/v1\/webhooks\/deliveries\//, "delivery_id", "delivery"],
  [/^\/api\/v1\/assets\/uploads\//, "upload_id", "upload"],
];

/** The tenant's own address of a route; throws for a parameter that nobody has said the meaning of. */
export function pathFor(endpoint: Pick<Endpoint, "path">, tenant: Tenant): string {
  return endpoint.path.replaceAll(/\{(\w+)\+?\}/g, (_, parameter: string) => {
    const kind = KINDS.find(([path, name]) => name === parameter && path.test(endpoint.path))?.[2];
    const id = kind === undefined ? undefined : tenant.ids[kind];
    if (id === undefined) {
      throw new Error(
        `${endpoint.path}: say in KINDS of test/support/tenant/tenant-fixture.ts what {${parameter}} is, and make one in newTenant.`,
      );
    }
    return encodeURIComponent(id);
  });
}

/** Whether a route's path names something of a tenant. */
export function namesTenantResource(endpoint: Pick<Endpoint, "path">): boolean {
  return KINDS.some(
    ([path, name]) => path.test(endpoint.path) && endpoint.path.includes(`{${name}}`),
  );
}
