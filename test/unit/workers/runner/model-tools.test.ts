/** What calls of models leave behind: ids for the provider's support in the log, and the first voice of an account. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { isTaskNode } from "../../../../durable-objects/executor/run-task.ts";
import { aiTextToSpeech } from "../../../../src/nodes/ai/text-to-speech.ts";
import { IMAGE_VARIANT_NODES } from "../../../../src/nodes/ai/image-variants.ts";
import type { NodeType } from "../../../../src/nodes/define-roles.ts";
import { elevenlabs } from "../../../../src/providers/elevenlabs/elevenlabs.ts";
import { fal } from "../../../../src/providers/fal/fal.ts";
import type { Provider } from "../../../../src/providers/provider.ts";
import { modelOf } from "../../../support/providers/call-provider.ts";
import { ElevenLabsServer } from "../../../support/providers/elevenlabs-server.ts";
import { FalServer } from "../../../support/providers/fal-server.ts";
import {
  FAKED_TIMERS,
  ModelTask,
  START_MS,
  TaskClock,
} from "../../../support/providers/model-task.ts";
import { sendJson } from "../../../support/providers/openai-chat.ts";

const eleven = new ElevenLabsServer();
const queue = new FalServer();
const clock = new TaskClock(vi);

beforeAll(async () => {
  await Promise.all([eleven.server.start(), queue.server.start()]);
});
afterAll(() => {
  eleven.server.stop();
  queue.server.stop();
});
beforeEach(() => {
  eleven.reset();
  queue.reset();
  vi.useFakeTimers({ toFake: [...FAKED_TIMERS], now: START_MS });
  return () => {
    vi.useRealTimers();
  };
});

function taskOf(
  provider: Provider,
  origin: string,
  [node, params, inputs]: readonly [NodeType | undefined, object, Record<string, string>],
  apiKey = "the-operators-key",
): ModelTask {
  if (node === undefined || !isTaskNode(node)) {
    throw new Error("not a node that runs as a task");
  }
  const remote = provider === fal ? "fal-ai/flux/schnell" : "eleven_flash_v2_5";
  return new ModelTask({
    provider,
    connection: { baseUrl: origin, apiKey, headers: {} },
    model: modelOf({
      provider: "mine",
      remote_model: remote,
      capabilities: ["text_to_speech", "text_to_image"],
      timeout_ms: 600_000,
    }),
    node,
    params,
    inputs,
    operatorHosts: new URL(origin).host,
    clock,
  });
}

const SPEECH = [aiTextToSpeech as unknown as NodeType, {}, { text: "A MARKER kite." }] as const;
const PICTURE = [
  IMAGE_VARIANT_NODES[0],
  { width: 64, height: 64 },
  { prompt: "A MARKER kite." },
] as const;

const failuresIn = ({ said }: ModelTask) =>
  said
    .map((line) => (line.startsWith("{") ? (JSON.parse(line) as Record<string, unknown>) : {}))
    .filter(({ event }) => event === "provider.call_failed");

describe("the log of a call that fails", () => {
  test.each([
    ["request-id", "req_7-A.b:9", "req_7-A.b:9"],
    ["x-request-id", "0123456789abcdef", "0123456789abcdef"],
    ["x-request-id", "A MARKER kite", null],
    ["x-request-id", "x".repeat(129), null],
    ["x-other", "r1", null],
  ])("has the provider's id of the request: %s: %s", async (header, id, logged) => {
    eleven.interrupt = ({ method }, response) => {
      if (method === "POST") {
        sendJson(response, 422, { detail: "MARKER" }, { [header]: id });
        return true;
      }
      return false;
    };
    const task = taskOf(elevenlabs, eleven.origin, SPEECH);
    expect(await task.toEnd()).toMatchObject({ code: "PROVIDER_REJECTED" });
    const entry = { provider: "mine", model: "tiny", code: "PROVIDER_REJECTED" };
    expect(failuresIn(task)).toEqual([
      { event: "provider.call_failed", ...entry, request_id: logged, job_id: null },
    ]);
    expect(task.said.join("\n")).not.toContain("MARKER");
  });

  test("has the id of its job", async () => {
    queue.result = () => ({
      status: 500,
      body: { detail: [{ loc: ["body"], msg: "MARKER", type: "internal_server_error" }] },
    });
    const task = taskOf(fal, queue.origin, PICTURE);
    expect(await task.toEnd()).toMatchObject({ code: "PROVIDER_JOB_FAILED" });
    expect(failuresIn(task).map(({ job_id: id }) => id)).toEqual([queue.requests[0]?.id]);
  });
});

describe("the first voice of an account", () => {
  const listed = () => eleven.server.received.filter(({ method }) => method === "GET").length;
  const says = async (apiKey?: string) => {
    const { code } = await taskOf(elevenlabs, eleven.origin, SPEECH, apiKey).toEnd();
    expect(code).toBeNull();
    return listed();
  };

  test("is asked for once in ten minutes, for each key", async () => {
    expect([await says("key-1"), await says("key-1"), await says("key-2")]).toEqual([1, 1, 2]);
    vi.setSystemTime(START_MS + 599_999);
    expect(await says("key-1")).toBe(2);
    vi.setSystemTime(START_MS + 600_000);
    expect(await says("key-1")).toBe(3);
  });

  test("is asked for again after a failure, and when the clock was set back", async () => {
    let failing = 1;
    eleven.interrupt = ({ method }, response) => {
      if (method === "GET" && failing > 0) {
        failing -= 1;
        sendJson(response, 503, {});
        return true;
      }
      return false;
    };
    expect(await says("key-3")).toBe(2);
    vi.setSystemTime(START_MS - 1_000_000);
    expect(await says("key-3")).toBe(3);
  });
});
