/**
 * Records the examples of the OpenAPI document: calls every route of a running service once with a valid body, and
 * writes the requests and responses to `src/api/docs/recorded-examples.json`. Run it when a response has changed its
 * form:
 *
 * EGRESS_ALLOW_LOOPBACK=127.0.0.1:8942 npm run dev -- --port 8941 --persist /tmp/examples --shards 2 npm run record:examples --
 * --credentials /tmp/examples/credentials.json --receiver-port 8942
 *
 * Ids, times, secrets and addresses are replaced by stable values, so that a second recording changes nothing.
 */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Credentials } from "./api-client.ts";
import { startExampleReceiver } from "./example-receiver.ts";
import { ExampleRecorder, type Json, until } from "./example-recorder.ts";
import { batchTour } from "./batch-examples.ts";
import { pressProfile } from "./press-profile.ts";
import { embedTour } from "./embed-examples.ts";
import { providerTour } from "./provider-examples.ts";
import { scheduleTour } from "./schedule-examples.ts";
import { templateTour } from "./template-examples.ts";
import { webhookTour } from "./webhook-examples.ts";

const OUT = fileURLToPath(new URL("../src/api/docs/recorded-examples.json", import.meta.url));

const { values } = parseArgs({
  options: {
    credentials: { type: "string", default: ".edgeloom/credentials.json" },
    /** Port on 127.0.0.1; the service must have it in EGRESS_ALLOW_LOOPBACK. */
    "receiver-port": { type: "string", default: "8942" },
  },
});
const credentials = JSON.parse(await readFile(values.credentials, "utf8")) as Credentials;
const receiverUrl = `http://127.0.0.1:${values["receiver-port"]}`;

const recorder = new ExampleRecorder({
  baseUrl: credentials.base_url,
  adminToken: credentials.admin_token,
  receiverUrl,
});
const { examples, text: recordedText } = recorder;
const call: ExampleRecorder["call"] = (...given) => recorder.call(...given);

const receiver = await startExampleReceiver(Number(values["receiver-port"]));
try {
  await tour();
} finally {
  receiver.stop();
}
await writeFile(OUT, `${recorder.stable()}\n`);
console.log(`${String(Object.keys(examples).length)} operations were recorded in ${OUT}.`);

