import type { ExecutionListItem } from "../../contracts/runs/execution-requests.ts";
import { originOfExecution } from "../../contracts/runs/run-origin.ts";
import { FINISHED_EVENT, TEST_EVENT } from "../../contracts/webhooks/webhook.ts";
import { renderItem } from "../../engine/view/render-item.ts";
import { utf8Bytes, ValueBudget } from "../../engine/view/value-budget.ts";
import { viewGroups } from "../../engine/view/view-groups.ts";
import type { ViewInput } from "../../engine/view/view-input.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { EndpointRecord } from "./endpoints/endpoint-record.ts";

/** docs/contract/webhooks.md#events: maximum size of the whole body, in UTF-8 bytes. */
export const EVENT_MAX_BYTES = LIMITS.webhook_event.value;
/** Number of elements read at a time. */
const PAGE_CELLS = 100;
/** Minimum size of an item: with less room, none is tried. */
const ITEM_MIN_BYTES = 150;
/** Names and messages are for people; longer ones can be read from the result. */
const MESSAGE_CHARS_MAX = 1_000;

interface FinishedRun {
  readonly eventId: string;
  readonly execution: Omit<ExecutionListItem, "outputs" | "error_node_id" | "error_indices">;
  readonly view: ViewInput;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/**
 * Body of the event that a run has ended (docs/contract/webhooks.md#events): CloudEvents 1.0,
 * structured mode, at most 20 KiB. Items are included in order while they fit, else without their
 * value, else omitted; then `outputs_truncated` is true and the rest can be read from `result_url`.
 * The rows of an ended run do not change, so a repeat creates the same text.
 */
export async function completionEventBody(run: FinishedRun): Promise<string> {
  const { execution, baseUrl } = run;
  const address = `${baseUrl}/api/v1/executions/${execution.id}`;
  const head = {
    specversion: "1.0",
    id: run.eventId,
    source: `${baseUrl}/api/v1`,
    type: FINISHED_EVENT,
    subject: execution.id,
    time: execution.completed_at,
    datacontenttype: "application/json",
  };
  const data = {
    execution_id: execution.id,
    workflow_id: execution.workflow,
    workflow_name: execution.workflow_name,
    workflow_version: execution.workflow_version,
    interface: execution.interface,
    status: execution.status,
    error_code: execution.error_code,
    error_message: execution.error_message?.slice(0, MESSAGE_CHARS_MAX).toWellFormed() ?? null,
    credits_used: execution.credits_used ?? 0,
    created_at: execution.created_at,
    started_at: execution.started_at,
    completed_at: execution.completed_at,
    ...(execution.end_user_id !== null && { end_user_id: execution.end_user_id }),
    ...originOfExecution(execution),
    is_draft: execution.is_draft,
    reused_iterations: execution.reused_iterations,
    result_url: `${address}/result`,
    trace_url: `${address}/trace`,
  };
  const before = `${JSON.stringify(head).slice(0, -1)},"data":${JSON.stringify(data).slice(0, -1)},"outputs":[`;
  const after = (isTruncated: boolean) => `],"outputs_truncated":${String(isTruncated)}}}`;
  const room = EVENT_MAX_BYTES - utf8Bytes(before) - utf8Bytes(after(false));
  const { items, isTruncated } = await fittingItems(run.view, room);
  return `${before}${items.join(",")}${after(isTruncated)}`;
}

async function fittingItems(
  view: ViewInput,
  room: number,
): Promise<{ items: string[]; isTruncated: boolean }> {
  const items: string[] = [];
  let isTruncated = false;
  let left = room;
  for (const group of viewGroups(view)) {
    for (let fromIndex = 0; ;) {
      const cells = view.cells(group.output, fromIndex, PAGE_CELLS);
      for (const cell of cells) {
        if (left < ITEM_MIN_BYTES) {
          return { items, isTruncated: true };
        }
        // A value that is larger by itself is not read.
        let { itemJson: text } = await renderItem(view, group.output, cell, new ValueBudget(left));
        if (utf8Bytes(text) + 1 > left) {
          ({ itemJson: text } = await renderItem(view, group.output, cell, new ValueBudget(0)));
        }
        const bytes = utf8Bytes(text) + 1;
        isTruncated ||= text.includes('"status":"too_large"') && isCut(text);
        if (bytes <= left) {
          items.push(text);
          left -= bytes;
        } else {
          isTruncated = true;
        }
      }
      const last = cells.at(-1);
      if (last === undefined || cells.length < PAGE_CELLS) {
        break;
      }
      fromIndex = last.element + 1;
    }
  }
  return { items, isTruncated };
}

/** Its value was omitted because of its size: here, or in the result too. */
function isCut(itemJson: string): boolean {
  const { parse } = JSON.parse(itemJson) as { parse: { status: string } };
  return parse.status === "too_large";
}

/**
 * Body of the event of a test (docs/contract/webhooks.md#events): CloudEvents 1.0, structured mode.
 * `baseUrl` without a trailing slash.
 */
export function testEventBody(
  eventId: string,
  endpoint: EndpointRecord,
  baseUrl: string,
  nowMs: number,
): string {
  return JSON.stringify({
    specversion: "1.0",
    id: eventId,
    source: `${baseUrl}/api/v1`,
    type: TEST_EVENT,
    subject: endpoint.id,
    time: new Date(nowMs).toISOString(),
    datacontenttype: "application/json",
    data: {
      endpoint_id: endpoint.id,
      url_revision: endpoint.url_revision,
      message:
        "A test of this webhook endpoint. Verify its signature and return any 2xx status to pass the test.",
    },
  });
}
