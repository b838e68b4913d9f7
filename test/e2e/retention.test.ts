/** SIGKILL while outputs that have expired are being removed (docs/contract/results.md#retention, docs/decisions/retention.md). */
import "../support/only-in-proof.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import type { Execution } from "../../src/contracts/runs/run.ts";
import { databasesIn, keysIn } from "../chaos/stored-files.ts";
import { ageRuns } from "../support/node/age-runs.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";

/** The retention of plan `dev`: 60 days. */
const DAYS = 61;
/** Many times the number that one pass removes, so that the kill falls between the first and the last. */
const OLD_RUNS = 80;
const AT_ONCE = 10;
/** Too long for a row: each run has a file. */
const words = (name: string) => `${name} `.repeat(12_000);

let directory: string;
let service: RunningService;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-retention-"));
  service = await startService({ directory });
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

const submit = (workflow: string, name: string) =>
  submitRun(service.client, { workflow, inputs: { in: { value: JSON.stringify(words(name)) } } });

async function run(workflow: string, name: string): Promise<string> {
  const id = await submit(workflow, name);
  expect((await waitForRun(service.client, id)).status).toBe("completed");
  return id;
}

async function said(id: string): Promise<unknown> {
  const { result } = await readResult(service.client, id);
  return result.by_key["out"]?.value;
}

const files = () => keysIn(join(directory, "r2"));
const runOf = (key: string) => /\/runs\/(run_[0-9a-f]{32})\//.exec(key)?.[1] ?? "";

/** The runs that the workspace lists as expired, read from its rows. */
async function listedAsExpired(): Promise<string[]> {
  const databases = await databasesIn(join(directory, "objects", "edgeloom-WorkspaceObject"));
  return databases.flatMap((database) => {
    try {
      return database
        .all<{ run_id: string }>("SELECT run_id FROM runs WHERE outputs_expired_at_ms IS NOT NULL")
        .map(({ run_id }) => run_id);
    } finally {
      database.close();
    }
  });
}

async function until(what: string, check: () => boolean | Promise<boolean>, pollMs: number) {
  const deadline = Date.now() + 60_000;
  while (!(await check())) {
    if (Date.now() > deadline) {
      throw new Error(`Waited a minute in vain for ${what}.\n${service.log().slice(-5_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

it("deletes everything that has expired and nothing else, after a kill in the middle and without requests", async () => {
  const startedAtMs = Date.now();
  const workflow = await publish(service.client, {
    name: "Echo",
    definition: {
      nodes: [
        { id: "in", type: "input/text", label: "in" },
        { id: "out", type: "output/text", label: "out" },
      ],
      connections: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
    },
  });
  const old: string[] = [];
  while (old.length < OLD_RUNS) {
    const group = Array.from({ length: AT_ONCE }, (_, i) => run(workflow, `old ${i}`));
    old.push(...(await Promise.all(group)));
  }
  const kept = await run(workflow, "kept");
  const asset = await uploadAsset(service.client, "kept.txt", "an asset is not an output");
  await service.stop();
  const isOld = (key: string) => old.includes(runOf(key));
  const before = await files();
  expect(new Set(before.filter(isOld).map(runOf))).toEqual(new Set(old));
  await ageRuns(directory, old, DAYS);

  service = await startService({ directory, port: service.port });
  const workerd = await service.workerdPid();
  // Wakes the workspace, whose daily job is due.
  const young = await run(workflow, "young");
  await until("the first to be removed", () => service.log().includes("outputs_removed"), 1);
  await service.kill(workerd);
  const left = new Set((await files()).filter(isOld).map(runOf));
  expect(left.size).toBeGreaterThan(0);
  expect(left.size).toBeLessThan(OLD_RUNS);
  expect((await listedAsExpired()).length).toBeLessThan(OLD_RUNS);

  service = await startService({ directory, port: service.port });
  // Read from the disk, so that no request wakes an object.
  const isDone = async () =>
    (await listedAsExpired()).length >= OLD_RUNS && !(await files()).some(isOld);
  await until("the rest to be removed", isDone, 200);

  const { data } = await service.client.call<{ data: Execution[] }>(
    "GET",
    "/api/v1/executions?limit=100",
  );
  expect(data).toHaveLength(OLD_RUNS + 2);
  for (const { id, outputs_expired_at: at } of data) {
    const own = await service.client.call<Execution>("GET", `/api/v1/executions/${id}`);
    expect(own.outputs_expired_at).toBe(at);
    if (old.includes(id)) {
      expect(Date.parse(at ?? "")).toBeGreaterThan(startedAtMs);
      expect(await said(id)).toBeNull();
    } else {
      expect(at).toBeUndefined();
      expect(await said(id)).toBe(words(id === kept ? "kept" : "young"));
    }
  }
  const { url } = await service.client.call<{ url: string }>(
    "GET",
    `/api/v1/assets/download-url?path=${encodeURIComponent(asset)}`,
  );
  expect(await (await fetch(url)).text()).toBe("an asset is not an output");
  const others = (await files()).filter((key) => runOf(key) !== young);
  expect(new Set(others)).toEqual(new Set(before.filter((key) => !isOld(key))));
});
