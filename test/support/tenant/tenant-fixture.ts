/** A workspace with one resource of each kind, and a mapping of path parameters to these resources. */
import { pressProfile } from "../../../scripts/press-profile.ts";
import { fontForm } from "../fonts/font-form.ts";
import { waitUntil } from "../wait-until.ts";

/** Part of every name and value of a tenant: its presence in a response to another tenant is a leak. */
export const MARKER = "Geheimnis-7f3a";

/** How a test reaches the service: inside workerd, or over HTTP. */
export interface TenantWorld {
  /** A token of an empty workspace. */
  newToken(): Promise<string>;
  call(
    method: string,
    path: string,
    options: {
      readonly token: string;
      readonly json?: unknown;
      readonly body?: FormData;
      readonly headers?: Readonly<Record<string, string>>;
    },
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
  ): Promise<{ readonly status: number; readonly text: string; readonly json: any }>;
}

export interface Tenant {
  readonly token: string;
  /** By kind: `workflow`, `run`, `node`, `folder`, `asset`, … */
  readonly ids: Readonly<Record<string, string>>;
}

function definitionOf(marker: string) {
  return {
    nodes: [
      {
        id: "words",
        type: "input/text",
        label: `Words ${marker}`,
        parameters: { required: false },
      },
      { id: "rows", type: "enumerate/range", parameters: { start: 1, end: 3 } },
      { id: "each", type: "output/json", label: "Each" },
      { id: "said", type: "output/text", label: "Said" },
    ],
    connections: [
      { from: { node: "words", port: "text" }, to: { node: "said", port: "text" } },
      { from: { node: "rows", port: "value" }, to: { node: "each", port: "json" } },
    ],
  };
}

const partId = (number: number) => `0b1f4c52-6d1c-4d55-9a36-00000000000${String(number)}`;

/** The document of a tenant's template. */
export function templateContent(marker: string) {
  const size = { width: 99, height: 99 };
  const elements = [{ $type: "rectangle", id: partId(3), ...size }];
  return {
    schemaVersion: "2.0",
    pages: [
      { id: partId(1), name: marker, ...size, elements },
      { id: partId(2), name: marker, ...size },
    ],
    masterPages: [{ id: partId(4), name: marker, ...size }],
    sampleSets: [{ id: partId(5), name: marker, values: {} }],
  };
}

const FINISHED = "com.svc.execution.finished.v1";

/** A tenant with one resource of each kind, with its marker in all of them. */
export async function newTenant(
  world: TenantWorld,
  marker = MARKER,
  receiverUrl = `https://${marker.toLowerCase()}.example/hook`,
): Promise<Tenant> {
  const token = await world.newToken();
  const call = world.call.bind(world);
  const make = async (path: string, json?: unknown, headers: Record<string, string> = {}) => {
    const response = await call("POST", path, { token, json, headers });
    if (response.status >= 300) {
      throw new Error(`POST ${path} answered ${response.status}: ${response.text}`);
    }
    return response.json;
  };
  const folder = await make("/api/v1/workflow-folders", { name: marker });
  const { id: workflow } = await make("/api/v1/workflows", {
    name: marker,
    definition: definitionOf(marker),
  });
  await make(`/api/v1/workflows/${workflow}/publish`);
  const run = await make("/api/v1/executions", {
    workflow,
    inputs: { words: { value: JSON.stringify(marker) } },
  });
  await waitUntil("the run to end", async () => {
    const { json } = await call("GET", `/api/v1/executions/${run.id}`, { token });
    return json.completed_at !== null;
  });
  const ids: Record<string, string> = { folder: folder.id, workflow, run: run.id, node: "each" };
  const schedule = await make("/api/v1/schedules", {
    name: marker,
    workflow,
    cron: "0 0 1 1 *",
  });
  ids["schedule"] = schedule.id;
  const batch = await make("/api/v1/batch-executions", {
    name: marker,
    workflow,
    items: [{ client_reference: marker }],
  });
  await waitUntil("the batch to end", async () => {
    const { json } = await call("GET", `/api/v1/batch-executions/${batch.id}`, { token });
    return json.completed_at !== null;
  });
  ids["batch"] = batch.id;
  ids["batchItem"] = "0";
  ids["exportFormat"] = "csv";
  const form = new FormData();
  form.append("file", new File([`name,n\n${marker},1\n`], "table.csv"));
  ids["asset"] = (await call("POST", "/api/v1/assets", { token, body: form })).json.path;
  const icc = new FormData();
  icc.append("file", new File([pressProfile("GRAY")], "press.icc"));
  const profileAsset = await call("POST", "/api/v1/assets", { token, body: icc });
  const profile = await make("/api/v1/color-profiles", {
    asset_path: profileAsset.json.path,
    name: marker,
  });
  ids["profile"] = profile.guid;
  const fonts = fontForm({ fields: { displayName: marker } });
  const { json: font } = await call("POST", "/api/v1/fonts", { token, body: fonts });
  const { json: families } = await call("GET", "/api/v1/fonts?scope=workspace", { token });
  ids["font"] = font.familyGuid;
  ids["fontVersion"] = font.versionGuid;
  ids["fontFile"] = families.data[0].files[0].fileGuid;
  ids["variant"] = "400";
  const session = await make("/api/v1/assets/uploads", {
    file_name: "table.csv",
    size_bytes: 5,
    upload_mode: "single_put",
  });
  ids["upload"] = session.upload_id;
  const endpoint = await make(
    "/api/v1/webhooks/endpoints",
    { name: marker, url: receiverUrl, event_types: [FINISHED] },
    { "idempotency-key": "one-endpoint-of-mine" },
  );
  ids["webhook"] = endpoint.id;
  await make(`/api/v1/webhooks/endpoints/${endpoint.id}/test`, undefined, {
    "idempotency-key": "one-test-of-mine",
  });
  const { json: tests } = await call("GET", "/api/v1/webhooks/deliveries", { token });
  ids["delivery"] = tests.data[0].id;
  const template = await make(
    "/api/v1/design-templates",
    { name: marker, content: templateContent(marker) },
    { "idempotency-key": "one-template-of-mine" },
  );
  ids["template"] = template.id;
  ids["revision"] = "1";
  const { pages, masterPages, sampleSets } = templateContent(marker);
  ids["page"] = pages[1]!.id;
  ids["master"] = masterPages[0]!.id;
  ids["element"] = partId(3);
  ids["sampleSet"] = sampleSets[0]!.id;
  await make(`/api/v1/design-templates/${template.id}/draft/publish`, undefined, {
    "idempotency-key": "one-revision-of-mine",
    "if-match": "*",
  });
  const link = await make(`/api/v1/design-templates/${template.id}/share-links`);
  ids["shareLink"] = link.id;
  // Built by the runner, if there is one; its first part is number 1.
  await make(`/api/v1/executions/${run.id}/zip`);
  ids["zip"] = "1";
  return { token, ids };
}

