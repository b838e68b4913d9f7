/** What an executor asks of the result cache, and what it gives to it. */
import { describe, expect, it, vi } from "vitest";
import { ChunkCache } from "../../../../durable-objects/executor/chunk-cache.ts";
import { PARSED_CHARS_MAX } from "../../../../durable-objects/executor/named-in-stored.ts";
import type {
  CacheDrop,
  CacheEntry,
  CacheLookUp,
  CacheWrite,
} from "../../../../src/contracts/runs/result-cache.ts";
import type { ClaimedCache, LeasedTask, TaskReport } from "../../../../src/contracts/runs/task.ts";
import { receivedKey } from "../../../../src/engine/reuse/cache-key.ts";
import { encodeSpilled, encodeValue } from "../../../../src/engine/values.ts";
import { LIMITS } from "../../../../src/lib/limits/limits-table.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import type { TaskEnv } from "../../../../src/platform/env.ts";
import { createLogger } from "../../../../src/platform/logger.ts";

const bounds = { ttl: 60, max_bytes: 1_000, quota_bytes: null };
const node = { definition: "d", writes: true, max_age: null, milli_credits: 20 };

function made({
  cache = { n: node },
  isDown = false,
  isDropSilent = false,
}: { cache?: ClaimedCache["nodes"]; isDown?: boolean; isDropSilent?: boolean } = {}) {
  const entries = new Map<string, CacheEntry>();
  const lookUps: CacheLookUp[] = [];
  const writes: (CacheWrite & { readonly name: string })[] = [];
  const drops: CacheDrop["entries"][number][] = [];
  const heads = vi.fn((key: string): Promise<{ size: number; etag: string } | null> =>
    Promise.resolve(key.includes("gone") ? null : { size: 9_000, etag: "etag" }),
  );
  const texts = new Map<string, string>();
  const env = {
    FILES: {
      head: heads,
      get: (key: string) => {
        const text = texts.get(key);
        return Promise.resolve(text === undefined ? null : new Response(text));
      },
    },
    CACHE: {
      idFromName: (name: string) => name,
      get: (name: string) => ({
        lookUp: (request: CacheLookUp) => {
          lookUps.push(request);
          return isDown
            ? Promise.reject(new Error("down, says the test"))
            : Promise.resolve(request.wanted.map(({ key }) => entries.get(key) ?? null));
        },
        write: (request: CacheWrite) => {
          writes.push({ ...request, name });
          request.entries.forEach((entry) => entries.set(entry.key, entry));
          return Promise.resolve();
        },
        drop: (request: CacheDrop) => {
          drops.push(...request.entries);
          return isDropSilent ? new Promise<void>(() => {}) : Promise.resolve();
        },
      }),
    },
  } as unknown as TaskEnv;
  const claim = {
    workspace_id: "ws",
    run_id: "run_1",
    cache: { workflow: "wf", bounds, nodes: cache },
  };
  return {
    env,
    claim,
    cache: new ChunkCache(env, claim, createLogger({ worker: "test" })),
    lookUps,
    writes,
    drops,
    heads,
    texts,
  };
}

const task = (id: number, more: Partial<LeasedTask> = {}) =>
  ({ task_id: id, node_id: "n", node_type: "image/code", ...more }) as LeasedTask;

const ok = (id: number, value: string, more: Partial<TaskReport> = {}): TaskReport => ({
  task_id: id,
  fence: 1,
  duration_ms: 1,
  outcome: { kind: "ok", outputs: [{ port: "image", value }] },
  digests: { inputs: "i", outputs: "o" },
  ...more,
});

