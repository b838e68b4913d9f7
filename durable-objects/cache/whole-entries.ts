/** Whether entries of the result cache are whole for their readers: their values can be read, and their files are still there. */
import type { KeptEntry } from "../../src/contracts/runs/result-cache.ts";
import { filesOf } from "../../src/engine/reuse/cache-entry.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";

/** A cache, or a store, that takes longer has nothing. */
export const ANSWER_MAX_MS = 5_000;

/** [E42] Checks entries of one workspace. */
export class WholeEntries {
  readonly #files: Pick<R2Bucket, "head">;
  readonly #workspaceId: string;
  /** By key: R2 objects that entries refer to, each looked up once. */
  readonly #heads = new Map<string, Promise<R2Object | null>>();

  constructor(files: Pick<R2Bucket, "head">, workspaceId: string) {
    this.#files = files;
    this.#workspaceId = workspaceId;
  }

  /**
   * Whether an entry's values can be read and its files are those that were written. Only an entry with files is waited for,
   * since a page has thousands. Rejects if R2 does not say.
   */
  isWhole({ execution, outputs, objects }: KeptEntry): boolean | Promise<boolean> {
    const files = filesOf(this.#workspaceId, execution, outputs);
    const etags = new Map(objects.map(({ key, etag }) => [key, etag]));
    if (files === undefined || !files.named.every((key) => etags.has(key))) {
      return false;
    }
    const sizes = new Map(files.objects.map(({ key, bytes }) => [key, bytes]));
    // Those that a stored JSON text names are in the entry alone.
    const keys = new Set([...sizes.keys(), ...etags.keys()]);
    if (keys.size === 0) {
      return true;
    }
    const isSame = async (key: string) => {
      const head = await this.head(key);
      return head !== null && head.size >= (sizes.get(key) ?? 0) && head.etag === etags.get(key);
    };
    return Promise.all([...keys].map(isSame)).then((found) => found.every(Boolean));
  }

  /** The R2 object, or null if there is none. Throws if R2 does not say in time; it is then asked again. */
  head(key: string): Promise<R2Object | null> {
    let head = this.#heads.get(key);
    if (head === undefined) {
      head = withDeadline(this.#files.head(key), ANSWER_MAX_MS);
      this.#heads.set(key, head);
      head.catch(() => this.#heads.delete(key));
    }
    return head;
  }
}
