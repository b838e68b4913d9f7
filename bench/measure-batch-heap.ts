import { startService } from "../test/support/node/start-service.ts";
import { atMost, type Figure } from "./figure.ts";
import { connectInspector, type Inspector } from "./inspector.ts";
import {
  bodyOf,
  type Caller,
  callerOf,
  cancelled,
  commas,
  EVICTED_AFTER_MS,
  ended,
  pause,
  post,
  singlesToEnd,
  TEXT_CHARS,
} from "./batch-calls.ts";
import type { BatchOptions } from "./measure-batches.ts";
import { median, spread } from "./statistics.ts";

type HeapOptions = Pick<BatchOptions, "items" | "rounds" | "evictedAfterMs">;

const HEAP_MB = 48;
const MEGABYTE = 2 ** 20;
/** Between two looks at the heap as it is, and between two collections of all garbage, each of which stops the isolate for 0.2 s. */
const [SAMPLE_MS, LIVE_EVERY_MS] = [5, 500] as const;

/**
 * Heap of the API Worker's isolate, in which the objects of batches and of runs live too, over what is live at rest. While a batch is
 * created, nothing else works: the peak has all that was not collected yet. While it runs, garbage is collected before each sample:
 * what is live includes every run object of the last ten seconds. Single submits beside it are measured once: they have no target.
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
  /** What is live when the objects of earlier work are evicted. */
  const atRest = async () => {
    await pause(evictedAfterMs);
    return live();
  };
  /** Highest of the samples while something works and of one after it, in bytes. */
  const peakOf = async (
    work: () => Promise<unknown>,
    sample: () => Promise<number>,
    everyMs: number,
  ) => {
    let [peak, isDone] = [0, false];
    const watching = (async () => {
      while (!isDone) {
        peak = Math.max(peak, await sample());
        await pause(everyMs);
      }
    })();
    await Promise.all([
      watching,
      work().finally(() => {
        isDone = true;
      }),
    ]);
    return Math.max(peak, await sample());
  };
  const completed = async (batch: string) => {
    const { status } = await ended(caller, (await post(caller, "", batch)).id);
    if (status !== "completed") {
      throw new Error(`A batch has ended as ${status}: the measurement is discarded.`);
    }
  };
  // What only the first batch needs.
  await completed(bodyOf(caller, Math.ceil(items / 10), text));
  const [rest, creations, batches] = [[] as number[], [] as number[], [] as number[]];
  for (let round = 0; round < rounds; round += 1) {
    const idle = await atRest();
    const ids: string[] = [];
    const creation = await peakOf(
      async () => ids.push((await post(caller, "", unstarted)).id),
      () => inspector.heapBytes(),
      SAMPLE_MS,
    );
    for (const id of ids) {
      await cancelled(caller, id);
    }
    const batch = await peakOf(() => completed(body), live, LIVE_EVERY_MS);
    rest.push(idle / MEGABYTE);
    creations.push((creation - idle) / MEGABYTE);
    batches.push((batch - idle) / MEGABYTE);
  }
  const idle = await atRest();
  const single = await peakOf(() => singlesToEnd(caller, items, text), live, LIVE_EVERY_MS);
  const batch = `a batch of ${commas(items)} items in a body of ${(body.length / 1e6).toFixed(1)} MB`;
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
      name: `live heap over idle of the API Worker, the batch's object and its runs' together, ${batch}, from its creation to its end`,
      unit: "MB",
      ours: spread(batches),
      beside: [
        {
          name: "as many single submits by 8 clients, once",
          value: spread([(single - idle) / MEGABYTE]),
        },
      ],
      targets: [atMost(bound, median(batches), HEAP_MB)],
      note: "garbage is collected before each sample, every half a second; run objects are live for ten seconds after their last call",
    },
  ];
}