/** The value of a path parameter, by route; `shared` ones belong to no tenant. */
const KINDS: readonly (readonly [path: RegExp, parameter: string, kind: string])[] = [
  [/^\/api\/v1\/workflows\//, "id", "workflow"],
  [/^\/api\/v1\/design-templates\//, "id", "template"],
  [/^\/api\/v1\/design-templates\//, "revision", "revision"],
  [/^\/api\/v1\/design-templates\//, "page_id", "page"],
  [/^\/api\/v1\/design-templates\//, "master_id", "master"],
  [/^\/api\/v1\/design-templates\//, "element_id", "element"],
  [/^\/api\/v1\/design-templates\//, "sample_set_id", "sampleSet"],
  [/^\/api\/v1\/design-templates\//, "link_id", "shareLink"],
  [/^\/api\/v1\/executions\//, "id", "run"],
  [/^\/api\/v1\/executions\//, "run_id", "run"],
  [/^\/api\/v1\/executions\//, "a", "run"],
  [/^\/api\/v1\/executions\//, "b", "run"],
  [/^\/api\/v1\/executions\/.*\/nodes\//, "node_id", "node"],
  [/^\/api\/v1\/executions\//, "zip_id", "zip"],
  [/^\/api\/v1\/schedules\//, "id", "schedule"],
  [/^\/api\/v1\/batch-executions\//, "id", "batch"],
  [/^\/api\/v1\/batch-executions\//, "item", "batchItem"],
  [/^\/api\/v1\/batch-executions\//, "format", "exportFormat"],
  [/^\/api\/v1\/workflow-folders\//, "folder", "folder"],
  [/^\/api\/v1\/webhooks\/endpoints\//, "endpoint_id", "webhook"],
  [/^\/api\/v1\/webhooks\/deliveries\//, "delivery_id", "delivery"],
  [/^\/api\/v1\/assets\/uploads\//, "upload_id", "upload"],
  [/^\/api\/v1\/color-profiles\//, "guid", "profile"],
  [/^\/api\/v1\/fonts\//, "familyGuid", "font"],
  [/^\/api\/v1\/fonts\//, "versionGuid", "fontVersion"],
  [/^\/api\/v1\/fonts\//, "fileGuid", "fontFile"],
  [/^\/api\/v1\/fonts\//, "variant", "variant"],
];

/** The tenant's own address of a route; throws for a parameter without a mapping. */
export function pathFor(endpoint: { readonly path: string }, tenant: Tenant): string {
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

/** Whether a route's path names a resource of a tenant. */
export function namesTenantResource(endpoint: { readonly path: string }): boolean {
  return KINDS.some(
    ([path, name]) => path.test(endpoint.path) && endpoint.path.includes(`{${name}}`),
  );
}
