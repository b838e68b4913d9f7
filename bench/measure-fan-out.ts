import type { ApiClient } from "../scripts/api-client.ts";
import { fanOut, fanOutText } from "./bench-workflows.ts";
import { type Contender, edgeloom, peer, timeRun } from "./contenders.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import type { Peers } from "./start-peers.ts";
import { median, spread } from "./statistics.ts";

const [SMALL, LARGE] = [1_000, 10_000] as const;

/** 1,000 and 10,000 items through a calculation and a template to an aggregate, beside bare rows. */
export async function measureFanOut(client: ApiClient, peers: Peers): Promise<Figure> {
  const small = withFetchedText(await edgeloom(client, fanOut(SMALL)));
  const large = withFetchedText(await edgeloom(client, fanOut(LARGE)));
  const bare = peer("bare object", peers.bareUrl, `/fan?n=${LARGE}`);
  const samples = await interleave(10, {
    large: () => timeRun(large, fanOutText(LARGE)),
    small: () => timeRun(small, fanOutText(SMALL)),
    bare: () => timeRun(bare, LARGE),
  });
  const p50 = median(samples.large);
  return {
    name: "fan-out of 10,000 items through calculate and template to an aggregate",
    unit: "ms",
    ours: spread(samples.large),
    beside: [
      { name: "bare object, 10,000 rows 100 a commit", value: spread(samples.bare) },
      { name: "1,000 items", value: spread(samples.small) },
    ],
    targets: [
      atMost("≤ 12 × bare object", p50 / median(samples.bare), 12),
      atMost("≤ 1,000 ms", p50, 1000),
      atMost("10,000 / 1,000 ≤ 11", p50 / median(samples.small), 11),
    ],
  };
}

/** A long text lies at an address. */
function withFetchedText(contender: Contender): Contender {
  return {
    ...contender,
    async fetchOutput(value) {
      const { url } = value as { url?: string };
      return url === undefined ? value : (await fetch(url)).text();
    },
  };
}