describe("look-ups", () => {
  it("of tasks that ask together are one call for each first digit, and none for each task", async () => {
    const { cache, lookUps } = made();
    const found = await Promise.all(
      Array.from({ length: 200 }, (_, at) => cache.find(task(at), `received ${at}`)),
    );
    expect(found.every((entry) => entry === null)).toBe(true);
    expect(lookUps.length).toBeLessThanOrEqual(16);
    expect(lookUps.flatMap(({ wanted }) => wanted)).toHaveLength(200);
    for (const { wanted } of lookUps) {
      expect(new Set(wanted.map(({ key }) => key[0])).size).toBe(1);
    }
  });

  it("are not made for a node without a mode, also of a name that all objects have", async () => {
    const { cache, lookUps } = made();
    expect(cache.uses(task(1))).toBe(true);
    for (const id of ["other", "constructor", "toString", "__proto__"]) {
      expect(cache.uses(task(1, { node_id: id }))).toBe(false);
      expect(await cache.find(task(1, { node_id: id }), "r")).toBeNull();
    }
    expect(lookUps).toEqual([]);
  });

  it("are not made for a task that has waited, and its result is kept as any other", async () => {
    const { cache, lookUps, writes } = made();
    const resumed = task(1, { token: "job" });
    expect(cache.uses(resumed)).toBe(true);
    expect(await cache.find(resumed, "r")).toBeNull();
    expect(lookUps).toEqual([]);
    cache.write([ok(1, '["j",1]')], [1]);
    await cache.drain();
    expect(await cache.find(task(2), "r")).toEqual(writes[0]?.entries[0]);
  });

  it("[E47] are not made for a task that its run has looked up, whose result is kept by what the run knows it by", async () => {
    const { cache, lookUps, writes } = made();
    const asked = task(1, { received: "digest" });
    expect(await cache.find(asked, "r")).toBeNull();
    expect(lookUps).toEqual([]);
    cache.write([ok(1, '["j",1]')], [1]);
    await cache.drain();
    expect(writes.flatMap(({ entries }) => entries).map(({ key }) => key)).toEqual([
      receivedKey("ws", "d", "digest"),
    ]);
    expect(await cache.find(task(2), "digest")).toBeNull();
  });

  it("of a cache that cannot be reached find nothing", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const { cache } = made({ isDown: true });
    expect(await cache.find(task(1), "r")).toBeNull();
    expect(log).toHaveBeenCalledWith(expect.stringContaining("cache.unreachable"));
    log.mockRestore();
  });
});

describe("an entry with a file", () => {
  const file = (key: string) =>
    encodeValue(
      new FileRef({
        key: `ws/runs/run_1/${key}`,
        name: "a",
        contentType: "image/png",
        sizeBytes: 9_000,
      }),
    );

  it("that R2 does not answer for is not taken and stays, and is asked for again", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const chunk = made();
    await chunk.cache.find(task(1), "a");
    chunk.cache.write([ok(1, file("x"))], [1]);
    await chunk.cache.drain();
    const later = new ChunkCache(chunk.env, chunk.claim, createLogger({ worker: "test" }));
    chunk.heads.mockRejectedValueOnce(new Error("R2 is down, says the test"));
    expect(await later.find(task(2), "a")).toBeNull();
    expect(log).toHaveBeenCalledWith(expect.stringContaining("cache.unreachable"));
    expect(await later.find(task(3), "a")).toEqual(chunk.writes[0]?.entries[0]);
    await later.drain();
    expect(chunk.drops).toEqual([]);
    log.mockRestore();
  });

  it("that is damaged is dropped, and an object that does not answer holds nothing up", async () => {
    vi.useFakeTimers();
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      const chunk = made({ isDropSilent: true });
      const first = chunk.cache.find(task(1), "a");
      await vi.advanceTimersByTimeAsync(10);
      await first;
      chunk.cache.write([ok(1, file("x"))], [1]);
      await chunk.cache.drain();
      chunk.heads.mockResolvedValueOnce({ size: 9_000, etag: "another" });
      const later = new ChunkCache(chunk.env, chunk.claim, createLogger({ worker: "test" }));
      const found = later.find(task(2), "a");
      await vi.advanceTimersByTimeAsync(10);
      expect(await found).toBeNull();
      expect(chunk.drops).toMatchObject([{ execution: "run_1" }]);
      const drained = vi.fn();
      void later.drain().then(drained);
      await vi.advanceTimersByTimeAsync(6_000);
      expect(drained).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
      log.mockRestore();
    }
  });
});

