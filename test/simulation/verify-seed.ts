import { simulateGraph } from "./simulate-seed.ts";
import type { RandomGraph } from "./random-graph.ts";

/** The problem of a graph in the world of a seed, in one line; undefined if there is none. */
export async function verifyGraph(seed: number, graph: RandomGraph): Promise<string | undefined> {
  try {
    const { actual, expected } = await simulateGraph(seed, graph);
    const [is, shouldBe] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is === shouldBe) {
      return undefined;
    }
    let at = 0;
    while (is[at] === shouldBe[at]) {
      at += 1;
    }
    const from = Math.max(0, at - 80);
    return `differs: …${is.slice(from, at + 120)}… instead of …${shouldBe.slice(from, at + 120)}…`;
  } catch (error) {
    return String(error).slice(0, 500);
  }
}
