/** The ledger of a batch against a plain reference, under kills, repeats and late reports (docs/contract/batches.md). */
import { describe, expect, test } from "vitest";
import type { BatchBounds } from "../../../../src/domain/batches/batch-facts.ts";
import { BatchLedger } from "../../../../src/domain/batches/batch-ledger.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { sizeOf } from "../../../support/sizes.ts";
import { BatchWorld } from "./batch-world.ts";

describe("the ledger of a batch", () => {
  test("is at each step what a plain reference says, and ends when it is left alone", () => {
    const random = new SeededRandom(11);
    const steps = sizeOf("batchSteps");
    let ended = 0;
    for (let taken = 0; taken < steps;) {
      const world = new BatchWorld(random);
      for (let n = random.int(1, 120); n > 0; n--, taken++) {
        world.step();
      }
      world.finish();
      ended += world.isTerminal ? 1 : 0;
    }
    expect(ended).toBeGreaterThan(steps / 200);
  });
});

const NO_BOUNDS: BatchBounds = {
  max_concurrency: 4,
  max_failed_items: null,
  max_total_milli_credits: null,
};

function ledgerOf(items: number, bounds: Partial<BatchBounds> = {}): BatchLedger {
  return new BatchLedger({ ...NO_BOUNDS, ...bounds }, new Uint8Array(items));
}

function accept(ledger: BatchLedger, offered: readonly number[], worst = 0): void {
  for (const index of offered) {
    ledger.accepted(index, worst, 2);
  }
}

describe("a batch", () => {
  const free = () => 0;

  test("is pending until its first item is accepted, if it was started with its creation", () => {
    const ledger = ledgerOf(2);
    ledger.start(newId("run", 0), 1, true);
    expect([ledger.status, ledger.facts.started_at_ms]).toEqual(["pending", null]);
    accept(ledger, ledger.offer(1, free, 2));
    expect([ledger.status, ledger.facts.started_at_ms]).toEqual(["running", 2]);
  });

  test.each([
    [["completed", "partial_success"], "completed"],
    [["completed", "failed"], "partial_success"],
    [["failed", "cancelled"], "failed"],
  ] as const)("with items that ended as %j is %s", (ends, status) => {
    const ledger = ledgerOf(2);
    ledger.start(newId("run", 0), 1, true);
    accept(ledger, ledger.offer(2, free, 2));
    for (const [index, end] of ends.entries()) {
      ledger.ended(index, ledger.runOf(index), end, 0, 3);
    }
    expect(ledger.status).toBe(status);
  });

  test("ends as cancelled if its cancel came before the last item ended, whatever the counts", () => {
    const ledger = ledgerOf(1);
    ledger.start(newId("run", 0), 1, true);
    accept(ledger, ledger.offer(1, free, 2));
    ledger.cancel(3);
    expect(ledger.status).toBe("running");
    ledger.ended(0, ledger.runOf(0), "completed", 0, 4);
    expect(ledger.status).toBe("cancelled");
  });

  test("waits for live runs if the next item could fit its credits afterwards, else stops", () => {
    const ledger = ledgerOf(3, { max_total_milli_credits: 10 });
    ledger.start(newId("run", 0), 1, true);
    const worst = () => 6;
    accept(ledger, ledger.offer(3, worst, 2), 6);
    expect(ledger.counts).toMatchObject({ running: 1, pending: 2 });
    expect(ledger.offer(3, worst, 3)).toEqual([]);
    expect(ledger.facts.stop).toBeNull();
    ledger.ended(0, ledger.runOf(0), "completed", 5, 4);
    expect(ledger.offer(3, worst, 5)).toEqual([]);
    expect([ledger.facts.stop, ledger.status]).toEqual(["BATCH_CREDIT_LIMIT", "partial_success"]);
    expect(ledger.counts).toMatchObject({ completed: 1, cancelled: 2 });
  });

  test("accepts no more after one failed item too many, and lets live runs end", () => {
    const ledger = ledgerOf(9, { max_failed_items: 1 });
    ledger.start(newId("run", 0), 1, true);
    accept(ledger, ledger.offer(4, free, 2));
    for (const index of [0, 1]) {
      ledger.ended(index, ledger.runOf(index), "failed", 0, 3);
    }
    expect(ledger.counts).toMatchObject({ failed: 2, running: 2, cancelled: 5 });
    expect([ledger.facts.stop, ledger.status]).toEqual(["BATCH_FAILURE_LIMIT", "running"]);
  });
});
