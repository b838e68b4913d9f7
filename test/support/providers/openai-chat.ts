/** Answers of an OpenAI-compatible server to `POST /chat/completions`. */
import type { ServerResponse } from "node:http";
import type { Answer } from "./scripted-server.ts";

export interface ScriptedChat {
  /** The pieces of the answer. */
  readonly pieces: readonly string[];
  readonly finish?: "stop" | "length" | "content_filter";
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly refusal?: string;
}

interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
}

/** Answers as the official API does: whole, or as server-sent events if the request asks for a stream. */
export function answerChat(script: ScriptedChat): Answer {
  return (request, response) => {
    const asked = request.json() as ChatRequest;
    if (asked.stream === true) {
      streamChat(response, asked, script);
    } else {
      sendJson(response, 200, wholeChat(asked, script));
    }
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

const COMMON = { id: "chatcmpl-1", created: 1_790_000_000 };

function usageOf({ usage }: ScriptedChat) {
  return usage && { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens };
}

function wholeChat({ model }: ChatRequest, script: ScriptedChat) {
  return {
    ...COMMON,
    object: "chat.completion",
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: script.refusal === undefined ? script.pieces.join("") : null,
          refusal: script.refusal ?? null,
        },
        logprobs: null,
        finish_reason: script.finish ?? "stop",
      },
    ],
    usage: usageOf(script),
  };
}

function streamChat(response: ServerResponse, request: ChatRequest, script: ScriptedChat): void {
  const chunk = (choices: readonly object[], more = {}) => {
    const event = {
      ...COMMON,
      object: "chat.completion.chunk",
      model: request.model,
      choices,
      ...more,
    };
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  };
  const choice = (delta: object, finish: string | null = null) => ({
    index: 0,
    delta,
    logprobs: null,
    finish_reason: finish,
  });
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  chunk([choice({ role: "assistant", content: "" })]);
  for (const content of script.pieces) {
    chunk([choice({ content })]);
  }
  if (script.refusal !== undefined) {
    chunk([choice({ refusal: script.refusal })]);
  }
  chunk([choice({}, script.finish ?? "stop")]);
  if (request.stream_options?.include_usage === true && script.usage !== undefined) {
    chunk([], { usage: usageOf(script) });
  }
  response.end("data: [DONE]\n\n");
}
