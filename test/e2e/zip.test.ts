/** A ZIP export over the whole service, killed during the build, checked with another ZIP reader. */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import type { ZipStatus } from "../../src/contracts/runs/zip-export.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { readZip } from "../support/read-zip.ts";
import { waitUntil } from "../support/wait-until.ts";
// Exports are under way in the small crash test (crash.test.ts), which kills the service.
import "../support/only-in-proof.ts";

const ROWS = 1_500;
/** Stored in the run's rows, as a text of up to 64 KiB is. */
const TEXT_BYTES = 50_000;

let service: RunningService;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), "edgeloom-zip-"));
});

afterAll(async () => {
  await service.stop();
  await rm(service.directory, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

const status = (id: string) =>
  service.client.call<ZipStatus>("GET", `/api/v1/executions/${id}/zip/status`);

async function ended(id: string): Promise<ZipStatus> {
  return await waitUntil(
    "the export's end",
    async () => {
      const now = await status(id);
      return now.status !== "building" && now;
    },
    300_000,
  );
}

async function download(id: string, zipId: number): Promise<Uint8Array> {
  const response = await fetch(`${service.baseUrl}/api/v1/executions/${id}/zip/${zipId}/download`, {
    headers: { authorization: `Bearer ${await service.client.token()}` },
  });
  expect([response.status, response.redirected]).toEqual([200, true]);
  return new Uint8Array(await response.arrayBuffer());
}

/** The content of the archive according to another program; undefined if there is none. */
async function namesByPython(bytes: Uint8Array): Promise<string[] | undefined> {
  const path = join(folder, "export.zip");
  await writeFile(path, bytes);
  const script =
    "import sys,json,zipfile;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;print(json.dumps(z.namelist()))";
  try {
    return JSON.parse(
      execFileSync("python3", ["-c", script, path], { encoding: "utf8", maxBuffer: 1 << 28 }),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}

it("an export that is killed during the build continues by itself and is complete", async () => {
  const workflow = await publish(service.client, {
    name: "Zip: long texts",
    definition: {
      nodes: [
        { id: "rows", type: "enumerate/range", parameters: { start: 1, end: ROWS } },
        {
          id: "text",
          type: "text/template",
          parameters: {
            template: `[n] ${"lorem ipsum ".repeat(TEXT_BYTES / 12)}`,
            placeholders: [{ inputPort: "n" }],
          },
        },
        { id: "out", type: "output/text", parameters: { key: "texts" } },
      ],
      connections: [
        { from: { node: "rows", port: "value" }, to: { node: "text", port: "n" } },
        { from: { node: "text", port: "text" }, to: { node: "out", port: "text" } },
      ],
    },
  });
  const id = await submitRun(service.client, { workflow });
  await waitForRun(service.client, id);
  await service.client.call("POST", `/api/v1/executions/${id}/zip`);
  const cutAt = await waitUntil(
    "progress",
    async () => {
      const { progress_percent: progress } = await status(id);
      return progress > 0 && progress;
    },
    300_000,
  );
  expect(cutAt, "the kill comes before the end").toBeLessThan(100);
  await service.kill();
  service = await startService({ directory: service.directory, port: service.port });
  const after = await status(id);
  expect(after.progress_percent, "what arrived stays").toBeGreaterThanOrEqual(cutAt);
  const done = await ended(id);
  expect(done).toMatchObject({ status: "completed", progress_percent: 100, total_outputs: ROWS });
  const [zip] = done.zips;
  const bytes = await download(id, zip!.zip_id);
  expect(bytes.byteLength).toBe(zip!.size_bytes);
  const files = readZip(bytes);
  expect(files.size).toBe(ROWS);
  const starts = [...files.values()].map((text) => new TextDecoder().decode(text.subarray(0, 10)));
  expect(starts).toEqual(
    Array.from({ length: ROWS }, (_, i) => `${i + 1} lorem ipsum`.slice(0, 10)),
  );
  const checked = await namesByPython(bytes);
  if (checked !== undefined) {
    expect(checked).toEqual([...files.keys()]);
  }
});
