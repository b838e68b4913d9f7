import { heldResponses } from "./held-responses.ts";
import { RenderTurns } from "./render-turns.ts";

/** Delays between polls: short at first, because most renders take some milliseconds. */
const POLL_AGAIN_MS = [1, 2, 5, 10, 20] as const;
/** Interval of the signs of life of the one whose turn it is. */
const BEAT_MS = 5_000;

/** The turns of this isolate, shared by its entry point and all its executor objects. */
const isolateTurns = new RenderTurns();

/** Whether a render that may not wait was refused. */
export class RenderBusyError extends Error {
  override readonly name = "RenderBusyError";
}

export interface TurnRequest {
  readonly workspaceId: string;
  /** False throws RenderBusyError if too many renders of the workspace wait already. */
  readonly mayQueue: boolean;
  readonly signal: AbortSignal;
}

/**
 * Runs `work` as the only render of this isolate, in its workspace's turn. Throws the signal's reason if it is aborted
 * before, and whatever `work` throws.
 */
export async function inTurn<T>(
  { workspaceId, mayQueue, signal }: TurnRequest,
  work: () => Promise<T>,
  turns: RenderTurns = isolateTurns,
  responses = heldResponses,
): Promise<T> {
  const turn = turns.join(workspaceId, mayQueue, Date.now());
  if (turn === undefined) {
    throw new RenderBusyError("Too many renders of the workspace wait.");
  }
  let beat: ReturnType<typeof setInterval> | undefined;
  const hasBegun = (): boolean => {
    const nowMs = Date.now();
    if (responses.hasRoom(nowMs)) {
      return turns.poll(turn, nowMs);
    }
    turns.beat(turn, nowMs);
    return false;
  };
  try {
    for (let polls = 0; !hasBegun(); polls++) {
      await later(POLL_AGAIN_MS[Math.min(polls, POLL_AGAIN_MS.length - 1)] ?? 1);
      signal.throwIfAborted();
    }
    beat = setInterval(() => {
      turns.beat(turn, Date.now());
    }, BEAT_MS);
    signal.throwIfAborted();
    return await work();
  } finally {
    clearInterval(beat);
    turns.end(turn, Date.now());
  }
}

/** The turns of this isolate, for its state. */
export function describeTurns(): { readonly is_rendering: boolean; readonly waiting: number } {
  return { is_rendering: isolateTurns.isBusy, waiting: isolateTurns.waitingCount };
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
