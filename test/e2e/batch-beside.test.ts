/** Requests beside a batch. All objects of the local service share one thread, which a batch must not keep for itself. */
import { expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import type { BatchExecution } from "../../src/contracts/batches/batch.ts";
import { sharedService } from "../support/node/shared-service.ts";

const ITEMS = 2_000;
/** Far fewer than on an idle machine, and none where a batch starts its runs without a pause. */
const ANSWERS = 10;

const ECHO = {
  name: "Echo",
  definition: {
    nodes: [
      { id: "in", type: "input/text", label: "Words", parameters: { required: true } },
      { id: "out", type: "output/text", label: "Said", parameters: {} },
    ],
    connections: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
  },
};

it("polls and single submits are answered while a batch runs, in between its items", async () => {
  const { client } = await sharedService();
  const workflow = await publish(client, ECHO as never);
  const inputs = { words: { value: '"word"' } };
  const path = "/api/v1/batch-executions";
  const created = await client.call<BatchExecution>("POST", path, {
    body: { workflow, items: Array.from({ length: ITEMS }, () => ({ inputs })) },
  });
  const counts = new Set<number>();
  let submitted = 0;
  for (let batch = created; batch.completed_at === null;) {
    await client.call("POST", "/api/v1/executions", { body: { workflow, inputs } });
    batch = await client.call<BatchExecution>("GET", `${path}/${created.id}`);
    if (batch.completed_at === null) {
      submitted += 1;
      counts.add(batch.completed);
    }
  }
  expect(submitted).toBeGreaterThan(ANSWERS);
  expect(counts.size).toBeGreaterThan(ANSWERS);
});
