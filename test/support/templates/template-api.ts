/** Requests to the routes of design templates, and small documents. */
import { type Call, call, type Caller, type Reply } from "../api-caller.ts";

export const TEMPLATES = "/api/v1/design-templates";

let keys = 0;

export function newKey(): string {
  keys += 1;
  return `template-${String(keys)}-${crypto.randomUUID()}`;
}

/** A GUID that ends like the number. */
export function guid(number: number): string {
  return `0b1f4c52-6d1c-4d55-9a36-${number.toString(16).padStart(12, "0")}`;
}

/** A text field on a page. */
export function fieldElement(code: string, number: number, more: object = {}) {
  return {
    $type: "text",
    id: guid(number),
    left: 10,
    top: 10,
    width: 180,
    height: 30,
    text: "Authored",
    placeholder: {
      id: guid(number + 0x1000),
      name: code,
      code,
      placeholderType: "text",
      ...more,
    },
  };
}

/** A red triangle. */
export const SMALL_DRAWING =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z" fill="red"/></svg>';

export function artworkElement(number: number, svg = SMALL_DRAWING, more: object = {}) {
  return { $type: "svg_artwork", id: guid(number), width: 90, height: 90, svg, ...more };
}

export function documentOf(...elements: readonly object[]) {
  return {
    schemaVersion: "2.0",
    pages: [{ id: guid(1), name: "Front", width: 200, height: 100, elements }],
  };
}

/** One caller's requests, each with a key of its own unless one is given. */
export class TemplateApi {
  readonly token: string;

  constructor({ token }: Pick<Caller, "token">) {
    this.token = token;
  }

  send(method: string, path: string, options: Omit<Call, "token"> = {}): Promise<Reply> {
    return call(method, path.startsWith("/") ? path : `${TEMPLATES}/${path}`, {
      token: this.token,
      ...options,
      headers: { "idempotency-key": newKey(), ...options.headers },
    });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return call("GET", path.startsWith("/") ? path : `${TEMPLATES}/${path}`, {
      token: this.token,
      headers,
    });
  }

  create(json: object = {}): Promise<Reply> {
    return this.send("POST", TEMPLATES, { json: { name: "A template", ...json } });
  }

  /** A new template with this content, as the response shows it. */
  async made(content: object = documentOf()): Promise<{ id: string; etag: string }> {
    const { status, text, json } = await this.create({ content });
    if (status !== 201) {
      throw new Error(`${status}: ${text}`);
    }
    return { id: json.id, etag: `"${json.draft_etag}"` };
  }

  put(id: string, etag: string, json: unknown, key = newKey()): Promise<Reply> {
    return this.send("PUT", `${id}/draft/content`, {
      json,
      headers: { "if-match": etag, "idempotency-key": key },
    });
  }

  publish(id: string, etag = "*", key = newKey()): Promise<Reply> {
    return this.send("POST", `${id}/draft/publish`, {
      headers: { "if-match": etag, "idempotency-key": key },
    });
  }
}
