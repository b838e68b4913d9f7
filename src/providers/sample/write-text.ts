import { NodeError } from "../../lib/errors/node-error.ts";
import type { GenerateText } from "../provider.ts";
import { answerPrompt } from "./text/answer-prompt.ts";

/** Bytes that the sample model counts as one token. */
const TOKEN_BYTES = 4;

/** The answer of the sample text model to a prompt, cut off at the requested number of tokens. */
export const writeText: GenerateText = async (_model, request, _io, onText) => {
  const { system, prompt, images, jsonSchema } = request;
  const answer = await answerPrompt({
    system: system ?? "",
    prompt,
    images: images.length,
    schema: jsonSchema ?? undefined,
  });
  if (answer === undefined) {
    throw new NodeError(
      "JSON_SCHEMA_VIOLATION",
      "The sample model found no document that conforms to json_schema.",
    );
  }
  const text = answer.pieces.join("");
  const isCutOff = answer.outputTokens > request.maxOutputTokens;
  if (!isCutOff) {
    for (const piece of answer.pieces) {
      onText?.(piece);
    }
    return {
      text,
      isCutOff,
      usage: { input: answer.inputTokens, output: answer.outputTokens },
    };
  }
  const part = startOf(text, request.maxOutputTokens * TOKEN_BYTES);
  onText?.(part);
  return {
    text: part,
    isCutOff,
    usage: { input: answer.inputTokens, output: request.maxOutputTokens },
  };
};

/** The start of a text in at most so many bytes, without half a character. */
function startOf(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
