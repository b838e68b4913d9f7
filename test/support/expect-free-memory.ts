import { isolateMemory, WORK_BYTES_MAX } from "../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../src/lib/memory/memory-gate.ts";

/** Longer than an object that was ended keeps its memory, because it gives no sign of life any more. */
const WAIT_MS = 45_000;

/** Whether an earlier file was found to hold memory: the files after it do not wait again. */
let isHeld = false;

/**
 * Throws if memory of the isolate is still taken that nobody gives back: by a file before this one, which shares the
 * isolate. Tests that wait for all of the memory would wait for their time limits, one after another.
 */
export async function expectFreeMemory(): Promise<void> {
  const { takenBytes } = isolateMemory;
  if (takenBytes === 0) {
    return;
  }
  const all = await new MemoryGate().takeWithin(WORK_BYTES_MAX, isHeld ? 0 : WAIT_MS);
  if (all === undefined) {
    isHeld = true;
    throw new Error(
      `${takenBytes} bytes of the isolate's memory are held since an earlier file. A test that passes a RequestMemory to a function must release it.`,
    );
  }
  all.release();
}
