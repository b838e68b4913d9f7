/** Faults planted in the ledger of a batch: the comparison with the plain reference finds each (batch-ledger.test.ts). */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import type { BatchLedger } from "../../../../src/domain/batches/batch-ledger.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { BatchWorld } from "./batch-world.ts";

const SOURCE = join(import.meta.dirname, "../../../../src/domain/batches/batch-ledger.ts");
/** The rarest of these faults is found within a tenth of these steps. */
const STEPS = 20_000;

const FAULTS: readonly { readonly name: string; readonly from: string; readonly to: string }[] = [
  {
    name: "a batch is started again",
    from: "if (this.#facts.attempt > 0 || this.isTerminal) {",
    to: "if (this.isTerminal) {",
  },
  {
    name: "a cancelled batch goes on",
    from: "attempt > 0 && stop === null && cancelled === null",
    to: "attempt > 0 && stop === null",
  },
  {
    name: "a batch that was cancelled before its start never ends",
    from: "this.#facts.attempt > 0 || this.#facts.cancel_requested_at_ms !== null;",
    to: "this.#facts.attempt > 0;",
  },
  {
    name: "a batch ends while a run is live",
    from: "this.#count(ITEM.pending) === 0 && this.#live.size === 0",
    to: "this.#count(ITEM.pending) === 0",
  },
  {
    name: "a retry forgets what was charged",
    from: "      used_milli,\n    };\n    for",
    to: "    };\n    for",
  },
  {
    name: "a retry counts the failures of the attempt before",
    from: "      ...NEW_FACTS,\n      offers,",
    to: "      ...NEW_FACTS,\n      failed_now: this.#facts.failed_now,\n      offers,",
  },
  {
    name: "a retry begins items that are invalid",
    from: "state === ITEM.failed || state",
    to: "state === ITEM.failed || state === ITEM.invalid || state",
  },
  {
    name: "a retry leaves out items that were cancelled",
    from: "state === ITEM.failed || state === ITEM.cancelled ||",
    to: "state === ITEM.failed ||",
  },
  {
    name: "a retry begins with the item that came last",
    from: "    this.#from = 0;\n",
    to: "",
  },
  {
    name: "an end counts again when it is reported again",
    from: "if (worst === undefined || runId !== this.runOf(index)) {",
    to: "if (runId !== this.runOf(index)) {",
  },
  {
    name: "the late end of an earlier attempt's run counts",
    from: "if (worst === undefined || runId !== this.runOf(index)) {",
    to: "if (worst === undefined) {",
  },
  {
    name: "offers are numbered from 1 again, so that an admission that arrives late makes a second run",
    from: "      offers,\n      attempt",
    to: "      attempt",
  },
  {
    name: "an object that was killed forgets its offers",
    from: "new Map(offered.map((index) => [index, 0]))",
    to: "new Map(offered.slice(1).map((index) => [index, 0]))",
  },
  {
    name: "an object that was killed forgets what live runs may cost",
    from: "      this.#liveMilli += milli;\n    }\n    for",
    to: "    }\n    for",
  },
  {
    name: "runs of one attempt have the ids of the one before",
    from: "      run_base: runBase,\n      started_at_ms: this",
    to: "      run_base: this.#facts.run_base,\n      started_at_ms: this",
  },
  {
    name: "an item that waits again is passed over",
    from: "      this.#from = Math.min(this.#from, index);\n",
    to: "",
  },
  {
    name: "more items are live at once than max_concurrency",
    from: "concurrency - this.#live.size - this.#offered.size",
    to: "concurrency - this.#offered.size",
  },
  {
    name: "one failed item more than max_failed_items is let pass",
    from: "max !== null && failed > max &&",
    to: "max !== null && failed > max + 1 &&",
  },
  {
    name: "offers take credits that live runs may need",
    from: "worst > total - this.#facts.used_milli - milli",
    to: "worst > total - this.#facts.used_milli",
  },
  {
    name: "an item that is refused stays pending",
    from: "    this.#fail(index);\n    this.#endIfDone(nowMs);\n  }\n\n  /** The offered item was not",
    to: "    this.#endIfDone(nowMs);\n  }\n\n  /** The offered item was not",
  },
  {
    name: "a count loses the item that leaves a state",
    from: "    this.#counts[before] = this.#count(before) - 1;\n",
    to: "",
  },
  {
    name: "an item that completed in part is counted as failed",
    from: "completed: this.#count(ITEM.completed) + partial,",
    to: "completed: this.#count(ITEM.completed),",
  },
];

async function ledgerWith({ from, to }: { from: string; to: string }): Promise<typeof BatchLedger> {
  const source = await readFile(SOURCE, "utf8");
  expect(source.split(from)).toHaveLength(2);
  const contents = source.replace(from, () => to);
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dirname(SOURCE), loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.text ?? "").toString("base64")}`;
  return ((await import(/* @vite-ignore */ url)) as { BatchLedger: typeof BatchLedger })
    .BatchLedger;
}

/** The number of steps until the comparison fails, undefined if it does not. */
function stepsToDifference(Ledger: typeof BatchLedger): number | undefined {
  const random = new SeededRandom(11);
  let taken = 0;
  try {
    while (taken < STEPS) {
      const world = new BatchWorld(random, Ledger);
      for (let n = random.int(1, 120); n > 0; n--, taken++) {
        world.step();
      }
      world.finish();
    }
  } catch {
    return taken;
  }
  return undefined;
}

describe("the plain reference of a batch", () => {
  test.each(FAULTS)("finds that $name", async (fault) => {
    expect(stepsToDifference(await ledgerWith(fault))).toBeDefined();
  });
});
