import { unreadableMedia } from "../media-error.ts";

/** A box `esds`: how MPEG-4 names a codec (ISO/IEC 14496-1, section 7.2.6). */
export interface ElementaryStream {
  readonly objectType: number;
  /** DecoderSpecificInfo; an AudioSpecificConfig for AAC. */
  readonly config: Uint8Array;
}

const ES = 3;
const DECODER_CONFIG = 4;
const DECODER_INFO = 5;
const DEPTH_MAX = 8;

/** `content`: of the box, with version and flags. Throws NodeError `MEDIA_UNREADABLE`. */
export function readElementaryStream(content: Uint8Array): ElementaryStream {
  let bytes: Uint8Array = content.subarray(4);
  let objectType: number | undefined;
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    const { tag, body } = descriptorAt(bytes);
    if (tag === ES) {
      const flags = body[2] ?? 0;
      const url = (flags & 0x40) === 0 ? 0 : 1 + (body[3] ?? 0);
      bytes = body.subarray(
        3 + ((flags & 0x80) === 0 ? 0 : 2) + url + ((flags & 0x20) === 0 ? 0 : 2),
      );
    } else if (tag === DECODER_CONFIG) {
      objectType = body[0] ?? 0;
      bytes = body.subarray(13);
      if (bytes.byteLength === 0) {
        return { objectType, config: bytes };
      }
    } else if (tag === DECODER_INFO && objectType !== undefined) {
      return { objectType, config: body.slice() };
    } else if (objectType !== undefined) {
      return { objectType, config: new Uint8Array(0) };
    } else {
      break;
    }
  }
  throw unreadableMedia('has a damaged box "esds". Export it again.');
}

/** A tag, a length of up to four times 7 bits, and as many bytes. */
function descriptorAt(bytes: Uint8Array): { readonly tag: number; readonly body: Uint8Array } {
  let length = 0;
  let at = 1;
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at++] ?? 0;
    length = length * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      break;
    }
  }
  if (bytes.byteLength < at || at + length > bytes.byteLength) {
    throw unreadableMedia('has a damaged box "esds". Export it again.');
  }
  return { tag: bytes[0] ?? 0, body: bytes.subarray(at, at + length) };
}
