import type {
  BatchCall,
  BatchItemRow,
  BatchState,
  BatchVersion,
  ChangedBatch,
  ItemStatus,
} from "../../contracts/batches/batch-object-api.ts";
import type { BatchExecution } from "../../contracts/batches/batch.ts";
import type { BatchListFilter } from "../../contracts/workspaces/admission.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { parseId, tryParseId } from "../../platform/ids.ts";
import { batchObject } from "../../storage/objects/batch-object.ts";
import { openBatchEvents as openEvents } from "../../storage/objects/open-batch-events.ts";
import { workspaceObject } from "../../storage/objects/workspace-object.ts";
import { fetchPointer } from "../executions/submit/known-pointer.ts";
import { chooseVersion, loadForSubmit } from "../executions/submit/prepare-submit.ts";
import { badCursor } from "../list-page.ts";
import { chooseInterface } from "../workflows/choose-interface.ts";
import { getBillingPlan } from "../billing-plans/workspace-billing-plans.ts";
import { runCache } from "../executions/submit/run-cache.ts";
import { commonStart } from "./common-start.ts";
import { sharedSlots } from "./batch-shares.ts";
import { batchView, indexOfItemId } from "./batch-view.ts";

/** Who asks, for the batch's object. */
function batchCaller(ctx: CallerContext) {
  return { v: 1, workspace_id: ctx.principal.workspaceId } as const;
}

/** The state of a batch, once it has ended or `waitMs` have passed. Throws `not_found`, `forbidden`. */
export async function readBatch(ctx: CallerContext, id: string, waitMs = 0): Promise<BatchState> {
  return unwrap(await batchObject(ctx, id).read({ ...batchCaller(ctx), wait_ms: waitMs }));
}

/** The events of a batch after `lastEventId`; null if there are none left. Throws as `readBatch`, and `validation_error`. */
export async function openBatchEvents(ctx: CallerContext, id: string, lastEventId: string | null) {
  return unwrap(await openEvents(ctx, id, { ...batchCaller(ctx), last_event_id: lastEventId }));
}

/** The public form of a batch in the caller's workspace. */
export async function showBatch(ctx: CallerContext, state: BatchState): Promise<BatchExecution> {
  const { limits } = await getBillingPlan(ctx, ctx.principal);
  return batchView(state, sharedSlots(limits.max_concurrent_executions));
}

/** How often a page is read whose batches change their status meanwhile. */
const LIST_ROUNDS = 3;

/**
 * A page of batches, newest first. Each has the status of the filter: reading a batch that has changed tells the workspace, whose
 * list is read again then. Throws `invalid_request` for an unknown cursor.
 */
export async function listBatches(ctx: CallerContext, filter: BatchListFilter) {
  for (let round = 1; ; round++) {
    const page = await readPage(ctx, filter);
    const data = page.data.filter(
      ({ status }) => filter.status === null || status === filter.status,
    );
    const changed = page.data.length - data.length;
    if (changed === 0 || round === LIST_ROUNDS) {
      return { ...page, data, total_count: page.total_count - changed };
    }
  }
}

async function readPage(ctx: CallerContext, filter: BatchListFilter) {
  const after = filter.starting_after;
  const page = unwrap(
    await workspaceObject(ctx, ctx.principal.workspaceId).listBatches({
      ...filter,
      starting_after: after === null ? null : (tryParseId("batch", after) ?? after),
    }),
  );
  return {
    data: await Promise.all(
      page.rows.map(async ({ batch_id: id }) => await showBatch(ctx, await readBatch(ctx, id))),
    ),
    has_more: page.has_more,
    next_cursor: page.has_more ? (page.rows.at(-1)?.batch_id ?? null) : null,
    total_count: page.total_count,
  };
}

/**
 * Starts a batch that was never started. Throws `invalid_state`, `workflow_not_published`, and `insufficient_credits`
 * if the cost of all items is known and exceeds the balance; the batch is unchanged then.
 */
