/** The content of a run's rows, in any distribution over blocks, pages and rows of their own. */
import { describe, expect, it, vi } from "vitest";
import { driverRows, StaleDriverError } from "../../../../durable-objects/run/live-run.ts";
import {
  BLOCK_CACHE_CHARS,
  BLOCK_CACHE_CHARS_MAX,
  BLOCK_WINDOW_CHARS,
} from "../../../../durable-objects/run/blocks/block-room.ts";
import { isolateMemory, WORK_BYTES_MAX } from "../../../../src/lib/memory/memory-budget.ts";
import { RunStore } from "../../../../durable-objects/run/state/run-store.ts";
import {
  decodeTask,
  encodeTask,
  newTask,
} from "../../../../durable-objects/run/tasks/task-entry.ts";
import { TaskStore } from "../../../../durable-objects/run/tasks/task-store.ts";
import type { CellRow } from "../../../../src/engine/drive/run-rows.ts";
import { SimulatedStorage } from "../../../simulation/object/simulated-storage.ts";

const STATE = { v: 1, status: "running", stopped: null, nodes: [], progress: 0 } as const;

/** A created run; nodes 0 and 1 are in the root scope, others in an axis. */
function made() {
  const storage = new SimulatedStorage();
  const opened = storage.open();
  const store = new RunStore(opened, () => 1_000);
  const tasks = new TaskStore(store);
  store.create([0, 0, 1, 1, 1]);
  store.putText("facts", "{}");
  store.putMetadata("seed", "secret");
  store.commit({ state: STATE });
  const rows = () => storage.read<{ k: string; v: string }>("SELECT k, v FROM part ORDER BY k");
  const reopened = () => new RunStore(storage.look(), () => 1_000);
  return { storage, opened, store, tasks, rows, reopened };
}

const ok = (node: number, element: number, value: string): CellRow => ({
  node,
  element,
  status: "ok",
  body: `[["json",["j",${JSON.stringify(value)}]]]`,
});

describe("a created run", () => {
  it("has no table before it is stored, and one row after", () => {
    const { storage, store, rows, reopened } = made();
    store.commit({ state: STATE, cells: [ok(0, 0, "a"), ok(1, 0, "b")] });
    expect(storage.read("SELECT 1 FROM sqlite_master")).toEqual([]);
    store.keep();
    expect(rows().map(({ k }) => k)).toEqual(["run"]);
    const again = reopened();
    expect(again.getMetadata("seed")).toBe("secret");
    expect(again.getText("facts")).toBe("{}");
    expect(again.cellsAt(1, [0])).toEqual([ok(1, 0, "b")]);
    expect(again.state()).toEqual(STATE);
  });

  it("does not exist if its creation is rolled back", () => {
    const { store, reopened } = made();
    expect(() =>
      store.transaction(() => {
        throw new Error("broken");
      }),
    ).toThrow("broken");
    expect(store.exists).toBe(false);
    expect(reopened().exists).toBe(false);
  });

  it("stores parts that are too large for one row in separate rows", () => {
    const { store, rows, reopened } = made();
    store.putText("definition", "d".repeat(1_200_000));
    store.commit({ state: STATE, cells: [ok(0, 0, "a")] });
    store.keep();
    expect(Math.max(...rows().map(({ v }) => v.length))).toBeLessThanOrEqual(500_000);
    expect(reopened().getText("definition")).toBe("d".repeat(1_200_000));
    expect(reopened().cellsAt(0, [0])).toEqual([ok(0, 0, "a")]);
  });
});

