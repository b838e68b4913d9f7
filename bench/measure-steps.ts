import type { ApiClient } from "../scripts/api-client.ts";
import { chain } from "./bench-workflows.ts";
import { edgeloom, peer, timeRun } from "./contenders.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import type { Peers } from "./start-peers.ts";
import { median, spread } from "./statistics.ts";

const STEPS = 10;

/** Ten inline steps, beside Cloudflare Workflows and a bare object. */
export async function measureTenSteps(client: ApiClient, peers: Peers): Promise<Figure> {
  const ours = await edgeloom(client, chain(STEPS));
  const workflows = peer("Cloudflare Workflows", peers.workflowsUrl, `/?n=${STEPS}`);
  const bare = peer("bare object", peers.bareUrl, `/chain?n=${STEPS}`);
  const samples = await interleave(
    40,
    {
      ours: () => timeRun(ours, String(STEPS)),
      workflows: () => timeRun(workflows, STEPS),
      bare: () => timeRun(bare, STEPS),
    },
    10,
  );
  const p50 = median(samples.ours);
  return {
    name: `${STEPS} inline steps, POST to the first terminal answer`,
    unit: "ms",
    ours: spread(samples.ours),
    beside: [
      { name: "Cloudflare Workflows", value: spread(samples.workflows) },
      { name: "bare object", value: spread(samples.bare) },
    ],
    targets: [
      atMost("≤ 0.6 × Cloudflare Workflows", p50 / median(samples.workflows), 0.6),
      atMost("≤ 1.6 × bare object", p50 / median(samples.bare), 1.6),
    ],
  };
}