describe("a result", () => {
  it("is written with its charge once it was reported as ok, and found by its key", async () => {
    const { cache, writes } = made();
    await cache.find(task(1), "a");
    await cache.find(task(2), "b");
    cache.write(
      [
        ok(1, '["j",1]', { charge: { milli_credits: 7, usage: null } }),
        {
          task_id: 2,
          fence: 1,
          duration_ms: 1,
          outcome: {
            kind: "failed",
            code: "X",
            message: "x",
            retryable: false,
            retry_after_ms: null,
          },
        },
        ok(3, '["j",3]'),
      ],
      [1, 2, 3],
    );
    await cache.drain();
    const [entry, ...others] = writes.flatMap(({ entries }) => entries);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      execution: "run_1",
      workflow: "wf",
      milli_credits: 7,
      digest: "o",
    });
    expect(writes[0]?.name).toBe(`ws/${entry!.key[0]}`);
    expect(await cache.find(task(4), "a")).toEqual(entry);
    cache.write([ok(4, '["j",1]')], [4]);
    await cache.drain();
    expect(writes).toHaveLength(1);
  });

  it("is not written if the run has not accepted it, or has not said which it has", async () => {
    const { cache, writes } = made();
    const reports = [1, 2].map((id) => ok(id, `["j",${id}]`));
    for (const { task_id: id } of reports) {
      await cache.find(task(id), String(id));
    }
    cache.write(reports, true);
    cache.write(reports, undefined);
    cache.write(reports, [2]);
    await cache.drain();
    const values = writes.flatMap(({ entries }) => entries.map(({ outputs }) => outputs[0]?.value));
    expect(values).toEqual(['["j",2]']);
  });

  it("is charged at most what the node costs, and that without a claim", async () => {
    for (const [charge, written] of [
      [undefined, 20],
      [{ milli_credits: 90, usage: null }, 20],
    ] as const) {
      const { cache, writes } = made();
      await cache.find(task(1), "a");
      cache.write([ok(1, '["j",1]', charge && { charge })], [1]);
      await cache.drain();
      expect(writes[0]?.entries[0]?.milli_credits).toBe(written);
    }
  });

  it("is not written in mode read, nor when the task says that it depends on an address", async () => {
    const reading = made({ cache: { n: { ...node, writes: false } } });
    await reading.cache.find(task(1), "a");
    reading.cache.write([ok(1, '["j",1]')], [1]);
    const fetched = made();
    await fetched.cache.find(task(1), "a");
    fetched.cache.forget(1);
    fetched.cache.write([ok(1, '["j",1]')], [1]);
    await Promise.all([reading.cache.drain(), fetched.cache.drain()]);
    expect([...reading.writes, ...fetched.writes]).toEqual([]);
  });

  it("has the ETag of each stored file, and is not written without one, or above the limits", async () => {
    const file = (key: string, sizeBytes = 9_000) =>
      encodeValue(
        new FileRef({
          key: `ws/runs/run_1/${key}`,
          name: "a",
          contentType: "image/png",
          sizeBytes,
        }),
      );
    const { cache, writes, heads } = made();
    for (const [at, value] of [
      file("a"),
      file("gone"),
      file("a", LIMITS.cache_entry.value),
    ].entries()) {
      await cache.find(task(at), String(at));
      cache.write([ok(at, value)], [at]);
    }
    await cache.drain();
    const entries = writes.flatMap(({ entries: written }) => written);
    expect(entries).toHaveLength(1);
    expect(entries[0]?.objects).toEqual([{ key: "ws/runs/run_1/a", etag: "etag" }]);
    expect(heads).toHaveBeenCalledTimes(2);
  });
});