describe("elements", () => {
  it("of 32 share a row, and are read back by node and range, from rows and from memory", () => {
    const { store, rows, reopened } = made();
    store.keep();
    const cells = Array.from({ length: 100 }, (_, element) => [
      ok(2, element, `x${element}`),
      ok(3, element, "y"),
    ]);
    store.commit({ state: STATE, cells: cells.flat() });
    expect(rows().filter(({ k }) => k.startsWith("b.1."))).toHaveLength(4);
    for (const read of [store, reopened()]) {
      expect(read.cellsBetween(2, 30, 70)).toEqual(cells.slice(30, 70).map(([cell]) => cell));
      expect(read.cellsBetween(3, 0, 1_000_000)).toHaveLength(100);
      expect(read.cellsAt(2, [99, 5, 400])).toEqual([ok(2, 5, "x5"), ok(2, 99, "x99")]);
    }
  });

  it("settle once", () => {
    const { store } = made();
    store.commit({ state: STATE, cells: [ok(2, 7, "a")] });
    expect(() => store.commit({ state: STATE, cells: [ok(2, 7, "b")] })).toThrow("settled twice");
  });

  it("keep any text, including port names and characters beyond the BMP", () => {
    const { store, reopened } = made();
    const bodies = [
      '[["a\\",\\"b",["j","x"]]]',
      `[["p",["j",${JSON.stringify('𝄞\n",'.repeat(40))}]],["q",["j",null]]]`,
      "",
      JSON.stringify({ code: "X", message: "m".repeat(9_000) }),
    ];
    const cells = bodies.map((body, element): CellRow => ({
      node: 2,
      element,
      status: "ok",
      body,
    }));
    store.commit({ state: STATE, cells });
    store.keep();
    expect(reopened().cellsBetween(2, 0, 32)).toEqual(cells);
  });

  it("that pass a long value on store it once, in a separate row", () => {
    const { store, rows, reopened } = made();
    store.keep();
    const long = "z".repeat(20_000);
    const passed = { ...ok(3, 0, long), body: ok(3, 0, long).body.replace("json", "value") };
    store.commit({ state: STATE, cells: [ok(2, 0, long), passed] });
    const values = rows().filter(({ k }) => k.startsWith("v."));
    expect(values).toHaveLength(1);
    expect(rows().find(({ k }) => k.startsWith("b.1."))!.v.length).toBeLessThan(500);
    expect(reopened().cellsAt(3, [0])).toEqual([passed]);
  });

  it("settled before are not written again if they are large", () => {
    const { store, rows, reopened } = made();
    store.keep();
    for (let element = 0; element < 32; element++) {
      store.commit({ state: STATE, cells: [ok(2, element, `${element}`.repeat(1_500))] });
      const open = rows().find(({ k }) => /^b\.1\.\d+$/.test(k))!;
      expect(open.v.length).toBeLessThan(40_000);
    }
    expect(rows().filter(({ k }) => /^b\.1\.\d+\.\d+$/.test(k)).length).toBeGreaterThan(1);
    expect(reopened().cellsBetween(2, 0, 32)).toHaveLength(32);
  });

  it("are dropped from an element on, also those not in memory, with the first failure among them", () => {
    const { store, reopened } = made();
    store.keep();
    const failed: CellRow = { node: 2, element: 40, status: "failed", body: '{"code":"X"}' };
    const cells = Array.from({ length: 40 }, (_, element) => ok(2, element, "w".repeat(3_000)));
    store.commit({ state: STATE, cells: [...cells, failed, ok(3, 35, "stays")] });
    expect(store.firstFailed(2)).toEqual(failed);
    store.commit({ state: STATE, dropCells: { node: 2, fromIndex: 10 } });
    for (const read of [store, reopened()]) {
      expect(read.cellsBetween(2, 0, 100).map(({ element }) => element)).toEqual([
        ...Array(10).keys(),
      ]);
      expect(read.cellsAt(3, [35])).toEqual([ok(3, 35, "stays")]);
      expect(read.firstFailed(2)).toBeUndefined();
    }
  });

  it("lose only their values when they expire, one part at a time", () => {
    const { store, rows, reopened } = made();
    store.keep();
    const failed: CellRow = { node: 2, element: 3, status: "failed", body: '{"code":"X"}' };
    const cells = Array.from({ length: 90 }, (_, element) =>
      ok(2, 10 + element, `SECRET${element}`),
    );
    store.commit({ state: STATE, cells: [...cells, failed, ok(3, 0, "SECRET".repeat(2_000))] });
    let calls = 1;
    while (store.dropValues(40)) {
      calls++;
    }
    expect(calls).toBeGreaterThan(1);
    expect(JSON.stringify(rows())).not.toContain("SECRET");
    expect(reopened().firstFailed(2)).toEqual(failed);
    expect(reopened().settledBetween(2, 0, 100)).toHaveLength(91);
  });
});

