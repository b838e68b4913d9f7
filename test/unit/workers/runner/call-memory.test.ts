/**
 * docs/decisions/provider-gate.md: requests are under way with little memory, so that a provider is asked as often at once
 * as it takes, and their answers are read with all of it. The budget, the executor's places and the tools are the real ones.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { ServerResponse } from "node:http";
import { isTaskNode, type TaskNode } from "../../../../durable-objects/executor/run-task.ts";
import { type TaskMemory, TaskSlots } from "../../../../durable-objects/executor/task-slots.ts";
import { MemoryBudget, WORK_BYTES_MAX } from "../../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../../src/lib/memory/memory-gate.ts";
import { IMAGE_VARIANT_NODES } from "../../../../src/nodes/ai/image-variants.ts";
import { aiTextGeneration } from "../../../../src/nodes/ai/text-generation.ts";
import { aiTextToSpeech } from "../../../../src/nodes/ai/text-to-speech.ts";
import type { RunValue } from "../../../../src/nodes/define-ports.ts";
import type { NodeType } from "../../../../src/nodes/define-roles.ts";
import { bytesToBegin } from "../../../../src/nodes/define-tools.ts";
import { openaiCompatible } from "../../../../src/providers/openai-compatible/openai-compatible.ts";
import { sample } from "../../../../src/providers/sample/sample.ts";
import { workersAi } from "../../../../src/providers/workers-ai/workers-ai.ts";
import { encodePng } from "../../../support/images/encode-png.ts";
import { CallMemory } from "../../../../src/workers/runner/call-memory.ts";
import { modelOf } from "../../../support/providers/call-provider.ts";
import {
  ModelTask,
  type ModelTaskWorld,
  storedFile,
  TaskClock,
} from "../../../support/providers/model-task.ts";
import { answerSpeech, wavOf } from "../../../support/providers/openai-audio.ts";
import { answerChat } from "../../../support/providers/openai-chat.ts";
import { answerPictures } from "../../../support/providers/openai-images.ts";
import {
  type Answer,
  type ReceivedRequest,
  ScriptedServer,
} from "../../../support/providers/scripted-server.ts";

const MB = 1024 * 1024;
const TASKS = 8;
const SIDE = 64;
/** Of a picture of noise with more than 512 KiB. */
const LARGE_SIDE = 420;
const WAIT = { timeout: 180_000 };
const PNG = Buffer.from(encodePng(new Uint8ClampedArray(SIDE * SIDE * 4).fill(9), SIDE, SIDE));

const held: (readonly [ReceivedRequest, ServerResponse])[] = [];
const server = new ScriptedServer((...of) => {
  held.push(of);
});
beforeAll(() => server.start());
afterAll(() => {
  server.stop();
});
beforeEach(() => {
  held.length = 0;
});
afterEach(() => {
  vi.restoreAllMocks();
});

interface Work {
  readonly node: TaskNode;
  readonly ownBytes: number;
  readonly params: object;
  readonly inputs: Readonly<Record<string, RunValue>>;
  readonly answer: Answer;
  /** In place of the OpenAI-compatible server. */
  readonly provider?: Pick<ModelTaskWorld, "provider" | "connection" | "ai">;
}

function nodeOf(node: NodeType | undefined): TaskNode {
  if (node === undefined || !isTaskNode(node)) {
    throw new Error("not a node that runs as a task");
  }
  return node;
}

