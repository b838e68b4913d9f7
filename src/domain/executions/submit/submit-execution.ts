import {
  type AdmitOutcome,
  type AdmitRequest,
  type AdmittedStart,
  labelsOf,
  type WorkflowPointer,
} from "../../../contracts/workspaces/admission.ts";
import type { SubmitExecution } from "../../../contracts/runs/execution-requests.ts";
import {
  originParts,
  type RunOrigin,
  unindexedOrigin,
  wholeOrigin,
} from "../../../contracts/runs/run-origin.ts";
import type { CacheOptions } from "../../../contracts/runs/cache-options.ts";
import type { AdmissionLimits, Execution, RunStart } from "../../../contracts/runs/run.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import { unwrap } from "../../../lib/result.ts";
import { KEY_REUSED } from "../../../lib/idempotency-record.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { ID_PREFIXES, newId, tryParseId } from "../../../platform/ids.ts";
import { runObject } from "../../../storage/objects/run-object.ts";
import { workspaceObject } from "../../../storage/objects/workspace-object.ts";
import { unstartedExecution } from "../read/execution-from-index.ts";
import { readExecution } from "../read/read-execution.ts";
import { checkIdempotencyKey } from "../../idempotency/idempotency-key.ts";
import { fetchPointer, rememberedPointer } from "./known-pointer.ts";
import { shortenStart } from "./long-start.ts";
import { type ComputedAdmission, computeAdmission } from "../estimate/compute-admission.ts";
import type { BoundInputs } from "./bind-inputs.ts";
import { runCache } from "./run-cache.ts";
import { type PreparedSubmit, prepareSubmit } from "./prepare-submit.ts";
import { requestFingerprint } from "../../idempotency/request-fingerprint.ts";
import { describeCause } from "../../../lib/errors/describe-cause.ts";
import { isKnownAtSubmit } from "../../../engine/plan/known-at-submit.ts";
import type { Plan } from "../../../engine/plan/plan.ts";

/** A round fails only because of another change of the same workflow. */
const ROUNDS_MAX = 5;

export interface SubmitRequest {
  readonly body: SubmitExecution;
  /** The same body with its original keys and digits. */
  readonly exactBody: JsonValue;
  readonly idempotencyKey: string | undefined;
  /**
   * Whether an agent submits: declared by the caller, or marked on its key
   * (docs/contract/access.md#agents).
   */
  readonly isAgent: boolean;
  /** A submit that the service makes for a schedule: where its run comes from, and the record of its key. */
  readonly scheduled?: {
    readonly origin: Pick<RunOrigin, "schedule" | "scheduled_for">;
    readonly idempotency: NonNullable<AdmitRequest["idempotency"]>;
  };
}

export interface Submitted {
  readonly execution: Execution;
  readonly isReplay: boolean;
}

/**
 * Validates a submit completely, has the workspace admit it, and starts the run. Nothing is created
 * unless everything is valid (docs/contract/executions.md#submit). With an idempotency key, a
 * repeat returns the run of the first call. Throws the codes of docs/contract/problems.md#codes for
 * submit.
 */
export async function submitExecution(
  ctx: CallerContext,
  request: SubmitRequest,
): Promise<Submitted> {
  return submitReady(ctx, {
    workflowId: parseWorkflowId(request.body.workflow),
    idempotency: request.scheduled?.idempotency ?? (await idempotencyOf(ctx, request)),
    prepare: async (pointer) => {
      const prepared = await prepareSubmit(ctx, pointer, request);
      const { loaded, bound, limits, references } = prepared;
      checkAgentBound(request.isAgent, limits, loaded.plan, bound);
      return {
        ...prepared,
        admission: computeAdmission(loaded.plan, bound, limits, references),
        isPinned: request.body.version !== undefined,
        cache: request.body.cache,
        origin: {
          client_reference: request.body.client_reference ?? null,
          ...request.scheduled?.origin,
        },
      };
    },
  });
}

/** A run that is ready to be admitted. */
export interface ReadyRun extends Omit<PreparedSubmit, "loaded"> {
  readonly loaded: Pick<PreparedSubmit["loaded"], "plan" | "definition_json">;
  readonly admission: Pick<ComputedAdmission, "liabilityMilliCredits" | "prepaid" | "unit_costs">;
  readonly isPinned: boolean;
  readonly cache: CacheOptions | undefined;
  readonly origin: Partial<RunOrigin>;
  readonly retry?: RunStart["retry"] | undefined;
  readonly droppedInputs?: readonly string[] | undefined;
  readonly isDraft?: boolean;
}

export interface ReadySubmit {
  readonly workflowId: string;
  readonly idempotency: AdmitRequest["idempotency"];
  /** Called again if the workflow was changed meanwhile. Creates nothing. */
  readonly prepare: (pointer: WorkflowPointer) => Promise<ReadyRun>;
}