describe("values that expire", () => {
  it("are passed over a part at a time where a block has none", () => {
    const { store, rows } = made();
    store.keep();
    const cells = Array.from({ length: 640 }, (_, element): CellRow => ({
      node: 2,
      element,
      status: "failed",
      body: '{"code":"X"}',
    }));
    store.commit({ state: STATE, cells });
    const blocks = () => rows().filter(({ k }) => k.startsWith("b."));
    const before = blocks();
    let calls = 1;
    while (store.dropValues(5)) {
      calls++;
    }
    expect([before.length, calls]).toEqual([20, 4]);
    expect(blocks()).toEqual(before);
  });

  it("are removed with their block if it is damaged, and those of other blocks too", () => {
    const { storage, store, rows } = made();
    store.keep();
    const long = "SECRET".repeat(2_000);
    store.commit({
      state: STATE,
      cells: [ok(2, 0, "a"), ok(2, 1, long), ok(2, 2, "SECRET"), ok(2, 40, long)],
    });
    storage.read("UPDATE part SET v = substr(v, 1, length(v) - 2) WHERE k = 'b.1.0000000'");
    const woken = new RunStore(storage.open(), () => 1_000);
    expect(() => woken.cellsAt(2, [0])).toThrow("in place of");
    expect(woken.cellsAt(2, [40])).toEqual([ok(2, 40, long)]);
    while (woken.dropValues(10)) {
      // The next part.
    }
    expect(rows().filter(({ v }) => v.includes("SECRET"))).toEqual([]);
    expect(woken.settledBetween(2, 0, 100)).toMatchObject([{ element: 40, status: "ok" }]);
  });
});

