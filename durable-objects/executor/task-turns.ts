/** Whether a task of some executor object of this isolate began in the present turn of the event loop. */
let isTurnTaken = false;

/** A holder that died with its object never gives back: after this many turns nobody waits for it. */
const TURNS_WAITED_MAX = 50;

/**
 * Lets tasks begin one after the other, each in a turn of its own, over all executor objects of the
 * isolate: what a task computes at once then delays others on the same thread by one task and not by
 * a whole chunk. Tasks still run side by side.
 */
export class TaskTurns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    this.#last = this.#last.then(takeTurn);
    return this.#last;
  }
}

// A flag and timers of the caller's own: a promise of one object must not be awaited by another.
async function takeTurn(): Promise<void> {
  let waited = 0;
  do {
    await scheduler.wait(0);
    waited++;
  } while (isTurnTaken && waited < TURNS_WAITED_MAX);
  isTurnTaken = true;
  void scheduler.wait(0).then(() => {
    isTurnTaken = false;
  });
}
