import type {
  CacheDrop,
  CachedObject,
  CacheEntry,
  CacheFilter,
  CacheLookUp,
  CacheObjectApi,
  CacheSize,
  CacheWrite,
  ResultCacheApi,
  WantedEntry,
} from "../../src/contracts/runs/result-cache.ts";
import {
  list,
  nullable,
  object,
  optional,
  text,
  version,
  whole,
} from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";
import { cacheBounds, ofWorkspace } from "../shared/entry-shapes.ts";

const v = version(1);
const workspace = { v, workspace_id: text };
const ports = list(text);

const entry = object<CacheEntry>({
  key: text,
  node_type: text,
  workflow: text,
  execution: text,
  outputs: list(object<CacheEntry["outputs"][number]>({ port: text, value: text })),
  unread_ports: ports,
  digest: text,
  milli_credits: whole,
  objects: list(object<CachedObject>({ key: text, etag: text })),
  bytes: whole,
});

const filter = object<CacheFilter>({
  ...workspace,
  node_type: nullable(text),
  workflow: nullable(text),
  execution: nullable(text),
});

const lookUp = object<CacheLookUp>({
  ...workspace,
  execution: text,
  wanted: list(object<WantedEntry>({ key: text, max_age: nullable(whole), unread_ports: ports })),
  most: optional(object<NonNullable<CacheLookUp["most"]>>({ bytes: whole, objects: whole })),
});

/** The methods that the runner's entry point has too. */
const SHARED_ENTRIES: Entries<Omit<ResultCacheApi, "find">> = {
  lookUp: [lookUp],
  write: [object<CacheWrite>({ ...workspace, bounds: cacheBounds, entries: list(entry) })],
  drop: [
    object<CacheDrop>({
      ...workspace,
      entries: list(object<CacheDrop["entries"][number]>({ key: text, execution: text })),
    }),
  ],
  clear: [filter],
  figures: [ofWorkspace],
  release: [object<Parameters<CacheObjectApi["release"]>[0]>({ ...workspace, execution: text })],
};

export const RESULT_CACHE_ENTRIES: Entries<ResultCacheApi> = {
  ...SHARED_ENTRIES,
  find: [lookUp],
};

export const CACHE_ENTRIES: Entries<CacheObjectApi> = {
  ...SHARED_ENTRIES,
  evict: [
    object<Parameters<CacheObjectApi["evict"]>[0]>({ ...workspace, bytes: whole, until_ms: whole }),
  ],
  settle: [
    object<Parameters<CacheObjectApi["settle"]>[0]>({
      ...workspace,
      digit: text,
      size: object<CacheSize>({ bytes: whole, oldest_ms: nullable(whole) }),
      max_bytes: whole,
    }),
  ],
};
