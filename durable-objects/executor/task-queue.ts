import { type Ticket, type Quantum, FairQueue } from "./fair-queue.ts";

/** All executor objects of this isolate share one thread. Holds numbers only, nothing that belongs to an object. */
const fairQueue = new FairQueue();

/** A task that waits for its turn. */
interface Waiter {
  readonly workspaceId: string;
  readonly number: number;
  readonly isOver: () => boolean;
  readonly begin: () => void;
}

/**
 * Starts tasks one after the other, each in its own turn, over all executor objects of the isolate, so that a task's
 * computation delays others on the thread by one task instead of a whole chunk. FairQueue decides the order. Started
 * tasks run concurrently.
 */
export class TaskQueue {
  readonly #waiting: Waiter[] = [];
  /** The first waiting task, the only one that other objects see. */
  #head: (Waiter & { readonly ticket: Ticket }) | undefined;
  #isAtWork = false;

  /** Resolves when it is the caller's turn, or at once if `isOver` returns true. */
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

  /** Records that another workspace works on this thread outside the runner. */
  noteOthers(workspaceId: string): void {
    fairQueue.noteOthers(workspaceId, Date.now());
  }

  /**
   * Wakes once per task: ends the previous turn and requests the next. A timer for each would cost as much as a quick
   * task. Uses numbers and this object's own timers, because a promise of one object must not be awaited by another.
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

  /** Releases tasks that no longer need a turn. */
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
