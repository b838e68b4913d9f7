/** Without a figure in its hints, from a run of an earlier release: a quarter of plan `dev`'s. */
const QUOTA_DEFAULT = 64;

/**
 * How many tasks this object may hold leases on: its part of the workspace's plan (ARCHITECTURE.md). What
 * is over that waits as hints, which cost nothing and are taken in turn from one run after the other.
 */
export class LeasedTasks {
  #quota = QUOTA_DEFAULT;
  #held = 0;

  get held(): number {
    return this.#held;
  }

  /** The plan's figure as the latest hint has it. */
  setQuota(quota: number | undefined): void {
    this.#quota = quota ?? QUOTA_DEFAULT;
  }

  /** Makes room for a chunk before it is claimed, undefined when there is none. A first one always fits. */
  reserve(chunkTasks: number): LeasedChunkQuota | undefined {
    if (this.#held > 0 && this.#held + chunkTasks > this.#quota) {
      return undefined;
    }
    this.#held += chunkTasks;
    let left = chunkTasks;
    return {
      keep: (tasks) => {
        const over = Math.max(0, left - tasks);
        left -= over;
        this.#held -= over;
      },
    };
  }
}

/** The part of it that one chunk has. */
export interface LeasedChunkQuota {
  /** Gives back all but `tasks`. */
  keep(tasks: number): void;
}
