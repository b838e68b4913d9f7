import type {
  ScheduleFields,
  ScheduleState,
} from "../../contracts/schedules/schedule-object-api.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import { ScheduleRows } from "../../storage/d1/schedule-rows.ts";
import { scheduleObject } from "../../storage/objects/schedule-object.ts";
import { getBillingPlan } from "../billing-plans/workspace-billing-plans.ts";
import { checkSchedule } from "./check-schedule.ts";

/**
 * Creates an active schedule. Its object exists before its row and starts nothing without it; an object whose row does
 * not follow forgets itself. Throws the codes of `checkSchedule`, and `plan_limit_exceeded`.
 */
export async function createSchedule(
  ctx: CallerContext,
  given: { readonly fields: ScheduleFields; readonly isAgent: boolean },
  once: OnceStatements | undefined,
): Promise<ScheduleState> {
  const { workspaceId, organizationId } = ctx.principal;
  const createdAtMs = ctx.nowMs();
  await checkSchedule(ctx, given.fields, { fromMs: createdAtMs, isAgent: given.isAgent });
  const { limits, code } = await getBillingPlan(ctx, ctx.principal);
  const id = newId("schedule", createdAtMs);
  const object = scheduleObject(ctx, id);
  const caller = { v: 1, workspace_id: workspaceId } as const;
  const state = await object.create({
    v: 1,
    record: {
      ...given.fields,
      id,
      workspace_id: workspaceId,
      organization_id: organizationId,
      base_url: ctx.baseUrl,
      created_at_ms: createdAtMs,
      updated_at_ms: createdAtMs,
      revision: 1,
    },
  });
  const row = { id, workflow: given.fields.workflow, createdAtMs };
  const rows = new ScheduleRows(ctx.env, workspaceId);
  if (!(await rows.insert(row, limits.max_schedules, once))) {
    ctx.waitUntil(object.remove(caller));
    throw new AppError(
      "plan_limit_exceeded",
      `The plan ${code} allows ${String(limits.max_schedules)} schedules, and the workspace has reached this limit. Delete one, or change the plan.`,
    );
  }
  await object.confirm(caller);
  return state;
}
