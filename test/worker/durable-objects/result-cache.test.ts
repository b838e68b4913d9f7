/** The objects of the result cache, on SQLite, through the entry point that the API Worker calls and directly. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { CacheStore } from "../../../durable-objects/cache/cache-store.ts";
import { TAKERS_MAX } from "../../../durable-objects/cache/cache-takers.ts";
import type { CacheEntry } from "../../../src/contracts/runs/result-cache.ts";
import { roomyMax, untoldMax } from "../../../src/engine/reuse/cache-eviction.ts";
import { CACHE_DIGITS } from "../../../src/storage/objects/cache-objects.ts";
import cache from "../../golden/databases/cache-1.sql?raw";

const NOW = Date.UTC(2026, 10, 28);
const DAY_S = 86_400;

/** Runs `test` over a store of its own. */
async function inStore(
  test: (store: CacheStore, storage: DurableObjectStorage) => void,
  sql = "SELECT 1",
): Promise<void> {
  const stub = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
  await runInDurableObject(stub, (_object, { storage }) => {
    storage.sql.exec(sql.trimEnd());
    test(new CacheStore(storage), storage);
  });
  await evictDurableObject(stub);
}

function entry(key: string, given: Partial<CacheEntry> = {}): CacheEntry {
  return {
    key: key.padEnd(64, "0"),
    node_type: "image/code",
    workflow: "wf_1",
    execution: "run_1",
    outputs: [{ port: "image", value: `["j","${key}"]` }],
    unread_ports: [],
    digest: "digest",
    milli_credits: 20,
    objects: [],
    bytes: 100,
    ...given,
  };
}

const want = (key: string, max_age: number | null = null, unread_ports: string[] = []) => ({
  key: key.padEnd(64, "0"),
  max_age,
  unread_ports,
});

function look(store: CacheStore, keys: readonly string[], execution = "run_2", nowMs = NOW) {
  const asked = {
    v: 1,
    workspace_id: "ws",
    execution,
    wanted: keys.map((key) => want(key)),
  } as const;
  return store.lookUp(asked, nowMs).map((found) => found?.execution ?? null);
}

it("a first write that fails leaves an object that works", () =>
  inStore((store) => {
    const bad = entry("a", { milli_credits: null as never });
    expect(() => {
      store.write([bad], DAY_S, NOW);
    }).toThrow("NOT NULL");
    expect(store.figures(NOW).entries).toBe(0);
    store.write([entry("a")], DAY_S, NOW);
    expect(look(store, ["a"])).toEqual(["run_1"]);
  }));

