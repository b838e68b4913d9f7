import type { ApiClient } from "../scripts/api-client.ts";
import { wideChain } from "./bench-workflows.ts";
import { edgeloom, timeRun } from "./contenders.ts";
import { atMost, type Figure } from "./figure.ts";
import { connectInspector } from "./inspector.ts";
import { median, spread } from "./statistics.ts";

const [ITEMS, NODES, ROUNDS, SAMPLE_MS] = [10_000, 20, 5, 5] as const;
const MEGABYTE = 2 ** 20;

/** Peak heap of the API Worker's isolate while 10,000 items pass 20 nodes, compared with the same isolate at rest. */
export async function measureHeap(client: ApiClient, inspectorPort: number): Promise<Figure> {
  const contender = await edgeloom(client, wideChain(ITEMS, NODES));
  const expected = String((ITEMS * (ITEMS + 1)) / 2 + ITEMS * NODES);
  const inspector = await connectInspector(inspectorPort, "edgeloom");
  try {
    await timeRun(contender, expected);
    const [over, idle] = [[] as number[], [] as number[]];
    for (let round = 0; round < ROUNDS; round += 1) {
      await inspector.collectGarbage(() => client.send("GET", "/api/v1/workflows?limit=1"));
      const atRest = await inspector.heapBytes();
      let peak = atRest;
      let isDone = false;
      const watching = (async () => {
        while (!isDone) {
          peak = Math.max(peak, await inspector.heapBytes());
          await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
        }
      })();
      await timeRun(contender, expected);
      isDone = true;
      await watching;
      over.push((peak - atRest) / MEGABYTE);
      idle.push(atRest / MEGABYTE);
    }
    return {
      name: `heap peak over idle, ${ITEMS.toLocaleString("en-US")} items over ${NODES} nodes`,
      unit: "MB",
      ours: spread(over),
      beside: [{ name: "the isolate at rest", value: spread(idle) }],
      targets: [atMost("≤ 32 MB", median(over), 32)],
    };
  } finally {
    inspector.close();
  }
}
