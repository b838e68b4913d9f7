import { type Ticket, type Quantum, FairQueue } from "./fair-queue.ts";

/** All executor objects of this isolate are on one thread. It holds numbers only, nothing of any object. */
const fairQueue = new FairQueue();

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
 * a whole chunk. Who begins is decided by FairQueue. Tasks still run side by side.
 */
export class TaskQueue {
  readonly #waiting: Waiter[] = [];
  /** The first of those that wait, the only one that others see. */
  #head: (Waiter & { readonly ticket: Ticket }) | undefined;
  #isAtWork = false;

  /** Resolves when it is the caller's turn, or at once when `isOver` says that there is nothing to do any more. */
  next(workspaceId: string, isOver: () => boolean): Promise<void> {
    const number = fairQueue.takeNumber();
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
    fairQueue.noteOthers(workspaceId, Date.now());
  }

  /**
   * Wakes once for each task: to end the turn before and to ask for the next. A waker for each would
   * cost as much as a quick task. Numbers and timers of this object's own: a promise of one object
   * must not be awaited by another.
   */
  async #work(): Promise<void> {
    this.#isAtWork = true;
    let quantum: Quantum | undefined;
    for (let waitMs = 0; quantum !== undefined || this.#head !== undefined;) {
      await scheduler.wait(waitMs);
      if (quantum !== undefined) {
        fairQueue.end(quantum, Date.now());
        quantum = undefined;
      }
      this.#passOver();
      const head = this.#head;
      if (head === undefined) {
        continue;
      }
      const pollAgainMs = fairQueue.poll(head.ticket, Date.now());
      waitMs = pollAgainMs ?? 0;
      if (pollAgainMs === null) {
        quantum = fairQueue.begin(head.ticket, Date.now());
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
      fairQueue.leave(this.#head.ticket);
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
        const ticket = fairQueue.join(first.workspaceId, first.number, Date.now());
        this.#head = { ...first, ticket };
      }
    }
  }
}
