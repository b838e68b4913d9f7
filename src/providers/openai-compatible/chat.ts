/** `POST {base}/chat/completions` of OpenAI-compatible servers, streamed and whole. */
import type {
  ModelPicture,
  ReferencedModel,
  TextAnswer,
  TextRequest,
  TokenUsage,
} from "../../contracts/models/model-calls.ts";
import { isJsonObject, type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { badOutput, refused } from "../call-failure.ts";
import { InlineFile, jsonBody, type WithFiles } from "../json-body.ts";
import type { GenerateText, ProviderIo } from "../provider.ts";
import { asJson, readEventData, readJsonAnswer, requireSuccess } from "../read-answer.ts";

/** The data of the last event of a stream. */
const END = "[DONE]";

export const generateText: GenerateText = async (model, request, io, onText) => {
  const isStreamed = onText !== undefined;
  const response = await io.send("/chat/completions", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: isStreamed ? "text/event-stream" : "application/json",
      "idempotency-key": io.key,
    },
    body: jsonBody(chatBody(model, request, isStreamed)),
    maxBytes: LIMITS.provider_json.value,
  });
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
  if (!isStreamed || !isStream) {
    // A server that cannot stream answers as a whole.
    const answer = wholeAnswer(await readJsonAnswer(response, io));
    onText?.(answer.text);
    return answer;
  }
  await requireSuccess(response, io);
  return await streamedAnswer(readEventData(response, io), io, onText);
};

/** The body of a request, whose pictures are encoded while they are sent. Pure. */
export function chatBody(
  model: ReferencedModel,
  request: TextRequest,
  isStreamed: boolean,
): WithFiles {
  return {
    ...request.parameters,
    model: model.remote_model,
    messages: messagesOf(model, request, (picture) => InlineFile.ofPicture(picture)),
    [model.max_tokens_field]: request.maxOutputTokens,
    ...(request.temperature !== null && { temperature: request.temperature }),
    ...(request.seed !== null && { seed: request.seed }),
    ...responseFormat(model, request.jsonSchema),
    ...(isStreamed && { stream: true, stream_options: { include_usage: true } }),
  };
}

function responseFormat(
  { json_mode: mode }: ReferencedModel,
  schema: JsonValue | null,
): { readonly [member: string]: JsonValue } {
  if (schema === null || mode === "prompt") {
    return {};
  }
  return {
    response_format:
      mode === "json_object"
        ? { type: "json_object" }
        : { type: "json_schema", json_schema: { name: "output", schema, strict: true } },
  };
}

/** The conversation of a request, with what `addressOf` returns as the address of a picture. */
export function messagesOf<T extends string | InlineFile>(
  model: ReferencedModel,
  request: TextRequest,
  addressOf: (picture: ModelPicture) => T,
) {
  const system = systemText(model, request);
  return [
    ...(system === "" ? [] : [{ role: "system", content: system }]),
    { role: "user", content: userContent(request, addressOf) },
    ...request.turns.flatMap(({ answer, complaint }) => [
      { role: "assistant", content: answer },
      { role: "user", content: complaint },
    ]),
  ];
}

/** A model that has no mode for a schema is told the schema. */
function systemText({ json_mode: mode }: ReferencedModel, request: TextRequest): string {
  const { system, jsonSchema } = request;
  return [
    system ?? "",
    jsonSchema === null || mode === "json_schema"
      ? ""
      : `Answer with one JSON document and nothing else. It must conform to this JSON Schema:\n${stringifyJson(jsonSchema)}`,
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function userContent<T>({ prompt, images }: TextRequest, addressOf: (picture: ModelPicture) => T) {
  return images.length === 0
    ? prompt
    : [
        { type: "text", text: prompt },
        ...images.map((picture) => ({ type: "image_url", image_url: { url: addressOf(picture) } })),
      ];
}

function wholeAnswer(body: JsonValue): TextAnswer {
  const choice = choiceOf(body);
  const message = isJsonObject(choice) ? choice["message"] : undefined;
  if (!isJsonObject(choice) || !isJsonObject(message)) {
    throw badOutput("its body has no message");
  }
  requireNoRefusal(message, choice);
  const text = message["content"];
  if (typeof text !== "string") {
    throw badOutput("its message has no text");
  }
  return { text, isCutOff: choice["finish_reason"] === "length", usage: usageOf(body) };
}

async function streamedAnswer(
  events: AsyncIterable<string>,
  { holding }: Pick<ProviderIo, "holding">,
  onText: (piece: string) => void,
): Promise<TextAnswer> {
  let text = "";
  let finish: JsonValue | undefined;
  let usage: TokenUsage | null = null;
  let isOver = false;
  for await (const data of events) {
    if (data === END) {
      isOver = true;
      break;
    }
    const event = asJson(data);
    if (!isJsonObject(event) || event["error"] !== undefined) {
      throw badOutput("its stream holds an event that is not one of a chat");
    }
    usage = usageOf(event) ?? usage;
    const choice = choiceOf(event);
    if (!isJsonObject(choice)) {
      // The event with the usage has no choice.
      continue;
    }
    const { delta } = choice as { readonly delta?: JsonValue };
    if (isJsonObject(delta)) {
      requireNoRefusal(delta, choice);
      const piece = delta["content"];
      if (typeof piece === "string" && piece !== "") {
        text += piece;
        const memory = holding(text.length);
        if (memory !== undefined) {
          // oxlint-disable-next-line no-await-in-loop -- the events arrive one after another
          await memory;
        }
        onText(piece);
      }
    }
    finish = choice["finish_reason"] ?? finish;
  }
  if (!isOver && typeof finish !== "string") {
    throw badOutput("its stream ended before the answer did");
  }
  return { text, isCutOff: finish === "length", usage };
}

function choiceOf(body: JsonValue): JsonValue | undefined {
  const choices = isJsonObject(body) ? body["choices"] : undefined;
  return Array.isArray(choices) ? (choices as readonly JsonValue[])[0] : undefined;
}

function requireNoRefusal(
  message: { readonly [member: string]: JsonValue },
  choice: { readonly [member: string]: JsonValue },
): void {
  const { refusal } = message;
  if (
    (typeof refusal === "string" && refusal !== "") ||
    choice["finish_reason"] === "content_filter"
  ) {
    throw refused();
  }
}

/** Null if the answer reports no tokens, or numbers that cannot be counts of tokens. */
export function usageOf(body: JsonValue): TokenUsage | null {
  const usage = isJsonObject(body) ? body["usage"] : undefined;
  if (!isJsonObject(usage)) {
    return null;
  }
  const input = usage["prompt_tokens"];
  const output = usage["completion_tokens"];
  return isCount(input) && isCount(output) ? { input, output } : null;
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