describe("no row exceeds the storage's limit", () => {
  const longest = (rows: readonly { v: string }[]) =>
    Math.max(...rows.map(({ v }) => Buffer.byteLength(v)));

  it("with 32 elements that settle at once with long values", () => {
    const { store, rows, reopened } = made();
    store.keep();
    const cells = Array.from({ length: 96 }, (_, at) =>
      ok(2 + (at % 3), Math.floor(at / 3), String.fromCodePoint(0x4e00 + at).repeat(4_000)),
    );
    store.commit({ state: STATE, cells });
    expect(longest(rows())).toBeLessThan(520_000);
    expect(rows().filter(({ k }) => k.startsWith("b.1.0000000.")).length).toBeLessThan(5);
    for (const read of [store, reopened()]) {
      expect([2, 3, 4].flatMap((node) => read.cellsBetween(node, 0, 32))).toHaveLength(96);
      expect(read.cellsAt(2, [31])).toEqual([cells[93]]);
    }
    // Dropping some makes the store write the rest again.
    store.commit({ state: STATE, dropCells: { node: 4, fromIndex: 31 } });
    expect(longest(rows())).toBeLessThan(520_000);
    expect(reopened().cellsBetween(3, 0, 32)).toHaveLength(32);
  });

  it("with tasks that report at once with long values, and wait to be processed", async () => {
    const { store, tasks, rows, storage, reopened } = made();
    store.keep();
    const places = Array.from({ length: 32 }, (_, element) => ({ node: 2, element }));
    store.commit({ state: STATE, tasks: places });
    const share = { runTasks: 64, chunkTasks: 32, slots: 1, slotTasks: 64 };
    const [chunk] = tasks.queueReady(share, true, 0, () => "runner").chunks;
    const outcomes = tasks.lease(chunk!.chunk, "boot", 0).map(({ id, element, fence }) => {
      const value = JSON.stringify(["j", String.fromCodePoint(0x4e00 + element).repeat(30_000)]);
      return {
        id,
        node: 2,
        element,
        fence,
        durationMs: 1,
        outcome: { kind: "ok", outputs: [["out", value]] } as const,
      };
    });
    expect(tasks.report(outcomes).size).toBe(32);
    await tasks.untilStored(
      outcomes.map(({ id }) => id),
      1,
    );
    expect(longest(rows())).toBeLessThan(520_000);
    const told = (read: RunStore) =>
      read.blocks.storedTasks().map(({ id, status, outcome }) => [id, status, outcome]);
    const expected = outcomes.map(({ id, outcome }) => [id, "reported", outcome]);
    expect(told(store)).toEqual(expected);
    expect(told(reopened())).toEqual(expected);
    expect(reopened().blocks.task(2, 31)).toMatchObject({
      outcome: outcomes[31]!.outcome,
    });
    // When another object has processed them, they leave nothing behind.
    const woken = new RunStore(storage.open(), () => 1_000);
    const theirs = new TaskStore(woken);
    expect(theirs.reported(100).map(({ outcome }) => outcome)).toEqual(
      outcomes.map(({ outcome }) => outcome),
    );
    woken.commit({ state: STATE, removeTasks: outcomes });
    expect(rows().filter(({ k }) => k.startsWith("o."))).toEqual([]);
    expect(reopened().blocks.storedTasks()).toEqual([]);
  });

  it("[E46] with tasks that wait for an equal element, which no worker gets before they are released", () => {
    const { store, tasks, storage, reopened } = made();
    store.keep();
    const first = { node: 2, element: 0 };
    const others = [1, 40, 41].map((element) => ({ node: 2, element, equalTo: first }));
    store.commit({ state: STATE, tasks: [first, ...others] });
    const share = { runTasks: 64, chunkTasks: 32, slots: 1, slotTasks: 64 };
    const leased = (of: TaskStore) =>
      of
        .queueReady(share, true, 0, () => "runner")
        .chunks.flatMap(({ chunk }) => of.lease(chunk, "boot", 0).map(({ element }) => element));
    expect(leased(tasks)).toEqual([0]);
    expect([store.equalTasks(), reopened().equalTasks()]).toEqual([others, others]);
    expect(tasks.nextDueMs()).toBeGreaterThan(0);
    expect([...tasks.inFlightBetween(2, 1, 2)]).toEqual([[1, { attempts: 0, isLeased: false }]]);
    const woken = new RunStore(storage.open(), () => 1_000);
    const theirs = new TaskStore(woken);
    expect(leased(theirs)).toEqual([]);
    woken.commit({ state: STATE, releaseTasks: [others[1]!], removeTasks: [others[0]!] });
    expect(leased(theirs)).toEqual([40]);
    expect(reopened().equalTasks()).toEqual([others[2]]);
    theirs.dropWaiting();
    expect(leased(theirs)).toEqual([]);
    // Code that does not know the status takes such a task for a ready one.
    const old = decodeTask(
      encodeTask({ ...newTask(2, 41), status: "equal", equalTo: first }).slice(0, 11) as never,
    );
    expect(old).toMatchObject({ id: newTask(2, 41).id, attempt: 0, fence: 0, wait: null });
  });

  it("[E47] with tasks that the cache is asked for, which no worker gets before it has answered, and which are asked for again after a restart", () => {
    const { store, tasks, storage, rows, reopened } = made();
    store.keep();
    const places = [0, 1, 40, 41].map((element) => ({ node: 2, element }));
    store.commit({
      state: STATE,
      tasks: places.map((place) => ({ ...place, received: "digest" })),
    });
    const share = { runTasks: 64, chunkTasks: 32, slots: 1, slotTasks: 64 };
    const leased = (of: TaskStore) =>
      of
        .queueReady(share, true, 0, () => "runner")
        .chunks.flatMap(({ chunk }) => of.lease(chunk, "boot", 0).map(({ element }) => element));
    expect(leased(tasks)).toEqual([]);
    expect([store.askedTasks(), reopened().askedTasks()]).toEqual([places, places]);
    const before = rows();
    store.commit({ state: STATE, releaseTasks: places.slice(0, 3) });
    // An answer that finds nothing costs no row of elements.
    const blocks = (of: typeof before) => of.filter(({ k }) => k.startsWith("b"));
    expect(blocks(before).length).toBeGreaterThan(0);
    expect(blocks(rows())).toEqual(blocks(before));
    expect(reopened().askedTasks()).toEqual(places);
    expect(leased(tasks)).toEqual([0, 1, 40]);
    expect(reopened().askedTasks()).toEqual([places[3]]);
    const theirs = new TaskStore(new RunStore(storage.open(), () => 1_000));
    expect(leased(theirs)).toEqual([]);
    // Code that does not know the status takes such a task for a ready one.
    expect(decodeTask([2, 41, 99])).toEqual(newTask(2, 41));
    expect(decodeTask(encodeTask({ ...newTask(2, 41), status: "asked" })).status).toBe("asked");
  });

  it("with a first slice that creates more than one row can contain", () => {
    const { store, rows, reopened } = made();
    const cells = Array.from({ length: 35 }, (_, node) =>
      ok(-1 - node, 0, String.fromCodePoint(0x4e00 + node).repeat(20_000)),
    );
    store.commit({ state: STATE, cells });
    store.keep();
    expect(longest(rows())).toBeLessThan(1_300_000);
    for (const read of [store, reopened()]) {
      expect(cells.flatMap(({ node }) => read.cellsAt(node, [0]))).toEqual(cells);
    }
  });
});

