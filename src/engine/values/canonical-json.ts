import { canonicalDecimal } from "../../lib/json/canonical-decimal.ts";
import {
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  numberToken,
} from "../../lib/json/exact-json.ts";
import { DigestedText } from "./digested-text.ts";

/** A template's report states how long the layout took, which is not its content. */
const LAYOUT_REPORT = "svc.template-layout-report/v1";
const LAYOUT_DURATION = "duration_ms";

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
  return canonicalText(value).digest();
}

/**
 * Returns a key of a JSON value: equal for equal contents, and different for others. A canonical text of at most 64 characters
 * behind `=`, or else its digest.
 */
export function canonicalKey(value: JsonValue): string {
  return canonicalText(value).key();
}

function canonicalText(value: JsonValue): DigestedText {
  const text = new DigestedText();
  feedCanonicalJson((part) => {
    text.add(part);
  }, value);
  return text;
}
