import { endOfJsonString } from "./json-text-depth.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** What V8 takes, measured: an object or array by itself, a member with its share of a shape, the rest. */
const CONTAINER_BYTES = 64;
const MEMBER_BYTES = 48;
const ITEM_BYTES = 24;
const STRING_BYTES = 24;

/**
 * How many bytes the value of a JSON text takes once it is parsed, about twice what it takes at
 * rest, so that a copy which a schema makes of it has room too. One pass, and nothing is built: a text of
 * empty arrays takes fourteen times its length as a value, and one of words less than twice.
 */
export function jsonMemory(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        bytes += CONTAINER_BYTES;
        break;
      case COLON:
        bytes += MEMBER_BYTES;
        break;
      case COMMA:
        bytes += ITEM_BYTES;
        break;
      case QUOTE:
        bytes += STRING_BYTES;
        at = endOfJsonString(text, at);
        break;
      default:
    }
  }
  return bytes;
}
