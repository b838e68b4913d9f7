/** No route returns data of another workspace; the list of routes is the app's own. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Endpoint } from "../../../src/api/define-endpoint.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { type Reply, call, newCaller } from "../../support/api-caller.ts";
import {
  MARKER,
  namesTenantResource,
  newTenant,
  pathFor,
  templateContent,
  type Tenant,
  type TenantWorld,
} from "../../support/tenant/tenant-fixture.ts";

interface Foreign {
  readonly query?: Record<string, string>;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
}

type Request = (ids: Readonly<Record<string, string>>) => Foreign;

/** The query or body with which a route names a resource of another workspace. */
const FOREIGN: Readonly<Record<string, Request>> = {
  createWorkflow: ({ folder }) => ({
    json: { name: "Mine", folder_id: folder, definition: { nodes: [] } },
  }),
  submitExecution: ({ workflow }) => ({ json: { workflow, inputs: {} } }),
  createBatchExecution: ({ workflow }) => ({ json: { workflow, items: [{}] } }),
  estimateBatchExecution: ({ workflow }) => ({ json: { workflow, items: [{}] } }),
  createSchedule: ({ workflow }) => ({
    json: { name: "Mine", workflow, inputs: {}, cron: "@daily" },
  }),
  createWorkflowFolder: ({ folder }) => ({ json: { name: "Mine", parent_id: folder } }),
  moveWorkflows: ({ workflow }) => ({ json: { workflow_ids: [workflow], folder_id: null } }),
  deleteAsset: ({ asset }) => ({ query: { path: asset! } }),
  getAssetDownloadUrl: ({ asset }) => ({ query: { path: asset! } }),
  composeBundleManifest: ({ asset }) => ({
    json: { bundle_id: "b", assets: [{ asset_path: asset }] },
  }),
  validateBundleManifest: ({ asset }) => ({
    json: {
      manifest: {
        schema: "svc.bundle-manifest/v1",
        bundleId: "b",
        assets: [
          {
            id: "a",
            relativePath: "a.csv",
            storageRef: `storage://${asset}`,
            mediaType: "text/csv",
            sizeBytes: 5,
            sha256: "0".repeat(64),
            metadata: {},
          },
        ],
      },
    },
  }),
  mintEmbedToken: ({ workflow }) => ({
    json: { workflow, allowed_origins: ["https://mine.example"] },
  }),
  createColorProfile: ({ asset }) => ({ json: { asset_path: asset, name: "Mine" } }),
  inspectDataset: ({ asset }) => ({ json: { asset_path: asset } }),
  createWebhookEndpoint: ({ workflow }) => ({
    json: {
      name: "Mine",
      url: "https://mine.example/hook",
      workflow_scope: "selected",
      workflow_ids: [workflow],
      event_types: ["com.svc.execution.finished.v1"],
    },
    headers: { "idempotency-key": "another-tenants-workflow" },
  }),
};

/** An edit of a draft, whatever its ETag. */
const edit = (json?: unknown): Foreign => ({
  headers: { "if-match": "*" },
  ...(json !== undefined && { json }),
});

/** Bodies of routes with an id in the path, which are checked before the id. */
const BODIES: Readonly<Record<string, Request>> = {
  requestBatchExport: () => ({ json: { format: "csv" } }),
  patchWorkflow: () => ({ json: { name: "Taken over" } }),
  putWorkflowDefinition: () => ({
    json: { nodes: [], connections: [] },
    headers: { "if-match": '"1"' },
  }),
  signUploadParts: () => ({
    json: {
      parts: [{ part_number: 1, size_bytes: 5, checksum_base64: "AAAAAAAAAAAAAAAAAAAAAA==" }],
    },
  }),
  estimateWorkflow: ({ workflow }) => ({ json: { workflow, inputs: {} } }),
  patchDesignTemplate: () => ({ json: { name: "Taken over" } }),
  putDesignTemplateDraft: () => edit(templateContent(MARKER)),
  createDesignPage: () => edit({ width: 99, height: 99 }),
  patchDesignPage: () => edit({ name: "Taken over" }),
  deleteDesignPage: () => edit(),
  createDesignMaster: () => edit({ width: 99, height: 99 }),
  patchDesignMaster: () => edit({ name: "Taken over" }),
  deleteDesignMaster: () => edit(),
  createDesignElement: ({ page }) =>
    edit({ page_id: page, type: "rectangle", width: 9, height: 9 }),
  patchDesignElement: () => edit({ left: 1 }),
  deleteDesignElement: () => edit(),
  importDesignSvg: ({ page }) => edit({ page_id: page, svg: "<svg/>" }),
  replaceDesignPaletteColor: () => edit({ reset_all: true }),
  createDesignSampleSet: () => edit({ name: "Mine", values: {} }),
  patchDesignSampleSet: () => edit({ name: "Taken over" }),
  deleteDesignSampleSet: () => edit(),
  publishDesignTemplate: () => ({ headers: { "if-match": "*" } }),
  // Drawn several times: small.
  getDesignTemplatePreview: () => ({ query: { max_page_dimension: "64" } }),
  patchSchedule: () => edit({ name: "Taken over" }),
  patchWebhookEndpoint: () => ({ json: { name: "Taken over" } }),
};

