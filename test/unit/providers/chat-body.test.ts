/** Pictures of a chat are encoded while they are sent. */
import { describe, expect, test } from "vitest";
import type { TextRequest } from "../../../src/contracts/models/model-calls.ts";
import { jsonBody } from "../../../src/providers/json-body.ts";
import { chatBody } from "../../../src/providers/openai-compatible/chat.ts";
import { modelOf } from "../../support/providers/call-provider.ts";

const COUNT = 8;
const MODEL = modelOf({ capabilities: ["text_generation"] });

/** A request with pictures of so many bytes together. */
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

describe("the body of a chat with pictures", () => {
  test("is a stream, whose text is the JSON of the same values", async () => {
    const request = requestOf(COUNT * 5);
    const body = jsonBody({ ...chatBody(MODEL, request, false), list: [[], {}, [null]] });
    if (typeof body === "string") {
      throw new TypeError("The body is not a stream.");
    }
    const text = await new Response(body.stream).text();
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
