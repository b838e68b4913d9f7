import type {
  ModelPicture,
  ReferencedModel,
  TextAnswer,
  TextRequest,
  TokenUsage,
} from "../../contracts/models/model-calls.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { badOutput } from "../call-failure.ts";
import { messagesOf, usageOf } from "../openai-compatible/chat.ts";
import type { GenerateText } from "../provider.ts";
import { asJson, readEventData } from "../read-answer.ts";
import { memberOf } from "./member-of.ts";
import { runAi } from "./run-ai.ts";

const END = "[DONE]";

export const writeText: GenerateText = async (model, request, io, onText) => {
  requireSmall(request.images);
  const inputs = chatInputs(model, request, onText !== undefined);
  const output = await runAi(model, inputs, io, LIMITS.provider_json.value);
  if (output.kind === "bytes") {
    return await streamedAnswer(readEventData(output, io), request, onText);
  }
  const answer = wholeAnswer(output.value, request);
  onText?.(answer.text);
  return answer;
};

/** The inputs of a run. The interface streams no JSON that conforms to a schema. Pure. */
export function chatInputs(
  model: ReferencedModel,
  request: TextRequest,
  isStreamed: boolean,
): Readonly<Record<string, unknown>> {
  const { jsonSchema: schema, maxOutputTokens, parameters } = request;
  const mode = schema === null ? "prompt" : model.json_mode;
  return {
    ...parameters,
    messages: messagesOf(model, request, textOfPicture),
    max_tokens: maxOutputTokens,
    ...(mode === "json_schema" && {
      response_format: { type: "json_schema", json_schema: schema },
    }),
    ...(mode === "json_object" && { response_format: { type: "json_object" } }),
    ...(isStreamed && schema === null && { stream: true }),
  };
}

/** The binding takes a picture as text. */
function textOfPicture({ contentType, bytes }: ModelPicture): string {
  return `data:${contentType};base64,${Buffer.from(bytes).toString("base64")}`;
}

/** Throws NodeError `IMAGE_TOO_LARGE`. */
function requireSmall(images: readonly ModelPicture[]): void {
  const max = LIMITS.bound_images.value;
  const sum = images.reduce((total, { bytes }) => total + bytes.length, 0);
  if (sum > max) {
    throw new NodeError(
      "IMAGE_TOO_LARGE",
      `The pictures have ${sum} bytes together as they are sent; one chat with Workers AI takes at most ${max}. Scale them down.`,
    );
  }
}

function wholeAnswer(value: unknown, { maxOutputTokens }: TextRequest): TextAnswer {
  const response = memberOf(value, "response");
  if (response === undefined || response === null) {
    throw badOutput("its body has no message");
  }
  // With a schema the interface parses the document.
  const text = typeof response === "string" ? response : JSON.stringify(response);
  const usage = usageOf(value as JsonValue);
  return { text, isCutOff: isCutOff(usage, maxOutputTokens), usage };
}

async function streamedAnswer(
  events: AsyncIterable<string>,
  { maxOutputTokens }: TextRequest,
  onText: ((piece: string) => void) | undefined,
): Promise<TextAnswer> {
  let text = "";
  let usage: TokenUsage | null = null;
  let isOver = false;
  for await (const data of events) {
    if (data === END) {
      isOver = true;
      break;
    }
    const event = asJson(data);
    if (event === undefined || memberOf(event, "errors") !== undefined) {
      throw badOutput("its stream holds an event that is not one of a chat");
    }
    usage = usageOf(event) ?? usage;
    const piece = memberOf(event, "response");
    // A token of digits arrives as a number.
    if (typeof piece === "string" || typeof piece === "number") {
      text += String(piece);
      onText?.(String(piece));
    }
  }
  if (!isOver) {
    throw badOutput("its stream ended before the answer did");
  }
  return { text, isCutOff: isCutOff(usage, maxOutputTokens), usage };
}

/** The interface does not say why a model stopped. */
function isCutOff(usage: TokenUsage | null, maxOutputTokens: number): boolean {
  return usage !== null && usage.output >= maxOutputTokens;
}
