import { TaskGivenBack } from "../../../src/lib/task-given-back.ts";
import * as z from "zod";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import type { NodeErrorCode } from "../../../src/lib/errors/node-error-guides.ts";
import { defineNode } from "../../../src/nodes/define-node.ts";
import type { RunValue } from "../../../src/nodes/define-ports.ts";
import type { NodeType } from "../../../src/nodes/define-roles.ts";

const described = {
  version: "1.0.0",
  name: "Test",
  description: "Behaves as an executor test needs it.",
  whenToUse: "In tests.",
  status: "stable",
  icon: "test",
  color: "#000000",
  inputs: [],
  outputs: [],
  role: "transform",
  placement: "task",
} as const;

const echo = defineNode({
  ...described,
  type: "test/echo",
  params: z.strictObject({ suffix: z.string().default("") }),
  run: (_ctx, inputs, { suffix }) => {
    if (inputs.has("items")) {
      return new Map([["value", inputs.list("items") as JsonValue]]);
    }
    return new Map([
      ["value", suffix === "" ? inputs.json("value") : inputs.text("value") + suffix],
    ]);
  },
});

/** The tasks of each group that run in this isolate. */
const running = new Map<string, number>();

/** Returns how many tasks of its group ran when it began, itself included. */
const hold = defineNode({
  ...described,
  type: "test/hold",
  params: z.strictObject({
    ms: z.int(),
    isDeaf: z.boolean().default(false),
    memoryBytes: z.int().default(0),
    group: z.string().default(""),
  }),
  memoryBytes: ({ memoryBytes }) => memoryBytes,
  run: async ({ signal }, _inputs, { ms, isDeaf, group }) => {
    const atOnce = (running.get(group) ?? 0) + 1;
    running.set(group, atOnce);
    try {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(resolve, ms);
        if (!isDeaf) {
          signal.addEventListener("abort", () => {
            clearTimeout(timer);
            reject(new Error("aborted"));
          });
        }
      });
    } finally {
      running.set(group, running.get(group)! - 1);
    }
    return new Map([["value", atOnce]]);
  },
});

const FAULTS: Readonly<Record<string, () => Error>> = {
  own: () =>
    new NodeError("TEST_FAULT" as NodeErrorCode, "The test asked for it.", {
      cause: new Error("secret"),
    }),
  retryable: () =>
    new NodeError("TEST_BUSY" as NodeErrorCode, "Busy.", { retryable: true, retryAfterMs: 1_500 }),
  bug: () => new TypeError("cannot read secret of undefined"),
  deployed: () => new Error("Durable Object reset because its code was updated."),
  unconfigured: () => new TaskGivenBack("environment"),
  network: () => new Error("Network connection lost."),
};

const fail = defineNode({
  ...described,
  type: "test/fail",
  params: z.strictObject({ fault: z.string() }),
  run: (_ctx, _inputs, { fault }) => {
    throw FAULTS[fault]?.() ?? new Error("no such fault");
  },
});

const big = defineNode({
  ...described,
  type: "test/big",
  params: z.strictObject({ characters: z.int() }),
  run: (_ctx, _inputs, { characters }) => new Map([["value", "é".repeat(characters)]]),
});

const file = defineNode({
  ...described,
  type: "test/file",
  needs: ["files"],
  params: z.strictObject({ name: z.string(), text: z.string() }),
  run: async ({ files }, inputs, { name, text }) => {
    const given = inputs.has("file")
      ? new TextDecoder().decode(await files.read(inputs.file("file")))
      : "";
    const bytes = new TextEncoder().encode(given + text);
    return new Map([
      ["first", await files.write(name, "text/plain", bytes)],
      ["second", await files.write(name, "text/plain", bytes)],
    ]);
  },
});

/** Waits once, as for a job, and then returns its call's key; reports its charge before. */
const job = defineNode({
  ...described,
  type: "test/job",
  cost: { unit: "second", milliCredits: 50 },
  params: z.strictObject({ ms: z.int() }),
  run: ({ task }, _inputs, { ms }) => {
    task.charge({ milliCredits: 7, quantity: 1.5 });
    return task.token === null
      ? task.wait(`job of ${task.key}`, ms)
      : new Map([["value", `${task.token}, attempt ${task.attempt}`]]);
  },
});

/** Emits its words one by one, as a model does, and returns all of them. */
const say = defineNode({
  ...described,
  type: "test/say",
  params: z.strictObject({ words: z.array(z.string()), everyMs: z.int() }),
  run: async ({ task }, _inputs, { words, everyMs }) => {
    for (const word of words) {
      task.emitText(word);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    return new Map([["value", words.join("")]]);
  },
});

/** Writes files of so many bytes one after the other, each on a port of its own, and fails or waits before one. */
const files = defineNode({
  ...described,
  type: "test/files",
  needs: ["files"],
  params: z.strictObject({
    sizes: z.array(z.int()),
    failAt: z.int().default(-1),
    holdAt: z.int().default(-1),
  }),
  run: async ({ files: tool, signal }, inputs, { sizes, failAt, holdAt }) => {
    const given = inputs.list("given").length;
    const made = new Map<string, RunValue>([["count", given + sizes.length]]);
    for (const [at, size] of sizes.entries()) {
      if (at === failAt) {
        throw new NodeError("TEST_FAULT" as NodeErrorCode, "The test asked for it.");
      }
      if (at === holdAt) {
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")));
        });
      }
      made.set(`file_${at}`, await tool.write("a.bin", "application/x-bin", new Uint8Array(size)));
    }
    return made;
  },
});

/** Joins its elements' texts behind what it reads once. */
const gather = defineNode({
  ...described,
  type: "test/gather",
  role: "aggregator",
  inputs: [
    { name: "text", type: "text" },
    { name: "title", type: "text", once: true },
  ],
  params: z.strictObject({ holdAfter: z.int().default(-1) }),
  collapse: () => "all" as const,
  onFailedItems: () => "skip" as const,
  combine: async ({ signal }, elements, once, { holdAfter }) => {
    const texts: string[] = [];
    for await (const element of elements) {
      texts.push(element.has("text") ? element.text("text").slice(0, 10) : "none");
      if (texts.length === holdAfter) {
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")));
        });
      }
    }
    return new Map([["value", `${once.text("title")}: ${texts.join(" ")}`]]);
  },
});

const nodes: readonly NodeType[] = [echo, hold, fail, big, file, files, gather, job, say];

export const TEST_NODES: ReadonlyMap<string, NodeType> = new Map(
  nodes.map((node) => [node.type, node]),
);
