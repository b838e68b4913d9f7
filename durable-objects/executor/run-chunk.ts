import type { Claim, GivenUpCall, NodeTasksMessage } from "../../src/contracts/runs/task.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import type { ClaimRoom } from "./claim-memory.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { type ChunkRun, LeasedChunk } from "./leased-chunk.ts";

/** A slower claim would block its place in the object. */
const CLAIM_MAX_MS = 10_000;

const CLAIM_DELAYS_MS = [50, 250, 1_000] as const;

/** Claims the ready tasks of a chunk and works until all are reported or their leases are lost. Never throws. */
export async function runChunk(on: ChunkRun, hint: NodeTasksMessage): Promise<void> {
  const reserved = on.claims.reserve();
  const room = reserved instanceof Promise ? await reserved : reserved;
  if (room === undefined) {
    // Not claimed: the run object's alarm sends the hint again.
    on.log.error("claim.no_memory", { run_id: hint.run_id, chunk: hint.chunk });
    return;
  }
  try {
    const chunk = await leasedChunk(on, hint, room);
    await chunk?.work();
  } finally {
    room.release();
  }
}

/** A function of its own, so that nothing but the chunk refers to the claimed tasks. */
async function leasedChunk(
  on: ChunkRun,
  hint: NodeTasksMessage,
  room: ClaimRoom,
): Promise<LeasedChunk | undefined> {
  // Measured before the call, so that this side never assumes a longer lease than the run object.
  const claimedAtMs = Date.now();
  const claim = await claimChunk(on, hint);
  if (claim?.given_up !== undefined) {
    void giveUp(on, claim, claim.given_up);
  }
  if (claim === null || claim.tasks.length === 0) {
    return undefined;
  }
  room.hold(claim.tasks);
  return new LeasedChunk(on, claim, room, claimedAtMs);
}

/** Beside the chunk's own tasks. Not confirmed, the run asks for it again. */
async function giveUp(
  { env, parts, run, log }: ChunkRun,
  { workspace_id: workspaceId, run_id: runId }: Claim,
  calls: readonly GivenUpCall[],
): Promise<void> {
  try {
    await Promise.all(
      calls.map(async ({ token }) => {
        await parts.giveUp?.(env, workspaceId, token);
      }),
    );
    await run.gaveUp({ v: 1, tasks: calls.map(({ task_id: id }) => id) });
  } catch (error) {
    log.error("give_up.failed", { run_id: runId, cause: describeCause(error) });
  }
}

async function claimChunk(on: ChunkRun, hint: NodeTasksMessage): Promise<Claim | null> {
  for (const delayMs of CLAIM_DELAYS_MS) {
    try {
      const request = {
        v: 1,
        chunk: hint.chunk,
        executor: on.executor,
        takes_files: true,
      } as const;
      return await withDeadline(on.run.claim(request), CLAIM_MAX_MS);
    } catch (error) {
      // If the response to a claim is lost, nobody runs its tasks; they return when the lease ends.
      on.log.error("claim.failed", {
        run_id: hint.run_id,
        chunk: hint.chunk,
        cause: describeCause(error),
      });
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  // The run object's alarm sends the hint again (ARCHITECTURE.md: messages are hints).
  return null;
}
