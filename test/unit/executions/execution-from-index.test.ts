import { expect, test } from "vitest";
import { unindexedOrigin } from "../../../src/contracts/runs/run-origin.ts";
import type { RunIndexRow } from "../../../src/contracts/workspaces/admission.ts";
import { RunStatus } from "../../../src/contracts/runs/run.ts";
import { executionFromIndex } from "../../../src/domain/executions/read/execution-from-index.ts";
import { progressMessage } from "../../../src/domain/executions/read/progress-message.ts";

const ROW: RunIndexRow = {
  run_id: "run_1",
  workflow_id: "wf_1",
  workflow_name: "One",
  workflow_version: 1,
  interface_id: null,
  status: "completed",
  progress: 100,
  credits_used_milli: 0,
  error_code: null,
  error_message: null,
  error_node_id: null,
  error_indices: null,
  created_at_ms: 1,
  started_at_ms: 2,
  completed_at_ms: 3,
  outputs_expired_at_ms: null,
  embed: null,
  end_user_id: null,
  client_reference: null,
  batch: null,
  schedule: null,
  retry_of: null,
  origin: null,
};

test.each([
  ["pending", "Queued"],
  ["running", "Running"],
  ["cancelling", "Cancelling"],
  ["completed", "Completed"],
  ["partial_success", "Completed in part"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
] as const)("a run in state %s of the index is shown as %j", (status, message) => {
  expect(executionFromIndex({ ...ROW, status }).progress_message).toBe(message);
});

test("every state of a run has a message", () => {
  for (const status of RunStatus.options) {
    expect(progressMessage(status, false)).not.toBe("");
  }
});

test("the message of an indexed run includes that its outputs have expired", () => {
  const { progress_message: message } = executionFromIndex({ ...ROW, outputs_expired_at_ms: 4 });
  expect(message).toBe("Completed; its outputs have expired");
});

test("live data of the run replaces the general message", () => {
  expect(progressMessage("pending", false, { isHeld: true })).toBe("Waiting for a free slot");
  expect(progressMessage("running", false, { working: "Resize: 3 of 10" })).toBe("Resize: 3 of 10");
});

test("the location of a failure is shown like in the run itself", () => {
  const failed = { ...ROW, error_node_id: "divide", error_indices: "[0,2]" };
  expect(executionFromIndex(failed)).toMatchObject({
    error_node_id: "divide",
    error_indices: [0, 2],
  });
  expect(executionFromIndex(ROW)).toMatchObject({ error_node_id: null, error_indices: null });
});

test("every member of a run's origin comes back from the index", () => {
  const origin = {
    client_reference: "row 7",
    batch: "bat_1",
    batch_index: 0,
    schedule: "sch_1",
    scheduled_for: "2026-11-24T08:00:00.000Z",
    retry_of: "run_2",
    retry_root: "run_3",
    retry_from: "failure",
  };
  const { client_reference, batch, schedule, retry_of } = origin;
  const indexed = { client_reference, batch, schedule, retry_of, origin: unindexedOrigin(origin) };
  expect(executionFromIndex({ ...ROW, ...indexed })).toMatchObject(origin);
});

test("a run without an origin has null in each of its members", () => {
  expect(unindexedOrigin(undefined)).toBeNull();
  expect(unindexedOrigin({ client_reference: "row 7", batch: null })).toBeNull();
  expect(executionFromIndex(ROW)).toMatchObject({
    client_reference: null,
    batch: null,
    batch_index: null,
    schedule: null,
    scheduled_for: null,
    retry_of: null,
    retry_root: null,
    retry_from: null,
  });
});
