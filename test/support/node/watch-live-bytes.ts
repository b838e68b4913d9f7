import { connectInspector } from "../../../bench/inspector.ts";

/** What any path may hold at once. */
export const LIVE_BYTES_MAX = 64 * 1024 * 1024;

export interface LiveBytes {
  /**
   * The most that was held over what is held at rest, in two samples one after the other: a busy
   * isolate makes new garbage before it can be asked, and that is in no two alike.
   */
  readonly peak: number;
  readonly samples: number;
}

/**
 * Bytes that a Worker's isolate holds, heap and buffers with the garbage gone, while something goes
 * through it: sampled as fast as it collects. `poke` gives an idle isolate something to do.
 */
export async function watchLiveBytes(
  inspectorPort: number,
  worker: string,
  act: () => Promise<unknown>,
  poke?: () => Promise<unknown>,
): Promise<LiveBytes> {
  const inspector = await connectInspector(inspectorPort, worker);
  try {
    const atRest = await inspector.liveBytes(poke);
    const held: number[] = [];
    let isDone = false;
    const acting = act().finally(() => {
      isDone = true;
    });
    while (!isDone) {
      held.push((await inspector.liveBytes(poke)) - atRest);
    }
    await acting;
    const sustained = held.map((bytes, index) => Math.min(bytes, held[index + 1] ?? bytes));
    const peak = Math.max(0, ...(held.length > 1 ? sustained.slice(0, -1) : held));
    return { peak, samples: held.length };
  } finally {
    inspector.close();
  }
}
