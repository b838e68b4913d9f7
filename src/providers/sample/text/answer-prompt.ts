import { compileSchema } from "../../../expressions/json-schema.ts";
import { type JsonValue, stringifyJson } from "../../../lib/json/exact-json.ts";
import { smallInstances } from "./smallest-instance.ts";

export interface SampleTextRequest {
  readonly prompt: string;
  readonly system: string;
  readonly images: number;
  /** Undefined for plain text. */
  readonly schema: JsonValue | undefined;
}

export interface SampleText {
  /** Joined, the text; with a schema, the document. */
  readonly pieces: readonly string[];
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * The sample text model: says that it is none and what it was given; with a schema, the smallest
 * instance that it accepts. Undefined if none was found. Throws NodeError `INVALID_SCHEMA`.
 */
export async function answerPrompt(request: SampleTextRequest): Promise<SampleText | undefined> {
  const text =
    request.schema === undefined ? sentence(request) : await smallestDocument(request.schema);
  return text === undefined
    ? undefined
    : {
        pieces: text.match(/\S+\s*|\s+/gu) ?? [],
        inputTokens: tokensOf(request.system) + tokensOf(request.prompt),
        outputTokens: tokensOf(text),
      };
}

function sentence({ prompt, images }: SampleTextRequest): string {
  const words = prompt.match(/\S+/gu)?.length ?? 0;
  const given = `${words} ${words === 1 ? "word" : "words"} and ${images} ${images === 1 ? "image" : "images"}`;
  return `[sample] No language model is configured, so this is not an answer to the prompt. It had ${given}.`;
}

async function smallestDocument(schema: JsonValue): Promise<string | undefined> {
  const check = await compileSchema(schema);
  const found = smallInstances(schema).find((value) => check(value).length === 0);
  return found === undefined ? undefined : stringifyJson(found);
}

const UTF8 = new TextEncoder();

/** A quarter of the bytes in UTF-8, rounded up. */
function tokensOf(text: string): number {
  return Math.ceil(UTF8.encode(text).length / 4);
}
