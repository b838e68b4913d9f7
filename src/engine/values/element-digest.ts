import { FileRef } from "../../lib/files/file-ref.ts";
import type { ListPlaces, RunValue } from "../../nodes/define-ports.ts";
import { type Feed, feedCanonicalJson } from "./canonical-json.ts";
import { DigestedText } from "./digested-text.ts";

/** 144 bits: collisions within a workspace are practically impossible. */
export const DIGEST_CHARS = 24;

/**
 * [E28] A canonical text of an element's inputs or outputs, by port in this order: identical for identical content,
 * however it is spelled, named or addressed. JSON keys are sorted, numbers are compared by value, and a file is
 * represented by the SHA-256 of its bytes and its media type. Of a list that lacks values it includes their places.
 */
export function elementDigest(
  ports: Iterable<readonly [port: string, value: RunValue | readonly RunValue[]]>,
  isList: (port: string) => boolean = () => false,
  places?: ListPlaces,
): string {
  const text = new DigestedText();
  const feed = (part: string) => {
    text.add(part);
  };
  for (const [port, value] of ports) {
    feed(`${JSON.stringify(port)}=`);
    if (isList(port)) {
      const at = places?.get(port);
      if (at !== undefined) {
        feed(`@${JSON.stringify(at)}`);
      }
      for (const item of value as readonly RunValue[]) {
        feed("+");
        feedValue(feed, item);
      }
    } else {
      feedValue(feed, value as RunValue);
    }
    feed(";");
  }
  return text.digest().slice(0, DIGEST_CHARS);
}

function feedValue(feed: Feed, value: RunValue): void {
  if (value instanceof FileRef) {
    feed(`f${JSON.stringify([fileContent(value), value.contentType])}`);
  } else {
    feedCanonicalJson(feed, value);
  }
}

/** For a file without a hash, uses the store's metadata, else a unique text. */
export function fileContent({ sha256, etag, sizeBytes, key }: FileRef): string {
  return sha256 ?? (etag === undefined ? `key ${key}` : `etag ${etag} ${sizeBytes}`);
}