describe("expired values", () => {
  const inBundle = [ok(0, 0, "SECRET"), ok(2, 0, "SECRET"), ok(2, 50, "SECRET"), ok(3, 0, "kept?")];

  it.each([
    ["in the same slice", []],
    ["beside a row for the state", [{ state: STATE }]],
    ["beside a newer row of their block", [{ state: STATE, cells: [ok(2, 1, "SECRET")] }]],
    [
      "beside a row that says they are gone",
      [{ state: STATE, dropCells: { node: 2, fromIndex: 0 } }],
    ],
  ])("are removed from the bundle too: %s", (_, later) => {
    const { store, storage, rows, reopened } = made();
    store.commit({ state: STATE, cells: inBundle });
    store.keep();
    for (const commit of later) {
      store.commit(commit);
    }
    const settled = store.settledBetween(3, 0, 100);
    const woken = new RunStore(storage.open(), () => 1_000);
    for (let hasMore = true; hasMore;) {
      hasMore = woken.transaction(() => woken.dropValues(1), { isBundled: true });
    }
    expect(JSON.stringify(rows())).not.toMatch(/SECRET|kept\?/);
    expect(reopened().settledBetween(3, 0, 100)).toEqual(settled);
    expect(reopened().cellsAt(3, [0])).toMatchObject([{ status: "ok", body: "" }]);
    expect(reopened().getMetadata("seed")).toBe("secret");
    expect(reopened().getText("facts")).toBe("{}");
  });
});

describe("long texts of one block", () => {
  it("have a row for each different text, and one for equal ones", () => {
    const { store, rows, reopened } = made();
    store.keep();
    const texts = ["a".repeat(8_000), "b".repeat(8_000), "a".repeat(8_000), "c".repeat(9_000)];
    store.commit({ state: STATE, cells: texts.map((text, element) => ok(2, element, text)) });
    expect(rows().filter(({ k }) => k.startsWith("v."))).toHaveLength(3);
    expect(reopened().cellsAt(2, [0, 1, 2, 3])).toEqual(
      texts.map((text, element) => ok(2, element, text)),
    );
  });
});

describe("memory", () => {
  const elementIndexes = Array.from({ length: 1_920 }, (_, element) => element);

  /**
   * A run whose blocks have more text than the limit: 60 blocks of 32 elements, with 600 characters
   * or more each.
   */
  function filled(chars: number, look: (store: RunStore) => void): RunStore {
    const { store } = made();
    store.keep();
    for (let block = 0; block < 60; block++) {
      const cells = Array.from({ length: 32 }, (_, at) =>
        ok(2, 32 * block + at, "v".repeat(chars)),
      );
      store.commit({ state: STATE, cells });
      look(store);
    }
    return store;
  }

  it("holds no more text of blocks than its limit, for any number of reads and writes", () => {
    const bounded = (store: RunStore) => {
      expect(store.blocks.knownChars).toBeLessThanOrEqual(BLOCK_CACHE_CHARS_MAX);
    };
    const store = filled(1_500, bounded);
    expect(store.cellsBetween(2, 0, 2_000)).toHaveLength(1_920);
    bounded(store);
    expect(store.cellsAt(2, elementIndexes)).toHaveLength(1_920);
    bounded(store);
    // Also while a transaction has changed some of them, which must stay.
    store.transaction(() => {
      store.blocks.putTask(newTask(3, 0));
      expect(store.cellsAt(2, elementIndexes)).toHaveLength(1_920);
      store.blocks.dropCells(4, 0);
      bounded(store);
      expect(store.blocks.task(3, 0)).toBeDefined();
    });
    expect(store.blocks.storedTasks()).toHaveLength(1);
  });

  it("keeps only what work goes on in of a run whose blocks have outgrown it", () => {
    const small = filled(600, () => undefined);
    expect(small.blocks.knownChars).toBeGreaterThan(BLOCK_WINDOW_CHARS);
    const store = filled(1_500, () => undefined);
    expect(store.blocks.knownChars).toBeLessThanOrEqual(BLOCK_WINDOW_CHARS);
    expect(store.blocks.knownChars).toBeGreaterThan(0);
    expect(store.cellsBetween(2, 0, 2_000)).toHaveLength(1_920);
    expect(store.blocks.knownChars).toBeLessThanOrEqual(BLOCK_WINDOW_CHARS);
  });

  it("counts a block that was read as it counted when it was written", () => {
    const { store, reopened } = made();
    store.keep();
    store.commit({ state: STATE, cells: [ok(2, 0, "v"), ok(2, 1, "w".repeat(600))] });
    const again = reopened();
    again.cellsAt(2, [0, 1]);
    expect(again.blocks.knownChars).toBe(store.blocks.knownChars);
  });

  it("is released, except for a little, when the isolate needs it, and when the run has ended", () => {
    const store = filled(600, () => undefined);
    expect(store.blocks.knownChars).toBeGreaterThan(2 * BLOCK_CACHE_CHARS);
    expect(isolateMemory.keptBytes).toBeGreaterThan(store.blocks.knownChars);
    const holder = isolateMemory.holder();
    isolateMemory.tryTake(isolateMemory.join(holder, WORK_BYTES_MAX), 0)?.release();
    expect(store.blocks.knownChars).toBeLessThanOrEqual(BLOCK_CACHE_CHARS);
    expect(store.cellsAt(2, elementIndexes)).toHaveLength(1_920);
    expect(store.blocks.knownChars).toBeGreaterThan(BLOCK_CACHE_CHARS);
    store.commit({ state: { ...STATE, status: "completed" } });
    expect(store.blocks.knownChars).toBeLessThanOrEqual(BLOCK_CACHE_CHARS);
    expect(isolateMemory.keptBytes).toBe(0);
  });
});

