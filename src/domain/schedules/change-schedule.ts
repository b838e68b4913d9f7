import type { Execution } from "../../contracts/runs/run.ts";
import type {
  ScheduleFields,
  ScheduleState,
} from "../../contracts/schedules/schedule-object-api.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { checkSchedule } from "./check-schedule.ts";
import { requireSchedule } from "./require-schedule.ts";
import { requireRevision } from "./schedule-view.ts";

const ROUNDS_MAX = 5;

/** The current state of a schedule. Throws `not_found`, `forbidden`. */
export async function readSchedule(ctx: CallerContext, id: string): Promise<ScheduleState> {
  return (await requireSchedule(ctx, id)).state;
}

/**
 * Replaces the given fields, and checks the schedule as a whole. Of two concurrent changes with the same ETag exactly one
 * succeeds. Throws `precondition_required`, `precondition_failed`, and the codes of `checkSchedule`.
 */
export async function patchSchedule(
  ctx: CallerContext,
  id: string,
  given: {
    readonly fields: Partial<ScheduleFields>;
    readonly ifMatch: string | undefined;
    readonly isAgent: boolean;
  },
): Promise<ScheduleState> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { object, state, caller } = await requireSchedule(ctx, id);
    requireRevision(given.ifMatch, state);
    const before = fieldsOf(state);
    const fields = { ...before, ...given.fields };
    await checkSchedule(ctx, fields, { fromMs: ctx.nowMs(), isAgent: given.isAgent, before });
    const { revision } = state.record;
    const changed = unwrap(await object.change({ ...caller, base_revision: revision, fields }));
    if (changed.kind === "changed") {
      return changed.state;
    }
    // Another change came first. Reading again decides the response; with `*`, it is the next try.
  }
  throw new AppError("service_unavailable", `The schedule ${id} is being changed. Try again.`);
}

function fieldsOf({ record }: ScheduleState): ScheduleFields {
  const {
    id: _id,
    workspace_id: _workspace,
    organization_id: _organization,
    base_url: _base,
    created_at_ms: _created,
    updated_at_ms: _updated,
    revision: _revision,
    ...fields
  } = record;
  return fields;
}

/** Pauses or resumes a schedule; a repeat changes nothing. Throws `not_found`, `forbidden`, `invalid_state`. */
export async function setScheduleStatus(
  ctx: CallerContext,
  id: string,
  action: "pause" | "resume",
): Promise<ScheduleState> {
  const { object, caller } = await requireSchedule(ctx, id);
  return unwrap(await object.setStatus({ ...caller, action }));
}

/** Starts a run of a schedule now; a repeat of the key returns the same run. Throws the codes of a submit. */
export async function triggerSchedule(
  ctx: CallerContext,
  id: string,
  key: string,
): Promise<Execution> {
  const { object, caller } = await requireSchedule(ctx, id);
  return unwrap(await object.trigger({ ...caller, key }));
}

/** Deletes a schedule; its runs stay. Throws `not_found`, `forbidden`. */
export async function deleteSchedule(ctx: CallerContext, id: string): Promise<void> {
  const { object, caller } = await requireSchedule(ctx, id);
  await object.remove(caller);
}
