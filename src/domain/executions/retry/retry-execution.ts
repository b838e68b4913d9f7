import type { RetryExecution } from "../../../contracts/runs/retry-request.ts";
import type { RunStart } from "../../../contracts/runs/run.ts";
import type { RetryRerun, SourceDescription } from "../../../contracts/runs/run-source.ts";
import type { WorkflowPointer } from "../../../contracts/workspaces/admission.ts";
import { pricedPlan } from "../../../engine/plan/node-cost.ts";
import { References } from "../../../engine/compile/references.ts";
import { AppError, type FieldError } from "../../../lib/errors/errors.ts";
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { runObject } from "../../../storage/objects/run-object.ts";
import { readValueText } from "../../../storage/r2/run-values.ts";
import { getBillingPlan } from "../../billing-plans/workspace-billing-plans.ts";
import { resolverOf } from "../../references/resolve-references.ts";
import { runReferences } from "../../references/run-references.ts";
import { type ComputedAdmission, computeAdmission } from "../estimate/compute-admission.ts";
import { findIndexedRun } from "../read/find-indexed-run.ts";
import { bindChecked, givenInputs, type PreparedSubmit } from "../submit/prepare-submit.ts";
import {
  checkAgentBound,
  idempotencyOf,
  type ReadyRun,
  submitReady,
  type Submitted,
} from "../submit/submit-execution.ts";
import { keepDefaultModels } from "./keep-default-models.ts";
import { keepTemplateRevisions } from "./keep-template-revisions.ts";
import { rebindInputs } from "./rebind-inputs.ts";
import { type RetryDefinition, retryDefinition } from "./retry-definition.ts";

export interface RetryRequest {
  readonly runId: string;
  readonly body: RetryExecution;
  readonly exactBody: JsonValue;
  readonly idempotencyKey: string | undefined;
  readonly isAgent: boolean;
}

/** What a caller needs besides the route's own access for a run of the working definition. */
const DRAFT_SCOPE = "workflows:write";
const DRAFT_PERMISSION = "ws:workflows:manage";

/**
 * Submits a new run that takes over what an ended run has worked out (docs/retries-and-reuse.md). Nothing is created
 * unless everything is valid. Throws the codes of a submit, and `invalid_state`, `no_failed_items`, `outputs_expired`,
 * `not_found`, `forbidden`, `insufficient_scope`.
 */
export async function retryExecution(
  ctx: CallerContext,
  request: RetryRequest,
): Promise<Submitted> {
  const { body, runId } = request;
  checkBody(body);
  if (body.version === "draft") {
    requireDraftAccess(ctx);
  }
  const idempotency = await idempotencyOf(ctx, request, `/api/v1/executions/${runId}/retry`);
  const rerun = rerunOf(body);
  const source = await describe(ctx, runId, rerun);
  if (source.status === "completed" && isPlain(body)) {
    throw new AppError(
      "no_failed_items",
      `Everything of the run ${runId} has succeeded. Send from "start", from_node, version or inputs to run some of it again.`,
    );
  }
  return submitReady(ctx, {
    workflowId: source.workflow_id,
    idempotency,
    prepare: (pointer) => prepare(ctx, request, source, pointer),
  });
}

function isPlain({ from, from_node, version, inputs }: RetryExecution): boolean {
  return (
    from !== "start" && from_node === undefined && version === undefined && inputs === undefined
  );
}

function checkBody({ from, from_node, from_indices }: RetryExecution): void {
  if (from === "start" && from_node !== undefined) {
    throw invalid("from_node", 'Send from_node or from "start", which runs every node again.');
  }
  if (from_indices !== undefined && from_node === undefined) {
    throw invalid("from_indices", "from_indices are elements of from_node. Send from_node too.");
  }
}

function rerunOf({ from_node, from_indices }: RetryExecution): RetryRerun | null {
  return from_node === undefined ? null : { node: from_node, indices: from_indices ?? null };
}

function requireDraftAccess({ principal }: CallerContext): void {
  const lacking = !principal.scopes.has(DRAFT_SCOPE)
    ? `scope ${DRAFT_SCOPE}`
    : !principal.permissions.has(DRAFT_PERMISSION)
      ? `permission ${DRAFT_PERMISSION}`
      : undefined;
  if (lacking !== undefined) {
    throw new AppError(
      "insufficient_scope",
      `A run of the working definition needs the ${lacking}, which the API key lacks. Use a key that has it, or retry a published version.`,
    );
  }
}

async function describe(
  ctx: CallerContext,
  runId: string,
  rerun: RetryRerun | null,
): Promise<SourceDescription> {
  const found = await runObject(ctx, runId).describeSource({
    v: 1,
    workspace_id: ctx.principal.workspaceId,
    rerun,
  });
  if (found.ok) {
    return found.value;
  }
  const row = await findIndexedRun(ctx, runId, found);
  throw new AppError(
    "invalid_state",
    `The run is ${row.status} and has never started, so there is nothing to retry. Submit the workflow again.`,
  );
}