/** Routes that name no resource of a tenant: they return the caller's own resources, or public ones. */
const OWN = new Set([
  "listWorkflows",
  "validateDefinition",
  "listWorkflowFolders",
  "listNodeTypes",
  "getNodeType",
  "getJsonSchema",
  "getNodeTypeModels",
  "listModels",
  "getModelParameters",
  "listModelVoices",
  "listCapabilities",
  "listPresets",
  "listEffects",
  "getPlan",
  "getCache",
  "clearCache",
  "listExecutions",
  "listBatchExecutions",
  "listSchedules",
  "previewSchedule",
  "listAssets",
  "uploadAsset",
  "importAsset",
  "createUpload",
  "listColorProfiles",
  "listFonts",
  "createFont",
  "getStorageQuota",
  "getStorageUsage",
  "listDesignTemplates",
  "createDesignTemplate",
  // A link's token is the permission to copy what it shares, and nothing else.
  "importDesignTemplate",
  "mintEditorToken",
  // A token's object has the caller's workspace in its name: test/worker/embeds/tokens.test.ts.
  "revokeEmbedToken",
  "listWebhookEndpoints",
  "listWebhookDeliveries",
  "listWebhookActivity",
]);

/** Routes that require no key, listed by name so that none becomes public by mistake. */
const PUBLIC = [
  "createToken",
  "getAgentSkill",
  "getAgentSkills",
  "getApiCatalog",
  "getFile",
  "getHealth",
  "getOpenApiDocument",
  "getSharedDesignTemplate",
  "putUploadBytes",
];

/** Kinds of resources whose names are not unique across tenants. */
const SHARED = new Set(
  ["node", "zip", "variant", "revision", "batchItem", "exportFormat"].concat([
    "page",
    "master",
    "element",
    "sampleSet",
  ]),
);

const tenantRoutes = ENDPOINTS.filter(({ access }) => typeof access === "object");

const world: TenantWorld = { newToken: async () => (await newCaller()).token, call };

let owner: Tenant;
let intruder: Tenant;

beforeAll(async () => {
  [owner, intruder] = await Promise.all([newTenant(world), newTenant(world)]);
});

function send(endpoint: Endpoint, tenant: Tenant, asker: Tenant): Promise<Reply> {
  const { operationId, method } = endpoint;
  const request = (FOREIGN[operationId] ?? BODIES[operationId])?.(tenant.ids) ?? {};
  const query =
    request.query === undefined ? "" : `?${new URLSearchParams(request.query).toString()}`;
  const needsBody = endpoint.request.body !== undefined && request.json === undefined;
  return call(method.toUpperCase(), pathFor(endpoint, tenant) + query, {
    token: asker.token,
    // Some routes require a key; the others ignore it.
    headers: { "idempotency-key": `isolation-${operationId}`, ...request.headers },
    ...(request.json !== undefined && { json: request.json }),
    ...(needsBody && { json: {} }),
  });
}

