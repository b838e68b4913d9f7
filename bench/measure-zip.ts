import { fileURLToPath } from "node:url";
import { Log, LogLevel, Miniflare } from "miniflare";
import type { ApiClient } from "../scripts/api-client.ts";
import { bundleWorker } from "../scripts/bundle-worker.ts";
import { freePort } from "../scripts/free-port.ts";
import { publish } from "../scripts/provision.ts";
import { submitRun, waitForRun } from "../scripts/run-workflow.ts";
import type { ZipStatus } from "../src/contracts/runs/zip-export.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { median, spread } from "./statistics.ts";

const OUTPUTS = 1_000;
/** More than a run keeps in its rows, so that every output is a stored file, as pictures are. */
const TEXT_BYTES = 70_000;
const ROUNDS = 3;
const POLL_MS = 5;

/**
 * A run's ZIP of 1,000 stored files, from the request until it is `completed`, beside client-zip alone between two keys
 * of a bucket.
 */
export async function measureZip(client: ApiClient, directory: string): Promise<Figure> {
  const workflow = await publish(client, longTexts());
  const worker = fileURLToPath(new URL("peers/bare-zip-worker.ts", import.meta.url));
  const peer = new Miniflare({
    host: "127.0.0.1",
    port: await freePort(),
    cf: false,
    log: new Log(LogLevel.ERROR),
    compatibilityDate: "2026-07-01",
    modules: [...(await bundleWorker(worker))],
    r2Buckets: ["FILES"],
    r2Persist: directory,
  });
  try {
    const origin = await peer.ready;
    const peerUrl = new URL(`?count=${OUTPUTS}`, origin);
    await (await fetch(peerUrl, { method: "PUT", body: "x".repeat(TEXT_BYTES) })).text();
    const ms = await interleave(
      ROUNDS,
      { export: () => exportOnce(client, workflow), bare: () => bareOnce(peerUrl) },
      1,
    );
    return {
      name: `ZIP of ${OUTPUTS.toLocaleString("en-US")} outputs of 70 kB, from the request to completed`,
      unit: "ms",
      ours: spread(ms.export),
      beside: [{ name: "client-zip alone, from the bucket to the bucket", value: spread(ms.bare) }],
      targets: [atMost("≤ 1.3 × client-zip alone", median(ms.export) / median(ms.bare), 1.3)],
    };
  } finally {
    await peer.dispose();
  }
}

/** Each round exports its own run: a second request would return the first archive. */
async function exportOnce(client: ApiClient, workflow: string): Promise<number> {
  const id = await submitRun(client, { workflow });
  await waitForRun(client, id);
  const begunAt = performance.now();
  await client.call("POST", `/api/v1/executions/${id}/zip`);
  for (;;) {
    const status = await client.call<ZipStatus>("GET", `/api/v1/executions/${id}/zip/status`);
    if (status.status === "completed") {
      const tookMs = performance.now() - begunAt;
      if (status.total_outputs !== OUTPUTS || status.total_size_bytes < OUTPUTS * TEXT_BYTES) {
        throw new Error(`The export contains ${status.total_outputs} files.`);
      }
      return tookMs;
    }
    if (status.status !== "building") {
      throw new Error(`The export has status ${status.status}: ${status.error_message}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function bareOnce(url: URL): Promise<number> {
  const begunAt = performance.now();
  const size = Number(await (await fetch(url, { method: "POST" })).text());
  const tookMs = performance.now() - begunAt;
  if (!(size > OUTPUTS * TEXT_BYTES)) {
    throw new Error(`The peer's archive has ${size} bytes.`);
  }
  return tookMs;
}

function longTexts(): unknown {
  return {
    name: "Bench: long texts",
    definition: {
      nodes: [
        { id: "rows", type: "enumerate/range", parameters: { start: 1, end: OUTPUTS } },
        {
          id: "text",
          type: "text/template",
          parameters: {
            template: `[n] ${"lorem ipsum ".repeat(Math.ceil(TEXT_BYTES / 12))}`,
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
  };
}