async function prepare(
  ctx: CallerContext,
  { runId, body, exactBody, isAgent }: RetryRequest,
  source: SourceDescription,
  pointer: WorkflowPointer,
): Promise<ReadyRun> {
  const chosen = await retryDefinition(ctx, pointer, source, body.version);
  const { loaded } = chosen;
  if (body.from_node !== undefined && !loaded.plan.nodes.some(({ id }) => id === body.from_node)) {
    throw invalid("from_node", `The definition has no node ${JSON.stringify(body.from_node)}.`);
  }
  const message = `The run has no such element of ${JSON.stringify(body.from_node)}.`;
  const unknown = source.unknown_indices.map((at) => ({ field: `from_indices[${at}]`, message }));
  if (unknown.length > 0) {
    throw invalid(unknown[0]?.field ?? "", message, unknown);
  }
  const given = { runId, body, replaced: givenInputs(exactBody), isAgent };
  return await readyRetry(ctx, given, source, pointer.workflow_id, chosen);
}

/**
 * Prepares a retry of the run `runId` with the definition `chosen`: binds the inputs, and finds what it reserves. Throws
 * the codes of a submit, and `outputs_expired`.
 */
export async function readyRetry(
  ctx: CallerContext,
  {
    runId,
    body,
    replaced,
    isAgent,
  }: Pick<RetryRequest, "runId" | "body" | "isAgent"> & {
    readonly replaced: { readonly [key: string]: JsonValue };
  },
  source: SourceDescription,
  workflowId: string,
  chosen: RetryDefinition,
): Promise<ReadyRun> {
  const billingPlan = await getBillingPlan(ctx, ctx.principal);
  const { loaded, version } = chosen;
  const { interface_id: interfaceId } = source;
  const rebound = await rebindInputs(
    source,
    {
      plan: loaded.plan,
      entry: loaded.definition.interfaces.find(({ id }) => id === interfaceId),
    },
    replaced,
    async (file) => {
      const text = await readValueText(ctx.env.FILES, file);
      if (text === null) {
        throw new AppError("outputs_expired", `An input of the run ${runId} has been deleted.`);
      }
      return text;
    },
  );
  const bound = await bindChecked(ctx, {
    workflowId,
    loaded,
    interfaceId,
    given: rebound.given,
    files: rebound.files,
    values: rebound.values,
  });
  const resolve = resolverOf(ctx);
  const resolved = await runReferences(loaded, bound.parameter_overrides, resolve);
  // Written by this service itself.
  const known = JSON.parse(source.references_json) as NonNullable<RunStart["references"]>;
  const withModels = await keepDefaultModels(new References(resolved), known, resolve);
  const references =
    body.version === undefined
      ? await keepTemplateRevisions(withModels, known, resolve)
      : withModels;
  const limits = body.admission_limits ?? source.admission_limits;
  checkAgentBound(isAgent, limits, loaded.plan, bound);
  const prepared = { version, loaded, billingPlan, bound, limits, references };
  const isExact = chosen.isSame && body.inputs === undefined;
  const takesOver = body.from !== "start";
  return {
    ...prepared,
    admission: takesOver
      ? admissionOf(prepared, isExact ? source.runs : null)
      : computeAdmission(loaded.plan, bound, limits, references),
    isPinned: chosen.isPinned,
    cache: body.cache,
    isDraft: chosen.isDraft,
    origin: {
      client_reference: body.client_reference ?? null,
      retry_of: runId,
      retry_root: source.retry_root ?? runId,
      retry_from: body.from_node ?? body.from ?? "failure",
    },
    retry: takesOver ? { source: runId, rerun: rerunOf(body) } : undefined,
    droppedInputs: rebound.dropped,
  };
}

/**
 * What a retry reserves when it is admitted: exactly what runs where that is known, else nothing, since each plan
 * reserves once its elements were compared with the source [E39].
 */
function admissionOf(
  { loaded, bound, limits, references }: PreparedSubmit,
  runs: SourceDescription["runs"],
): Pick<ComputedAdmission, "liabilityMilliCredits" | "prepaid" | "unit_costs"> {
  const { max_admitted_milli_credits: max, ...iterations } = limits;
  const { unit_costs } = computeAdmission(loaded.plan, bound, iterations, references);
  const priced = pricedPlan(loaded.plan, bound.parameter_overrides, references);
  const needed = new Map(runs?.map(({ node_id, elements }) => [node_id, elements]));
  const prepaid: { node_id: string; iterations: number }[] = [];
  let liability = 0;
  for (const { id, costMilliCredits } of priced.nodes) {
    const elements = needed.get(id) ?? 0;
    if (elements > 0 && costMilliCredits > 0) {
      prepaid.push({ node_id: id, iterations: elements });
      liability += elements * costMilliCredits;
    }
  }
  if (max !== undefined && liability > max) {
    throw invalid(
      "admission_limits.max_admitted_milli_credits",
      `What the retry runs may cost ${liability} milli-credits, and max_admitted_milli_credits is ${max}. Raise the bound.`,
    );
  }
  return { liabilityMilliCredits: liability, prepaid, unit_costs };
}

function invalid(
  field: string,
  message: string,
  errors: readonly FieldError[] = [{ field, message }],
): AppError {
  return new AppError("validation_error", `${field}: ${message}`, { errors });
}
