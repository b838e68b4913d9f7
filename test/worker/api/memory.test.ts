/** Large bodies ask for the isolate's memory, wait for it in turn, and give it back however they end. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { isolateMemory, type MemoryLease, WORK_BYTES_MAX } from "../../../src/lib/memory-budget.ts";
import { MemoryGate } from "../../../src/lib/memory-gate.ts";
import { type Reply, call, type Caller, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { keysOf, upload } from "../../support/asset-form.ts";

const MB = 1024 * 1024;
const WAITED_MS = 40;

let caller: Caller;
let others: MemoryLease | undefined;

beforeAll(async () => {
  caller = await newCaller();
});
beforeEach(() => {
  // The usual waiting time is too long for a test.
  vi.spyOn(MemoryGate.prototype, "takeWithin").mockImplementation(async function (
    this: MemoryGate,
    bytes: number,
  ) {
    const wait = this.wait(bytes);
    setTimeout(wait.leave, WAITED_MS);
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
};

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
    expect(await keysOf(caller.workspaceId)).toEqual(before);
  });

  test("waits until memory is available, and is then served", async () => {
    const act = await prepare();
    await takeAll();
    setTimeout(() => others?.release(), WAITED_MS / 4);
    expect((await act()).status).not.toBe(503);
  });
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
      await vi.waitUntil(() => isolateMemory.takenBytes > 0);
      controller.close();
    },
  });
  const response = await call("POST", `${new URL("/api/v1/assets", ORIGIN).pathname}`, {
    token: caller.token,
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body,
  }).catch(() => undefined);
  expect(response?.status ?? 400).toBe(400);
  await vi.waitUntil(() => isolateMemory.takenBytes === 0);
});