const usage = { prompt_tokens: 10, completion_tokens: 5 };
const variants = (type: string) => nodeOf(IMAGE_VARIANT_NODES.find((node) => node.type === type));
const WORKS: Readonly<Record<string, Work>> = {
  "short texts": {
    node: nodeOf(aiTextGeneration as unknown as NodeType),
    ownBytes: 24 * MB,
    params: {},
    inputs: { prompt: "A kite." },
    answer: answerChat({ pieces: ["A ", "kite."], usage }),
  },
  "long texts": {
    node: nodeOf(aiTextGeneration as unknown as NodeType),
    ownBytes: 24 * MB,
    params: { max_output_tokens: 32_768 },
    inputs: { prompt: "A kite." },
    answer: answerChat({ pieces: ["A kite.".repeat(6_000)], usage }),
  },
  pictures: {
    node: variants("ai/text_to_image"),
    ownBytes: 64 * MB,
    params: { width: SIDE, height: SIDE },
    inputs: { prompt: "A kite." },
    answer: answerPictures({ pictures: [PNG] }),
  },
  "edited pictures": {
    node: variants("ai/product_photography"),
    ownBytes: 64 * MB,
    params: {},
    inputs: { product: storedFile("kite.png", "image/png", PNG) },
    answer: answerPictures({ pictures: [PNG] }),
  },
  speech: {
    node: nodeOf(aiTextToSpeech as unknown as NodeType),
    ownBytes: 24 * MB,
    params: { voice: "voice1" },
    inputs: { text: "A kite." },
    answer: answerSpeech(wavOf(16_000)),
  },
};

const MODEL = modelOf({
  provider: "mine",
  capabilities: ["text_generation", "text_to_image", "image_edit", "text_to_speech"],
  max_input_images: 8,
});

/** Eight tasks of an executor, each of which begins with so many bytes. */
function begin({ node, params, inputs, ownBytes, provider }: Work, beginsWith: number) {
  const budget = new MemoryBudget(WORK_BYTES_MAX);
  const slots = new TaskSlots(new MemoryGate(budget));
  const clock = new TaskClock(vi);
  const whole: number[] = [];
  const run = async () => {
    const memory = await slots.enter(beginsWith);
    if (memory === undefined) {
      throw new Error("The task got no place.");
    }
    // What the budget counts whenever a task has waited for all of its memory.
    const exchange = memory.exchange.bind(memory);
    vi.spyOn(memory, "exchange").mockImplementation(async (...of) => {
      await exchange(...of);
      whole.push(budget.takenBytes);
    });
    const end = await new ModelTask({
      provider: openaiCompatible,
      connection: { baseUrl: `http://${server.host}/v1`, apiKey: null, headers: {} },
      ...provider,
      model: MODEL,
      node,
      params,
      inputs,
      operatorHosts: server.host,
      clock,
      memory,
    }).toEnd();
    slots.leave(memory satisfies TaskMemory);
    return end.code;
  };
  return { budget, whole, ended: Promise.all(Array.from({ length: TASKS }, run)), ownBytes };
}

/** Answers all that wait; others may come meanwhile. */
async function answerAll(answer: Answer, ended: Promise<unknown>): Promise<void> {
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const next = held.shift();
    // oxlint-disable-next-line no-await-in-loop -- one answer after the other
    await (next === undefined ? new Promise((resolve) => setTimeout(resolve, 1)) : answer(...next));
  }
}

test.each(Object.entries(WORKS))(
  "eight requests for %s are under way at once, with a megabyte each",
  async (_name, work) => {
    const { node, ownBytes } = work;
    const { budget, ended } = begin(work, bytesToBegin(node.needs, ownBytes));
    // The barrier: nobody is answered before all have asked.
    await expect.poll(() => held.length, { timeout: 120_000 }).toBe(TASKS);
    // The values of inputs are counted besides.
    expect(Math.round(budget.takenBytes / MB)).toBe(TASKS);
    await answerAll(work.answer, ended);
    expect(await ended).toEqual(Array.from({ length: TASKS }, () => null));
    expect(budget.takenBytes).toBe(0);
  },
);

test.each([
  ["short texts", 0],
  ["long texts", TASKS],
  ["pictures", TASKS],
  // Before the request, and before its answer.
  ["edited pictures", 2 * TASKS],
  ["speech", TASKS],
])(
  "%s take all of their memory %d times for eight calls, and never more than the budget",
  async (name, times) => {
    const work = WORKS[name]!;
    const { whole, ended, ownBytes } = begin(work, bytesToBegin(work.node.needs, work.ownBytes));
    await answerAll(work.answer, ended);
    await ended;
    expect(whole).toHaveLength(times);
    expect(Math.min(...whole, Infinity)).toBeGreaterThanOrEqual(times === 0 ? Infinity : ownBytes);
    expect(Math.max(...whole, 0)).toBeLessThanOrEqual(WORK_BYTES_MAX);
  },
);

