/**
 * docs/contract/models.md#calls: chats with OpenAI-compatible servers. The scripted server is first driven by OpenAI's
 * own client, so that its script is known to speak the protocol, then by ours.
 */
import { gzipSync } from "node:zlib";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ReferencedModel, TextRequest } from "../../../../src/contracts/models/model-calls.ts";
import { generateText } from "../../../../src/providers/openai-compatible/chat.ts";
import { openaiCompatible } from "../../../../src/providers/openai-compatible/openai-compatible.ts";
import {
  failureOf,
  ioOf,
  modelOf,
  PROVIDER_KEY,
} from "../../../support/providers/call-provider.ts";
import { answerChat, type ScriptedChat, sendJson } from "../../../support/providers/openai-chat.ts";
import { ODD_PROMPTS } from "../../../support/providers/odd-prompts.ts";
import { ScriptedServer } from "../../../support/providers/scripted-server.ts";

const server = new ScriptedServer((_request, response) => {
  response.end();
});

beforeAll(() => server.start());
afterAll(() => {
  server.stop();
});
beforeEach(() => {
  server.received.length = 0;
});

const MODEL = modelOf({
  capabilities: ["text_generation"],
  cost_unit: "per_1k_tokens",
  input_milli_credits_per_1k: 2,
  output_milli_credits_per_1k: 6,
});

const REQUEST: TextRequest = {
  system: "Be brief.",
  prompt: "Name a color.",
  images: [],
  turns: [],
  maxOutputTokens: 64,
  temperature: null,
  seed: null,
  jsonSchema: null,
  parameters: {},
};

interface AskOptions {
  readonly model?: Partial<ReferencedModel>;
  readonly request?: Partial<TextRequest>;
  readonly attempt?: number;
  readonly signal?: AbortSignal;
  readonly onText?: (piece: string) => void;
}

function ask({ model, request, attempt = 1, signal, onText }: AskOptions = {}) {
  const used = { ...MODEL, ...model };
  const io = ioOf(openaiCompatible, server.host, {
    attempt,
    timeoutMs: used.timeout_ms,
    ...(signal !== undefined && { signal }),
  });
  return generateText(used, { ...REQUEST, ...request }, io, onText);
}

const COLOR: ScriptedChat = {
  pieces: ["Bl", "ue", "."],
  usage: { prompt_tokens: 17, completion_tokens: 3 },
};

