import type {
  BatchRecord,
  BatchState,
  StagedItem,
} from "../../../contracts/batches/batch-object-api.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import { KEY_REUSED } from "../../../lib/idempotency-record.ts";
import { unwrap } from "../../../lib/result.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";
import { batchObject } from "../../../storage/objects/batch-object.ts";
import { workspaceObject } from "../../../storage/objects/workspace-object.ts";
import { getBillingPlan } from "../../billing-plans/workspace-billing-plans.ts";
import { runCache } from "../../executions/submit/run-cache.ts";
import { readBatch } from "../read-batch.ts";
import { type BatchBody, checkItems, type ItemSink, subjectOf } from "./check-items.ts";

/** Size of one call that stages items, in UTF-16 units of their inputs. */
const STAGE_CHARS = 250_000;
const STAGE_ITEMS = 250;
/** Items that are checked without a pause. */
const CHECKED_ITEMS = 25;

export interface BatchRequest extends BatchBody {
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
  const { head } = request;
  const subject = await subjectOf(ctx, request);
  const stage = new Stage(ctx, id);
  const checks = await checkItems(ctx, request, subject, stage);
  await stage.flush();
  const { pointer, version, loaded, preparer } = subject;
  const billingPlan = await getBillingPlan(ctx, ctx.principal);
  return {
    id,
    workspace_id: ctx.principal.workspaceId,
    organization_id: ctx.principal.organizationId,
    correlation_id: ctx.correlationId,
    base_url: ctx.baseUrl,
    workflow: pointer.workflow_id,
    workflow_name: pointer.name,
    workflow_version: version,
    admission_limits: head.admission_limits ?? {},
    common: { ...preparer.common, ...runCache(head.cache, loaded.plan, billingPlan) },
    name: head.name ?? null,
    client_reference: head.client_reference ?? null,
    max_concurrency: head.max_concurrency ?? null,
    max_failed_items: head.max_failed_items ?? null,
    max_total_milli_credits: head.max_total_milli_credits ?? null,
    total_items: checks.count,
    exact_milli_credits: checks.isExact ? checks.milliCredits : null,
    created_at_ms: ctx.nowMs(),
  };
}

/** Sends items to the object of their batch, several in a call. */
class Stage implements ItemSink {
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
    } else if (this.#items.length % CHECKED_ITEMS === 0) {
      await pause();
    }
  }

  /** The items are another time those from the first on. */
  restart(): void {
    this.#items = [];
    this.#chars = 0;
    this.#from = 0;
  }

  async flush(): Promise<void> {
    const items = this.#items;
    this.#items = [];
    this.#chars = 0;
    if (items.length > 0) {
      await this.#object.stage({ v: 1, from: this.#from, items });
      this.#from += items.length;
      await pause();
    }
  }
}

/** Checking thousands of items takes a process that also serves other requests, as the local one does, for itself. */
function pause(): Promise<void> {
  return scheduler.wait(0);
}