describe("a route that names a resource", () => {
  const routes = tenantRoutes.filter(
    (endpoint) => namesTenantResource(endpoint) || Object.hasOwn(FOREIGN, endpoint.operationId),
  );

  test("returns 403 or 404 to another workspace, and nothing of the resource", async () => {
    expect(routes.length).toBeGreaterThan(20);
    const before = await snapshot();
    for (const endpoint of routes) {
      const { status, text } = await send(endpoint, owner, intruder);
      expect([403, 404], `${endpoint.operationId}: ${text}`).toContain(status);
      expect(text, endpoint.operationId).not.toContain(MARKER);
    }
    expect(await snapshot(), "nothing was changed either").toEqual(before);
  });

  test("returns something else to its own workspace, so the request is valid", async () => {
    // Routes that delete or end a resource come last.
    const order = [...routes].toSorted((a, b) => rank(a) - rank(b));
    for (const endpoint of order) {
      if (["downloadExecutionZip", "downloadBatchExport"].includes(endpoint.operationId)) {
        continue; // built by the runner, and not here
      }
      const { status, text } = await send(endpoint, owner, owner);
      expect([401, 403, 404], `${endpoint.operationId}: ${text}`).not.toContain(status);
    }
  });
});

function rank({ method, operationId }: Endpoint): number {
  return method === "delete" ? 3 : /archive|abort/i.test(operationId) ? 2 : 1;
}

/** Parts that differ in every response: request ids, signed addresses, those of previews and how long they took. */
const FLEETING =
  /"(?:request_id|url_expires_at|image_url)":"[^"]*"|"duration_ms":\d+|expires=\d+&signature=[\w-]+/g;

/** Reads that change by themselves, or whose path has keys of the catalog. */
const KEYED_OTHERWISE = new Set(
  ["getPlan", "getNodeType", "getNodeTypeModels"].concat([
    "getModelParameters",
    "listModelVoices",
    "getJsonSchema",
  ]),
);

/** The resources that their owner sees. */
async function snapshot(): Promise<unknown[]> {
  const readable = tenantRoutes.filter(
    ({ method, operationId }) => method === "get" && operationId !== "streamExecutionEvents",
  );
  const answers: unknown[] = [];
  for (const endpoint of readable) {
    const isOwn = namesTenantResource(endpoint) || OWN.has(endpoint.operationId);
    if (isOwn && !KEYED_OTHERWISE.has(endpoint.operationId)) {
      const { status, text } = await send(endpoint, owner, owner);
      answers.push([endpoint.operationId, status, text.replaceAll(FLEETING, "")]);
    }
  }
  return answers;
}

describe("a list", () => {
  test("shows each workspace its own resources, whatever the filters", async () => {
    const filters = [
      "",
      `?workflow=${owner.ids["workflow"]}`,
      `?starting_after=${owner.ids["run"]}`,
      `?starting_after=${owner.ids["workflow"]}`,
      `?starting_after=${encodeURIComponent(owner.ids["asset"]!)}`,
      `?prefix=${encodeURIComponent(owner.ids["asset"]!)}`,
      "?limit=100&status=all",
    ];
    for (const endpoint of tenantRoutes) {
      if (endpoint.method === "get" && OWN.has(endpoint.operationId) && !/\{/.test(endpoint.path)) {
        for (const filter of filters) {
          const { status, text } = await call("GET", endpoint.path + filter, {
            token: intruder.token,
          });
          expect(status, endpoint.operationId).toBeLessThan(500);
          for (const [kind, id] of Object.entries(owner.ids)) {
            if (!SHARED.has(kind) && !filter.includes(encodeURIComponent(id))) {
              expect(text, `${endpoint.operationId}${filter}`).not.toContain(id);
            }
          }
        }
      }
    }
  });
});

describe("every route", () => {
  test("is covered by this suite", () => {
    const unknown = tenantRoutes.filter(
      (endpoint) =>
        !namesTenantResource(endpoint) &&
        !Object.hasOwn(FOREIGN, endpoint.operationId) &&
        !OWN.has(endpoint.operationId),
    );
    expect(
      unknown.map(({ operationId, path }) => `${operationId} ${path}`),
      "say in this file what another workspace could ask of them",
    ).toEqual([]);
    const open = ENDPOINTS.filter(({ access }) => access === "public");
    expect(open.map(({ operationId }) => operationId).toSorted()).toEqual(PUBLIC);
  });
});
