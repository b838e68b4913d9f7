import type { ApiClient } from "../scripts/api-client.ts";
import { chain } from "./bench-workflows.ts";
import { edgeloom, peer, timeRun } from "./contenders.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import type { Peers } from "./start-peers.ts";
import { median, spread } from "./statistics.ts";

export interface StepsOptions {
  readonly steps: 1 | 10;
  readonly rounds?: number;
  readonly warmUp?: number;
}

/** W1, W2: one or ten inline steps, beside Cloudflare Workflows and a bare object. */
export async function measureSteps(
  client: ApiClient,
  peers: Peers,
  { steps, rounds = 40, warmUp = 10 }: StepsOptions,
): Promise<Figure> {
  const ours = await edgeloom(client, chain(steps));
  const workflows = peer("Cloudflare Workflows", peers.workflowsUrl, `/?n=${steps}`);
  const bare = peer("bare object", peers.bareUrl, `/chain?n=${steps}`);
  const effects = steps;
  const samples = await interleave(
    rounds,
    {
      ours: () => timeRun(ours, String(steps), { effects }),
      workflows: () => timeRun(workflows, steps, { effects }),
      bare: () => timeRun(bare, steps, { effects }),
    },
    warmUp,
  );
  const p50 = median(samples.ours);
  return {
    workload: steps === 1 ? "W1" : "W2",
    name: `${steps} inline ${steps === 1 ? "step" : "steps"}, POST to the first terminal answer`,
    unit: "ms",
    ours: spread(samples.ours),
    beside: [
      { name: "Cloudflare Workflows", value: spread(samples.workflows) },
      { name: "bare object", value: spread(samples.bare) },
    ],
    targets:
      steps === 1
        ? []
        : [
            atMost("≤ 0.4 × Cloudflare Workflows", p50 / median(samples.workflows), 0.4),
            atMost("≤ 0.85 × bare object", p50 / median(samples.bare), 0.85),
          ],
  };
}