export async function startBatch(
  ctx: CallerContext,
  id: string,
  idempotency: BatchCall["idempotency"],
): Promise<ChangedBatch> {
  const { record, attempt, status } = await readBatch(ctx, id);
  if (attempt === 0 && status === "pending") {
    const pointer = await fetchPointer(ctx, record.workflow);
    if (pointer.status !== "published") {
      throw new AppError(
        "workflow_not_published",
        `The workflow ${pointer.workflow_id} is ${pointer.status}; only published workflows run.`,
      );
    }
    const { limits } = await getBillingPlan(ctx, ctx.principal);
    const { balance_milli_credits: balance } = await workspaceObject(
      ctx,
      record.workspace_id,
    ).balance(limits.max_credits_per_month * 1000);
    const exact = record.exact_milli_credits;
    if (exact !== null && exact > balance) {
      throw new AppError(
        "insufficient_credits",
        `The runs of all items cost ${String(exact)} milli-credits, and the balance is ${String(balance)}. Add credits, or create a batch with fewer items.`,
      );
    }
  }
  return unwrap(await batchObject(ctx, id).start({ ...batchCaller(ctx), idempotency }));
}

/** Cancels a batch. Throws `invalid_state` if it has ended. */
export async function cancelBatch(
  ctx: CallerContext,
  id: string,
  idempotency: BatchCall["idempotency"],
): Promise<ChangedBatch> {
  return unwrap(await batchObject(ctx, id).cancel({ ...batchCaller(ctx), idempotency }));
}

/**
 * Begins another attempt with the failed and cancelled items of a batch that has ended. Throws `invalid_state`,
 * `no_failed_items`, `workflow_not_found`, `outputs_expired`, and for a version the codes of a submit.
 */
export async function retryBatch(
  ctx: CallerContext,
  id: string,
  given: {
    readonly includePartial: boolean;
    readonly version: number | "latest" | undefined;
    readonly idempotency: BatchCall["idempotency"];
  },
): Promise<ChangedBatch> {
  const { includePartial: include_partial, version, idempotency } = given;
  const call = { ...batchCaller(ctx), idempotency, include_partial };
  const object = batchObject(ctx, id);
  if (version === undefined) {
    return unwrap(await object.retry({ ...call, move: null }));
  }
  // A repeat, and a batch that cannot be retried, are answered whatever has become of the version.
  const checked = unwrap(await object.checkRetry(call));
  if (checked.is_replay) {
    return checked;
  }
  const move = await versionFor(ctx, checked.state, version);
  return unwrap(await object.retry({ ...call, move }));
}

/** Another version for a batch, which must have the batch's interface. */
async function versionFor(
  ctx: CallerContext,
  { record }: BatchState,
  asked: number | "latest",
): Promise<BatchVersion> {
  const { interface_id: interfaceId } = record.common;
  const pointer = await fetchPointer(ctx, record.workflow);
  const version = chooseVersion(pointer, asked === "latest" ? undefined : asked);
  const loaded = await loadForSubmit(ctx, pointer.workflow_id, version);
  if (interfaceId !== null) {
    chooseInterface(loaded.definition.interfaces, interfaceId);
  }
  const billingPlan = await getBillingPlan(ctx, ctx.principal);
  const options = record.common.cache?.options ?? undefined;
  return {
    workflow_version: version,
    common: {
      ...commonStart(loaded, interfaceId),
      ...runCache(options, loaded.plan, billingPlan),
    },
  };
}

/** A page of the items of a batch, by index. Throws `invalid_request` for an unknown cursor. */
export async function listItems(
  ctx: CallerContext,
  id: string,
  filter: {
    readonly limit: number;
    readonly startingAfter: string | undefined;
    readonly status: ItemStatus | null;
    readonly clientReference: string | null;
  },
) {
  const cursor = filter.startingAfter;
  const after =
    cursor === undefined ? -1 : indexOfItemId(id, tryParseId("batchItem", cursor) ?? "");
  if (after === undefined) {
    throw badCursor(cursor ?? "", "an item of this batch");
  }
  return unwrap(
    await batchObject(ctx, id).items({
      ...batchCaller(ctx),
      limit: filter.limit + 1,
      after,
      status: filter.status,
      client_reference: filter.clientReference,
    }),
  );
}

/** An item by its index or its id. Throws `invalid_id`, `not_found`. */
export async function readItem(
  ctx: CallerContext,
  id: string,
  item: string,
): Promise<BatchItemRow> {
  const index = /^(?:0|[1-9]\d{0,8})$/.test(item)
    ? Number(item)
    : indexOfItemId(id, parseId("batchItem", item));
  if (index === undefined) {
    // The batch decides first whether the caller may know it.
    await readBatch(ctx, id);
    throw new AppError("not_found", `The batch has no item ${item.slice(0, 40)}.`);
  }
  return unwrap(await batchObject(ctx, id).item({ ...batchCaller(ctx), index }));
}
