/**
 * Databases of version 1 (five tables), dumped from runs of the simulation with that code, each
 * with the values that its store read from them: one ended run, one with tasks in every state, one
 * with outcomes waiting to be processed.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { retryCounts } from "../../../../durable-objects/run/tasks/node-retries.ts";
import { RunStore } from "../../../../durable-objects/run/state/run-store.ts";
import { TaskStore } from "../../../../durable-objects/run/tasks/task-store.ts";
import { SimulatedStorage } from "../../../simulation/object/simulated-storage.ts";

interface Dump {
  readonly sql: readonly string[];
  readonly expected: {
    readonly state: object;
    readonly cells: readonly { readonly node: number }[][];
    readonly settled: readonly unknown[][];
    readonly firstFailed: readonly (number | null)[];
    readonly axes: readonly unknown[][];
    readonly log: object[];
    readonly skipped: readonly unknown[];
    readonly retries: readonly (readonly [number, number])[];
    readonly facts: Readonly<Record<string, unknown>>;
    readonly text: string;
    readonly tasks: readonly {
      readonly id: number;
      readonly node: number;
      readonly ord: number;
      readonly status: string;
      readonly attempt: number;
      readonly fence: number;
      readonly boot: string | null;
      readonly ms: number;
    }[];
  };
}

const ALL = 1_000_000;

/** Rows as in the dumps, which name the element "ord". */
function asDumped<T extends { readonly element: number }>(rows: readonly T[]) {
  return rows.map(({ element: ord, ...row }) => ({ ...row, ord }));
}

function dumped(name: string): Dump {
  const file = join(import.meta.dirname, `../../../golden/databases/run-1-${name}.json`);
  return JSON.parse(readFileSync(file, "utf8")) as Dump;
}

function loaded({ sql }: Dump): SimulatedStorage {
  const storage = new SimulatedStorage();
  const { sql: database } = storage.open();
  for (const statement of sql) {
    database.exec(statement.endsWith(";") ? statement.slice(0, -1) : statement);
  }
  storage.flush();
  return storage;
}

/** The number of a task that was never leased: it is now derived from its element. */
const newId = (node: number, ord: number) => (node + 1) * 1_000_000_000 + ord;

describe.each(["ended", "leased-waiting", "reported"])("a run of version 1: %s", (name) => {
  const dump = dumped(name);

  it("reads the same values", () => {
    const { expected } = dump;
    const store = new RunStore(loaded(dump).open(), () => 0);
    // Counters that were added to the state since are next to the original ones.
    expect(store.state()).toMatchObject(expected.state);
    expect(store.getText("facts")).toBe(expected.text);
    for (const [fact, value] of Object.entries(expected.facts)) {
      expect([fact, store.getMetadata(fact)]).toEqual([fact, value]);
    }
    const read = expected.cells.map(([cell]) => store.cellsBetween(cell!.node, 0, ALL));
    expect(read.map((cells) => asDumped(cells))).toEqual(expected.cells);
    expect(
      expected.cells.map(([cell]) => asDumped(store.settledBetween(cell!.node, 0, ALL))),
    ).toEqual(expected.settled);
    const nodes = store.state().nodes.length;
    const failed = (at: number) =>
      store.firstFailed(at < nodes ? at : nodes - 1 - at)?.element ?? null;
    expect(expected.firstFailed.map((_, at) => failed(at))).toEqual(expected.firstFailed);
    expect(expected.axes.map((_, axis) => store.axisRows(axis))).toEqual(expected.axes);
    expect(store.log.from(1, ALL)).toMatchObject(expected.log);
    expect(store.skipped()).toEqual(expected.skipped);
    expect(retryCounts(store)).toEqual(new Map(expected.retries));
  });

  it("keeps every task with its attempt, fence and lease, and its number if a runner may have it", () => {
    const { expected } = dump;
    const store = new RunStore(loaded(dump).open(), () => 0);
    const tasks = store.blocks
      .storedTasks()
      .toSorted((a, b) => a.node - b.node || a.element - b.element)
      .map(({ id, node, element: ord, status, attempt, fence, boot, ms }) => {
        return { id, node, ord, status, attempt, fence, boot, ms };
      });
    expect(tasks).toEqual(
      expected.tasks.map((task) => ({
        ...task,
        id: task.fence > 0 ? task.id : newId(task.node, task.ord),
        status: task.status === "queued" ? "ready" : task.status,
        boot: task.fence > 0 ? task.boot : null,
      })),
    );
    const runner = new TaskStore(store);
    for (const { id, fence, status } of expected.tasks) {
      if (status === "leased") {
        expect(runner.leased(id, fence)).toMatchObject({ id, fence });
        expect(runner.leased(id, fence + 1)).toBeUndefined();
      }
    }
    expect(runner.reported(ALL)).toHaveLength(
      expected.tasks.filter(({ status }) => status === "reported").length,
    );
  });

  it("reuses no chunk number of before, for which a Worker may still have a hint", () => {
    const storage = loaded(dump);
    const [kept] = storage.read<{ value: number }>("SELECT value FROM fact WHERE name = 'chunks'");
    const before = kept?.value ?? 0;
    const store = new RunStore(storage.open(), () => 0);
    expect(Number(store.getMetadata("chunks") ?? 0)).toBe(before);
    store.commit({ state: store.state(), tasks: [{ node: 0, element: 900 }] });
    const share = { runTasks: 1_000, chunkTasks: 16, slots: 1, slotTasks: 1_000 };
    const { chunks } = new TaskStore(store).queueReady(share, true, 0, () => "runner");
    expect(Math.min(...chunks.map(({ chunk }) => chunk))).toBeGreaterThan(before);
  });

  it("is migrated once, completely or not at all", () => {
    const storage = loaded(dump);
    const cut = storage.open();
    const exec = cut.sql.exec.bind(cut.sql);
    cut.sql.exec = ((query: string, ...bindings: never[]) => {
      if (query.startsWith("DROP TABLE IF EXISTS task")) {
        throw new Error("cut off");
      }
      return exec(query, ...bindings);
    }) as typeof exec;
    expect(() => new RunStore(cut, () => 0)).toThrow("cut off");
    const tables = () =>
      storage
        .read<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        .map((row) => row.name);
    expect(tables()).toContain("cell");
    expect(tables()).not.toContain("part");
    expect(new RunStore(storage.open(), () => 0).state()).toMatchObject(dump.expected.state);
    expect(tables()).toEqual(["part"]);
    const rows = storage.read("SELECT * FROM part");
    expect(new RunStore(storage.open(), () => 0).state()).toMatchObject(dump.expected.state);
    expect(storage.read("SELECT * FROM part")).toEqual(rows);
  });
});
