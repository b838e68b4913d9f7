/** Concurrent cancellations. */
const AT_ONCE = 50;

/** Requests the cancellation of a batch's live runs, each until its object has accepted that. */
export class RunCancels {
  readonly #cancel: (run: string) => Promise<boolean>;
  /** Runs that have accepted it, of those that were live at the last pass. */
  #accepted = new Set<string>();
  #isUnderWay = false;

  /** `cancel` returns false for a run whose cancellation must be requested again, and never throws. */
  constructor(cancel: (run: string) => Promise<boolean>) {
    this.#cancel = cancel;
  }

  /** The number of runs that are remembered. */
  get size(): number {
    return this.#accepted.size;
  }

  /** One pass over the live runs. Does nothing while another one is under way: the next turn repeats it. Never throws. */
  async request(live: readonly string[]): Promise<void> {
    if (this.#isUnderWay) {
      return;
    }
    const before = this.#accepted;
    const accepted = new Set(live.filter((run) => before.has(run)));
    this.#accepted = accepted;
    const open = live.filter((run) => !accepted.has(run));
    this.#isUnderWay = true;
    try {
      for (let at = 0; at < open.length; at += AT_ONCE) {
        await Promise.all(
          open.slice(at, at + AT_ONCE).map(async (run) => {
            if (await this.#cancel(run)) {
              accepted.add(run);
            }
          }),
        );
      }
    } finally {
      this.#isUnderWay = false;
    }
  }
}