describe("the files of failed attempts", () => {
  it("are recorded in rows of about a hundred tasks, each written once in a transaction", () => {
    const { opened, store, rows, reopened } = made();
    store.keep();
    const ids = Array.from({ length: 2_000 }, (_, element) => newTask(3, element).id);
    const exec = vi.spyOn(opened.sql, "exec");
    const written = () => exec.mock.calls.filter(([query]) => query.startsWith("INSERT")).length;
    store.transaction(() => {
      for (const id of ids) {
        store.noteOrphans(id, 2);
      }
    });
    expect(written()).toBeLessThanOrEqual(9);
    const pages = rows().filter(({ k }) => k.startsWith("litter"));
    expect(Math.max(...pages.map(({ v }) => v.length))).toBeLessThan(5_000);
    expect(reopened().orphans()).toEqual(new Map(ids.map((id) => [id, 2])));
    // One more rewrites one page, whatever their number is.
    exec.mockClear();
    store.noteOrphans(ids[0]!, 3);
    expect(written()).toBe(1);
    store.forgetOrphans(ids.slice(1));
    expect(reopened().orphans()).toEqual(new Map([[ids[0]!, 3]]));
    store.forgetOrphans(ids);
    expect(rows().filter(({ k }) => k.startsWith("litter"))).toEqual([]);
  });

  it("are still found if they were recorded in one row", () => {
    const { storage, store, reopened } = made();
    store.keep();
    storage.read(`INSERT INTO part VALUES ('litter', '[[7,2],[8,1]]')`);
    const woken = new RunStore(storage.open(), () => 1_000);
    woken.noteOrphans(8, 4);
    expect(reopened().orphans()).toEqual(
      new Map([
        [7, 2],
        [8, 4],
      ]),
    );
    woken.forgetOrphans([7, 8]);
    expect(reopened().orphans()).toEqual(new Map());
  });
});

describe("a damaged bundle", () => {
  it("loses only the truncated part, and is not overwritten", () => {
    const { storage, store, rows } = made();
    store.keep();
    const whole = rows()[0]!.v;
    const reopen = () => new RunStore(storage.open(), () => 1_000);
    const cut = (text: string) => {
      storage.read(`UPDATE part SET v = '${text.replaceAll("'", "''")}' WHERE k = 'run'`);
    };
    expect(reopen().isDamaged).toBe(false);
    cut(whole.slice(0, -10));
    const woken = reopen();
    expect(woken.isDamaged).toBe(true);
    expect(woken.getText("facts")).toBe("{}");
    expect(woken.getMetadata("seed")).toBe("secret");
    expect(() => woken.state()).toThrow("no state");
    woken.transaction(() => woken.commit({ state: STATE }), { isBundled: true });
    expect(rows().find(({ k }) => k === "run")?.v).toBe(whole.slice(0, -10));
    expect(reopen().state()).toEqual(STATE);
    // Without its index, the texts cannot be separated.
    cut(whole.slice(5));
    expect(reopen().getText("facts")).toBe("");
    expect(reopen().state()).toEqual(STATE);
  });
});