async function tour(): Promise<void> {
  const basic = Buffer.from(`${credentials.client_id}:${credentials.client_secret}`);
  const issued = await fetch(new URL("/api/v1/auth/token", credentials.base_url), {
    method: "POST",
    headers: { authorization: `Basic ${basic.toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  const tokens = (await issued.json()) as { access_token: string };
  recorder.token = tokens.access_token;
  recordedText.replace(recorder.token, "ACCESS_TOKEN");
  const request = { grant_type: "client_credentials" };
  examples["createToken"] = { request, status: issued.status, response: tokens };
  await operatorTour();
  const workflow = await workflowTour();
  const files = await fileTour();
  await webhookTour(
    { call, text: recordedText, receiver, receiverUrl },
    {
      workflow,
      run: () => executionTour(workflow),
      batch: () => batchTour(call, workflow),
    },
  );
  examples["executionFinishedEvent"] = {
    request: receiver.events["com.svc.execution.finished.v1"],
    status: 200,
  };
  examples["batchFinishedEvent"] = {
    request: receiver.events["com.svc.batch.finished.v1"],
    status: 200,
  };
  examples["webhookTestEvent"] = {
    request: receiver.events["com.svc.webhook.test.v1"],
    status: 200,
  };
  await embedTour({ call, text: recordedText }, { workflow, long: await cancelTour() });
  await fontTour();
  await profileTour();
  await templateTour(call);
  await catalogTour();
  await scheduleTour(call, workflow);
  await lastTour(files);
}

async function operatorTour(): Promise<void> {
  const as = "operator" as const;
  const limits = { max_credits_per_month: 50_000, requests_per_minute: 600 };
  await call("putPlan", "PUT", "/admin/v1/plans/team", { as, json: { name: "Team", limits } });
  const organization = await call("createOrganization", "POST", "/admin/v1/organizations", {
    as,
    json: { name: "Acme", plan: "team" },
  });
  const move = `/admin/v1/organizations/${organization.id}/move`;
  await call("moveOrganization", "POST", move, { as, json: { shard: 0 } });
  await until("the move", async () => {
    const moved = await call("getOrganizationMove", "GET", move, { as });
    return moved["state"] === "moved";
  });
  await call("listShards", "GET", "/admin/v1/shards", { as });
  await call("patchShard", "PATCH", "/admin/v1/shards/0", { as, json: { is_open: true } });
  const workspace = await call("createWorkspace", "POST", "/admin/v1/workspaces", {
    as,
    json: { organization_id: organization.id, name: "Marketing" },
  });
  const key = await call("createApiKey", "POST", "/admin/v1/api-keys", {
    as,
    json: {
      workspace_id: workspace.id,
      name: "Build server",
      scopes: ["executions:read", "executions:write", "workflows:read"],
    },
  });
  recordedText.replace(key.client_secret, "CLIENT_SECRET");
  await call("revokeApiKey", "DELETE", `/admin/v1/api-keys/${key.id}`, { as });
  await call("putWorkspacePlan", "PUT", `/admin/v1/workspaces/${workspace.id}/plan`, {
    as,
    json: { plan: "dev" },
  });
  await call("createCreditGrant", "POST", "/admin/v1/credit-grants", {
    as,
    json: {
      workspace_id: workspace.id,
      milli_credits: 500_000,
      idempotency_key: "invoice-2026-0042",
    },
  });
  await providerTour(call, workspace.id);
  await call("listLedger", "GET", `/admin/v1/workspaces/${workspace.id}/ledger`, { as });
}

async function workflowTour(): Promise<string> {
  const definition = {
    nodes: [
      { id: "name", type: "input/text", label: "Name", parameters: { required: true } },
      {
        id: "greeting",
        type: "text/template",
        parameters: { template: "Hello [name]", placeholders: [{ inputPort: "name" }] },
      },
      { id: "message", type: "output/text", label: "Message" },
    ],
    connections: [
      { from: { node: "name", port: "text" }, to: { node: "greeting", port: "name" } },
      { from: { node: "greeting", port: "text" }, to: { node: "message", port: "text" } },
    ],
  };
  const folder = await call("createWorkflowFolder", "POST", "/api/v1/workflow-folders", {
    json: { name: `Cards ${Date.now()}` },
  });
  const created = await call("createWorkflow", "POST", "/api/v1/workflows", {
    json: { name: "Greeting", description: "Greets by name.", tags: ["sample"], definition },
  });
  const path = `/api/v1/workflows/${created.id}`;
  await call("validateDefinition", "POST", "/api/v1/workflows/validate", { json: { definition } });
  const read = await fetch(new URL(`${path}/definition`, credentials.base_url), {
    headers: { authorization: `Bearer ${recorder.token}` },
  });
  await read.body?.cancel();
  await call("getWorkflowDefinition", "GET", `${path}/definition`);
  await call("putWorkflowDefinition", "PUT", `${path}/definition`, {
    json: definition,
    headers: { "if-match": read.headers.get("etag") ?? "" },
  });
  await call("validateWorkflow", "POST", `${path}/validate`, { json: { definition } });
  await call("patchWorkflow", "PATCH", path, { json: { tags: ["sample", "text"] } });
  await call("publishWorkflow", "POST", `${path}/publish`);
  await call("getWorkflow", "GET", path);
  await call("listWorkflowVersions", "GET", `${path}/versions`);
  await call("listWorkflows", "GET", "/api/v1/workflows?limit=2");
  await call("estimateWorkflow", "POST", `${path}/estimate`, {
    json: { inputs: { name: { value: '"Ada Lovelace"' } } },
  });
  const clone = await call("cloneWorkflow", "POST", `${path}/clone`, {
    json: { name: "Greeting, second" },
  });
  await call("moveWorkflows", "POST", "/api/v1/workflow-folders/move-workflows", {
    json: { workflow_ids: [created.id], folder_id: folder.id },
  });
  await call("listWorkflowFolders", "GET", "/api/v1/workflow-folders");
  await call("getWorkflowFolderContent", "GET", `/api/v1/workflow-folders/${folder.id}/content`);
  await call(null, "POST", `/api/v1/workflows/${clone.id}/publish`);
  await call("revertWorkflow", "POST", `/api/v1/workflows/${clone.id}/revert`, {
    json: { to_version: 1 },
  });
  await call("archiveWorkflow", "POST", `/api/v1/workflows/${clone.id}/archive`);
  await call("deleteWorkflow", "DELETE", `/api/v1/workflows/${clone.id}`);
  return created.id as string;
}

async function executionTour(workflow: string): Promise<string> {
  const run = await call("submitExecution", "POST", "/api/v1/executions", {
    json: {
      workflow,
      inputs: { name: { value: '"Ada Lovelace"' } },
      admission_limits: { max_iterations_per_node: 10, max_admitted_milli_credits: 1_000 },
    },
  });
  const path = `/api/v1/executions/${run.id}`;
  await until("the run's end", async () => {
    const now = await call("getExecution", "GET", path);
    return now.status === "completed";
  });
  await call("getExecutionResult", "GET", `${path}/result`);
  await call("getExecutionOutputs", "GET", `${path}/outputs`);
  await call("retryExecution", "POST", `${path}/retry`, { json: { from: "start" } });
  await call("getExecutionTrace", "GET", `${path}/trace`);
  await call("listTraceIterations", "GET", `${path}/trace/nodes/greeting/iterations`);
  await call("compareExecutions", "GET", `${path}/diff/${path.split("/").at(-1) ?? ""}`);
  await call("streamExecutionEvents", "GET", `${path}/events`);
  await until("the list", async () => {
    const { data } = await call("listExecutions", "GET", "/api/v1/executions?limit=1");
    return data[0]?.status === "completed";
  });
  await call("requestExecutionZip", "POST", `${path}/zip`);
  const zip = await until("the archive", async () => {
    const now = await call("getExecutionZipStatus", "GET", `${path}/zip/status`);
    return now.status === "completed" && now;
  });
  await call("downloadExecutionZip", "GET", `${path}/zip/${zip.zips[0].zip_id}/download`);
  return run.id as string;
}

/** A slow run, to be cancelled. */
/** Cancels a run of a long workflow, whose id it returns. */
async function cancelTour(): Promise<string> {
  const many = await call(null, "POST", "/api/v1/workflows", {
    json: {
      name: "Codes",
      definition: {
        nodes: [
          { id: "range", type: "enumerate/range", parameters: { start: 1, end: 200 } },
          {
            id: "text",
            type: "text/template",
            parameters: { template: "code [n]", placeholders: [{ inputPort: "n" }] },
          },
          { id: "code", type: "image/code", parameters: { symbology: "qr", size: 1024 } },
          { id: "codes", type: "output/image" },
        ],
        connections: [
          { from: { node: "range", port: "value" }, to: { node: "text", port: "n" } },
          { from: { node: "text", port: "text" }, to: { node: "code", port: "text" } },
          { from: { node: "code", port: "image" }, to: { node: "codes", port: "image" } },
        ],
      },
    },
  });
  await call(null, "POST", `/api/v1/workflows/${many.id}/publish`);
  const run = await call(null, "POST", "/api/v1/executions", { json: { workflow: many.id } });
  await call("cancelExecution", "POST", `/api/v1/executions/${run.id}/cancel`);
  return many.id as string;
}

async function fileTour(): Promise<{ csv: string }> {
  const form = new FormData();
  form.set("file", new File(["sku;price\na;1,50\nb;2,00\n"], "prices.csv"));
  const csv = await call("uploadAsset", "POST", "/api/v1/assets", { form });
  await call("importAsset", "POST", "/api/v1/assets/import", {
    json: { url: `${receiverUrl}/prices.csv` },
  });
  await call("listAssets", "GET", "/api/v1/assets?limit=2");
  const query = `?path=${encodeURIComponent(csv.path)}`;
  const { url } = await call("getAssetDownloadUrl", "GET", `/api/v1/assets/download-url${query}`);
  await call("getFile", "GET", `${new URL(url).pathname}${new URL(url).search}`);
  await call("inspectDataset", "POST", "/api/v1/structured-data/inspect", {
    json: { asset_path: csv.path, locale: "de-DE", sample_rows: 2 },
  });
  const manifest = await call("composeBundleManifest", "POST", "/api/v1/bundle-manifests/compose", {
    json: { bundle_id: "spring-prices", assets: [{ asset_path: csv.path }] },
  });
  await call("validateBundleManifest", "POST", "/api/v1/bundle-manifests/validate", {
    json: { manifest },
  });
  const bytes = Buffer.from("sku,price\nc,3.25\n");
  const single = await call("createUpload", "POST", "/api/v1/assets/uploads", {
    json: { file_name: "more.csv", size_bytes: bytes.length },
  });
  await fetch(single.upload_url, { method: "PUT", headers: single.required_headers, body: bytes });
  await call("finalizeUpload", "POST", `/api/v1/assets/uploads/${single.upload_id}/finalize`);
  const parts = await call(null, "POST", "/api/v1/assets/uploads", {
    json: { file_name: "parts.csv", size_bytes: bytes.length, upload_mode: "multipart" },
  });
  const path = `/api/v1/assets/uploads/${parts.upload_id}`;
  await call("getUpload", "GET", path);
  const signed = await call("signUploadParts", "POST", `${path}/parts:sign`, {
    json: {
      parts: [
        {
          part_number: 1,
          size_bytes: bytes.length,
          checksum_base64: createHash("md5").update(bytes).digest("base64"),
        },
      ],
    },
  });
  const [grant] = signed.parts;
  await fetch(grant.upload_url, { method: "PUT", headers: grant.required_headers, body: bytes });
  await call("completeUpload", "POST", `${path}:complete`);
  const aborted = await call(null, "POST", "/api/v1/assets/uploads", {
    json: { file_name: "gone.csv", size_bytes: 4 },
  });
  await call("abortUpload", "POST", `/api/v1/assets/uploads/${aborted.upload_id}:abort`);
  return { csv: csv.path as string };
}

async function fontTour(): Promise<void> {
  const folder = new URL("../node_modules/@expo-google-fonts/caveat/", import.meta.url);
  const name = `Handwriting ${Date.now()}`;
  const form = async (files: readonly string[]) => {
    const made = new FormData();
    made.set("displayName", name);
    made.set("category", "handwriting");
    made.set("licenseAcknowledged", "true");
    for (const file of files) {
      const bytes = await readFile(new URL(file, folder));
      made.append("files", new File([bytes], file.replace(/.*\//, "")));
    }
    return made;
  };
  const regular = "400Regular/Caveat_400Regular.ttf";
  const font = await call("createFont", "POST", "/api/v1/fonts", { form: await form([regular]) });
  const path = `/api/v1/fonts/${font.familyGuid}`;
  await call("createFontRevision", "POST", `${path}/revisions`, {
    form: await form([regular, "700Bold/Caveat_700Bold.ttf"]),
  });
  const { data } = await call("listFonts", "GET", `/api/v1/fonts?query=${name.replace(" ", "+")}`);
  const version = `${path}/versions/${data[0].versionGuid}`;
  await call("getFontFile", "GET", `${version}/files/${data[0].files[0].fileGuid}`);
  await call("getFontVariant", "GET", `${version}/variants/400`);
  await call("archiveFont", "POST", `${path}/archive`);
}

async function profileTour(): Promise<void> {
  const form = new FormData();
  form.set("file", new File([pressProfile()], "press.icc"));
  const { path } = await call(null, "POST", "/api/v1/assets", { form });
  const profile = await call("createColorProfile", "POST", "/api/v1/color-profiles", {
    json: { asset_path: path, name: "Press 7, coated", output_condition_identifier: "FOGRA39" },
  });
  await call("listColorProfiles", "GET", "/api/v1/color-profiles?limit=1");
  await call("deleteColorProfile", "DELETE", `/api/v1/color-profiles/${profile.guid}`);
}

async function catalogTour(): Promise<void> {
  await call("listNodeTypes", "GET", "/api/v1/node-types");
  await call("getNodeType", "GET", "/api/v1/node-types/enumerate/range");
  await call("getNodeTypeModels", "GET", "/api/v1/node-types/enumerate/range/models");
  await call("listModels", "GET", "/api/v1/models");
  await call("listModelVoices", "GET", "/api/v1/models/sample-voice/voices");
  await call("listCapabilities", "GET", "/api/v1/capabilities?limit=2");
  await call("listPresets", "GET", "/api/v1/presets?category=ad_layout&limit=2");
  await call("listEffects", "GET", "/api/v1/effects?category=light&limit=2");
  await call("getJsonSchema", "GET", "/api/v1/json-schemas/svc.quality-check/v1");
  await call("getApiCatalog", "GET", "/.well-known/api-catalog", { as: "nobody" });
  const skills = await call("getAgentSkills", "GET", "/.well-known/agent-skills/index.json", {
    as: "nobody",
  });
  const { pathname } = new URL(skills.skills[0].url, credentials.base_url);
  await call("getAgentSkill", "GET", pathname, { as: "nobody" });
  await call("getOpenApiDocument", "GET", "/swagger/public-v1/swagger.json", { as: "nobody" });
  // The OpenAPI document is too long to be an example of itself.
  const { response, ...rest } = examples["getOpenApiDocument"] ?? { status: 200 };
  const { openapi, info } = response as Json;
  examples["getOpenApiDocument"] = { ...rest, response: { openapi, info } };
  await call("getHealth", "GET", "/health", { as: "nobody" });
}

async function lastTour({ csv }: { csv: string }): Promise<void> {
  await call("getPlan", "GET", "/api/v1/plan");
  await call("getStorageUsage", "GET", "/api/v1/storage/usage");
  await call("getStorageQuota", "GET", "/api/v1/storage/quota");
  await call("getCache", "GET", "/api/v1/cache");
  await call("clearCache", "DELETE", "/api/v1/cache?node_type=image%2Fcode");
  await call("deleteAsset", "DELETE", `/api/v1/assets?path=${encodeURIComponent(csv)}`);
}
