import type { ScheduleFields } from "../../contracts/schedules/schedule-object-api.ts";
import { AppError, type FieldError } from "../../lib/errors/errors.ts";
import { isJsonObject, parseJson } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { CallerContext } from "../../platform/context.ts";
import { getBillingPlan } from "../billing-plans/workspace-billing-plans.ts";
import { fetchPointer } from "../executions/submit/known-pointer.ts";
import { prepareSubmit } from "../executions/submit/prepare-submit.ts";
import { checkAgentBound } from "../executions/submit/submit-execution.ts";
import { partsOfPlan } from "../workflows/contract/interface-parts.ts";
import { submitBody } from "./start-run.ts";
import { nominalTimes } from "./times/nominal-times.ts";

const INPUTS_MAX_BYTES = LIMITS.schedule_inputs.value;

const TIMES = ["cron", "interval_seconds", "time_zone", "starts_at_ms", "ends_at_ms"] as const;
const SUBMITTED = [
  "workflow",
  "version",
  "interface",
  "inputs_json",
  "admission_limits",
  "scheduled_time_input",
] as const;

/**
 * Checks the fields of a schedule that starts from `fromMs` on: its own rules, all at once, then its workflow and inputs
 * as a submit does. Of a changed schedule, `before` are the fields until now: times are checked if a change is among them,
 * and so are the workflow and its inputs. Throws `validation_error` and the codes of a submit.
 */
export async function checkSchedule(
  ctx: CallerContext,
  fields: ScheduleFields,
  given: { readonly fromMs: number; readonly isAgent: boolean; readonly before?: ScheduleFields },
): Promise<void> {
  const { before } = given;
  const isChanged = (names: readonly (keyof ScheduleFields)[]) =>
    before === undefined ||
    names.some((name) => JSON.stringify(fields[name]) !== JSON.stringify(before[name]));
  const errors = [...inputProblems(fields)];
  if (isChanged(TIMES)) {
    const plan = await getBillingPlan(ctx, ctx.principal);
    errors.push(...timeProblems(fields, given.fromMs, plan));
  }
  const [first] = errors;
  if (first !== undefined) {
    throw new AppError("validation_error", `${first.field}: ${first.message}`, { errors });
  }
  if (!isChanged(SUBMITTED)) {
    return;
  }
  const pointer = await fetchPointer(ctx, fields.workflow);
  const { body, exactBody } = submitBody(fields, given.fromMs);
  const { loaded, bound, limits } = await prepareSubmit(ctx, pointer, { body, exactBody });
  checkTimeInput(fields, loaded);
  checkAgentBound(given.isAgent, limits, loaded.plan, bound);
}

function* inputProblems(fields: ScheduleFields): Generator<FieldError> {
  if (new TextEncoder().encode(fields.inputs_json).length > INPUTS_MAX_BYTES) {
    const message = `Must be at most ${String(INPUTS_MAX_BYTES)} bytes of JSON. Upload larger data and send its asset_path.`;
    yield { field: "inputs", message };
  }
  const { scheduled_time_input: timeInput } = fields;
  const inputs = parseJson(fields.inputs_json);
  if (timeInput !== null && isJsonObject(inputs) && Object.hasOwn(inputs, timeInput)) {
    const message = "Must not be in inputs, since each run gets its own value.";
    yield { field: "scheduled_time_input", message };
  }
}

function* timeProblems(
  fields: ScheduleFields,
  fromMs: number,
  { limits, code }: Awaited<ReturnType<typeof getBillingPlan>>,
): Generator<FieldError> {
  const { cron, interval_seconds: seconds, starts_at_ms: startsMs, ends_at_ms: endsMs } = fields;
  if ((cron === null) === (seconds === null)) {
    yield { field: "cron", message: "Exactly one of cron and interval_seconds must be set." };
    return;
  }
  const least = limits.min_schedule_interval_seconds;
  if (seconds !== null && seconds < least) {
    const message = `Must be at least ${String(least)}, the shortest interval of the plan ${code}.`;
    yield { field: "interval_seconds", message };
  }
  if (startsMs !== null && endsMs !== null && endsMs < startsMs) {
    yield { field: "ends_at", message: "Must not be before starts_at." };
  } else if (nominalTimes({ ...fields, created_at_ms: fromMs }).next(fromMs) === null) {
    const message = "The schedule has no time from now on.";
    yield { field: endsMs === null ? "cron" : "ends_at", message };
  }
}

/** The key was bound with a time as its value, so it exists; only a text keeps the time as it is. */
function checkTimeInput(
  { scheduled_time_input: key, interface: interfaceId }: ScheduleFields,
  { definition, plan }: Awaited<ReturnType<typeof prepareSubmit>>["loaded"],
): void {
  if (key === null) {
    return;
  }
  const entry = definition.interfaces.find(({ id }) => id === interfaceId);
  const kind =
    entry === undefined
      ? partsOfPlan(plan).inputs.find(({ name }) => name === key)?.type.inputKind
      : entry.fields.find((field) => field.key === key)?.type;
  if (kind !== "text") {
    const message = "Must be the key of a text input.";
    throw new AppError("validation_error", `scheduled_time_input: ${message}`, {
      errors: [{ field: "scheduled_time_input", message }],
    });
  }
}
