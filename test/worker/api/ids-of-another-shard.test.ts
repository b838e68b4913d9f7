/** Ids of another organization whose rows are in another database (docs/contract/access.md#shards). */
import { beforeAll, expect, test } from "vitest";
import { forgetHomes } from "../../../src/storage/d1/databases.ts";
import { accessOver } from "../../support/access-over.ts";
import { ADMIN_TOKEN, call, newCaller, type Reply } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { SCHEDULES, ScheduleApi } from "../../support/schedules/schedule-api.ts";
import { newShards, type Shards } from "../../support/shards.ts";
import { BATCHES, BatchFixture, wordItems } from "../batches/batch-fixture.ts";

let shards: Shards;
let stranger: string;
/** Of a tenant on another shard. */
let ids: { readonly batch: string; readonly run: string; readonly schedule: string };
let workflow: string;

function send(method: string, path: string, token: string, json?: unknown): Promise<Reply> {
  return call(method, path, { token, json, env: { ...shards, ...accessOver(shards) } });
}

beforeAll(async () => {
  shards = await newShards();
  const caller = await newCaller();
  const batches = new BatchFixture(caller);
  workflow = await publishedWorkflow(caller);
  const batch = await batches.create({ workflow, items: wordItems(1) });
  await batches.ended(batch);
  const [{ id: run }] = (await batches.runs(batch)).data;
  const schedule = await new ScheduleApi(caller, workflow).made();
  ids = { batch, run, schedule };
  forgetHomes();
  const made = async (path: string, body: object) =>
    (await send("POST", `/admin/v1/${path}`, ADMIN_TOKEN, body)).json;
  const organization = await made("organizations", { name: "O", shard: 2 });
  const workspace = await made("workspaces", { organization_id: organization.id, name: "W" });
  const key = await made("api-keys", { workspace_id: workspace.id, name: "K" });
  const token = await call("POST", "/api/v1/auth/token", {
    headers: {
      "cf-connecting-ip": "2001:db8:5::1",
      authorization: `Basic ${btoa(`${String(key.client_id)}:${String(key.client_secret)}`)}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "grant_type=client_credentials",
    env: { ...shards },
  });
  stranger = token.json.access_token;
});

test("runs, batches, items and schedules are forbidden, and unknown ones are not found", async () => {
  const unknown = "0".repeat(32);
  const { batch, run, schedule } = ids;
  for (const [method, path, id, nobody] of [
    ["GET", BATCHES, batch, `bat_${unknown}`],
    ["GET", BATCHES, `${batch}/items/0`, `bat_${unknown}/items/0`],
    ["POST", BATCHES, `${batch}/retry`, `bat_${unknown}/retry`],
    ["GET", "/api/v1/executions", run, `run_${unknown}`],
    ["POST", "/api/v1/executions", `${run}/retry`, `run_${unknown}/retry`],
    ["GET", "/api/v1/executions", `${run}/diff/${run}`, `${`run_${unknown}`}/diff/run_${unknown}`],
    ["GET", SCHEDULES, schedule, `sch_${unknown}`],
    ["DELETE", SCHEDULES, schedule, `sch_${unknown}`],
    ["POST", SCHEDULES, `${schedule}/trigger`, `sch_${unknown}/trigger`],
  ] as const) {
    const theirs = await send(method, `${path}/${id}`, stranger);
    expect([method, id, theirs.status, theirs.json.code]).toEqual([method, id, 403, "forbidden"]);
    const none = await send(method, `${path}/${nobody}`, stranger);
    expect([nobody, none.status, none.json.code]).toEqual([nobody, 404, "not_found"]);
  }
});

test("rows are not found there", async () => {
  const found = await send("GET", `/api/v1/workflows/${workflow}`, stranger);
  expect([found.status, found.json.code]).toEqual([404, "not_found"]);
});
