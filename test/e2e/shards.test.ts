/** A whole service with several databases (docs/contract/access.md#shards, docs/contract/local-service.md#shards). */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  service = await startService(shardsAre(3));
  expect(await organizationsOf()).toEqual([1, 1, 0]);
  const third = await newWorkspaceKey(service);
  expect(await organizationsOf()).toEqual([1, 1, 1]);
  const workflowsOf = async (own: typeof key) => {
    const caller = new ApiClient({ base_url: service.baseUrl, ...own });
    return (await caller.call<{ total_count: number }>("GET", "/api/v1/workflows")).total_count;
  };
  expect([await workflowsOf(key), await workflowsOf(third)]).toEqual([1, 0]);
});
