import type { ScheduleObjectApi } from "../../contracts/schedules/schedule-object-api.ts";
import type { Env } from "../../platform/env.ts";

/** The object that owns a schedule, named by the schedule's id. */
export function scheduleObject(
  ctx: { readonly env: Pick<Env, "SCHEDULE"> },
  scheduleId: string,
): ScheduleObjectApi {
  return ctx.env.SCHEDULE.get(ctx.env.SCHEDULE.idFromName(scheduleId));
}