describe("the script speaks the protocol: OpenAI's client", () => {
  const client = () =>
    new OpenAI({ baseURL: `http://${server.host}/v1`, apiKey: PROVIDER_KEY, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "Name a color." }];

  test("reads a whole answer", async () => {
    server.answer = answerChat(COLOR);
    const answer = await client().chat.completions.create({ model: "tiny", messages });
    expect(answer.choices[0]?.message.content).toBe("Blue.");
    expect(answer.usage?.completion_tokens).toBe(3);
  });

  test("reads a stream with its usage", async () => {
    server.answer = answerChat(COLOR);
    const stream = await client().chat.completions.create({
      model: "tiny",
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let tokens = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      tokens = chunk.usage?.completion_tokens ?? tokens;
    }
    expect([text, tokens]).toEqual(["Blue.", 3]);
  });

  test("sends what ours sends", async () => {
    server.answer = answerChat(COLOR);
    await client().chat.completions.create({
      model: "vendor/tiny-1",
      messages: [{ role: "system", content: "Be brief." }, ...messages],
      max_tokens: 64,
      stream: true,
      stream_options: { include_usage: true },
    });
    await ask({ onText: () => undefined });
    const [theirs, ours] = server.received;
    expect(ours?.json()).toEqual(theirs?.json());
    expect(ours?.path).toBe(theirs?.path);
    for (const header of ["authorization", "content-type"]) {
      expect(ours?.headers[header]).toBe(theirs?.headers[header]);
    }
  });
});

describe("our client", () => {
  test.each(Object.entries(ODD_PROMPTS))("sends a prompt %s as it is", async (_name, prompt) => {
    server.answer = answerChat(COLOR);
    await ask({ request: { prompt } });
    const body = server.received[0]?.json() as { messages: readonly { content: string }[] };
    expect(body.messages.at(-1)?.content === prompt).toBe(true);
  });

  test("answers whole, with the usage that was reported", async () => {
    server.answer = answerChat(COLOR);
    expect(await ask()).toEqual({
      text: "Blue.",
      isCutOff: false,
      usage: { input: 17, output: 3 },
    });
    expect(server.received[0]?.headers).toMatchObject({
      "idempotency-key": "el-1",
      "x-org": "org-1",
      authorization: `Bearer ${PROVIDER_KEY}`,
    });
  });

  test("hands on the pieces of a stream in order, as they arrive", async () => {
    server.answer = answerChat(COLOR);
    const pieces: string[] = [];
    const answer = await ask({ onText: (piece) => pieces.push(piece) });
    expect(pieces).toEqual(COLOR.pieces);
    expect(answer).toEqual({ text: "Blue.", isCutOff: false, usage: { input: 17, output: 3 } });
  });

  test("reads a character that two pieces of the network share", async () => {
    const event = Buffer.from(
      `data: ${JSON.stringify({ choices: [{ delta: { content: "größer 🎨" }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
    );
    server.answer = async (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let at = 0; at < event.length; at += 3) {
        response.write(event.subarray(at, at + 3));
        // oxlint-disable-next-line no-await-in-loop -- each piece is sent by itself
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
      response.end();
    };
    expect((await ask({ onText: () => undefined })).text).toBe("größer 🎨");
  });

  test("takes a whole answer of a server that cannot stream", async () => {
    server.answer = (_request, response) => {
      sendJson(response, 200, {
        choices: [{ message: { content: "Blue." }, finish_reason: "stop" }],
      });
    };
    const pieces: string[] = [];
    const answer = await ask({ onText: (piece) => pieces.push(piece) });
    expect([answer.text, pieces]).toEqual(["Blue.", ["Blue."]]);
  });

  test("says that an answer was cut off", async () => {
    server.answer = answerChat({ ...COLOR, finish: "length" });
    expect((await ask()).isCutOff).toBe(true);
    expect((await ask({ onText: () => undefined })).isCutOff).toBe(true);
  });

  test.each([-1, 1.5, 1e300, "3", null])("counts no usage of %s tokens", async (tokens) => {
    server.answer = (_request, response) => {
      sendJson(response, 200, {
        choices: [{ message: { content: "Blue." }, finish_reason: "stop" }],
        usage: { prompt_tokens: 17, completion_tokens: tokens },
      });
    };
    expect((await ask()).usage).toBeNull();
  });

  test("asks for JSON as the model takes it", async () => {
    server.answer = answerChat(COLOR);
    const jsonSchema = { type: "object" };
    for (const json_mode of ["json_schema", "json_object", "prompt"] as const) {
      // oxlint-disable-next-line no-await-in-loop -- the received requests are in order
      await ask({
        model: { json_mode, max_tokens_field: "max_completion_tokens" },
        request: { jsonSchema },
      });
    }
    const bodies = server.received.map((request) => request.json() as Record<string, unknown>);
    expect(bodies.map((body) => body["response_format"])).toEqual([
      { type: "json_schema", json_schema: { name: "output", schema: jsonSchema, strict: true } },
      { type: "json_object" },
      undefined,
    ]);
    expect(bodies.map((body) => JSON.stringify(body["messages"]).includes("JSON Schema"))).toEqual([
      false,
      true,
      true,
    ]);
    expect(bodies.map((body) => [body["max_completion_tokens"], body["max_tokens"]])).toEqual(
      Array.from({ length: 3 }, () => [64, undefined]),
    );
  });

  test("sends pictures as data, and what an answer lacked", async () => {
    server.answer = answerChat(COLOR);
    await ask({
      request: {
        images: [{ contentType: "image/png", bytes: new Uint8Array([1, 2, 3]) }],
        turns: [{ answer: "Blau", complaint: "In English." }],
      },
    });
    expect((server.received[0]?.json() as { messages?: unknown } | undefined)?.messages).toEqual([
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Name a color." },
          { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
        ],
      },
      { role: "assistant", content: "Blau" },
      { role: "user", content: "In English." },
    ]);
  });
});

const text = (body: string, type = "application/json", status = 200) =>
  ((_request, response) => {
    response.writeHead(status, { "content-type": type });
    response.end(body);
  }) satisfies ScriptedServer["answer"];
const status = (code: number, body: unknown = {}, headers = {}) =>
  ((_request, response) => {
    sendJson(response, code, body, headers);
  }) satisfies ScriptedServer["answer"];
const MARKED = { error: { message: "MARKER the prompt was: Name a color." } };

describe("a failure has its code, whatever the provider says about it", () => {
  test.each([
    [status(500, MARKED), { code: "PROVIDER_UNAVAILABLE", retryable: true }],
    [status(503), { code: "PROVIDER_UNAVAILABLE", retryable: true }],
    [status(408), { code: "PROVIDER_UNAVAILABLE", retryable: true }],
    [status(401, MARKED), { code: "PROVIDER_AUTH_FAILED", retryable: false }],
    [status(403), { code: "PROVIDER_AUTH_FAILED", retryable: false }],
    [status(402), { code: "PROVIDER_QUOTA_EXCEEDED", retryable: false }],
    [
      status(429, { error: { code: "insufficient_quota" } }),
      { code: "PROVIDER_QUOTA_EXCEEDED", retryable: false },
    ],
    [status(404, MARKED), { code: "PROVIDER_REJECTED", retryable: false }],
    [status(400, { error: "MARKER" }), { code: "PROVIDER_REJECTED", retryable: false }],
    [
      status(400, { error: { code: "content_policy_violation" } }),
      { code: "CONTENT_REFUSED", retryable: false },
    ],
    [
      status(400, { error: { code: "content_filter" } }),
      { code: "CONTENT_REFUSED", retryable: false },
    ],
    [answerChat({ pieces: [], refusal: "MARKER" }), { code: "CONTENT_REFUSED", retryable: false }],
    [
      answerChat({ pieces: ["x"], finish: "content_filter" }),
      { code: "CONTENT_REFUSED", retryable: false },
    ],
    [status(302, {}, { location: "/elsewhere" }), { code: "PROVIDER_BAD_OUTPUT", retryable: true }],
    [text("<html>MARKER</html>", "text/html"), { code: "PROVIDER_BAD_OUTPUT", retryable: true }],
    [text('{"choices":[{"mess'), { code: "PROVIDER_BAD_OUTPUT", retryable: true }],
    [text("[".repeat(100_000)), { code: "PROVIDER_BAD_OUTPUT", retryable: true }],
    [status(200, { choices: [] }), { code: "PROVIDER_BAD_OUTPUT", retryable: true }],
    [
      status(200, { choices: [{ message: { content: 7 } }] }),
      { code: "PROVIDER_BAD_OUTPUT", retryable: true },
    ],
    [
      status(200, { padding: "x".repeat(9 * 1024 * 1024) }),
      { code: "PROVIDER_BAD_OUTPUT", retryable: true },
    ],
  ])("%#", async (answer, expected) => {
    server.answer = answer;
    expect(await failureOf(ask())).toEqual(expected);
    if (!expected.code.includes("OUTPUT")) {
      expect(await failureOf(ask({ onText: () => undefined }))).toEqual(expected);
    }
  });

  const now = Date.now();
  test.each([
    ["2", { retryable: true, retryAfterMs: 2_000 }],
    ["0.5", { retryable: true, retryAfterMs: 500 }],
    ["60", { retryable: true, retryAfterMs: 60_000 }],
    ["61", { retryable: false }],
    ["31536000", { retryable: false }],
    [new Date(now - 60_000).toUTCString(), { retryable: true, retryAfterMs: 0 }],
    [new Date(now + 3_600_000).toUTCString(), { retryable: false }],
    ["soon", { retryable: true }],
    ["-5", { retryable: true }],
  ])("429 with Retry-After: %s", async (header, expected) => {
    server.answer = status(429, {}, { "retry-after": header });
    expect(await failureOf(ask())).toEqual({ code: "PROVIDER_RATE_LIMITED", ...expected });
  });

  test.each([
    ["data: not json\n\n"],
    ['data: {"error":{"message":"MARKER"}}\n\n'],
    ['data: {"choices":[{"delta":{"content":"Bl"}}]}\n\n'],
    [`data: ${"x".repeat(2 * 1024 * 1024)}`],
  ])("a stream that is none, or that ends early: %#", async (body) => {
    server.answer = text(body, "text/event-stream");
    expect(await failureOf(ask({ onText: () => undefined }))).toEqual({
      code: "PROVIDER_BAD_OUTPUT",
      retryable: true,
    });
  });

  test("a gzip bomb, which is unpacked no further than an answer may be long", async () => {
    // 64 GB of spaces, of which each megabyte takes a kilobyte.
    const member = gzipSync(Buffer.alloc(16 * 1024 * 1024, 0x20));
    let members = 0;
    server.answer = async (_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      for (; members < 4_096 && !response.destroyed; members++) {
        if (!response.write(member)) {
          // oxlint-disable-next-line no-await-in-loop -- as fast as they are read
          await new Promise<void>((resolve) => {
            response.once("drain", resolve).once("close", resolve);
          });
        }
      }
      response.end();
    };
    expect(await failureOf(ask())).toEqual({ code: "PROVIDER_BAD_OUTPUT", retryable: true });
    expect(members).toBeLessThan(4_096);
  });

  test("a connection that breaks off", async () => {
    server.answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[{"delta":{"content":"Bl"}}]}\n\n');
      setTimeout(() => response.destroy(), 10);
    };
    expect(await failureOf(ask({ onText: () => undefined }))).toEqual({
      code: "PROVIDER_UNAVAILABLE",
      retryable: true,
    });
  });

  test("no server", async () => {
    const { host } = server;
    server.host = "127.0.0.1:1";
    try {
      expect(await failureOf(ask())).toEqual({ code: "PROVIDER_UNAVAILABLE", retryable: true });
    } finally {
      server.host = host;
    }
  });

  test("an answer that does not come in time is awaited once more", async () => {
    server.answer = () => undefined;
    const model = { timeout_ms: 50 };
    expect(await failureOf(ask({ model }))).toEqual({ code: "PROVIDER_TIMEOUT", retryable: true });
    expect(await failureOf(ask({ model, attempt: 2 }))).toEqual({
      code: "PROVIDER_TIMEOUT",
      retryable: false,
    });
  });

  test("a slow drip does not outlast the model's time limit", async () => {
    server.answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const drip = setInterval(() => response.write(":\n"), 10);
      response.on("close", () => {
        clearInterval(drip);
      });
    };
    const failure = await failureOf(ask({ model: { timeout_ms: 80 }, onText: () => undefined }));
    expect(failure.code).toBe("PROVIDER_TIMEOUT");
  });

  test("cancelling reaches the provider, and its reason is thrown", async () => {
    server.answer = () => undefined;
    const abort = new AbortController();
    const asked = ask({ signal: abort.signal });
    await expect.poll(() => server.received.length).toBe(1);
    const before = server.aborted;
    abort.abort(new Error("cancelled"));
    await expect(asked).rejects.toThrow("cancelled");
    await expect.poll(() => server.aborted).toBe(before + 1);
  });
});
