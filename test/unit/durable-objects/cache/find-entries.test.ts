/** [E47] How a page of look-ups is answered: by the runner, and to a run that cannot reach it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findEntries } from "../../../../durable-objects/cache/find-entries.ts";
import { remoteLookUp } from "../../../../durable-objects/run/remote-look-up.ts";
import type { RunMetadata } from "../../../../durable-objects/run/live-run.ts";
import type { RunStore } from "../../../../durable-objects/run/state/run-store.ts";
import type { CacheEntry, CacheLookUp } from "../../../../src/contracts/runs/result-cache.ts";
import { encodeValue } from "../../../../src/engine/values.ts";
import { FileContent } from "../../../../src/lib/files/file-content.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { createLogger } from "../../../../src/platform/logger.ts";

const key = (digit: string, at: number) => `${digit}${String(at).padStart(63, "0")}`;
const want = (of: string) => ({ key: of, max_age: null, unread_ports: [] });
const page = (keys: readonly string[], most?: CacheLookUp["most"]): CacheLookUp => ({
  v: 1,
  workspace_id: "ws",
  execution: "run_2",
  wanted: keys.map(want),
  ...(most && { most }),
});

function entry(of: string, more: Partial<CacheEntry> = {}): CacheEntry {
  return {
    key: of,
    node_type: "image/code",
    workflow: "wf_1",
    execution: "run_1",
    outputs: [{ port: "check", value: '["j",1]' }],
    unread_ports: [],
    digest: "d",
    milli_credits: 20,
    objects: [],
    bytes: 1,
    ...more,
  };
}

/** What a run is told of an entry. */
const told = ({ execution, outputs, digest, milli_credits }: CacheEntry) => ({
  execution,
  outputs,
  digest,
  milli_credits,
});

const picture = (name: string, etag = "etag") => ({
  outputs: [
    {
      port: "image",
      value: encodeValue(
        new FileRef({
          key: `ws/runs/run_1/${name}`,
          name,
          contentType: "image/png",
          sizeBytes: 9,
        }),
      ),
    },
  ],
  objects: [{ key: `ws/runs/run_1/${name}`, etag }],
});

function made(entries: readonly CacheEntry[], isDown: (digit: string) => boolean = () => false) {
  const known = new Map(entries.map((one) => [one.key, one]));
  const lookUps: CacheLookUp[] = [];
  const drops: object[] = [];
  const heads = vi.fn((name: string): Promise<{ size: number; etag: string } | null> =>
    Promise.resolve(
      name.includes("gone") ? null : { size: name.includes("short") ? 8 : 9, etag: "etag" },
    ),
  );
  const env = {
    FILES: { head: heads },
    CACHE: {
      idFromName: (name: string) => name,
      get: (name: string) => ({
        lookUp: (request: CacheLookUp) => {
          lookUps.push(request);
          return isDown(name.slice(-1))
            ? new Promise(() => {})
            : Promise.resolve(
                request.wanted
                  .slice(0, request.most?.objects)
                  .map((one) => known.get(one.key) ?? null),
              );
        },
        drop: (request: { entries: readonly object[] }) => {
          drops.push(...request.entries);
          return Promise.resolve();
        },
      }),
    },
  };
  const log = createLogger({ worker: "test" });
  const parts = { env, log, waitUntil: () => {} } as unknown as Parameters<typeof findEntries>[0];
  return { parts, lookUps, drops, heads };
}

