import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { parse } from "smol-toml";
import { NodeTypeEntry } from "../../../src/contracts/workflows/node-type-entry.ts";
import { DEFAULT_WORKER, TASK_WORKERS } from "../../../src/contracts/runs/task-workers.ts";
import { describeNodeType } from "../../../src/domain/catalog/describe-node-type.ts";
import { defineMovableNode, defineNode } from "../../../src/nodes/define-node.ts";
import { memoryOfNeeds, NEEDS, workerIn, workerOf } from "../../../src/nodes/define-tools.ts";
import { NODE_TYPES } from "../../../src/nodes/registry.ts";
import { STORED_TOOLS } from "../../../src/workers/runner/stored-tools.ts";
import { createNodeContext } from "../../../src/workers/shared/node-context.ts";

const described = {
  version: "1.0",
  name: "Test",
  description: "Test.",
  whenToUse: "In tests.",
  status: "stable",
  icon: "test",
  color: "#000000",
  inputs: [],
  outputs: [],
  params: z.strictObject({ way: z.enum(["a", "b"]).default("a") }),
} as const;
const nothing = new Map<string, string>();

// The compiler is the test: an accepted line below would fail `npm run check`.
export const TYPED = [
  defineNode({
    ...described,
    type: "test/task",
    role: "transform",
    placement: "task",
    needs: ["files"],
    async run(ctx) {
      ctx.signal.throwIfAborted();
      await ctx.files.write("a.txt", "text/plain", new Uint8Array());
      // @ts-expect-error -- not in `needs`
      void ctx.images;
      return nothing;
    },
  }),
  defineNode({
    ...described,
    type: "test/inline",
    role: "transform",
    placement: "inline",
    needs: ["schemas", "images", "datasets"],
    run(ctx) {
      void ctx.schemas.compile({});
      // @ts-expect-error -- in `needs`, but no run object has it
      void ctx.images;
      // @ts-expect-error -- a run object reads tables and writes none
      void ctx.datasets.store;
      // @ts-expect-error -- an inline node is never aborted
      void ctx.signal;
      return nothing;
    },
  }),
  defineNode({
    ...described,
    type: "test/nothing",
    role: "transform",
    placement: "task",
    run(ctx) {
      // @ts-expect-error -- no needs
      void ctx.files;
      return nothing;
    },
  }),
  defineMovableNode({
    ...described,
    type: "test/movable",
    role: "output",
    placement: ({ way }) => (way === "a" ? "inline" : "task"),
    needs: ["files"],
    // @ts-expect-error -- if parameters place it inline, it has the tools of run objects
    runInline: (ctx) => ctx.files,
    run: (ctx) => {
      void ctx.files;
      return nothing;
    },
  }),
];

describe("the needs of a node", () => {
  test("are all in one Worker, for every node", () => {
    for (const { needs } of NODE_TYPES) {
      expect(TASK_WORKERS).toContain(workerOf(needs));
    }
  });

  test("are shown in the catalog", () => {
    const entries = new Map(NODE_TYPES.map((node) => [node.type, describeNodeType(node)]));
    expect(entries.get("image/code")?.needs).toEqual(["codes", "files", "images"]);
    expect(entries.get("utility/calculate")?.needs).toEqual([]);
  });

  test("determine the memory of a task whose node states none", () => {
    expect(memoryOfNeeds([])).toBeGreaterThan(0);
    expect(memoryOfNeeds(["fetch", "files"]) - memoryOfNeeds([])).toBe(NEEDS.fetch.memoryBytes);
  });

  test("determine the Worker, for any set of Workers", () => {
    const table = {
      files: { worker: "any" },
      pages: { worker: "renderer" },
      sounds: { worker: "media" },
    } as const;
    expect(workerIn(table, ["files", "pages"])).toBe("renderer");
    expect(workerIn(table, ["sounds"])).toBe("media");
    expect(workerIn(table, ["files"])).toBe(DEFAULT_WORKER);
    expect(() => workerIn(table, ["pages", "sounds"])).toThrow("no one Worker has");
  });
});

describe("a task's context", () => {
  const { createContext, hasTools } = createNodeContext(STORED_TOOLS);
  const scope = {
    workspaceId: "ws_1",
    runId: "run_1",
    taskId: 1,
    atEnd: () => undefined,
    executor: {},
    filePrefix: "ws_1/runs/run_1/token/",
    unreadPorts: new Set<string>(),
    task: undefined as never,
    references: new Map(),
    room: { bytesMax: 0, take: () => false, files: [] },
    signal: new AbortController().signal,
    log: { info: () => undefined } as never,
    ownBytes: 0,
    shrinkMemory: () => undefined,
    exchangeMemory: () => Promise.resolve(),
  };

  test("has the needed tools and no others", () => {
    const context = createContext({ FILES: {} } as never, scope, ["files", "schemas"]);
    expect(Object.keys(context).toSorted()).toEqual(
      [
        "files",
        "log",
        "nowMs",
        "references",
        "schemas",
        "signal",
        "task",
        "unreadPorts",
      ].toSorted(),
    );
  });

  test("is not created by a Worker that lacks a tool, which is reported first", () => {
    expect(hasTools(["files", "fetch", "datasets", "bundles", "schemas"])).toBe(true);
    expect(hasTools(["files", "images"])).toBe(false);
  });
});

describe("durable-objects/owners.json", () => {
  const owners = JSON.parse(readFileSync("durable-objects/owners.json", "utf8")) as Record<
    string,
    string[]
  >;
  const folderOf = (className: string) =>
    className
      .replace(/Object$/, "")
      .replace(/(?<=[a-z])(?=[A-Z])/g, "-")
      .toLowerCase();

  test("lists every folder of objects, and no other", () => {
    const folders = readdirSync("durable-objects", { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .filter((name) => name !== "shared");
    // Every Worker that runs tasks has executor objects of its own.
    expect([...new Set(Object.values(owners).flat())].toSorted()).toEqual(folders.toSorted());
    expect(TASK_WORKERS.filter((name) => owners[`edgeloom-${name}`]?.includes("executor"))).toEqual(
      TASK_WORKERS,
    );
  });

  test.each([
    ["edgeloom", "wrangler.toml"],
    ["edgeloom-runner", "queues/wrangler.toml"],
    ["edgeloom-renderer", "src/workers/renderer/wrangler.toml"],
    ["edgeloom-media", "src/workers/media/wrangler.toml"],
  ])("gives %s the objects in its wrangler file", (worker, file) => {
    const config = parse(readFileSync(file, "utf8")) as unknown as {
      readonly name: string;
      readonly migrations: readonly { readonly new_sqlite_classes: readonly string[] }[];
      readonly durable_objects: {
        readonly bindings: readonly { class_name: string; script_name?: string }[];
      };
    };
    expect(config.name).toBe(worker);
    const made = config.migrations.flatMap((step) => step.new_sqlite_classes).map(folderOf);
    expect(made.toSorted()).toEqual(owners[worker]?.toSorted());
    for (const { class_name: name, script_name: script = worker } of config.durable_objects
      .bindings) {
      expect(owners[script]).toContain(folderOf(name));
    }
  });
});

test("the contract of the catalog names every tool", () => {
  const { description = "" } = NodeTypeEntry.shape.needs;
  const named = [...description.matchAll(/`([a-z]+)`/g)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(Object.keys(NEEDS)));
});
