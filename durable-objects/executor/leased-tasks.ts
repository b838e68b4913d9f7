/** For hints without a figure, from runs of an earlier release: a quarter of the value of plan `dev`. */
const QUOTA_DEFAULT = 64;

/**
 * Number of tasks that this object may lease: its part of the workspace's plan (docs/limits.md#tasks). Further chunks wait
 * as hints, which cost nothing, and runs are served in turns.
 */
export class LeasedTasks {
  #quota = QUOTA_DEFAULT;
  #held = 0;

  get held(): number {
    return this.#held;
  }

  /** The plan's figure from the latest hint. */
  setQuota(quota: number | undefined): void {
    this.#quota = quota ?? QUOTA_DEFAULT;
  }

  /** Reserves room for a chunk before it is claimed, undefined if there is none. The first chunk always fits. */
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

/** The part of the quota that one chunk holds. */
export interface LeasedChunkQuota {
  /** Gives back all but `tasks`. */
  keep(tasks: number): void;
}
