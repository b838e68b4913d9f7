import { type Ticket, type Turn, TurnShare } from "./turn-share.ts";

/** All executor objects of this isolate are on one thread. It holds numbers only, nothing of any object. */
const share = new TurnShare();

/** A task that waits for its turn. */
interface Waiter {
  readonly workspaceId: string;
  readonly number: number;
  readonly isOver: () => boolean;
  readonly begin: () => void;
}

/**
 * Lets tasks begin one after the other, each in a turn of its own, over all executor objects of the
 * isolate: what a task computes at once then delays others on the same thread by one task and not by
 * a whole chunk. Who begins is decided by TurnShare. Tasks still run side by side.
 */
export class TaskTurns {
  readonly #waiting: Waiter[] = [];
  /** The first of those that wait, the only one that others see. */
  #head: (Waiter & { readonly ticket: Ticket }) | undefined;
  #isAtWork = false;

  /** Resolves when it is the caller's turn, or at once when `isOver` says that there is nothing to do any more. */
  next(workspaceId: string, isOver: () => boolean): Promise<void> {
    const number = share.takeNumber();
    return new Promise((begin) => {
      this.#waiting.push({ workspaceId, number, isOver, begin });
      this.#putForward();
      if (!this.#isAtWork) {
        void this.#work();
      }
    });
  }

  /** Somebody else than this workspace is at work on this thread, outside of the runner. */
  noteOthers(workspaceId: string): void {
    share.noteOthers(workspaceId, Date.now());
  }

  /**
   * Wakes once for each task: to end the turn before and to ask for the next. A waker for each would
   * cost as much as a quick task. Numbers and timers of this object's own: a promise of one object
   * must not be awaited by another.
   */
  async #work(): Promise<void> {
    this.#isAtWork = true;
    let turn: Turn | undefined;
    for (let waitMs = 0; turn !== undefined || this.#head !== undefined;) {
      await scheduler.wait(waitMs);
      if (turn !== undefined) {
        share.end(turn, Date.now());
        turn = undefined;
      }
      this.#passOver();
      const head = this.#head;
      if (head === undefined) {
        continue;
      }
      const askAgainMs = share.ask(head.ticket, Date.now());
      waitMs = askAgainMs ?? 0;
      if (askAgainMs === null) {
        turn = share.begin(head.ticket, Date.now());
        this.#head = undefined;
        head.begin();
        this.#putForward();
      }
    }
    this.#isAtWork = false;
  }

  /** Lets those go that have nothing to do any more. */
  #passOver(): void {
    while (this.#head?.isOver() === true) {
      share.leave(this.#head.ticket);
      this.#head.begin();
      this.#head = undefined;
      this.#putForward();
    }
  }

  #putForward(): void {
    while (this.#head === undefined) {
      const first = this.#waiting.shift();
      if (first === undefined) {
        return;
      }
      if (first.isOver()) {
        first.begin();
      } else {
        const ticket = share.join(first.workspaceId, first.number, Date.now());
        this.#head = { ...first, ticket };
      }
    }
  }
}
