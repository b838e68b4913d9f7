import { endOfJsonString } from "./json-text-depth.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Measured memory of values in V8: an object or array by itself, a member with its share of the
 * shape, everything else.
 */
export const CONTAINER_BYTES = 64;
export const MEMBER_BYTES = 48;
export const ITEM_BYTES = 24;
export const STRING_BYTES = 24;

/**
 * Estimated bytes of the parsed value of a JSON text: about twice its size at rest, so that a copy
 * made by a schema also fits. One pass without building anything. A text of empty arrays needs
 * fourteen times its length, one of words less than twice.
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