describe("a result whose JSON names files", () => {
  const own = (name: string) => `ws/runs/run_1/${name}`;
  const manifest = (...names: string[]) => ({
    pages: names.map((name) => ({ storage_ref: `storage://${own(name)}` })),
  });
  const stored = (key: string, chars: number) =>
    encodeSpilled(
      new FileRef({
        key: own(key),
        name: "value.json",
        contentType: "application/json",
        sizeBytes: chars,
      }),
    );

  it("counts them, has their ETags, and is not taken when one of them is gone or was replaced", async () => {
    const chunk = made();
    await chunk.cache.find(task(1), "a");
    const value = encodeValue(manifest("1.png", "2.png"));
    chunk.cache.write([ok(1, value)], [1]);
    await chunk.cache.drain();
    const entry = chunk.writes[0]?.entries[0];
    expect(entry?.objects.toSorted((a, b) => a.key.localeCompare(b.key))).toEqual([
      { key: own("1.png"), etag: "etag" },
      { key: own("2.png"), etag: "etag" },
    ]);
    expect(entry?.bytes).toBe(18_000 + value.length + "image".length);
    const later = () => new ChunkCache(chunk.env, chunk.claim, createLogger({ worker: "test" }));
    expect(await later().find(task(2), "a")).toEqual(entry);
    for (const [at, damage] of [null, { size: 9_000, etag: "another" }].entries()) {
      chunk.heads.mockResolvedValueOnce(damage);
      const cache = later();
      expect(await cache.find(task(3), "a")).toBeNull();
      await cache.drain();
      expect(chunk.drops).toHaveLength(at + 1);
    }
    // An entry that names a file and does not have it is damaged too.
    const key = entry?.key ?? "";
    const env = {
      ...chunk.env,
      CACHE: {
        idFromName: (name: string) => name,
        get: () => ({
          lookUp: () => Promise.resolve([{ ...entry, objects: [] }]),
          drop: () => Promise.resolve(),
        }),
      },
    } as unknown as TaskEnv;
    expect(key).toHaveLength(64);
    const forged = new ChunkCache(env, chunk.claim, createLogger({ worker: "test" }));
    expect(await forged.find(task(4), "a")).toBeNull();
  });

  it("is not written when one of them is gone, is of another run, or when there are too many", async () => {
    const chunk = made();
    const many = Array.from({ length: 201 }, (_, at) => `${at}.png`);
    const values = [
      manifest("1.png", "gone.png"),
      { storage_ref: "storage://ws/runs/run_2/1.png" },
      manifest(...many),
      manifest(...many.slice(1)),
    ];
    for (const [at, value] of values.entries()) {
      await chunk.cache.find(task(at), String(at));
      chunk.cache.write([ok(at, encodeValue(value as never))], [at]);
      await chunk.cache.drain();
    }
    const entries = chunk.writes.flatMap(({ entries: written }) => written);
    expect(entries.map(({ objects }) => objects.length)).toEqual([200]);
  });

  it("is read from the store if its text is there, and is not written if that cannot be told", async () => {
    const chunk = made();
    const long = "x".repeat(PARSED_CHARS_MAX);
    const name = `"storage://${own("1.png")}"`;
    const texts = {
      named: JSON.stringify({ long: long.slice(1_000), ...manifest("1.png") }),
      escaped: `["storage:\\/\\/${own("2.png").replaceAll("/", "\\/")}"]`,
      letters: `["\\u0073torage://${own("3.png")}"]`,
      plain: JSON.stringify([long, "no file"]),
      tooLong: `["${long}",${name}]`,
      foreign: '["storage://ws/runs/run_2/1.png"]',
      damaged: `[${name}`,
    };
    for (const [key, text] of Object.entries(texts)) {
      chunk.texts.set(own(key), text);
    }
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const keys = [...Object.keys(texts), "missing"];
    for (const [at, key] of keys.entries()) {
      await chunk.cache.find(task(at), key);
      chunk.cache.write([ok(at, stored(key, 9_000))], [at]);
      await chunk.cache.drain();
    }
    const entries = chunk.writes.flatMap(({ entries: written }) => written);
    expect(entries.map(({ objects }) => objects.map(({ key }) => key))).toEqual([
      [own("named"), own("1.png")],
      [own("escaped"), own("2.png")],
      [own("letters"), own("3.png")],
      [own("plain")],
    ]);
    log.mockRestore();
  });
});
