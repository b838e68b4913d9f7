/**
 * How a provider may fail besides its status codes, for every kind of call: the rows of the error table
 * (docs/contract/models.md#calls) that a server can play.
 */
import { gzipSync } from "node:zlib";
import { sendJson } from "./openai-chat.ts";
import type { Answer } from "./scripted-server.ts";

export interface Fault {
  readonly name: string;
  readonly answer: Answer;
  readonly code: string;
  readonly isRetried: boolean;
  readonly retryAfterMs?: number;
  /** Of the call; long if omitted. */
  readonly timeoutMs?: number;
  /** Begins like JSON, so that a call for something else fails earlier. */
  readonly isJson?: boolean;
  /** So many bytes that one kind of call is enough. */
  readonly isLarge?: boolean;
}

/** Text that no caller may see: an answer repeats what it was sent. */
export const MARKED = { error: { message: "MARKER the prompt was: a MARKER kite", type: "x" } };

export function status(code: number, body: unknown = MARKED, headers = {}): Answer {
  return (_request, response) => {
    sendJson(response, code, body, headers);
  };
}

export function text(body: string | Uint8Array, type = "application/json", headers = {}): Answer {
  return (_request, response) => {
    response.writeHead(200, { "content-type": type, ...headers });
    response.end(body);
  };
}

const UNAVAILABLE = { code: "PROVIDER_UNAVAILABLE", isRetried: true };
const LIMITED = { code: "PROVIDER_RATE_LIMITED", isRetried: true };
const BAD = { code: "PROVIDER_BAD_OUTPUT", isRetried: true };
const AUTH = { code: "PROVIDER_AUTH_FAILED", isRetried: false };
const QUOTA = { code: "PROVIDER_QUOTA_EXCEEDED", isRetried: false };
const REFUSED = { code: "CONTENT_REFUSED", isRetried: false };
const REJECTED = { code: "PROVIDER_REJECTED", isRetried: false };

const refusal = (code: string) => status(400, { error: { code, message: "MARKER" } });
const retryAfter = (value: string) => status(429, MARKED, { "retry-after": value });

/** Failures that are the same whatever was asked for. */
export function commonFaults(nowMs: number): readonly Fault[] {
  return [
    { name: "500", answer: status(500), ...UNAVAILABLE },
    { name: "503 with a page", answer: page(503), ...UNAVAILABLE },
    { name: "599", answer: status(599), ...UNAVAILABLE },
    { name: "408", answer: status(408), ...UNAVAILABLE },
    { name: "a reset before the answer", answer: reset, ...UNAVAILABLE },
    { name: "an answer that is cut off", answer: cutOff, ...UNAVAILABLE, isJson: true },
    { name: "429", answer: status(429), ...LIMITED },
    { name: "429 for 2 s", answer: retryAfter("2"), ...LIMITED, retryAfterMs: 2_000 },
    { name: "429 for 60 s", answer: retryAfter("60"), ...LIMITED, retryAfterMs: 60_000 },
    { name: "429 for 61 s", answer: retryAfter("61"), ...LIMITED, isRetried: false },
    { name: "429 for a year", answer: retryAfter("31536000"), ...LIMITED, isRetried: false },
    {
      name: "429 until a time that has passed",
      answer: retryAfter(new Date(nowMs - 60_000).toUTCString()),
      ...LIMITED,
      retryAfterMs: 0,
    },
    {
      name: "429 until a time in an hour",
      answer: retryAfter(new Date(nowMs + 3_600_000).toUTCString()),
      ...LIMITED,
      isRetried: false,
    },
    { name: "429 for a negative time", answer: retryAfter("-5"), ...LIMITED },
    { name: "429 for no time", answer: retryAfter("soon"), ...LIMITED },
    { name: "no answer in time", answer: () => undefined, ...TIMEOUT },
    { name: "one byte at a time", answer: drip, ...TIMEOUT, isJson: true },
    { name: "a redirect", answer: redirect("/elsewhere"), ...BAD },
    { name: "a redirect away", answer: redirect("https://example.com/MARKER"), ...BAD },
    { name: "401", answer: status(401), ...AUTH },
    { name: "403", answer: status(403), ...AUTH },
    { name: "402", answer: status(402), ...QUOTA },
    {
      name: "429 insufficient_quota",
      answer: status(429, { error: { code: "insufficient_quota", message: "MARKER" } }),
      ...QUOTA,
    },
    { name: "content_policy_violation", answer: refusal("content_policy_violation"), ...REFUSED },
    { name: "moderation_blocked", answer: refusal("moderation_blocked"), ...REFUSED },
    { name: "content_filter", answer: refusal("content_filter"), ...REFUSED },
    { name: "400", answer: status(400), ...REJECTED },
    { name: "404 with a page", answer: page(404), ...REJECTED },
    { name: "413", answer: status(413), ...REJECTED },
    { name: "422", answer: status(422), ...REJECTED },
  ];
}

/** Responses with 200 whose JSON cannot be used. */
export const FAULTS_OF_JSON: readonly Fault[] = [
  { name: "an HTML page", answer: page(200), ...BAD },
  { name: "nothing", answer: text(""), ...BAD },
  { name: "half of a document", answer: text('{"data":[{"MARKER":'), ...BAD },
  { name: "10⁵ levels", answer: text("[".repeat(100_000)), ...BAD },
  { name: "10⁵ levels in a member", answer: text(`{"data":${"[".repeat(100_000)}`), ...BAD },
  { name: "a body without an end", answer: endless('{"MARKER":"', "x"), ...BAD, isLarge: true },
  {
    name: "a gzip bomb",
    answer: text(gzipSync(Buffer.alloc(12 * 1024 * 1024, " ")), "application/json", {
      "content-encoding": "gzip",
    }),
    ...BAD,
    isLarge: true,
  },
  { name: "an error with 200", answer: status(200), ...BAD },
];

function page(code: number): Answer {
  return (_request, response) => {
    response.writeHead(code, { "content-type": "text/html" });
    response.end("<!DOCTYPE html><title>MARKER</title>");
  };
}

const TIMEOUT = { code: "PROVIDER_TIMEOUT", isRetried: true, timeoutMs: 60 };

function reset(...[, response]: Parameters<Answer>): void {
  response.socket?.resetAndDestroy();
}

function cutOff(...[, response]: Parameters<Answer>): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": 1_000 });
  response.write('{"data":[{"b64_json":"iVBORw0K', () => response.socket?.resetAndDestroy());
}

function drip(...[, response]: Parameters<Answer>): void {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 5);
  response.on("close", () => {
    clearInterval(timer);
  });
}

function redirect(location: string): Answer {
  return (_request, response) => {
    response.writeHead(307, { location });
    response.end();
  };
}

/** A body that goes on until its reader closes the connection. */
export function endless(start: string, filling: string, type = "application/json"): Answer {
  return async (_request, response) => {
    response.writeHead(200, { "content-type": type });
    response.write(start);
    const piece = filling.repeat(Math.ceil((256 * 1024) / filling.length));
    while (!response.destroyed) {
      // oxlint-disable-next-line no-await-in-loop -- as fast as it is read
      await new Promise((resolve) => {
        response.once("close", resolve);
        response.write(piece, resolve);
      });
      response.removeAllListeners("close");
    }
  };
}
