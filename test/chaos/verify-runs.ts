import assert from "node:assert/strict";
import type { Execution } from "../../src/contracts/run.ts";
import type { RunningService } from "../support/node/start-service.ts";
import type { ChaosLoad, Kind } from "./chaos-load.ts";

/** Beyond the runs' own work, from the moment the service says it is ready. */
const TERMINAL_WITHIN_MS = 3000;

export interface Restart {
  readonly killedAtMs: number;
  readonly readyAtMs: number;
  /** The seed and the kill, for messages. */
  readonly where: string;
  /** Every run whose 202 has come, of this load and of all before it. */
  readonly heardOf: ReadonlySet<string>;
}

export interface Verification {
  /** Runs that the workspace admitted, whose 202 died with the process. */
  readonly unheardOf: ReadonlySet<string>;
  /** Of these, such as had not begun when the process died: nobody but the workspace could start them. */
  readonly startedUnasked: number;
  /** Runs that ended after the kill. */
  readonly goneOn: number;
  /** The longest that a run took to end after the service was ready. */
  readonly slowestEndMs: number;
  readonly allowedMs: number;
}

type ListedRun = Pick<Execution, "id" | "workflow" | "status" | "started_at" | "completed_at">;

/**
 * Asks once which runs the workspace knows and throws unless every one of them had ended by itself
 * before the question, in time. To be called after the silence and before anything else is sent: a
 * call that reaches a run, or a submit sent again, would get it going.
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
  // All of them are taken up at once, on as little as one free core: each may wait for all others' work.
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
