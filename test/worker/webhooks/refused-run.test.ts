/** A run that fails at admission has no run object, but its event is sent (docs/contract/credits.md#plans-known-at-submit, docs/contract/webhooks.md#deliveries). */
import { expect, test } from "vitest";
import { labelsOf } from "../../../src/contracts/workspaces/admission.ts";
import { activeEndpoint } from "../../support/active-endpoint.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { WorkspaceFixture } from "../workspace/workspace-fixture.ts";

test("a run refused for its price makes one event, which every attempt sends unchanged", async () => {
  const workspace = await new WorkspaceFixture().publish();
  const { endpoint } = await activeEndpoint(workspace.workspaceId);
  const origin = { client_reference: "row 7", batch: "bat_1", batch_index: 7 };
  const request = {
    exact_liability_milli_credits: 1_000_000,
    idempotency: { key: "POST /api/v1/executions refused", fingerprint: "f" },
    start: { origin },
    labels: labelsOf({ origin }),
  };
  const refused = await workspace.admit(request);
  if (refused.kind !== "insufficient_credits" || refused.run_id === null) {
    throw new Error(refused.kind);
  }
  const runId = refused.run_id;
  const listed = () =>
    endpoint.listDeliveries({
      v: 1,
      limit: 10,
      below_id: null,
      status: null,
      execution: runId,
      event_type: null,
    });
  const { rows } = await waitUntil("the delivery", async () => {
    const page = await listed();
    return page.total > 0 && page;
  });
  await workspace.admit(request);
  expect((await listed()).total).toBe(1);
  expect(rows[0]).toMatchObject({ status: "pending", execution: runId });
  const [attempt] = await endpoint.claim({ v: 1, max: 1 });
  expect(JSON.parse(attempt!.body)).toMatchObject({
    subject: runId,
    data: {
      execution_id: runId,
      status: "failed",
      error_code: "insufficient_credits",
      ...origin,
      outputs: [],
      outputs_truncated: false,
    },
  });
});

test("a run refused without a key is not stored and makes no event", async () => {
  const workspace = await new WorkspaceFixture().publish();
  const { endpoint } = await activeEndpoint(workspace.workspaceId);
  await workspace.admit({ exact_liability_milli_credits: 1_000_000 });
  expect(await endpoint.claim({ v: 1, max: 1 })).toEqual([]);
});
