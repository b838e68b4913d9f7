import type { SubmitExecution } from "../../contracts/runs/execution-requests.ts";
import type { Execution } from "../../contracts/runs/run.ts";
import type {
  ScheduleFields,
  ScheduleRecord,
} from "../../contracts/schedules/schedule-object-api.ts";
import { isJsonObject, type JsonValue, parseJson } from "../../lib/json/exact-json.ts";
import type { AppContext, CallerContext } from "../../platform/context.ts";
import { submitExecution } from "../executions/submit/submit-execution.ts";

/** Returns the body of the submit of a schedule's run: as parsed, and with the digits that were sent. */
export function submitBody(
  fields: ScheduleFields,
  scheduledForMs: number,
): { readonly body: SubmitExecution; readonly exactBody: JsonValue } {
  const { workflow, version, interface: interfaceId, scheduled_time_input: timeInput } = fields;
  const inputs = parseJson(fields.inputs_json);
  const given = isJsonObject(inputs) ? inputs : {};
  const time = JSON.stringify(new Date(scheduledForMs).toISOString());
  return {
    body: {
      workflow,
      ...(version !== null && { version }),
      interface: interfaceId,
      ...(fields.admission_limits !== null && { admission_limits: fields.admission_limits }),
      ...(fields.cache != null && { cache: fields.cache }),
    },
    exactBody: {
      inputs: timeInput === null ? given : { ...given, [timeInput]: { value: time } },
    },
  };
}

/** The context in which a schedule acts: for its workspace, whatever has become of the key that made it. */
export function scheduleContext(ctx: AppContext, record: ScheduleRecord): CallerContext {
  return {
    ...ctx,
    principal: {
      keyId: record.id,
      organizationId: record.organization_id,
      workspaceId: record.workspace_id,
      scopes: new Set(),
      permissions: new Set(),
      // An agent's bound was required when the schedule was created.
      isAgent: false,
    },
  };
}

/**
 * Starts the run of a firing. `key` names the firing within the schedule: a repeat returns the run of the first call,
 * whatever has changed in between. Throws the codes of a submit.
 */
export async function startScheduledRun(
  ctx: AppContext,
  record: ScheduleRecord,
  firing: { readonly key: string; readonly scheduledForMs: number },
): Promise<Execution> {
  const key = `schedule ${record.id} ${firing.key}`;
  const { execution } = await submitExecution(scheduleContext(ctx, record), {
    ...submitBody(record, firing.scheduledForMs),
    idempotencyKey: undefined,
    isAgent: false,
    scheduled: {
      origin: {
        schedule: record.id,
        scheduled_for: new Date(firing.scheduledForMs).toISOString(),
      },
      // The body may change between two attempts of one start, which are the same start nevertheless.
      idempotency: { key, fingerprint: key },
    },
  });
  return execution;
}
