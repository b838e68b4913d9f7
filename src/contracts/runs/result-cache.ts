/** Messages between executors, the API and the objects of the result cache. Plain data; `v` is the version of the message. */
import type { CacheBounds } from "./run.ts";
import type { StoredValue } from "./task.ts";

/** An R2 object that the values of an entry refer to, as it was when the entry was written. */
export interface CachedObject {
  readonly key: string;
  readonly etag: string;
}

/** The result of an element that was worked out and charged. */
export interface CacheEntry {
  /** 64 hexadecimal digits: what the result depends on. */
  readonly key: string;
  readonly node_type: string;
  readonly workflow: string;
  /** The run that did the work. */
  readonly execution: string;
  readonly outputs: readonly { readonly port: string; readonly value: StoredValue }[];
  /** Output ports whose values were not made, because that run read none of them. */
  readonly unread_ports: readonly string[];
  /** Digest of the outputs. */
  readonly digest: string;
  /** What the run was charged for it. */
  readonly milli_credits: number;
  readonly objects: readonly CachedObject[];
  /** Its values and files. */
  readonly bytes: number;
}

export interface WantedEntry {
  readonly key: string;
  /** Seconds; null for any age. */
  readonly max_age: number | null;
  /** Output ports that need no value. */
  readonly unread_ports: readonly string[];
}

/** A page of look-ups of one run, whose id is `execution`. */
export interface CacheLookUp {
  readonly v: 1;
  readonly workspace_id: string;
  readonly execution: string;
  readonly wanted: readonly WantedEntry[];
  /** Bytes of values, and stored objects, of all that is found; one entry may have more. Absent: any. */
  readonly most?: { readonly bytes: number; readonly objects: number };
}

/** What a run takes of an entry. */
export type FoundEntry = Pick<CacheEntry, "execution" | "outputs" | "digest" | "milli_credits">;

/** What a look-up returns of an entry: also what tells whether it is whole. */
export type KeptEntry = FoundEntry & Pick<CacheEntry, "key" | "objects">;

/** What a page found for one of its keys: an entry, none, or nothing yet, because the page is full. */
export type CacheAnswer = FoundEntry | null | "later";

/** `entries` of one run, in order. */
export interface CacheWrite {
  readonly v: 1;
  readonly workspace_id: string;
  readonly bounds: CacheBounds;
  readonly entries: readonly CacheEntry[];
}

/** Entries that a reader found to be damaged. */
export interface CacheDrop {
  readonly v: 1;
  readonly workspace_id: string;
  readonly entries: readonly { readonly key: string; readonly execution: string }[];
}

/** The entries that match all members which are not null. */
export interface CacheFilter {
  readonly v: 1;
  readonly workspace_id: string;
  readonly node_type: string | null;
  readonly workflow: string | null;
  readonly execution: string | null;
}

export interface CacheFigures {
  readonly entries: number;
  readonly bytes: number;
  /** The part of `bytes` that the cache itself stores: values, without the files of runs. */
  readonly stored_bytes: number;
  /** Of this calendar month. */
  readonly hits: number;
  readonly misses: number;
  readonly saved_milli_credits: number;
}

/** How much an object holds, and when what was unused for longest was last used; null if it holds nothing. */
export interface CacheSize {
  readonly bytes: number;
  readonly oldest_ms: number | null;
}

/** RPC interface of one object of the cache: the entries of a workspace whose keys begin with one digit. */
export interface CacheObjectApi {
  /**
   * Returns the entry for each key, in order; null without one. Runs that take files are remembered for `release`. All keys
   * begin with the same digit. If there is more than `most`, the answers for the last keys are missing.
   */
  lookUp(request: CacheLookUp): Promise<readonly (KeptEntry | null)[]>;
  /** The first write of a key wins. */
  write(request: CacheWrite): Promise<void>;
  drop(request: CacheDrop): Promise<void>;
  /** Deletes what was not used after `until_ms`, the longest unused first, until `bytes` are free. */
  evict(request: {
    readonly v: 1;
    readonly workspace_id: string;
    readonly bytes: number;
    readonly until_ms: number;
  }): Promise<CacheSize>;
  /**
   * Of the object that counts for the whole workspace: another one holds this much now. Resolves when all together hold at
   * most `max_bytes`.
   */
  settle(request: {
    readonly v: 1;
    readonly workspace_id: string;
    readonly digit: string;
    readonly size: CacheSize;
    readonly max_bytes: number;
  }): Promise<void>;
  clear(request: CacheFilter): Promise<void>;
  figures(request: { readonly v: 1; readonly workspace_id: string }): Promise<CacheFigures>;
  /** Deletes the entries of a run whose files are about to be deleted. Returns the runs that have taken some of them. */
  release(request: {
    readonly v: 1;
    readonly workspace_id: string;
    readonly execution: string;
  }): Promise<readonly string[]>;
}

/**
 * RPC interface of the runner's entry point for the other Workers. `clear`, `figures` and `release` are of all objects of a
 * workspace together; a call of the others, except for `find`, has keys with one first digit.
 */
export interface ResultCacheApi extends Pick<
  CacheObjectApi,
  "lookUp" | "write" | "drop" | "clear" | "figures" | "release"
> {
  /**
   * Looks up keys of any digit. Returns an answer for each, in order: entries that can be taken as they are, with their files.
   * What cannot be reached is not there.
   */
  find(request: CacheLookUp): Promise<readonly CacheAnswer[]>;
}