describe("the log", () => {
  it("is read from any entry on, across pages and the entries stored with the state", () => {
    const { store, reopened } = made();
    store.keep();
    const delta = { status: null, progress: 1, stopped: null, nodes: [], outputs: [] };
    for (let entry = 1; entry <= 200; entry++) {
      store.commit({ state: STATE, delta: { ...delta, progress: entry } });
    }
    for (const { log } of [store, reopened()]) {
      expect(log.head).toBe(200);
      for (const from of [0, 1, 64, 65, 128, 129, 193, 200]) {
        const seqs = log.from(from, 3).map(({ seq }) => seq);
        const first = Math.max(from, 1);
        expect(seqs).toEqual([first, first + 1, first + 2].filter((seq) => seq <= 200));
      }
      expect(log.from(1, 1_000)).toHaveLength(200);
    }
  });
});

describe("a part of the log", () => {
  it("is read without the rest", () => {
    const { store, storage } = made();
    const delta = { status: null, progress: 1, stopped: null, nodes: [], outputs: [] };
    const append = (entries: number) => {
      for (let entry = 0; entry < entries; entry++) {
        store.commit({ state: STATE, delta });
      }
    };
    // Pages in the bundle, in rows, and with the state.
    append(200);
    store.keep();
    append(2_000);
    const looked = storage.look();
    let read = 0;
    const counting = {
      exec: (query: string, ...bindings: string[]) => ({
        toArray: () => {
          const found = looked.sql.exec(query, ...bindings).toArray();
          read += found.filter(({ k }) => typeof k === "string" && k.startsWith("log.")).length;
          return found;
        },
      }),
    };
    const { log } = new RunStore({ sql: counting } as unknown as DurableObjectStorage, () => 0);
    expect(log.head).toBe(2_200);
    for (const from of [1, 190, 200, 1_000, 2_190]) {
      read = 0;
      const seqs = log.from(from, 64).map(({ seq }) => seq);
      expect(seqs).toEqual(
        Array.from({ length: 64 }, (_, at) => from + at).filter((seq) => seq <= 2_200),
      );
      expect(read).toBeLessThan(10);
    }
  });
});

describe("tasks", () => {
  it("continue under their fence in an object that has lost its memory", () => {
    const { store, tasks, storage } = made();
    store.keep();
    const placed = Array.from({ length: 20 }, (_, element) => ({ node: 2, element }));
    store.commit({ state: STATE, tasks: placed });
    const share = { runTasks: 64, chunkTasks: 16, slots: 1, slotTasks: 64 };
    const { chunks } = tasks.queueReady(share, true, 0, () => "runner");
    const leased = tasks.lease(chunks[0]!.chunk, "boot", 0);
    expect(leased).toHaveLength(16);
    const woken = new RunStore(storage.open(), () => 0);
    const theirs = new TaskStore(woken);
    const [first] = leased;
    expect(theirs.leased(first!.id, 1)).toMatchObject({ element: 0, attempt: 1, fence: 1 });
    expect(theirs.leased(first!.id, 2)).toBeUndefined();
    const next = theirs.queueReady(share, true, 0, () => "runner");
    expect(next.chunks[0]!.chunk).toBeGreaterThan(chunks[1]!.chunk);
    expect(theirs.lease(next.chunks[0]!.chunk, "boot", 0).map(({ element }) => element)).toEqual([
      16, 17, 18, 19,
    ]);
  });

  // A fault that no simulated world shows: there is always another task that continues.
  it("that wait take no place: as many others are started as without them [E26]", () => {
    const { store, tasks } = made();
    store.keep();
    store.commit({ state: STATE, tasks: [0, 1].map((element) => ({ node: 2, element })) });
    const share = { runTasks: 1, chunkTasks: 1, slots: 1, slotTasks: 1 };
    const next = () =>
      tasks
        .queueReady(share, true, 0, () => "runner")
        .chunks.flatMap(({ chunk }) => tasks.lease(chunk, "boot", 0));
    const [first] = next();
    expect(next()).toEqual([]);
    tasks.waits.waitFor(first!.id, { token: "job", sinceMs: 0, waits: 1 }, 60_000, 1, 0);
    expect(next().map(({ element }) => element)).toEqual([1]);
  });
});

