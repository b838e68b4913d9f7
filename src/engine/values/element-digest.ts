import { createHash } from "node:crypto";
import { canonicalDecimal } from "../../lib/canonical-decimal.ts";
import { isJsonNumber, isJsonObject, type JsonValue, numberToken } from "../../lib/exact-json.ts";
import { FileRef } from "../../lib/file-ref.ts";
import type { RunValue } from "../../nodes/define-ports.ts";

/** 144 bits: two different contents of one workspace do not meet. */
export const DIGEST_CHARS = 24;

const PENDING_CHARS_MAX = 64 * 1024;

/**
 * [E28] One text for what an element reads or gives, by port in this order: the same for the same
 * content, however it is spelled, named or addressed. Keys of JSON are sorted, numbers count by their
 * value, a file by the SHA-256 of its bytes and its media type.
 */
export function elementDigest(
  ports: Iterable<readonly [port: string, value: RunValue | readonly RunValue[]]>,
  isList: (port: string) => boolean = () => false,
): string {
  const hash = createHash("sha256");
  // A value of 16 MiB has no text of its own, and a call of the hash costs more than a short text.
  let pending = "";
  const feed = (text: string) => {
    pending += text;
    if (pending.length > PENDING_CHARS_MAX) {
      hash.update(pending);
      pending = "";
    }
  };
  for (const [port, value] of ports) {
    feed(`${JSON.stringify(port)}=`);
    if (isList(port)) {
      for (const item of value as readonly RunValue[]) {
        feed("+");
        feedValue(feed, item);
      }
    } else {
      feedValue(feed, value as RunValue);
    }
    feed(";");
  }
  return hash.update(pending).digest("base64url").slice(0, DIGEST_CHARS);
}

type Feed = (text: string) => void;

function feedValue(feed: Feed, value: RunValue): void {
  if (value instanceof FileRef) {
    feed(`f${JSON.stringify([fileContent(value), value.contentType])}`);
  } else {
    feedJson(feed, value);
  }
}

/** Of a file whose bytes nobody has hashed what the store knows of them, else what no other file has. */
function fileContent({ sha256, etag, sizeBytes, key }: FileRef): string {
  return sha256 ?? (etag === undefined ? `key ${key}` : `etag ${etag} ${sizeBytes}`);
}

/** JSON with sorted keys, no white space, and numbers in plain notation. */
function feedJson(feed: Feed, value: JsonValue): void {
  if (isJsonNumber(value)) {
    feed(canonicalDecimal(numberToken(value)));
  } else if (Array.isArray(value)) {
    feed("[");
    for (const item of value as readonly JsonValue[]) {
      feedJson(feed, item);
      feed(",");
    }
    feed("]");
  } else if (isJsonObject(value)) {
    feed("{");
    for (const key of Object.keys(value).toSorted()) {
      feed(`${JSON.stringify(key)}:`);
      feedJson(feed, value[key] as JsonValue);
      feed(",");
    }
    feed("}");
  } else {
    feed(JSON.stringify(value));
  }
}
