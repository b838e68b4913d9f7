/** Large bodies and answers ask for the isolate's memory, wait for it in turn, and give it back however they end. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { AnswerMemory } from "../../../durable-objects/run/views/answer-memory.ts";
import {
  isolateMemory,
  type MemoryLease,
  WORK_BYTES_MAX,
} from "../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../src/lib/memory/memory-gate.ts";
import { type Reply, call, type Caller, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { keysOf, upload } from "../../support/asset-form.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";

const MB = 1024 * 1024;
/** The usual waiting time is too long for a test. */
const WAITED_MS = 40;
/** Of requests that must be served: on a busy machine the memory comes late. */
const SERVED_MS = 5_000;

let caller: Caller;
let others: MemoryLease | undefined;
let waitedMs = WAITED_MS;

beforeAll(async () => {
  caller = await newCaller();
});
beforeEach(() => {
  waitedMs = WAITED_MS;
  vi.spyOn(MemoryGate.prototype, "takeWithin").mockImplementation(async function (
    this: MemoryGate,
    bytes: number,
  ) {
    const wait = this.wait(bytes);
    setTimeout(wait.leave, waitedMs);
    return await wait.granted;
  });
});
afterEach(() => {
  others?.release();
  others = undefined;
  vi.restoreAllMocks();
  expect([isolateMemory.takenBytes, isolateMemory.isContended]).toEqual([0, false]);
});

/** Another request holds the whole budget. */
async function takeAll() {
  others = await new MemoryGate().take(WORK_BYTES_MAX);
}

const WORDS = "x".repeat(300_000);
const TABLE = `a,b\n${"1,some words\n".repeat(8_000)}`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0${"L1 2".repeat(30_000)}"/></svg>`;

const inspect = (asset_path: string) =>
  call("POST", "/api/v1/structured-data/inspect", { token: caller.token, json: { asset_path } });

const store = (name: string, content: string | Uint8Array) => upload(caller, name, content);

/** Requests that reserve memory, with the response once there is room. */
const ASKS: Readonly<Record<string, () => Promise<() => Promise<Reply>>>> = {
  "a JSON body": async () => () => inspect(WORDS),
  "an upload": async () => () => store("a.txt", WORDS),
  "an SVG that is cleaned": async () => () => store("a.svg", SVG),
  "a table that is read": async () => {
    const { path } = (await store("a.csv", TABLE)).json;
    return () => inspect(path);
  },
  "a result with a stored text": async () => {
    const path = await endedRun();
    return () => read(`${path}/result`);
  },
  "a result with many texts": async () => {
    const path = await endedRun({ rows: ROWS });
    return () => read(`${path}/result`);
  },
  "raw outputs with many texts": async () => {
    const path = await endedRun({ rows: ROWS });
    return () => read(`${path}/outputs`);
  },
};

/** Shorter than a row's maximum each; longer than what is shown without asking, together. */
const ROWS = ["a", "b", "c"].map((letter) => letter.repeat(50_000));

const read = (path: string) => call("GET", path, { token: caller.token });

/** A run that returns its inputs: a text that is stored in R2, or texts in rows. */
async function endedRun({ rows }: { readonly rows?: readonly string[] } = {}): Promise<string> {
  const type = rows === undefined ? "text" : "json";
  const workflow = await publishedWorkflow(caller, {
    nodes: [
      { id: "in", type: `input/${type}`, label: "in" },
      { id: "out", type: `output/${type}`, parameters: { key: "out" } },
    ],
    connections: [
      {
        from: { node: "in", port: rows === undefined ? "text" : "item" },
        to: { node: "out", port: type },
      },
    ],
  });
  const value = JSON.stringify(rows ?? WORDS);
  const { json } = await call("POST", "/api/v1/executions", {
    token: caller.token,
    json: { workflow, inputs: { in: { value } } },
  });
  const path = `/api/v1/executions/${json.id}`;
  await waitUntil("the run's end", async () => (await read(path)).json.status === "completed");
  return path;
}

describe.each(Object.entries(ASKS))("%s", (_, prepare) => {
  test("that finds no memory in time is refused with 503 and Retry-After, and leaves nothing", async () => {
    const act = await prepare();
    const before = await keysOf(caller.workspaceId);
    await takeAll();
    const response = await act();
    expect(response.status, response.text).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(response.json).toMatchObject({ code: "service_unavailable", status: 503 });
    // Files of ended runs may go meanwhile.
    const added = (await keysOf(caller.workspaceId)).filter((key) => !before.includes(key));
    expect(added).toEqual([]);
  });

  test("waits until memory is available, and is then served", async () => {
    const act = await prepare();
    await takeAll();
    waitedMs = SERVED_MS;
    setTimeout(() => others?.release(), WAITED_MS / 4);
    expect((await act()).status).not.toBe(503);
  });
});

test("a result whose values are not asked for is served without room, which the tests above find", async () => {
  const path = await endedRun({ rows: ROWS });
  await takeAll();
  vi.spyOn(AnswerMemory.prototype, "holdPage").mockReturnValue(undefined);
  expect((await read(`${path}/result`)).status).toBe(200);
});

test("a result that waits reads its values again, and shows all of them", async () => {
  const path = await endedRun({ rows: ROWS });
  const whole = await read(`${path}/result`);
  await takeAll();
  waitedMs = SERVED_MS;
  setTimeout(() => others?.release(), WAITED_MS / 4);
  const waited = await read(`${path}/result`);
  expect([waited.status, waited.text === whole.text]).toEqual([200, true]);
  expect(waited.json.result.items.map((item: { value: string }) => item.value)).toEqual(ROWS);
});

test("small bodies are served while there is no memory", async () => {
  await takeAll();
  expect((await inspect("none.csv")).status).toBe(404);
  expect((await store("small.txt", "words")).status).toBe(201);
});

test("a JSON text of small parts reserves the memory of its value, not of its length", async () => {
  others = await new MemoryGate().take(WORK_BYTES_MAX - 20 * MB);
  const send = (text: string) =>
    call("POST", "/api/v1/structured-data/inspect", {
      token: caller.token,
      headers: { "content-type": "application/json" },
      body: text,
    });
  expect((await send(`{"asset_path":"${"x".repeat(1_000_000)}"}`)).status).not.toBe(503);
  expect((await send(`{"asset_path":[${"[],".repeat(330_000)}[]]}`)).status).toBe(503);
});

test("an interrupted upload releases its memory", async () => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const head =
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n' + WORDS;
      controller.enqueue(new TextEncoder().encode(head));
    },
    pull: async (controller) => {
      await waitUntil("its memory", async () => isolateMemory.takenBytes > 0);
      controller.close();
    },
  });
  const response = await call("POST", `${new URL("/api/v1/assets", ORIGIN).pathname}`, {
    token: caller.token,
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body,
  }).catch(() => undefined);
  expect(response?.status ?? 400).toBe(400);
  await waitUntil("its release", async () => isolateMemory.takenBytes === 0);
});
