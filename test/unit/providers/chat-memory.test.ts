/** Pictures of a chat are encoded while they are sent: beside them, no copy of them is in memory. */
import { describe, expect, test } from "vitest";
import type { TextRequest } from "../../../src/contracts/model-calls.ts";
import { LIMITS } from "../../../src/lib/limits-table.ts";
import { jsonBody } from "../../../src/providers/json-body.ts";
import { chatBody, messagesOf } from "../../../src/providers/openai-compatible/chat.ts";
import { liveBytes } from "../../support/datasets/live-bytes.ts";
import { modelOf } from "../../support/providers/call-provider.ts";

const MB = 1024 * 1024;
const COUNT = 8;
const MODEL = modelOf({ capabilities: ["text_generation"] });

/** The largest pictures that a call may have. */
const requestOf = (bytesTogether: number): TextRequest => ({
  system: "Be brief.",
  prompt: "What is in the pictures?",
  images: Array.from({ length: COUNT }, (_, at) => ({
    contentType: "image/png",
    bytes: new Uint8Array(bytesTogether / COUNT).fill(at + 1),
  })),
  turns: [],
  maxOutputTokens: 64,
  temperature: null,
  seed: null,
  jsonSchema: null,
  parameters: {},
});

const asText = ({ bytes }: { readonly bytes: Uint8Array }) => Buffer.from(bytes).toString("base64");

describe("live bytes of a chat with pictures", () => {
  test("are the pictures and less than 2 MB", async () => {
    const request = requestOf(LIMITS.model_images.value);
    const before = liveBytes();
    const body = jsonBody(chatBody(MODEL, request, true));
    if (typeof body === "string") {
      throw new TypeError("The body is not a stream.");
    }
    let [length, next, most] = [0, 0, 0];
    for await (const piece of body.stream) {
      length += piece.length;
      if (length >= next) {
        next += 4 * MB;
        most = Math.max(most, liveBytes() - before);
      }
    }
    expect([length, next > 30 * MB]).toEqual([body.sizeBytes, true]);
    expect(most).toBeLessThan(2 * MB);
  });

  test("include the base64 where that is made before", () => {
    const request = requestOf(LIMITS.model_images.value);
    const before = liveBytes();
    const messages = messagesOf(MODEL, request, asText);
    expect(liveBytes() - before).toBeGreaterThan(30 * MB);
    expect(messages).toHaveLength(2);
  });

  test("a streamed body is the JSON of the same values", async () => {
    const request = requestOf(COUNT * 5);
    const body = jsonBody({ ...chatBody(MODEL, request, false), list: [[], {}, [null]] });
    const text = typeof body === "string" ? body : await new Response(body.stream).text();
    const parsed = JSON.parse(text) as { messages: { content: unknown }[]; list: unknown };
    expect(parsed.list).toEqual([[], {}, [null]]);
    expect(parsed.messages[1]?.content).toEqual([
      { type: "text", text: "What is in the pictures?" },
      ...request.images.map((image) => ({
        type: "image_url",
        image_url: { url: `data:image/png;base64,${asText(image)}` },
      })),
    ]);
  });
});
