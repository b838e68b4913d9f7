import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { httpCall } from "./http-call.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { median, spread } from "./statistics.ts";

const CLIENTS = 4;
const ROUNDS = 9;
const SUBMITS = 100;

const link = (from: string, port: string, to: string, toPort: string) => ({
  from: { node: from, port },
  to: { node: to, port: toPort },
});

/**
 * A node behind a branch that is not taken, so that neither graph executes it: the only difference is the reservation
 * at admission and its release at the end.
 */
function behindABranch(node: Record<string, unknown>, from: string, port: string, output: string) {
  return {
    nodes: [
      { id: "in", type: "input/text", label: "in" },
      { id: "if", type: "utility/condition", parameters: { operator: "equals", operand: "never" } },
      { id: "work", ...node },
      { id: "out", type: `output/${output}`, parameters: { key: "out" } },
    ],
    connections: [
      link("in", "text", "if", "value"),
      link("if", "true", "work", from),
      link("work", port, "out", output),
    ],
  };
}

/** Duration of a submit whose run may cost credits, beside one of the same graph that is free. */
export async function measurePaidSubmits(client: ApiClient): Promise<Figure> {
  const paid = await publish(client, {
    name: "Bench: paid branch",
    definition: behindABranch(
      { type: "image/code", parameters: { symbology: "qr" } },
      "text",
      "image",
      "image",
    ),
  });
  const free = await publish(client, {
    name: "Bench: free branch",
    definition: behindABranch(
      {
        type: "text/template",
        parameters: { template: "[t]", placeholders: [{ inputPort: "t" }] },
      },
      "t",
      "text",
      "text",
    ),
  });
  const headers = {
    authorization: `Bearer ${await client.token()}`,
    "content-type": "application/json",
  };
  const submitsOf = (workflow: string) => async () => {
    const body = JSON.stringify({ workflow, inputs: { in: { value: '"x"' } } });
    const { status, text } = await httpCall("POST", `${client.baseUrl}/api/v1/executions`, {
      headers,
      body,
    });
    if (status !== 202) {
      throw new Error(`A submit returned ${status}: ${text}`);
    }
  };
  const [submitPaid, submitFree] = [submitsOf(paid), submitsOf(free)];
  const samples = await interleave(ROUNDS, {
    paid: () => timeSubmits(submitPaid),
    free: () => timeSubmits(submitFree),
  });
  return {
    name: "a submit that may cost credits",
    unit: "ms",
    ours: spread(samples.paid),
    beside: [{ name: "the same graph, free", value: spread(samples.free) }],
    targets: [atMost("≤ 1.15 × the free one", median(samples.paid) / median(samples.free), 1.15)],
  };
}

/** Milliseconds of a submit, the median of many. */
async function timeSubmits(submit: () => Promise<void>): Promise<number> {
  const latencies: number[] = [];
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (let at = 0; at < SUBMITS / CLIENTS; at += 1) {
        const sentAt = performance.now();
        await submit();
        latencies.push(performance.now() - sentAt);
      }
    }),
  );
  return median(latencies);
}