describe("the entries of an object", () => {
  it("are found in the order of the page, and counted with what they save", () =>
    inStore((store) => {
      store.write([entry("a"), entry("b", { execution: "run_3" })], DAY_S, NOW);
      expect(look(store, ["b", "c", "a"])).toEqual(["run_3", null, "run_1"]);
      expect(store.figures(NOW)).toMatchObject({
        entries: 2,
        bytes: 200,
        hits: 2,
        misses: 1,
        saved_milli_credits: 40,
      });
    }));

  it("are counted by the calendar month in UTC, and a month later from nothing", () =>
    inStore((store) => {
      const last = Date.UTC(2026, 11, 1) - 1;
      store.write([entry("a")], DAY_S, NOW);
      look(store, ["a", "b"], "run_2", Date.UTC(2026, 10, 1));
      look(store, ["a"], "run_2", last);
      const of = (nowMs: number) => {
        const { hits, misses, saved_milli_credits } = store.figures(nowMs);
        return [hits, misses, saved_milli_credits];
      };
      expect([of(last), of(last + 1)]).toEqual([
        [1, 2, 20],
        [0, 0, 0],
      ]);
      look(store, ["c"], "run_2", last + 1);
      expect([of(last), of(last + 1)]).toEqual([
        [1, 2, 20],
        [0, 1, 0],
      ]);
    }));

  it("are returned up to a bound, at least one, and only these are counted", () =>
    inStore((store) => {
      const keys = ["a", "b", "c", "d"];
      const file = { objects: [{ key: "ws/runs/run_1/x", etag: "e" }] };
      store.write([entry("a"), entry("c", file), entry("d", file)], DAY_S, NOW);
      const most = (bytes: number, objects: number) =>
        store
          .lookUp(
            {
              v: 1,
              workspace_id: "ws",
              execution: "run_2",
              wanted: keys.map((key) => want(key)),
              most: { bytes, objects },
            },
            NOW,
          )
          .map((found) => found?.key.slice(0, 1) ?? null);
      expect(most(0, 0)).toEqual(["a", null]);
      expect(store.figures(NOW)).toMatchObject({ hits: 1, misses: 1 });
      expect(most(1_000, 1)).toEqual(["a", null, "c"]);
      expect(most(1_000, 2)).toEqual(["a", null, "c", "d"]);
      expect(store.figures(NOW)).toMatchObject({ hits: 6, misses: 3 });
    }));

  it("keep the first write of a key, unless a later one has more ports", () =>
    inStore((store) => {
      store.write([entry("a", { unread_ports: ["svg"] })], DAY_S, NOW);
      store.write([entry("a", { execution: "run_2", unread_ports: ["svg"] })], DAY_S, NOW);
      expect(
        store.lookUp(
          { v: 1, workspace_id: "ws", execution: "run_9", wanted: [want("a", null, ["svg"])] },
          NOW,
        )[0]?.execution,
      ).toBe("run_1");
      expect(look(store, ["a"])).toEqual([null]);
      store.write([entry("a", { execution: "run_3" })], DAY_S, NOW);
      store.write([entry("a", { execution: "run_4" })], DAY_S, NOW);
      expect(look(store, ["a"])).toEqual(["run_3"]);
    }));

  it("live as long as their plan says, and are deleted by the alarm's work", () =>
    inStore((store) => {
      store.write([entry("a")], 10, Date.now());
      expect(look(store, ["a"], "run_2", Date.now())).toEqual(["run_1"]);
      expect(store.expire(Date.now() + 9_000)).not.toBeNull();
      expect(store.expire(Date.now() + 11_000)).toBeNull();
      expect(store.size().bytes).toBe(0);
    }));

  it("older than the reader's age are not taken", () =>
    inStore((store) => {
      store.write([entry("a")], DAY_S, NOW - 10_000);
      const aged = (maxAge: number) =>
        store.lookUp(
          { v: 1, workspace_id: "ws", execution: "r", wanted: [want("a", maxAge)] },
          NOW,
        )[0];
      expect(aged(9)).toBeNull();
      expect(aged(10)).not.toBeNull();
    }));

  it("are evicted from the longest unused on, and a use counts", () =>
    inStore((store) => {
      store.write([entry("a")], DAY_S, NOW);
      store.write([entry("b")], DAY_S, NOW + 1);
      store.write([entry("c")], DAY_S, NOW + 2);
      look(store, ["a"], "run_2", NOW + 3);
      expect(store.evict(150, NOW + 2)).toEqual({ bytes: 100, oldest_ms: NOW + 3 });
      expect(store.evict(1_000, NOW + 2)).toEqual({ bytes: 100, oldest_ms: NOW + 3 });
      expect(look(store, ["a", "b", "c"])).toEqual(["run_1", null, null]);
    }));

  it("are summed once, and counted from then on, also after a write that failed", () =>
    inStore((_store, storage) => {
      const asked: string[] = [];
      const sql = {
        exec: (query: string, ...values: unknown[]) => {
          asked.push(query);
          return storage.sql.exec(query, ...values);
        },
      };
      const store = new CacheStore({
        sql,
        transactionSync: <T>(work: () => T) => storage.transactionSync(work),
      } as unknown as DurableObjectStorage);
      const sums = () => asked.filter((query) => query.includes("sum(bytes)")).length;
      const sizes: number[] = [];
      const size = () => sizes.push(store.size().bytes);
      store.write([entry("a")], DAY_S, NOW);
      size();
      store.write([entry("b", { bytes: 30 }), entry("a", { bytes: 999 })], DAY_S, NOW + 1);
      size();
      store.evict(1, NOW);
      size();
      store.drop([{ key: entry("b").key, execution: "run_1" }], NOW);
      store.drop([{ key: entry("b").key, execution: "run_1" }], NOW);
      size();
      expect([sizes, sums()]).toEqual([[100, 130, 30, 0], 1]);
      const broken = { ...entry("d"), digest: null as unknown as string };
      expect(() => {
        store.write([entry("c"), broken], DAY_S, NOW);
      }).toThrow("NOT NULL");
      expect(store.size().bytes).toBe(0);
    }));

  it("are cleared by type, workflow and run", () =>
    inStore((store) => {
      const all = [
        entry("a"),
        entry("b", { node_type: "image/resize" }),
        entry("c", { workflow: "wf_2" }),
        entry("d", { execution: "run_5" }),
      ];
      store.write(all, DAY_S, NOW);
      const none = { node_type: null, workflow: null, execution: null };
      store.clear({ ...none, node_type: "image/resize" });
      expect(look(store, ["a", "b", "c", "d"])).toEqual(["run_1", null, "run_1", "run_5"]);
      store.clear({ ...none, workflow: "wf_2" });
      store.clear({ ...none, execution: "run_5" });
      expect(look(store, ["a", "b", "c", "d"])).toEqual(["run_1", null, null, null]);
      store.clear(none);
      expect(look(store, ["a"])).toEqual([null]);
    }));

  it("that turn out to be damaged were misses", () =>
    inStore((store) => {
      store.write([entry("a")], DAY_S, NOW);
      look(store, ["a"]);
      store.drop([{ key: entry("a").key, execution: "run_other" }], NOW);
      expect(store.figures(NOW)).toMatchObject({ entries: 1, hits: 1 });
      store.drop([{ key: entry("a").key, execution: "run_1" }], NOW);
      expect(store.figures(NOW)).toMatchObject({
        entries: 0,
        hits: 0,
        misses: 1,
        saved_milli_credits: 0,
      });
    }));

  it("of a run whose files go are gone first, and those that have its files are named, to a repeat too", () =>
    inStore((store) => {
      const objects = [{ key: "ws/runs/run_1/x", etag: "e" }];
      store.write([entry("a", { objects }), entry("b")], DAY_S, NOW);
      look(store, ["a", "b"], "run_2");
      look(store, ["b"], "run_3");
      look(store, ["a"], "run_1");
      expect(store.release("run_1", NOW)).toEqual(["run_2"]);
      expect(look(store, ["a", "b"])).toEqual([null, null]);
      expect(store.release("run_1", NOW + 1)).toEqual(["run_2"]);
      // A damaged run asks each day, and may miss one.
      store.release("run_7", NOW + 2 * DAY_S * 1000);
      expect(store.release("run_1", NOW + 2 * DAY_S * 1000)).toEqual(["run_2"]);
      store.release("run_8", NOW + 10 * DAY_S * 1000);
      expect(store.release("run_1", NOW + 10 * DAY_S * 1000)).toEqual([]);
    }));

  it("that a row cannot hold are left out, and the others of the page are kept", () =>
    inStore((store) => {
      const holding = (key: string, value: string) =>
        entry(key, { outputs: [{ port: "text", value }] });
      // As few characters as an executor lets through, and more bytes than SQLite does.
      const wide = "\u{65e5}".repeat(1_000_000);
      const quoted = '"'.repeat(1_200_000);
      const latin = "x".repeat(1_500_000);
      const objects = Array.from({ length: 10_000 }, (_, at) => ({
        key: `ws/runs/run_1/${"k".repeat(150)}/${at}`,
        etag: "e".repeat(32),
      }));
      store.write(
        [
          holding("a", wide),
          holding("b", quoted),
          holding("c", latin),
          entry("d", { objects }),
          entry("e"),
        ],
        DAY_S,
        NOW,
      );
      expect(look(store, ["a", "b", "c", "d", "e"])).toEqual([null, null, "run_1", null, "run_1"]);
      expect(store.size().bytes).toBe(200);
      // Bytes, not characters.
      store.write([holding("f", "\u{65e5}".repeat(100))], DAY_S, NOW);
      const { stored_bytes: stored } = store.figures(NOW);
      expect(stored).toBeGreaterThan(1_500_000 + 300);
    }));

  it("with files are made again when as many runs have taken some of one run as it can be told of", () =>
    inStore((store) => {
      const objects = [{ key: "ws/runs/run_1/x", etag: "e" }];
      store.write([entry("a", { objects }), entry("b", { objects }), entry("c")], DAY_S, NOW);
      for (let run = 0; run < TAKERS_MAX; run++) {
        expect(look(store, ["a"], `taker_${run}`)).toEqual(["run_1"]);
      }
      // Those that have taken some may take more.
      expect(look(store, ["a", "b"], "taker_7")).toEqual(["run_1", "run_1"]);
      expect(look(store, ["c", "a", "b"], "late")).toEqual(["run_1", null, null]);
      expect(look(store, ["a"], "taker_7")).toEqual([null]);
      store.write([entry("a", { execution: "late", objects })], DAY_S, NOW);
      expect(look(store, ["a"], "later")).toEqual(["late"]);
      const takers = store.release("run_1", NOW);
      expect(takers).toHaveLength(TAKERS_MAX);
      // Those of all sixteen objects are one value of the run.
      const ids = Array.from({ length: TAKERS_MAX * 16 }, () => `run_${"0".repeat(32)}`);
      expect(JSON.stringify(ids).length).toBeLessThan(2_000_000);
    }));

  it("of the first release's database are read", () =>
    inStore((store) => {
      const asked = {
        v: 1,
        workspace_id: "ws",
        execution: "r",
        wanted: [want("0".padEnd(64, "a"), null, ["svg"])],
      } as const;
      expect(store.lookUp(asked, NOW)[0]).toMatchObject({
        execution: "run_01a203ce94b67dc49cf7c83652634200",
        outputs: [{ port: "image", value: '["j","a code"]' }],
        milli_credits: 20,
      });
      expect(store.figures(NOW)).toMatchObject({ hits: 2, misses: 2, saved_milli_credits: 40 });
    }, cache));
});

