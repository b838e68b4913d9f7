import type * as z from "zod";
import type {
  ScheduleFiringList,
  ScheduleList,
  ScheduleStatus,
} from "../../contracts/schedules/schedule.ts";
import type { CallerContext } from "../../platform/context.ts";
import { tryParseId } from "../../platform/ids.ts";
import { ScheduleRows } from "../../storage/d1/schedule-rows.ts";
import { scheduleObject } from "../../storage/objects/schedule-object.ts";
import { badCursor, pageOf } from "../list-page.ts";
import { requireSchedule } from "./require-schedule.ts";
import { firingView, scheduleView } from "./schedule-view.ts";

interface Page {
  readonly limit: number;
  readonly startingAfter: string | undefined;
}

/** A page of schedules, newest first. Throws `invalid_request` for an unknown cursor. */
export async function listSchedules(
  ctx: CallerContext,
  given: Page & {
    readonly status: ScheduleStatus | undefined;
    readonly workflow: string | undefined;
  },
): Promise<z.output<typeof ScheduleList>> {
  const { workspaceId } = ctx.principal;
  const rows = new ScheduleRows(ctx.env, workspaceId);
  const { rows: found, total } = await rows.list({
    status: given.status ?? null,
    workflow: given.workflow ?? null,
    belowSeq: await cursorSeq(rows, given.startingAfter),
    limit: given.limit + 1,
  });
  const states = await Promise.all(
    found.map(({ id }) => scheduleObject(ctx, id).read({ v: 1, workspace_id: workspaceId })),
  );
  // A schedule that was deleted meanwhile has no state.
  const page = states.flatMap((state) =>
    state === null || state === "elsewhere" ? [] : [scheduleView(state)],
  );
  return pageOf(
    { rows: page, total },
    given.limit,
    (schedule) => schedule,
    ({ id }) => id,
  );
}

async function cursorSeq(rows: ScheduleRows, cursor: string | undefined): Promise<number | null> {
  if (cursor === undefined) {
    return null;
  }
  const row = await rows.find(tryParseId("schedule", cursor) ?? "");
  if (row === undefined || row === "elsewhere") {
    throw badCursor(cursor, "a schedule of this workspace");
  }
  return row.seq;
}

/** A page of the kept firings of a schedule, newest first. Throws `not_found`, `forbidden`, `invalid_request`. */
export async function listFirings(
  ctx: CallerContext,
  id: string,
  given: Page,
): Promise<z.output<typeof ScheduleFiringList>> {
  const { object, caller } = await requireSchedule(ctx, id);
  const cursor = given.startingAfter;
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) {
    throw badCursor(cursor, "a cursor of the firings of this schedule");
  }
  const found = await object.listFirings({
    ...caller,
    limit: given.limit + 1,
    below_seq: cursor === undefined ? null : Number(cursor),
  });
  return pageOf(found, given.limit, firingView, ({ seq }) => String(seq));
}