const logged = { error: vi.fn(), info: vi.fn() };
beforeEach(() => {
  logged.error = vi.spyOn(console, "error").mockImplementation(() => {}) as never;
  logged.info = vi.spyOn(console, "log").mockImplementation(() => {}) as never;
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("a page of look-ups", () => {
  it("is one call for each first digit, and is answered in order", async () => {
    const keys = Array.from({ length: 800 }, (_, at) => key((at % 16).toString(16), at));
    const kept = keys.filter((_key, at) => at % 3 === 0).map((one) => entry(one));
    const { parts, lookUps } = made(kept);
    const found = await findEntries(parts, page(keys));
    expect(lookUps).toHaveLength(16);
    expect(found).toEqual(keys.map((one, at) => (at % 3 === 0 ? told(entry(one)) : null)));
  });

  it("has no entry whose file is gone, cut short or another one, and deletes it; one that R2 does not answer for stays", async () => {
    const keys = ["gone", "short", "other", "down", "kept"].map((_name, at) => key("a", at));
    const [gone, short, other, down, kept] = keys as [string, string, string, string, string];
    const { parts, drops, heads } = made([
      entry(gone, picture("gone")),
      entry(short, picture("short")),
      entry(other, picture("x", "another")),
      entry(down, picture("down")),
      entry(kept, picture("kept")),
    ]);
    const answer = heads.getMockImplementation()!;
    heads.mockImplementation((name) =>
      name.includes("down") ? Promise.reject(new Error("R2 is down")) : answer(name),
    );
    expect(await findEntries(parts, page(keys))).toEqual([
      null,
      null,
      null,
      null,
      told(entry(kept, picture("kept"))),
    ]);
    expect(drops).toEqual([gone, short, other].map((one) => ({ key: one, execution: "run_1" })));
    expect(logged.error).toHaveBeenCalledWith(expect.stringContaining("cache.unreachable"));
  });

  it("asks R2 once for a file of several entries", async () => {
    const keys = [key("a", 1), key("b", 1), key("b", 2)];
    const { parts, heads } = made(keys.map((one) => entry(one, picture("pack"))));
    expect((await findEntries(parts, page(keys))).every(Boolean)).toBe(true);
    expect(heads).toHaveBeenCalledOnce();
  });

  it("finds nothing in an object that does not answer, and the others are found", async () => {
    vi.useFakeTimers();
    const keys = [key("a", 1), key("b", 1)];
    const { parts } = made(
      keys.map((one) => entry(one)),
      (digit) => digit === "a",
    );
    const finding = findEntries(parts, page(keys));
    await vi.advanceTimersByTimeAsync(5_001);
    expect(await finding).toEqual([null, told(entry(keys[1]!))]);
  });

  it("that is full is answered in part, a share of it by each object", async () => {
    const keys = [1, 2, 3].map((at) => key("a", at));
    const { parts, lookUps } = made(keys.map((one) => entry(one)));
    const found = await findEntries(parts, page(keys, { bytes: 1_600, objects: 32 }));
    expect(found.map((one) => (one === "later" ? one : "entry"))).toEqual([
      "entry",
      "entry",
      "later",
    ]);
    expect(lookUps[0]?.most).toEqual({ bytes: 100, objects: 2 });
  });
});

describe("a run", () => {
  const metadata = { workspace_id: "ws_1", run_id: "run_2" } as RunMetadata;
  const storeOf = () => {
    const notes = new Map<string, unknown>();
    const keep = vi.fn();
    const store = {
      keep,
      getMetadata: (name: string) => notes.get(name),
      noteMetadata: (name: string, value: unknown) => notes.set(name, value),
    } as unknown as RunStore;
    return { store, notes, keep };
  };

  it("finds nothing in a cache that cannot be reached, is not deployed, or does not answer in time", async () => {
    const { store } = storeOf();
    const down = { RESULT_CACHE: { find: () => Promise.reject(new Error("not deployed")) } };
    expect(await remoteLookUp(down as never, metadata, store)([want(key("a", 1))])).toEqual([]);
    vi.useFakeTimers();
    const silent = { RESULT_CACHE: { find: () => new Promise(() => {}) } };
    const asked = remoteLookUp(silent as never, metadata, store)([want(key("a", 1))]);
    await vi.advanceTimersByTimeAsync(11_001);
    expect(await asked).toEqual([]);
    expect(logged.error).toHaveBeenCalledTimes(2);
  });

  it("is stored before it asks, notes files that are in rows, and takes none of a place that cannot be", async () => {
    const { store, notes, keep } = storeOf();
    const inRow = (bytes: number) =>
      entry(key("a", bytes), {
        outputs: [
          {
            port: "image",
            value: encodeValue(
              new FileRef({
                key: "ws_1/runs/run_1/x",
                name: "x",
                contentType: "image/png",
                sizeBytes: bytes,
                content: FileContent.ofBytes(new Uint8Array(3)),
              }),
            ),
          },
        ],
      });
    const answers = [entry(key("a", 0)), "later", null, inRow(3), inRow(4)] as const;
    const find = vi.fn(() => {
      expect(keep).toHaveBeenCalledOnce();
      return Promise.resolve(answers);
    });
    const env = { RESULT_CACHE: { find } } as never;
    const found = await remoteLookUp(env, metadata, store)(answers.map(() => want(key("a", 0))));
    expect(found).toEqual([answers[0], "later", null, answers[3], null]);
    expect([...notes]).toEqual([["held_files", 1]]);
    expect(find).toHaveBeenCalledWith(
      expect.objectContaining({ v: 1, workspace_id: "ws_1", execution: "run_2" }),
    );
  });
});
