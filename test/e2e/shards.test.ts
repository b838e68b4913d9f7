/** A whole service with several databases (docs/contract/access.md#shards, docs/contract/local-service.md#shards). */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiClient } from "../../scripts/api-client.ts";
import { publish, readSample } from "../../scripts/provision.ts";
import { runToEnd } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { databasesIn } from "../chaos/stored-files.ts";
import { newWorkspaceKey } from "../support/node/new-workspace-token.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";

let directory: string;
let service: RunningService;
let client: ApiClient;
let key: Awaited<ReturnType<typeof newWorkspaceKey>>;

const shardsAre = (count: number) => ({ directory, env: { EDGELOOM_SHARDS: String(count) } });

async function operator(method: string, path: string, json?: unknown): Promise<Response> {
  return await fetch(`${service.baseUrl}/admin/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.credentials.admin_token}`,
      "content-type": "application/json",
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
}

async function organizationsOf(): Promise<number[]> {
  const { data } = (await (await operator("GET", "shards")).json()) as {
    data: { organizations: number }[];
  };
  return data.map(({ organizations }) => organizations);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-shards-"));
  service = await startService(shardsAre(2));
  key = await newWorkspaceKey(service);
  client = new ApiClient({ base_url: service.baseUrl, ...key });
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

test("the first organization is on shard 0, the second on shard 1, and everything of it too", async () => {
  expect(await organizationsOf()).toEqual([1, 1]);
  await uploadAsset(client, "words.txt", "on the second shard");
  const workflow = await publish(client, await readSample("greeting-card.json"));
  const inputs = { name: { value: '"Ada Lovelace"' } };
  await runToEnd(client, "the card", { workflow, inputs });
  await client.call("POST", "/api/v1/design-templates", {
    body: { name: "On the second shard" },
    headers: { "idempotency-key": "template-on-a-shard" },
  });
  await client.call("POST", "/api/v1/workflow-folders", { body: { name: "Second" } });
  const schedule = { name: "Later", workflow, inputs, cron: "0 0 1 1 *", time_zone: "UTC" };
  await client.call("POST", "/api/v1/schedules", { body: schedule });
  const lists = ["assets", "workflows", "design-templates?status=all", "schedules"];
  for (const list of lists) {
    const { total_count: count } = await client.call<{ total_count: number }>(
      "GET",
      `/api/v1/${list}`,
    );
    expect([list, count]).toEqual([list, 1]);
  }
  const files = await databasesIn(join(directory, "d1", "miniflare-D1DatabaseObject"));
  const tables = ["workspaces", "workflows", "workflow_versions", "assets", "design_templates"];
  const counts = files.map((file) =>
    [...tables, "schedules", "workflow_folders"].map((table) => {
      const column = table === "workspaces" ? "id" : "workspace_id";
      const sql = `SELECT count(*) AS n FROM ${table} WHERE ${column} = '${key.workspace_id}'`;
      return file.all<{ n: number }>(sql)[0]?.n;
    }),
  );
  for (const file of files) {
    file.close();
  }
  expect(counts.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
    [0, 0, 0, 0, 0, 0, 0],
    [1, 1, 1, 1, 1, 1, 1],
  ]);
});

test("a folder gets more shards and keeps them, and never has fewer", async () => {
  await service.stop();
  await expect(startService(shardsAre(1))).rejects.toThrow("has 2 shards; it may get more");
  await expect(startService(shardsAre(17))).rejects.toThrow("from 1 to 16");
  // The option is stronger than the variable, and neither is needed for what the folder has.
  service = await startService({ ...shardsAre(2), shards: 3 });
  expect(await organizationsOf()).toEqual([1, 1, 0]);
  const third = await newWorkspaceKey(service);
  expect(await organizationsOf()).toEqual([1, 1, 1]);
  const workflowsOf = async (own: typeof key) => {
    const caller = new ApiClient({ base_url: service.baseUrl, ...own });
    return (await caller.call<{ total_count: number }>("GET", "/api/v1/workflows")).total_count;
  };
  expect([await workflowsOf(key), await workflowsOf(third)]).toEqual([1, 0]);
});

/** Runs the command line as an operator does; `json` is what it printed. */
async function cli(...args: string[]): Promise<{ code: number; json: unknown; err: string }> {
  const credentials = join(directory, "operator.json");
  await writeFile(
    credentials,
    JSON.stringify({ ...service.credentials, base_url: service.baseUrl }),
  );
  const script = fileURLToPath(new URL("../../scripts/cli.mjs", import.meta.url));
  const env = { ...process.env, EDGELOOM_CREDENTIALS: credentials };
  return await new Promise((resolve) => {
    execFile("node", [script, ...args, "--json"], { env }, (error, out, err) => {
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, json: out.startsWith("{") ? JSON.parse(out) : undefined, err });
    });
  });
}

test("the command line lists, closes and opens shards, and moves an organization while it watches", async () => {
  const closed = await cli("shards", "close", "1");
  expect(closed).toMatchObject({ code: 0, json: { shard: 1, binding: "DB_1", is_open: false } });
  const refused = await cli("organizations", "move", key.org_id, "--shard", "9");
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("no shard 9")]);
  const moved = await cli("organizations", "move", key.org_id, "--shard", "2", "--watch");
  expect(moved).toMatchObject({ code: 0, json: { state: "moved", from: 1, to: 2 } });
  const opened = await cli("shards", "open", "1");
  expect(opened).toMatchObject({ code: 0, json: { shard: 1, is_open: true } });
  const list = await cli("shards", "list");
  expect(list).toMatchObject({
    code: 0,
    json: {
      data: [
        { shard: 0, binding: "DB", organizations: 1, is_open: true },
        { shard: 1, binding: "DB_1", organizations: 0, is_open: true },
        { shard: 2, binding: "DB_2", organizations: 2, is_open: true },
      ],
    },
  });
});
