import assert from "node:assert/strict";
import type { Execution } from "../../src/contracts/runs/run.ts";
import type { RunningService } from "../support/node/start-service.ts";
import type { ChaosLoad, Kind } from "./chaos-load.ts";

/** Allowed time in addition to the runs' own work, from the moment the service is ready. */
const TERMINAL_WITHIN_MS = 3000;

export interface Restart {
  readonly killedAtMs: number;
  readonly readyAtMs: number;
  /** The seed and the kill, for messages. */
  readonly where: string;
  /** Every run whose 202 has arrived, of this load and of earlier ones. */
  readonly heardOf: ReadonlySet<string>;
}

export interface Verification {
  /** Runs that the workspace admitted and whose 202 was lost with the process. */
  readonly unheardOf: ReadonlySet<string>;
  /** Those of them that had not started when the process died: only the workspace could start them. */
  readonly startedUnasked: number;
  /** Runs that ended after the kill. */
  readonly goneOn: number;
  /** The longest time from ready to the end of a run. */
  readonly slowestEndMs: number;
  readonly allowedMs: number;
}

type ListedRun = Pick<Execution, "id" | "workflow" | "status" | "started_at" | "completed_at">;

/**
 * Reads the workspace's runs once and throws unless every one had ended in time by itself. Call it after the silence
 * and before any other request: a call that reaches a run, or a repeated submit, would restart it.
 */
export async function verifyRuns(
  service: RunningService,
  load: ChaosLoad,
  { killedAtMs, readyAtMs, where, heardOf }: Restart,
): Promise<Verification> {
  const askedAtMs = Date.now();
  const runs = await listRuns(service);
  const listed = new Set(runs.map(({ id }) => id));
  assert.deepEqual(
    [...heardOf].filter((id) => !listed.has(id)),
    [],
    `every run whose 202 came is listed: ${where}`,
  );
  const unheardOf = new Set<string>();
  const unended: string[] = [];
  const goneOn: Kind[] = [];
  let startedUnasked = 0;
  let slowestEndMs = 0;
  for (const run of runs) {
    if (!heardOf.has(run.id)) {
      unheardOf.add(run.id);
      startedUnasked += Date.parse(run.started_at ?? "") > killedAtMs ? 1 : 0;
    }
    const endedAtMs = run.status === "completed" ? Date.parse(run.completed_at!) : Infinity;
    if (endedAtMs >= askedAtMs) {
      const response = heardOf.has(run.id) ? "its 202 came" : "its 202 was lost";
      unended.push(`${run.id} (${load.kindOf(run.workflow)}) is ${run.status}; ${response}`);
      continue;
    }
    if (endedAtMs > killedAtMs) {
      goneOn.push(load.kindOf(run.workflow));
      slowestEndMs = Math.max(slowestEndMs, endedAtMs - readyAtMs);
    }
  }
  assert.deepEqual(unended, [], `every run was over before anybody asked: ${where}`);
  // All of them resume at once, on as little as one free core: each may wait for the work of all others.
  const ownMs = goneOn.reduce((sum, kind) => sum + load.ownMs(kind), 0);
  const allowedMs = TERMINAL_WITHIN_MS + ownMs;
  assert.ok(
    slowestEndMs <= allowedMs,
    `a run ended ${slowestEndMs} ms after ready; ${TERMINAL_WITHIN_MS} are allowed and ${ownMs} for the work of ${goneOn.join(", ")}: ${where}`,
  );
  return { unheardOf, startedUnasked, goneOn: goneOn.length, slowestEndMs, allowedMs };
}

/** Every row of the workspace, page by page. */
async function listRuns({ client }: RunningService): Promise<ListedRun[]> {
  const runs: ListedRun[] = [];
  for (let cursor = ""; ;) {
    const page = await client.call<{ data: ListedRun[]; next_cursor: string | null }>(
      "GET",
      `/api/v1/executions?limit=100${cursor}`,
    );
    runs.push(...page.data);
    if (page.next_cursor === null) {
      return runs;
    }
    cursor = `&starting_after=${page.next_cursor}`;
  }
}
