import type {
  ScheduleObjectApi,
  ScheduleState,
} from "../../contracts/schedules/schedule-object-api.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { ScheduleRows } from "../../storage/d1/schedule-rows.ts";
import { scheduleObject } from "../../storage/objects/schedule-object.ts";

interface FoundSchedule {
  readonly object: ScheduleObjectApi;
  readonly state: ScheduleState;
  /** The first argument of every call of the object. */
  readonly caller: { readonly v: 1; readonly workspace_id: string };
}

/** Returns a schedule of the caller's workspace and its object. Throws `not_found`, `forbidden`. */
export async function requireSchedule(ctx: CallerContext, id: string): Promise<FoundSchedule> {
  const { workspaceId } = ctx.principal;
  const object = scheduleObject(ctx, id);
  const caller = { v: 1, workspace_id: workspaceId } as const;
  const [found, state] = await Promise.all([
    new ScheduleRows(ctx.env, workspaceId).find(id),
    // The row of another organization's schedule may be in another database.
    object.read({ ...caller, tells_elsewhere: true }),
  ]);
  if (found === "elsewhere" || state === "elsewhere") {
    throw new AppError(
      "forbidden",
      `The schedule ${id} belongs to another workspace. Use a key of that workspace.`,
    );
  }
  if (found === undefined || state === null) {
    throw new AppError(
      "not_found",
      `There is no schedule ${id}. GET /api/v1/schedules lists the schedules of this workspace.`,
    );
  }
  return { object, state, caller };
}
