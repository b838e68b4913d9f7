/** Recorded logs of runs: each must still fold to the final state of its run, byte for byte. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeState, encodeState } from "../../durable-objects/run/state/state-text.ts";
import { decodeDelta } from "../../src/engine/events/delta-text.ts";
import { foldDeltas } from "../../src/engine/events/fold-deltas.ts";

const GOLDEN = join(import.meta.dirname, "../golden");
const names = (await readdir(GOLDEN)).filter((name) => /^log-.*\.json$/.test(name));

interface GoldenLog {
  readonly status: string;
  /** The state before the first commit, one text per commit, and the state after the last. */
  readonly start: string;
  readonly log: readonly string[];
  readonly state: string;
}

/** Logs are added and never removed: old logs must stay readable. */
const SINCE_THE_FIRST = ["1", "2", "3", "30", "40", "5", "7", "8"].map(
  (name) => `log-${name}.json`,
);

describe("a recorded log of a run", () => {
  it("still exists, since the first version", () => {
    expect(names.filter((name) => SINCE_THE_FIRST.includes(name)).toSorted()).toEqual(
      SINCE_THE_FIRST,
    );
  });

  it.each(names)("%s", async (name) => {
    const kept = JSON.parse(await readFile(join(GOLDEN, name), "utf8")) as GoldenLog;
    const deltas = kept.log.map((text, index) => decodeDelta(index + 1, text).delta);
    const folded = foldDeltas(decodeState(kept.start), deltas);
    expect(encodeState(folded)).toBe(kept.state);
    expect(folded.status).toBe(kept.status);
    // A log without its last commit is another run, and the comparison detects it.
    expect(encodeState(foldDeltas(decodeState(kept.start), deltas.slice(0, -1)))).not.toBe(
      kept.state,
    );
  });
});
