/** docs/contract/batches.md#exports on the service as it runs: SIGKILL while an export is built, restart without traffic. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { read, utils } from "@e965/xlsx";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import type { BatchExport } from "../../src/contracts/batches/batch-export.ts";
import type { BatchExecution } from "../../src/contracts/batches/batch.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { readZip } from "../support/read-zip.ts";
import { waitUntil } from "../support/wait-until.ts";
import "../support/only-in-proof.ts";

/** So many that an export takes longer than a busy machine takes to ask for its progress. */
const ITEMS = 4_000;
/** Progress in percent at which the process is killed. */
const KILLS_AT = [1, 30, 60];
const DEFINITION = {
  nodes: [
    { id: "in", type: "input/text", label: "Words", parameters: { required: true } },
    { id: "out", type: "output/text", label: "Said", parameters: {} },
  ],
  connections: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
};

let directory: string;
let service: RunningService;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-exports-"));
  service = await startService({ directory });
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

it("an export that is killed at any moment goes on by itself, and has each row once", async () => {
  const workflow = await publish(service.client, { name: "Echo", definition: DEFINITION });
  // The batch keeps every fourth output; the others are asked of their runs.
  const word = (at: number) => `word ${String(at)} ${at % 4 === 0 ? "" : "long ".repeat(400)}`;
  const items = Array.from({ length: ITEMS }, (_, at) => ({
    inputs: { words: { value: JSON.stringify(word(at)) } },
  }));
  const batch = await service.client.call<BatchExecution>("POST", "/api/v1/batch-executions", {
    body: { workflow, items },
  });
  const path = `/api/v1/batch-executions/${batch.id}`;
  await waitUntil(
    "the batch to end",
    async () => {
      const { status } = await service.client.call<BatchExecution>("GET", path);
      return status === "completed";
    },
    300_000,
  );
  const statusOf = (format: string) =>
    service.client.call<BatchExport>("GET", `${path}/exports/${format}`);
  let atWork = 0;
  for (const format of ["zip", "xlsx"]) {
    await service.client.call("POST", `${path}/exports`, { body: { format } });
    for (const percent of KILLS_AT) {
      const { status } = await waitUntil(
        `${String(percent)} % of the export`,
        async () => {
          const now = await statusOf(format);
          return (now.status !== "building" || now.progress_percent >= percent) && now;
        },
        300_000,
      );
      atWork += status === "building" ? 1 : 0;
      await service.kill(await service.workerdPid());
      service = await startService({ directory });
    }
    await waitUntil(
      "the export to be completed without a further request",
      async () => (await statusOf(format)).status === "completed",
      300_000,
    );
  }
  // Otherwise the kills would have met exports that were complete.
  expect(atWork).toBeGreaterThan(1);
  const files = readZip(await download(path, "zip"));
  expect(files.size).toBe(ITEMS + 2);
  const text = new TextDecoder();
  const rows = JSON.parse(text.decode(files.get("results.json"))) as {
    readonly index: number;
    readonly outputs: { readonly said: string };
  }[];
  expect(rows.map(({ index }) => index)).toEqual(items.map((_item, at) => at));
  expect(rows.every(({ outputs }, at) => outputs.said === word(at))).toBe(true);
  const names = items.map((_item, at) => `items/${String(at).padStart(5, "0")}/said.txt`);
  expect(names.every((name, at) => text.decode(files.get(name)) === word(at))).toBe(true);
  const book = read(await download(path, "xlsx"), { type: "array" });
  const sheet = utils.sheet_to_json<unknown[]>(book.Sheets["Results"] ?? {}, { header: 1 });
  expect(sheet.slice(1).every((row, at) => row[0] === at && row.at(-1) === word(at))).toBe(true);
  expect(sheet).toHaveLength(ITEMS + 1);
});

async function download(path: string, format: string): Promise<Uint8Array> {
  const response = await fetch(`${service.baseUrl}${path}/exports/${format}/download`, {
    headers: { authorization: `Bearer ${await service.client.token()}` },
  });
  expect([response.status, response.redirected]).toEqual([200, true]);
  return new Uint8Array(await response.arrayBuffer());
}
