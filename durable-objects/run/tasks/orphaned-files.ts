import type { RunStore } from "../state/run-store.ts";
import { filePrefix } from "../run-host.ts";

interface OrphanedFilesParts {
  readonly store: RunStore;
  readonly files: R2Bucket;
}

interface RunPlace {
  readonly workspaceId: string;
  readonly runId: string;
  readonly seed: string;
}

/** Key prefix of one attempt's files; each attempt has its own, because a lost one may still write. */
export function attemptPrefix(place: RunPlace, task: number, fence: number): string {
  return filePrefix(place, `task.${task}.${fence}`);
}

/**
 * Files of attempts whose outcome was not accepted: of lost workers and missing reports. The existence of such attempts
 * is recorded with the accepted outcome; their files are deleted before the run is closed, and again after a crash.
 */
export class OrphanedFiles {
  readonly #store: RunStore;
  readonly #files: R2Bucket;

  constructor({ store, files }: OrphanedFilesParts) {
    this.#store = store;
    this.#files = files;
  }

  /** Attempts up to this fence have left no used files. 0 for none. */
  note(task: number, lastFence: number): void {
    if (lastFence > 0) {
      this.#store.noteOrphans(task, lastFence);
    }
  }

  /** Deletes the recorded files. Throws if the store does not respond; the remaining records stay. */
  async sweep(place: RunPlace): Promise<void> {
    const swept: number[] = [];
    try {
      for (const [task, last] of this.#store.orphans()) {
        for (let fence = 1; fence <= last; fence += 1) {
          await this.#remove(attemptPrefix(place, task, fence));
        }
        swept.push(task);
      }
    } finally {
      this.#store.forgetOrphans(swept);
    }
  }

  async #remove(prefix: string): Promise<void> {
    for (let isMore = true; isMore;) {
      const { objects, truncated } = await this.#files.list({ prefix });
      if (objects.length > 0) {
        await this.#files.delete(objects.map(({ key }) => key));
      }
      isMore = truncated;
    }
  }
}
