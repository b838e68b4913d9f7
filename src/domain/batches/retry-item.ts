import type { BatchRecord, ItemInput } from "../../contracts/batches/batch-object-api.ts";
import { originParts } from "../../contracts/runs/run-origin.ts";
import type { SourceDescription } from "../../contracts/runs/run-source.ts";
import type { AdmitBatchRequest } from "../../contracts/workspaces/admission.ts";
import { encodeValue } from "../../engine/values.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { parseJson } from "../../lib/json/exact-json.ts";
import { unwrap } from "../../lib/result.ts";
import type { AppContext, CallerContext } from "../../platform/context.ts";
import { runObject } from "../../storage/objects/run-object.ts";
import { computeAdmission } from "../executions/estimate/compute-admission.ts";
import { readyRetry } from "../executions/retry/retry-execution.ts";
import type { ReadyRun } from "../executions/submit/submit-execution.ts";
import { loadForSubmit } from "../executions/submit/prepare-submit.ts";

/** The start of an item's run, as the batch sends it to its admission. */
export type ItemStart = AdmitBatchRequest["runs"][number]["start"];

/** An item whose run can be admitted. */
export interface ItemRun {
  readonly start: ItemStart;
  /** Milli-credits that its admission reserves. */
  readonly liability: number;
  /** The most that it can cost, in milli-credits; undefined if that is what the item has. */
  readonly worst?: number;
}

/** An item of a later attempt. */
export interface RetriedItem {
  readonly index: number;
  /** Id of its new run. */
  readonly runId: string;
  /** Its last run, which the new one continues; undefined if it has none. */
  readonly last: string | undefined;
  readonly input: ItemInput & { readonly client_reference: string | null };
}

/** The context in which a batch acts: for its workspace, whatever has become of the key that made it. */
export function batchContext(ctx: AppContext, record: BatchRecord): CallerContext {
  return {
    ...ctx,
    principal: {
      keyId: record.id,
      organizationId: record.organization_id,
      workspaceId: record.workspace_id,
      scopes: new Set(),
      permissions: new Set(),
      // An agent's bound was required when the batch was created.
      isAgent: false,
    },
  };
}

/**
 * The run of an item that continues its last one with the version of the batch (docs/retries-and-reuse.md#retry). An item
 * whose last run has never started, or that has none, begins. Throws the codes of a submit, and `outputs_expired`.
 */
export async function retryItem(
  ctx: CallerContext,
  record: BatchRecord,
  { index, runId, last, input }: RetriedItem,
): Promise<ItemRun> {
  const { workflow, workflow_version: version } = record;
  const { cache } = record.common;
  const continued = last === undefined ? undefined : await describe(ctx, last);
  const source = continued ?? (await sourceOf(ctx, record, input));
  const isSame = source.workflow_version === version;
  const loaded = await loadForSubmit(ctx, workflow, version);
  const given = { runId: last ?? "", replaced: {}, isAgent: false };
  const ready = await readyRetry(
    ctx,
    { ...given, body: continued === undefined ? { from: "start" } : {} },
    source,
    workflow,
    { version, loaded, isSame, isDraft: false, isPinned: true },
  );
  const { bound, limits, references, admission, billingPlan, retry, droppedInputs = [] } = ready;
  const origin = originParts({
    ...(continued !== undefined && ready.origin),
    client_reference: input.client_reference,
    batch: record.id,
    batch_index: index,
  });
  const known = new Set(source.runs?.map(({ node_id }) => node_id));
  const isKnown = isSame && admission.unit_costs.every(({ node_id }) => known.has(node_id));
  return {
    start: {
      v: 1,
      run_id: runId,
      workspace_id: record.workspace_id,
      organization_id: record.organization_id,
      correlation_id: record.correlation_id,
      workflow_id: workflow,
      workflow_name: record.workflow_name,
      workflow_version: version,
      ...bound,
      admission_limits: limits,
      created_at_ms: ctx.nowMs(),
      max_outstanding_tasks: billingPlan.limits.max_outstanding_tasks,
      prepaid: admission.prepaid,
      unit_costs: admission.unit_costs,
      ...(references.list.length > 0 && { references: references.list }),
      ...(origin !== undefined && { origin }),
      ...(retry !== undefined && { retry }),
      ...(cache !== undefined && { cache }),
      ...(droppedInputs.length > 0 && { dropped_inputs: droppedInputs }),
      time_limit_ms: billingPlan.limits.max_run_seconds * 1000,
    },
    liability: admission.liabilityMilliCredits,
    worst: isKnown ? admission.liabilityMilliCredits : worstOf(ready),
  };
}

/** The most that the whole run can cost with its version, in milli-credits, whatever it takes over. */
function worstOf({ loaded: { plan }, bound, limits, references }: ReadyRun): number {
  const { max_admitted_milli_credits: max, ...iterations } = limits;
  const { worstMilliCredits } = computeAdmission(plan, bound, iterations, references);
  return Math.min(worstMilliCredits, max ?? Number.POSITIVE_INFINITY);
}

/** Undefined for a run that has never started. Throws `outputs_expired` for one whose rows are damaged, as they stay so. */
async function describe(ctx: CallerContext, run: string): Promise<SourceDescription | undefined> {
  const { workspaceId: workspace_id } = ctx.principal;
  const found = await runObject(ctx, run).describeSource({ v: 1, workspace_id, rerun: null });
  if (!found.ok && found.code === "internal_error") {
    throw new AppError(
      "outputs_expired",
      `What the run ${run} has stored cannot be read any more.`,
    );
  }
  return !found.ok && found.code === "not_found" ? undefined : unwrap(found);
}

/** An item without a run, in the form of a run from which its inputs are bound again. */
async function sourceOf(
  ctx: CallerContext,
  record: BatchRecord,
  input: ItemInput,
): Promise<SourceDescription> {
  const version = record.bound_version ?? record.workflow_version;
  const { definition_json } = await loadForSubmit(ctx, record.workflow, version);
  return {
    workflow_id: record.workflow,
    workflow_version: version,
    is_draft: false,
    interface_id: record.common.interface_id,
    status: "failed",
    admission_limits: record.admission_limits,
    definition_json,
    references_json: JSON.stringify(input.references ?? []),
    retry_root: null,
    inputs: [
      ...input.inputs.map(({ node_id, value_json }) => ({
        node_id,
        stored: encodeValue(parseJson(value_json)),
      })),
      ...(input.input_files ?? []),
    ],
    parameter_overrides: input.parameter_overrides,
    unknown_indices: [],
    runs: null,
  };
}