test("tasks that wait with all of their memory are found: three are under way, and no fourth", async () => {
  const work = WORKS["speech"]!;
  vi.spyOn(CallMemory.prototype, "giveBack").mockImplementation(() => {});
  const { budget, ended } = begin(work, work.ownBytes);
  await expect.poll(() => budget.isContended && held.length === 3, { timeout: 120_000 }).toBe(true);
  await answerAll(work.answer, ended);
  expect(await ended).toEqual(Array.from({ length: TASKS }, () => null));
});

// The budget has room for all of the memory of one task.
test("requests with large pictures are counted as they are: one is under way, and the next begins when it has ended", async () => {
  const noise = new Uint8ClampedArray(LARGE_SIDE * LARGE_SIDE * 4).map(() => Math.random() * 256);
  const large = Buffer.from(encodePng(noise, LARGE_SIDE, LARGE_SIDE));
  expect(large.length).toBeGreaterThan(512 * 1024);
  const product = storedFile("large.png", "image/png", large);
  const work = { ...WORKS["edited pictures"]!, inputs: { product } };
  const { budget, ended } = begin(work, bytesToBegin(work.node.needs, work.ownBytes));
  for (let task = 1; task <= TASKS; task += 1) {
    // oxlint-disable no-await-in-loop -- one request after the other
    await expect
      .poll(() => held.length === 1 && (task === TASKS || budget.isContended), WAIT)
      .toBe(true);
    expect(budget.takenBytes).toBeGreaterThanOrEqual(work.ownBytes);
    expect(budget.takenBytes).toBeLessThanOrEqual(WORK_BYTES_MAX);
    await work.answer(...held.shift()!);
    // oxlint-enable no-await-in-loop
  }
  expect(await ended).toEqual(Array.from({ length: TASKS }, () => null));
  expect(budget.takenBytes).toBe(0);
});

test("calls of Workers AI hold all of their memory until they are answered, one at a time", async () => {
  const answers: (() => void)[] = [];
  const ai = {
    run: () =>
      new Promise((resolve) => {
        answers.push(() => resolve({ image: PNG.toString("base64") }));
      }),
  };
  const provider = { provider: workersAi, connection: null, ai };
  const work = { ...WORKS["pictures"]!, provider };
  const { budget, ended } = begin(work, bytesToBegin(work.node.needs, work.ownBytes));
  for (let task = 1; task <= TASKS; task += 1) {
    // oxlint-disable no-await-in-loop -- one call after the other
    await expect
      .poll(() => answers.length === 1 && (task === TASKS || budget.isContended), WAIT)
      .toBe(true);
    expect(budget.takenBytes).toBeGreaterThanOrEqual(work.ownBytes);
    expect(budget.takenBytes).toBeLessThanOrEqual(WORK_BYTES_MAX);
    answers.shift()!();
    // oxlint-enable no-await-in-loop
  }
  expect(await ended).toEqual(Array.from({ length: TASKS }, () => null));
  expect(budget.takenBytes).toBe(0);
});

test("calls of the embedded provider take all of their memory before they work", async () => {
  const work = { ...WORKS["short texts"]!, provider: { provider: sample, connection: null } };
  const { whole, budget, ended } = begin(work, bytesToBegin(work.node.needs, work.ownBytes));
  expect(await ended).toEqual(Array.from({ length: TASKS }, () => null));
  expect(whole).toHaveLength(TASKS);
  expect(Math.min(...whole)).toBeGreaterThanOrEqual(work.ownBytes);
  expect(Math.max(...whole)).toBeLessThanOrEqual(WORK_BYTES_MAX);
  expect(budget.takenBytes).toBe(0);
});
