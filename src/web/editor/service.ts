/** The calls of `/api/v1` that the editor makes, over the page's client. */
import {
  isJsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from "../../lib/json/exact-json.ts";
import { type ApiClient, ApiError } from "../shared/api-client.ts";
import type { Api, ApiAnswer } from "./core/save-workflow.ts";
import type { RunApi } from "./state/run.ts";
import type { Words } from "./words.ts";

const PREFIX = "/api/v1";

/** Longest response that is parsed, in UTF-16 units: a definition and its catalog are far below it. */
const RESPONSE_CHARS_MAX = 32 * 1024 * 1024;

/** Sends and reads JSON with every digit of its numbers. A refusal is an answer; only a broken connection throws, with a sentence for people. */
export function editorApi(client: ApiClient, words: Words): Api {
  return {
    async send(method, path, { body, headers } = {}): Promise<ApiAnswer> {
      try {
        const response = await client.open(method, PREFIX + path, {
          ...(body !== undefined && {
            body: new Blob([stringifyJson(body)], { type: "application/json" }),
          }),
          headers: {
            ...headers,
            ...(body !== undefined && { "content-type": "application/json" }),
          },
        });
        const text = await response.text();
        return {
          status: response.status,
          etag: response.headers.get("etag"),
          body: text === "" || text.length > RESPONSE_CHARS_MAX ? null : parseJson(text),
        };
      } catch (error) {
        if (error instanceof ApiError && error.status !== 0) {
          // A problem document, which was parsed from JSON.
          return { status: error.status, etag: null, body: error.body as JsonValue };
        }
        throw new Error(words("network"), { cause: error });
      }
    },
  };
}

export function runApiOf(client: ApiClient): RunApi {
  return {
    async events(path, lastEventId, signal) {
      const response = await client.open("GET", PREFIX + path, {
        headers: {
          accept: "text/event-stream",
          ...(lastEventId !== "" && { "last-event-id": lastEventId }),
        },
        signal,
      });
      return response.status === 204 ? null : response.body;
    },
    async upload(file) {
      const form = new FormData();
      form.set("file", file);
      const response = await client.open("POST", `${PREFIX}/assets`, { body: form });
      const asset = parseJson(await response.text());
      const path = isJsonObject(asset) ? asset["path"] : undefined;
      if (typeof path !== "string") {
        throw new Error("The service stored the file without a path.");
      }
      return path;
    },
  };
}
