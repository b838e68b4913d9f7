import { TurnShare } from "./turn-share.ts";

/** All executor objects of this isolate are on one thread. It holds numbers only, nothing of any object. */
const share = new TurnShare();

/**
 * Lets tasks begin one after the other, each in a turn of its own, over all executor objects of the
 * isolate: what a task computes at once then delays others on the same thread by one task and not by
 * a whole chunk. Who begins is decided by TurnShare. Tasks still run side by side.
 */
export class TaskTurns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, or at once when `isOver` says that there is nothing to do any more. */
  next(workspaceId: string, isOver: () => boolean): Promise<void> {
    const number = share.takeNumber();
    this.#last = this.#last.then(() => takeTurn(workspaceId, number, isOver));
    return this.#last;
  }

  /** Somebody else than this workspace is at work on this thread, outside of the runner. */
  noteOthers(workspaceId: string): void {
    share.noteOthers(workspaceId, Date.now());
  }
}

// Numbers and timers of the caller's own: a promise of one object must not be awaited by another.
async function takeTurn(workspaceId: string, number: number, isOver: () => boolean): Promise<void> {
  if (isOver()) {
    return;
  }
  const ticket = share.join(workspaceId, number, Date.now());
  for (let waitMs: number | null = 0; waitMs !== null;) {
    await scheduler.wait(waitMs);
    if (isOver()) {
      share.leave(ticket);
      return;
    }
    waitMs = share.ask(ticket, Date.now());
  }
  const turn = share.begin(ticket, Date.now());
  void scheduler.wait(0).then(() => {
    share.end(turn, Date.now());
  });
}
