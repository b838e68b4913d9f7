/** docs/contract/batches.md#object and #items. */
import { describe, expect, test } from "vitest";
import type { BatchState } from "../../../../src/contracts/batches/batch-object-api.ts";
import {
  batchView,
  indexOfItemId,
  itemId,
  itemView,
} from "../../../../src/domain/batches/batch-view.ts";

const COUNTS = {
  total_items: 7,
  pending: 1,
  running: 1,
  completed: 2,
  failed: 2,
  cancelled: 1,
  partial_success: 1,
};

const ID = `bat_${"0190f3a27c1e7000800000000000fff0"}`;

function stateOf(more: Partial<Omit<BatchState, "record">> = {}): BatchState {
  return {
    record: {
      id: ID,
      workspace_id: "ws_1",
      organization_id: "org_1",
      correlation_id: "c",
      base_url: "https://svc.test",
      workflow: "wf_1",
      workflow_name: "Labels",
      workflow_version: 3,
      common: { interface_id: "int_1", output_node_ids: null, unit_costs: [], references: [] },
      admission_limits: {},
      name: "Mine",
      client_reference: "row",
      max_concurrency: 50,
      max_failed_items: null,
      max_total_milli_credits: null,
      total_items: 7,
      exact_milli_credits: null,
      created_at_ms: 1_000,
    },
    status: "running",
    counts: COUNTS,
    attempt: 2,
    used_milli_credits: 1_234,
    stop: null,
    started_at_ms: 2_000,
    completed_at_ms: null,
    cancel_requested_at_ms: null,
    ...more,
  };
}

describe("the object of a batch", () => {
  test("has its members, with a progress that is rounded down", () => {
    expect(batchView(stateOf(), 192)).toEqual({
      id: ID,
      name: "Mine",
      client_reference: "row",
      workflow: "wf_1",
      workflow_name: "Labels",
      workflow_version: 3,
      interface: "int_1",
      status: "running",
      attempt: 2,
      progress: 71,
      progress_message: "5 of 7 items ended, 1 running",
      ...COUNTS,
      max_concurrency: 50,
      credits_used: 1.234,
      error_code: null,
      error_message: null,
      created_at: "1970-01-01T00:00:01.000Z",
      started_at: "1970-01-01T00:00:02.000Z",
      completed_at: null,
      cancel_requested_at: null,
    });
    const all = { ...COUNTS, total_items: 10_000, completed: 9_996, failed: 2, cancelled: 1 };
    expect(batchView(stateOf({ counts: all }), 192).progress).toBe(99);
  });

  test("has the slots of the plan's share as its largest concurrency", () => {
    expect(batchView(stateOf(), 12).max_concurrency).toBe(12);
  });

  test.each(["BATCH_FAILURE_LIMIT", "BATCH_CREDIT_LIMIT"] as const)("explains %s", (stop) => {
    const view = batchView(stateOf({ stop }), 192);
    expect(view).toMatchObject({
      error_code: stop,
      error_message: expect.stringContaining("max_"),
    });
  });
});

test("an item has its members, and an id that leads back to its index in this batch alone", () => {
  const row = {
    index: 9_999,
    status: "failed",
    client_reference: null,
    attempt: 2,
    executions: ["run_1", "run_2"],
    error_code: "X",
    error_message: "x",
    credits_used_milli: 40,
    started_at_ms: 3_000,
    completed_at_ms: 4_000,
  } as const;
  const id = itemId(ID, 9_999);
  expect(itemView(ID, 1_000, row)).toEqual({
    id,
    index: 9_999,
    client_reference: null,
    status: "failed",
    attempt: 2,
    execution: "run_2",
    executions: ["run_1", "run_2"],
    credits_used: 0.04,
    error_code: "X",
    error_message: "x",
    created_at: "1970-01-01T00:00:01.000Z",
    started_at: "1970-01-01T00:00:03.000Z",
    completed_at: "1970-01-01T00:00:04.000Z",
  });
  expect(id).toMatch(/^bit_[0-9a-f]{32}$/);
  expect(indexOfItemId(ID, id)).toBe(9_999);
  expect(indexOfItemId(ID.replace("0190", "0191"), id)).toBeUndefined();
  const none = { ...row, executions: [], started_at_ms: null, completed_at_ms: null };
  expect(itemView(ID, 1_000, none)).toMatchObject({ execution: null, started_at: null });
});
