import { startService } from "../test/support/node/start-service.ts";
import { atMost, type Figure } from "./figure.ts";
import { connectInspector, type Inspector } from "./inspector.ts";
import {
  type BatchOptions,
  bodyOf,
  type Caller,
  callerOf,
  cancelled,
  EVICTED_AFTER_MS,
  ended,
  post,
  singlesToEnd,
  TEXT_CHARS,
} from "./measure-batches.ts";
import { median, spread } from "./statistics.ts";

type HeapOptions = Pick<BatchOptions, "items" | "rounds" | "evictedAfterMs">;

const HEAP_MB = 48;
const MEGABYTE = 2 ** 20;
const SAMPLE_MS = 5;

/**
 * Heap of the API Worker's isolate, in which the objects of batches and of runs live too. While a batch is created, nothing else works:
 * the peak has all that was not collected yet. While it runs, thousands of run objects live for ten seconds each, as they do without a
 * batch: what is live after collections is compared with as many single submits.
 */
export async function measureBatchHeap(
  directory: string,
  inspectorPort: number,
  { items = 10_000, rounds = 5, evictedAfterMs = EVICTED_AFTER_MS }: HeapOptions = {},
): Promise<Figure[]> {
  const service = await startService({ directory, inspectorPort });
  try {
    const caller = await callerOf(service.client);
    const inspector = await connectInspector(inspectorPort, "edgeloom");
    try {
      return await heapOf(caller, inspector, { items, rounds, evictedAfterMs });
    } finally {
      inspector.close();
    }
  } finally {
    await service.stop();
  }
}

async function heapOf(
  caller: Caller,
  inspector: Inspector,
  { items, rounds, evictedAfterMs }: Required<HeapOptions>,
): Promise<Figure[]> {
  const text = "x".repeat(TEXT_CHARS);
  const body = bodyOf(caller, items, text);
  const unstarted = bodyOf(caller, items, text, false);
  const poke = () => caller.client.send("GET", "/api/v1/workflows?limit=1");
  const live = async () => {
    await inspector.collectGarbage(poke);
    return await inspector.heapBytes();
  };
  /** Highest of the samples while something works, over what is live before it, in megabytes. */
  const peakOver = async (work: () => Promise<unknown>, sample: () => Promise<number>) => {
    await pause(evictedAfterMs);
    const atRest = await live();
    let peak = atRest;
    let isDone = false;
    const watching = (async () => {
      while (!isDone) {
        peak = Math.max(peak, await sample());
        await pause(SAMPLE_MS);
      }
    })();
    await work().finally(() => {
      isDone = true;
    });
    await watching;
    return { over: (peak - atRest) / MEGABYTE, atRest: atRest / MEGABYTE };
  };
  const rest: number[] = [];
  const [creations, batches, singles] = [[] as number[], [] as number[], [] as number[]];
  for (let round = -1; round < rounds; round += 1) {
    const ids: string[] = [];
    const creation = await peakOver(
      async () => ids.push((await post(caller, "", unstarted)).id),
      () => inspector.heapBytes(),
    );
    for (const id of ids) {
      await cancelled(caller, id);
    }
    const batch = await peakOver(
      async () => ended(caller, (await post(caller, "", body)).id),
      live,
    );
    const single = await peakOver(() => singlesToEnd(caller, items, text), live);
    if (round >= 0) {
      rest.push(creation.atRest);
      creations.push(creation.over);
      batches.push(batch.over);
      singles.push(single.over);
    }
  }
  const batch = `a batch of ${items.toLocaleString("en-US")} items in a body of ${(body.length / 1e6).toFixed(1)} MB`;
  const bound = `≤ ${HEAP_MB} MB`;
  return [
    {
      name: `heap peak over idle of the API Worker and the batch's object together, creation of ${batch}`,
      unit: "MB",
      ours: spread(creations),
      beside: [{ name: "the isolate at rest", value: spread(rest) }],
      targets: [atMost(bound, median(creations), HEAP_MB)],
      note: "with what is not collected yet",
    },
    {
      name: `live heap over idle, ${batch}, from its creation to its end`,
      unit: "MB",
      ours: spread(batches),
      beside: [{ name: "as many single submits by 8 clients", value: spread(singles) }],
      targets: [
        atMost(`${bound} over as many single submits`, median(batches) - median(singles), HEAP_MB),
      ],
      note: "run objects live in the same isolate, for ten seconds after their last call; collected before each sample",
    },
  ];
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
