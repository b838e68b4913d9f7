import { createWriteStream } from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ZipStatus } from "../src/contracts/runs/zip-export.ts";
import { type ApiClient, ApiError } from "./api-client.ts";

const POLL_MS = 100;
const TIMEOUT_MS = 60_000;

export interface SavedZip {
  readonly file: string;
  readonly bytes: number;
  readonly files: number;
}

/** Exports a run's outputs, waits, and saves the archives in a folder; returns their files. */
export async function fetchZip(
  client: ApiClient,
  runId: string,
  directory: string,
): Promise<readonly SavedZip[]> {
  const run = `/api/v1/executions/${runId}`;
  let status = await client.call<ZipStatus>("POST", `${run}/zip`);
  const deadline = performance.now() + TIMEOUT_MS;
  while (status.status === "building") {
    if (performance.now() > deadline) {
      throw new Error(
        `The ZIP export of ${runId} is at ${status.progress_percent} % after a minute.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    status = await client.call<ZipStatus>("GET", `${run}/zip/status`);
  }
  if (status.status !== "completed") {
    throw new Error(
      `The ZIP export of ${runId} ended with status ${status.status}: ${status.error_message}`,
    );
  }
  const saved: SavedZip[] = [];
  for (const zip of status.zips) {
    const path = `${run}/zip/${zip.zip_id}/download`;
    const response = await client.send("GET", path);
    if (!response.ok || response.body === null) {
      throw new ApiError("GET", path, response.status, await response.text());
    }
    const file = join(directory, basename(zip.download_file_name));
    await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
    saved.push({ file, bytes: zip.size_bytes, files: zip.file_count });
  }
  return saved;
}