/** Has the workspace admit a run that `prepare` checks, and starts it. Throws as `submitExecution`. */
export async function submitReady(ctx: CallerContext, submit: ReadySubmit): Promise<Submitted> {
  const { idempotency } = submit;
  const workspace = workspaceObject(ctx, ctx.principal.workspaceId);
  try {
    return await admitNew(ctx, submit);
  } catch (error) {
    if (idempotency === null || !(error instanceof AppError)) {
      throw error;
    }
    // A body that would be rejected today may have been accepted before: a replay returns the
    // committed response.
    const recalled = await workspace.recall(idempotency);
    if (recalled === null) {
      throw error;
    }
    return await settle(ctx, recalled);
  }
}

/** Prepares against the cached pointer, and again against the current one if needed. */
async function admitNew(ctx: CallerContext, submit: ReadySubmit): Promise<Submitted> {
  const { workflowId } = submit;
  const remembered = rememberedPointer(ctx, workflowId);
  let pointer = remembered ?? (await fetchPointer(ctx, workflowId));
  for (let round = 0; round < ROUNDS_MAX; round++) {
    let submitted: Submitted | undefined;
    try {
      submitted = await tryAdmit(ctx, submit, pointer);
    } catch (error) {
      // A rejection counts only against the current workflow.
      const current = await refreshed(ctx, pointer, remembered === pointer && isRefusal(error));
      if (current === undefined) {
        throw error;
      }
      pointer = current;
      continue;
    }
    if (submitted !== undefined) {
      return submitted;
    }
    pointer = await fetchPointer(ctx, workflowId);
  }
  throw new AppError(
    "service_unavailable",
    `The workflow ${workflowId} is being changed while it is submitted. Try again.`,
    { headers: { "retry-after": "1" } },
  );
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.status < 500;
}

async function refreshed(
  ctx: CallerContext,
  pointer: WorkflowPointer,
  isWorthwhile: boolean,
): Promise<WorkflowPointer | undefined> {
  if (!isWorthwhile) {
    return undefined;
  }
  const current = await fetchPointer(ctx, pointer.workflow_id);
  return current.seq === pointer.seq ? undefined : current;
}

/** Undefined if the pointer is outdated. */
async function tryAdmit(
  ctx: CallerContext,
  { idempotency, prepare }: ReadySubmit,
  pointer: WorkflowPointer,
): Promise<Submitted | undefined> {
  const { embed } = ctx.principal;
  const ready = await prepare(pointer);
  const { version, loaded, billingPlan, bound, limits, references, admission } = ready;
  const { retry, droppedInputs = [], isDraft = false } = ready;
  const origin = originParts(ready.origin);
  const nowMs = ctx.nowMs();
  const start = {
    v: 1,
    run_id: newId("run", nowMs),
    workspace_id: ctx.principal.workspaceId,
    organization_id: ctx.principal.organizationId,
    correlation_id: ctx.correlationId,
    workflow_id: pointer.workflow_id,
    workflow_name: pointer.name,
    workflow_version: version,
    ...bound,
    admission_limits: limits,
    created_at_ms: nowMs,
    max_outstanding_tasks: billingPlan.limits.max_outstanding_tasks,
    prepaid: admission.prepaid,
    unit_costs: admission.unit_costs,
    ...(references.list.length === 0 ? {} : { references: references.list }),
    ...runCache(ready.cache, loaded.plan, billingPlan),
    ...(embed !== undefined && { embed }),
    ...(origin !== undefined && { origin }),
    ...(retry !== undefined && { retry }),
    ...(droppedInputs.length > 0 && { dropped_inputs: droppedInputs }),
    ...(isDraft && { is_draft: true, definition_json: loaded.definition_json }),
    time_limit_ms: billingPlan.limits.max_run_seconds * 1000,
  } as const;
  const admitted = await shortenStart(ctx.env.FILES, start);
  const outcome = unwrap(
    await workspaceObject(ctx, ctx.principal.workspaceId).admit({
      v: 1,
      start: admitted,
      is_pinned: ready.isPinned,
      exact_liability_milli_credits: admission.liabilityMilliCredits,
      ...((embed !== undefined || origin !== undefined) && { labels: labelsOf(start) }),
      max_concurrent_executions: billingPlan.limits.max_concurrent_executions,
      monthly_milli_credits: billingPlan.limits.max_credits_per_month * 1000,
      idempotency,
    }),
  );
  if (outcome.kind === "admitted") {
    const known = { ...start, ...outcome.start };
    return { execution: await startRun(ctx, known, loaded.definition_json), isReplay: false };
  }
  if (admitted.values_key !== undefined) {
    ctx.waitUntil(ctx.env.FILES.delete(admitted.values_key));
  }
  return outcome.kind === "stale_pointer" ? undefined : await settle(ctx, outcome);
}

/** Converts an outcome without an admitted run to the response. */
async function settle(
  ctx: CallerContext,
  outcome: Exclude<AdmitOutcome, { kind: "admitted" }>,
): Promise<Submitted> {
  switch (outcome.kind) {
    case "replayed":
      if (outcome.status_code === 402) {
        throw insufficientCredits(outcome.run_id, { "Idempotency-Replayed": "true" });
      }
      return { execution: await readExecution(ctx, outcome.run_id), isReplay: true };
    case "idempotency_conflict":
      throw new AppError("idempotency_conflict", KEY_REUSED);
    case "insufficient_credits":
      throw insufficientCredits(outcome.run_id, {}, outcome.balance_milli_credits);
    case "stale_pointer":
      throw new AppError("service_unavailable", "The workflow is being changed. Try again.");
  }
}

