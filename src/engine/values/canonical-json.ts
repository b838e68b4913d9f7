import { createHash } from "node:crypto";
import { canonicalDecimal } from "../../lib/json/canonical-decimal.ts";
import {
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  numberToken,
} from "../../lib/json/exact-json.ts";

/** A template's report states how long the layout took, which is not its content. */
const LAYOUT_REPORT = "svc.template-layout-report/v1";
const LAYOUT_DURATION = "duration_ms";

/** Characters that are hashed at once. */
const HASHED_CHARS = 64 * 1024;

/** Receives the next part of a text. */
export type Feed = (text: string) => void;

/** Returns the keys of an object whose values are its content. */
export function contentKeys(value: { readonly [key: string]: JsonValue }): string[] {
  const keys = Object.keys(value);
  return value["schema"] === LAYOUT_REPORT ? keys.filter((key) => key !== LAYOUT_DURATION) : keys;
}

/**
 * Passes a JSON value to `feed` with sorted keys, no white space, and numbers in plain notation. The duration in a
 * template's layout report is left out.
 */
export function feedCanonicalJson(feed: Feed, value: JsonValue): void {
  if (isJsonNumber(value)) {
    feed(canonicalDecimal(numberToken(value)));
  } else if (Array.isArray(value)) {
    feed("[");
    for (const item of value as readonly JsonValue[]) {
      feedCanonicalJson(feed, item);
      feed(",");
    }
    feed("]");
  } else if (isJsonObject(value)) {
    feed("{");
    for (const key of contentKeys(value).toSorted()) {
      feed(`${JSON.stringify(key)}:`);
      feedCanonicalJson(feed, value[key] as JsonValue);
      feed(",");
    }
    feed("}");
  } else {
    feed(JSON.stringify(value));
  }
}

/** Returns the canonical text of a JSON value. */
export function canonicalJson(value: JsonValue): string {
  let text = "";
  feedCanonicalJson((part) => {
    text += part;
  }, value);
  return text;
}

/** Returns the SHA-256 of the canonical text of a JSON value, in base64url. */
export function canonicalDigest(value: JsonValue): string {
  const hash = createHash("sha256");
  let pending = "";
  feedCanonicalJson((part) => {
    pending += part;
    if (pending.length > HASHED_CHARS) {
      hash.update(pending);
      pending = "";
    }
  }, value);
  return hash.update(pending).digest("base64url");
}