describe("the cache of a workspace", () => {
  it("admits no entry above the plan's figure, and keeps those that it has", async () => {
    const workspace_id = "ws_large";
    const bounds = { ttl: DAY_S, max_bytes: 1_000, quota_bytes: null };
    const write = (...entries: CacheEntry[]) =>
      env.RESULT_CACHE.write({ v: 1, workspace_id, bounds, entries });
    await write(entry("a1"));
    await write(entry("a2", { bytes: 1_001 }), entry("a3"));
    expect(await figures(workspace_id)).toMatchObject({ entries: 2, bytes: 200 });
  });

  const figures = (workspace_id: string) => env.RESULT_CACHE.figures({ v: 1, workspace_id });

  it("holds no more than the plan's figure after a write, though an object grows a little before it tells the one that counts", async () => {
    const workspace_id = "ws_untold";
    const max_bytes = 1_000_000;
    const bounds = { ttl: DAY_S, max_bytes, quota_bytes: null };
    const steps: number[] = [];
    const writeEach = async (name: string, bytes: number) => {
      for (const digit of CACHE_DIGITS) {
        await env.RESULT_CACHE.write({
          v: 1,
          workspace_id,
          bounds,
          entries: [entry(`${digit}${name}`, { bytes })],
        });
        steps.push((await figures(workspace_id)).bytes);
      }
    };
    await writeEach("1", 61_900);
    expect(steps.at(-1)).toBe(61_900 * 16);
    // Less than an object may keep to itself.
    const small = untoldMax(max_bytes) - 1;
    await writeEach("2", small);
    expect(steps.at(-1)).toBe((61_900 + small) * 16);
    await writeEach("3", small);
    expect(Math.max(...steps)).toBeLessThanOrEqual(max_bytes);
    // It evicts before there could be more, and with room.
    expect(Math.min(...steps.slice(-16))).toBeLessThanOrEqual(roomyMax(max_bytes));
  });

  it("begins empty, and clearing it is repeatable", async () => {
    expect(await figures("ws_empty")).toEqual({
      entries: 0,
      bytes: 0,
      stored_bytes: 0,
      hits: 0,
      misses: 0,
      saved_milli_credits: 0,
    });
    const all = {
      v: 1,
      workspace_id: "ws_empty",
      node_type: null,
      workflow: null,
      execution: null,
    } as const;
    await env.RESULT_CACHE.clear(all);
    await env.RESULT_CACHE.clear(all);
    expect(
      await env.RESULT_CACHE.release({ v: 1, workspace_id: "ws_empty", execution: "run_1" }),
    ).toEqual([]);
  });
});
