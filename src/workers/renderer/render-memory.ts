import { MemoryGate } from "../../lib/memory/memory-gate.ts";

/**
 * Runs the work of a turn with so many bytes of the isolate's budget, which are counted at once and not waited for: there
 * is one turn at a time, and tasks that wait for theirs would hold what it waits for.
 */
export async function withMemory<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  const lease = new MemoryGate().takeAnyway(bytes);
  try {
    return await work();
  } finally {
    lease.release();
  }
}