describe("a report", () => {
  const share = { runTasks: 64, chunkTasks: 16, slots: 1, slotTasks: 64 };
  const outcome = { kind: "ok", outputs: [["out", '["j",1]']] } as const;

  function reported() {
    const run = made();
    run.store.keep();
    run.store.commit({ state: STATE, tasks: [{ node: 2, element: 0 }] });
    const [chunk] = run.tasks.queueReady(share, true, 0, () => "runner").chunks;
    const [task] = run.tasks.lease(chunk!.chunk, "boot", 0);
    const { id, fence } = task!;
    expect([...run.tasks.report([{ id, fence, outcome, durationMs: 1 }])]).toEqual([id]);
    return { ...run, id, fence };
  }

  it("is kept if a commit has processed it, and not before", async () => {
    const { store, tasks, id } = reported();
    let isKept = false;
    const kept = tasks.untilStored([id], 60_000).then(() => (isKept = true));
    store.commit({ state: STATE, cells: [ok(3, 0, "of another")] });
    await Promise.resolve();
    expect(isKept).toBe(false);
    store.commit({
      state: STATE,
      cells: [ok(2, 0, "1")],
      removeTasks: [{ id, node: 2, element: 0 }],
    });
    await kept;
    expect(store.blocks.storedTasks()).toEqual([]);
  });

  it("is processed by its element if memory does not know its number", () => {
    const { store, id, reopened } = reported();
    expect(() =>
      store.transaction(() => {
        throw new Error("broken");
      }),
    ).toThrow("broken");
    store.commit({
      state: STATE,
      cells: [ok(2, 0, "1")],
      removeTasks: [{ id, node: 2, element: 0 }],
    });
    expect(reopened().blocks.storedTasks()).toEqual([]);
  });

  it("is written as received if no commit processes it", async () => {
    const { tasks, reopened, id, fence } = reported();
    expect(reopened().blocks.storedTasks()).toMatchObject([{ status: "leased" }]);
    await tasks.untilStored([id], 1);
    expect(reopened().blocks.storedTasks()).toMatchObject([{ id, status: "reported", outcome }]);
    expect(tasks.report([{ id, fence, outcome, durationMs: 1 }]).size).toBe(0);
  });

  it("that was lost with the memory is rejected, so that it is sent again", async () => {
    const { store, tasks, id } = reported();
    const kept = tasks.untilStored([id], 60_000);
    expect(() =>
      store.transaction(() => {
        throw new Error("broken");
      }),
    ).toThrow("broken");
    await expect(kept).rejects.toThrow("report again");
    expect(tasks.leased(id, 1)).toMatchObject({ fence: 1 });
  });
});

describe("a driver", () => {
  const broken = (store: RunStore) => () =>
    store.transaction(() => {
      throw new Error("broken");
    });

  it("commits nothing more after a rollback next to it, and all waiters are notified", () => {
    const { store, reopened } = made();
    store.keep();
    const rows = driverRows(store);
    let told = 0;
    store.onForgotten = () => told++;
    rows.commit({ state: STATE, cells: [ok(2, 0, "a")] });
    expect(broken(store)).toThrow("broken");
    expect(told).toBe(1);
    const next = { state: STATE, cells: [ok(2, 1, "b")] };
    expect(() => rows.commit(next)).toThrow(StaleDriverError);
    driverRows(store).commit(next);
    expect(reopened().cellsBetween(2, 0, 9)).toEqual([ok(2, 0, "a"), ok(2, 1, "b")]);
  });

  it("commits nothing more after another driver has taken over", () => {
    const { store } = made();
    const rows = driverRows(store);
    driverRows(store);
    expect(() => rows.commit({ state: STATE })).toThrow(StaleDriverError);
  });

  it("continues after a failed commit of its own, unless it was part of a larger one", () => {
    const { store } = made();
    store.keep();
    const rows = driverRows(store);
    const twice = { state: STATE, cells: [ok(2, 0, "a"), ok(2, 0, "b")] };
    expect(() => rows.commit(twice)).toThrow("settled twice");
    rows.commit({ state: STATE, cells: [ok(2, 0, "a")] });
    expect(() => store.transaction(() => rows.commit(twice))).toThrow("settled twice");
    expect(() => rows.commit({ state: STATE })).toThrow(StaleDriverError);
  });
});

describe("missing or damaged rows", () => {
  it("are reported as such", () => {
    const { store, storage, reopened } = made();
    store.keep();
    storage.open().sql.exec("UPDATE part SET v = substr(v, 1, 30)");
    expect(() => reopened().state()).toThrow();
    storage.open().sql.exec("DELETE FROM part");
    expect(() => reopened().state()).toThrow("the run has no state");
  });
});
