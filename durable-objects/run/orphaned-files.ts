import type { RunStore } from "./run-store.ts";
import { filePrefix } from "./run-host.ts";

interface OrphanedFilesParts {
  readonly store: RunStore;
  readonly files: R2Bucket;
}

interface RunPlace {
  readonly workspaceId: string;
  readonly runId: string;
  readonly seed: string;
}

/** Where one attempt of a task stores its files; each has a place of its own, since a lost one may still write. */
export function attemptPrefix(place: RunPlace, task: number, fence: number): string {
  return filePrefix(place, `task.${task}.${fence}`);
}

/**
 * Files of attempts whose outcome was not taken: of a worker that was lost, of a report that never
 * came. What such attempts there were is noted with the outcome that counts; their files are
 * removed before the run is closed, and after a crash again.
 */
export class OrphanedFiles {
  readonly #store: RunStore;
  readonly #files: R2Bucket;

  constructor({ store, files }: OrphanedFilesParts) {
    this.#store = store;
    this.#files = files;
  }

  /** The attempts up to this fence have left nothing that is used. 0 for none. */
  note(task: number, lastFence: number): void {
    if (lastFence > 0) {
      this.#store.noteOrphans(task, lastFence);
    }
  }

  /** Removes what is noted. Throws when the store does not answer; what is left is still noted. */
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
    // One attempt stores a thousand files at most, which is one page.
    const { objects } = await this.#files.list({ prefix });
    if (objects.length > 0) {
      await this.#files.delete(objects.map(({ key }) => key));
    }
  }
}
