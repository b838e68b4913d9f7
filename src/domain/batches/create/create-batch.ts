import type {
  BatchRecord,
  BatchState,
  StagedItem,
} from "../../../contracts/batches/batch-object-api.ts";
import type { CreateBatchHead } from "../../../contracts/batches/batch.ts";
import { AppError, type FieldError } from "../../../lib/errors/errors.ts";
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import { KEY_REUSED } from "../../../lib/idempotency-record.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { unwrap } from "../../../lib/result.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";
import { batchObject } from "../../../storage/objects/batch-object.ts";
import { workspaceObject } from "../../../storage/objects/workspace-object.ts";
import { fetchPointer } from "../../executions/submit/known-pointer.ts";
import { chooseVersion, refuseModels } from "../../executions/submit/prepare-submit.ts";
import { checkAgentBound, parseWorkflowId } from "../../executions/submit/submit-execution.ts";
import { chooseInterface } from "../../workflows/choose-interface.ts";
import { loadVersion } from "../../workflows/versions/load-version.ts";
import { readBatch } from "../read-batch.ts";
import { type GivenItem, ItemPreparer } from "./prepare-items.ts";

const ERRORS_MAX = LIMITS.batch_problems.value;
/** Size of one call that stages items, in UTF-16 units of their inputs. */
const STAGE_CHARS = 500_000;
const STAGE_ITEMS = 500;

export interface BatchRequest {
  readonly head: CreateBatchHead;
  /** The same with its original digits. */
  readonly exactHead: JsonValue;
  readonly count: number;
  /** Items are read when they are checked, so that one at a time is in memory. */
  readonly itemAt: (index: number) => GivenItem;
  readonly isAgent: boolean;
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
}

export interface Created {
  readonly state: BatchState;
  readonly isReplay: boolean;
}

/**
 * Checks all items, and then creates the batch; nothing exists unless it is created. Throws the codes of a submit;
 * `validation_error` has the problems of up to 100 fields.
 */
export async function createBatch(ctx: CallerContext, request: BatchRequest): Promise<Created> {
  const { workspaceId } = ctx.principal;
  const { idempotency } = request;
  const recalled =
    idempotency === null ? null : await workspaceObject(ctx, workspaceId).recallBatch(idempotency);
  if (recalled?.kind === "idempotency_conflict") {
    throw new AppError("idempotency_conflict", KEY_REUSED);
  }
  if (recalled?.kind === "replayed") {
    return { state: await readBatch(ctx, recalled.batch_id), isReplay: true };
  }
  const id = newId("batch", ctx.nowMs());
  const object = batchObject(ctx, id);
  try {
    const record = await stageAll(ctx, request, id);
    const starts = request.head.start ?? true;
    const created = unwrap(await object.create({ v: 1, record, starts, idempotency }));
    return created.replayed === null
      ? { state: created.state, isReplay: false }
      : { state: await readBatch(ctx, created.replayed), isReplay: true };
  } catch (error) {
    // What was staged, if anything; the object also forgets it by itself.
    ctx.waitUntil(object.discard({ v: 1 }).catch(() => undefined));
    throw error;
  }
}

async function stageAll(
  ctx: CallerContext,
  request: BatchRequest,
  id: string,
): Promise<BatchRecord> {
  const { head, exactHead } = request;
  const pointer = await fetchPointer(ctx, parseWorkflowId(head.workflow));
  const version = chooseVersion(pointer, head.version);
  const loaded = await loadVersion(ctx, pointer.workflow_id, version).catch(refuseModels);
  const interfaceId =
    head.interface == null ? null : chooseInterface(loaded.definition.interfaces, head.interface);
  const limits = head.admission_limits ?? {};
  const preparer = new ItemPreparer(ctx, {
    workflowId: pointer.workflow_id,
    loaded,
    interfaceId,
    limits,
    commonInputs: membersOf(exactHead, "common_inputs"),
    checkBound: (bound) => {
      checkAgentBound(request.isAgent, limits, loaded.plan, bound);
    },
  });
  const exact = await stageItems(ctx, request, preparer, id);
  return {
    id,
    workspace_id: ctx.principal.workspaceId,
    organization_id: ctx.principal.organizationId,
    correlation_id: ctx.correlationId,
    base_url: ctx.baseUrl,
    workflow: pointer.workflow_id,
    workflow_name: pointer.name,
    workflow_version: version,
    admission_limits: limits,
    common: preparer.common,
    name: head.name ?? null,
    client_reference: head.client_reference ?? null,
    max_concurrency: head.max_concurrency ?? null,
    max_failed_items: head.max_failed_items ?? null,
    max_total_milli_credits: head.max_total_milli_credits ?? null,
    total_items: request.count,
    exact_milli_credits: exact,
    created_at_ms: ctx.nowMs(),
  };
}

/**
 * Checks every item, and stages them until one is found that refuses the batch. Returns the sum of their costs; null
 * unless each is exact.
 */
async function stageItems(
  ctx: CallerContext,
  { head, count, itemAt }: BatchRequest,
  preparer: ItemPreparer,
  id: string,
): Promise<number | null> {
  const stage = new Stage(ctx, id);
  const errors: FieldError[] = [];
  let valid = 0;
  let exact: number | null = 0;
  for (let index = 0; index < count && errors.length < ERRORS_MAX; index++) {
    const item = await preparer.prepare(itemAt(index));
    if (!("errors" in item)) {
      valid++;
      exact = exact === null || !item.isExact ? null : exact + item.staged.liability_milli_credits;
    } else if (head.on_invalid_item !== "fail_item") {
      const found = item.errors.slice(0, ERRORS_MAX - errors.length);
      errors.push(...found.map((error) => below(index, error)));
    }
    if (errors.length === 0) {
      await stage.add(item.staged);
    }
  }
  const [first] = errors;
  if (first !== undefined) {
    const more = errors.length === 1 ? "" : ` (and ${String(errors.length - 1)} more, see errors)`;
    throw new AppError("validation_error", `${first.field}: ${first.message}${more}`, { errors });
  }
  if (valid === 0) {
    const message = "None of the items is valid. GET the workflow's contract for its inputs.";
    throw new AppError("validation_error", `items: ${message}`, {
      errors: [{ field: "items", message }],
    });
  }
  await stage.flush();
  return exact;
}

/** Sends items to the object of their batch, several in a call. */
class Stage {
  readonly #object;
  #items: StagedItem[] = [];
  #chars = 0;
  #from = 0;

  constructor(ctx: CallerContext, id: string) {
    this.#object = batchObject(ctx, id);
  }

  async add(item: StagedItem): Promise<void> {
    this.#items.push(item);
    this.#chars += item.input_json?.length ?? 0;
    if (this.#chars >= STAGE_CHARS || this.#items.length === STAGE_ITEMS) {
      await this.flush();
    }
  }

  async flush(): Promise<void> {
    const items = this.#items;
    this.#items = [];
    this.#chars = 0;
    if (items.length > 0) {
      await this.#object.stage({ v: 1, from: this.#from, items });
      this.#from += items.length;
    }
  }
}

function membersOf(value: JsonValue, name: string): { readonly [key: string]: JsonValue } {
  const member = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(member) ? member : {};
}

function below(index: number, error: FieldError): FieldError {
  const { field } = error;
  const dot = field === "" || field.startsWith("[") ? "" : ".";
  return { ...error, field: `items[${String(index)}]${dot}${field}` };
}
