import type { Execution } from "../../contracts/runs/run.ts";
import { indexedOrigin } from "../../contracts/runs/run-origin.ts";
import type { RunIndexRow, RunListPage } from "../../contracts/workspaces/admission.ts";
import type { ScheduleRecord } from "../../contracts/schedules/schedule-object-api.ts";
import { unwrap } from "../../lib/result.ts";
import type { AppContext } from "../../platform/context.ts";
import { workspaceObject } from "../../storage/objects/workspace-object.ts";
import { readExecution } from "../executions/read/read-execution.ts";
import { insufficientCredits } from "../executions/submit/submit-execution.ts";
import { scheduleContext } from "./start-run.ts";

const PAGE = 100;
/** A run of a firing is not older than its nominal time, unless the clock has stepped back in between. */
const CLOCK_STEP_MS = 48 * 60 * 60_000;

/**
 * Returns the run that an earlier attempt of a start has made: one of its nominal time that is not among the `recorded`
 * runs. Undefined if there is none. Throws `insufficient_credits` if the attempt was refused with a failed run.
 */
export async function findScheduledRun(
  ctx: AppContext,
  record: ScheduleRecord,
  firing: { readonly scheduledForMs: number; readonly recorded: () => ReadonlySet<string> },
): Promise<Execution | undefined> {
  const row = await findRow(ctx, record, firing.scheduledForMs, firing.recorded());
  if (row === undefined) {
    return undefined;
  }
  if (row.error_code === "insufficient_credits") {
    throw insufficientCredits(row.run_id, {});
  }
  return await readExecution(scheduleContext(ctx, record), row.run_id);
}

async function findRow(
  ctx: AppContext,
  { id, workspace_id }: ScheduleRecord,
  scheduledForMs: number,
  recorded: ReadonlySet<string>,
): Promise<RunIndexRow | undefined> {
  const workspace = workspaceObject(ctx, workspace_id);
  const time = new Date(scheduledForMs).toISOString();
  let cursor: string | null = null;
  do {
    const page: RunListPage = unwrap(
      await workspace.listRuns({
        limit: PAGE,
        starting_after: cursor,
        status: null,
        workflow_id: null,
        created_after_ms: scheduledForMs - CLOCK_STEP_MS,
        created_before_ms: null,
        labels: { schedule: id },
      }),
    );
    const found = page.rows.find(
      (row) => indexedOrigin(row).scheduled_for === time && !recorded.has(row.run_id),
    );
    if (found !== undefined) {
      return found;
    }
    cursor = page.has_more ? (page.rows.at(-1)?.run_id ?? null) : null;
  } while (cursor !== null);
  return undefined;
}
