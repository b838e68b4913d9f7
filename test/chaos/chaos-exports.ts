/** ZIP exports of a service that is killed. */
import assert from "node:assert/strict";
import type { ZipStatus } from "../../src/contracts/runs/zip-export.ts";
import type { RunningService } from "../support/node/start-service.ts";
import type { LoadedRun } from "./chaos-load.ts";

const EXPORT_MAX_MS = 30_000;

export interface LoadedExport {
  readonly run: LoadedRun;
  /** The request was acknowledged: from then on the service must finish by itself. */
  isAccepted: boolean;
}

export async function requestExport({ client }: RunningService, wanted: LoadedExport) {
  await client.call("POST", `/api/v1/executions/${wanted.run.runId}/zip`);
  wanted.isAccepted = true;
}

/**
 * After a kill: an existing export is only polled until it contains every file, never requested again; an export whose
 * request was lost is requested, unless the request was acknowledged. Returns when an export that was not requested
 * again was completed, in ms since the epoch; undefined for the others.
 */
export async function finishExport(
  service: RunningService,
  wanted: LoadedExport,
  files: number,
): Promise<number | undefined> {
  const { key, runId } = wanted.run;
  const look = () =>
    service.client.call<ZipStatus>("GET", `/api/v1/executions/${runId}/zip/status`);
  let found = await look();
  const isKnown = found.status !== "not_requested";
  assert.ok(isKnown || !wanted.isAccepted, `the export of ${key} was accepted and is not there`);
  if (!isKnown) {
    await requestExport(service, wanted);
  }
  const untilMs = Date.now() + EXPORT_MAX_MS;
  while (found.status !== "completed") {
    assert.notEqual(found.status, "failed", `the export of ${key}: ${found.error_message}`);
    assert.ok(Date.now() < untilMs, `the export of ${key} is still ${found.status}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    found = await look();
  }
  assert.deepEqual(
    found.zips.map(({ file_count: count }) => count),
    [files],
    `the export of ${key}`,
  );
  return isKnown ? Date.parse(found.completed_at!) : undefined;
}