/**
 * The run is committed, so a failed start does not fail the submit: the workspace's alarm repeats
 * it.
 */
async function startRun(
  ctx: CallerContext,
  admitted: AdmittedStart,
  definitionJson: string,
): Promise<Execution> {
  let reason: string;
  try {
    const result = await runObject(ctx, admitted.run_id).start({
      ...admitted,
      definition_json: definitionJson,
    });
    if (result.ok) {
      return result.value;
    }
    reason = result.code;
  } catch (error) {
    reason = describeCause(error);
  }
  ctx.log.error("execution.start_deferred", { run_id: admitted.run_id, reason });
  return unstartedExecution({
    ...admitted,
    status: "pending",
    progress: 0,
    credits_used_milli: null,
    error_code: null,
    error_message: null,
    error_node_id: null,
    error_indices: null,
    started_at_ms: null,
    completed_at_ms: null,
    outputs_expired_at_ms: null,
    embed: admitted.embed?.token ?? null,
    end_user_id: admitted.embed?.end_user_id ?? null,
    ...wholeOrigin(admitted.origin),
    origin: unindexedOrigin(admitted.origin, admitted.is_draft),
  });
}

/** The record of a submit's key, with the digest of its body; null without a key. */
export async function idempotencyOf(
  ctx: CallerContext,
  request: Pick<SubmitRequest, "exactBody" | "idempotencyKey">,
  route = "/api/v1/executions",
): Promise<AdmitRequest["idempotency"]> {
  const key = checkIdempotencyKey(request.idempotencyKey);
  return key === null
    ? null
    : {
        key: idempotencyName(ctx, route, key),
        fingerprint: await requestFingerprint(request.exactBody),
      };
}

/** The response to an earlier submit with this key; null if there was none. Throws `idempotency_conflict`. */
export async function recallSubmit(
  ctx: CallerContext,
  request: Pick<SubmitRequest, "exactBody" | "idempotencyKey">,
): Promise<Submitted | null> {
  const idempotency = await idempotencyOf(ctx, request);
  if (idempotency === null) {
    return null;
  }
  const recalled = await workspaceObject(ctx, ctx.principal.workspaceId).recall(idempotency);
  return recalled === null ? null : settle(ctx, recalled);
}

/** Keys of runtime tokens are the token's own (docs/contract/embeds.md#caps). */
function idempotencyName({ principal }: CallerContext, route: string, key: string): string {
  const viewer = principal.embedViewer;
  return viewer === undefined
    ? `POST ${route} ${key}`
    : `POST /api/embed/executions ${viewer.token} ${key}`;
}

/** Throws `invalid_request`. */
export function parseWorkflowId(given: string): string {
  const id = tryParseId("workflow", given);
  if (id === undefined) {
    throw new AppError(
      "invalid_request",
      `workflow: "${given.slice(0, 80).toWellFormed()}" is not a workflow id. Send ${ID_PREFIXES.workflow} and 32 hex digits, as GET /api/v1/workflows returns them.`,
      { errors: [{ field: "workflow", message: "Must be a workflow id." }] },
    );
  }
  return id;
}

/** Refuses an agent's submit without the bound that an unknown fan-out needs. Throws `validation_error`. */
export function checkAgentBound(
  isAgent: boolean,
  limits: AdmissionLimits,
  plan: Parameters<typeof hasDeferredFanOut>[0],
  bound: Pick<BoundInputs, "input_files">,
): void {
  if (
    isAgent &&
    limits.max_iterations_per_node === undefined &&
    hasDeferredFanOut(plan, new Set(bound.input_files?.map(({ node_id }) => node_id)))
  ) {
    const message =
      "An agent's submit of a workflow whose fan-out is resolved at run time needs this bound. Send the largest number of iterations per node that you accept.";
    throw new AppError("validation_error", `admission_limits.max_iterations_per_node: ${message}`, {
      errors: [{ field: "admission_limits.max_iterations_per_node", message }],
    });
  }
}

/** Returns the refusal of a run whose cost the balance does not cover; `runId` is the failed run, if one was committed. */
export function insufficientCredits(
  runId: string | null,
  headers: Record<string, string>,
  balance?: number,
): AppError {
  const have = balance === undefined ? "" : ` of ${String(balance)} milli-credits`;
  return new AppError(
    "insufficient_credits",
    `The run may cost more than the workspace's balance${have}. Lower its iterations, or add credits.`,
    { headers, ...(runId === null ? {} : { members: { execution_id: runId } }) },
  );
}

/**
 * Whether the number of elements of any axis is known only in the run
 * (docs/contract/access.md#agents, docs/contract/credits.md#plans-known-in-the-run); `filed` inputs
 * are stored files.
 */
function hasDeferredFanOut(plan: Plan, filed: ReadonlySet<string>): boolean {
  return plan.axes.some((axis) => !isKnownAtSubmit(plan, axis.node, filed));
}
