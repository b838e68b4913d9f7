import { MP3_HEAD_BYTES, type Mp3Frame } from "../../../lib/mp3-frame.ts";
import { textAt, viewOf } from "../byte-window.ts";

/** The note of an encoder in the first frame of an MP3, which has no sound of its own. */
export interface XingHeader {
  /** Frames with sound; null if the note does not count them. */
  readonly frames: number | null;
  /** Bytes of all frames, this one included. */
  readonly bytes: number | null;
  /** Samples that the encoder added before and after the sound; null without LAME's part. */
  readonly added: { readonly delay: number; readonly padding: number } | null;
}

/** Encoders that write the delay where LAME does. */
const LAME_LIKE = new Set(["LAME", "Lavc", "Lavf", "GOGO", "L3.9"]);
const VBRI_AT = MP3_HEAD_BYTES + 32;

/** `bytes` begin with the first frame. Undefined if it has sound. */
export function readXingHeader(bytes: Uint8Array, frame: Mp3Frame): XingHeader | undefined {
  const view = viewOf(bytes);
  if (bytes.byteLength >= VBRI_AT + 18 && textAt(bytes, VBRI_AT) === "VBRI") {
    return {
      frames: view.getUint32(VBRI_AT + 14),
      bytes: view.getUint32(VBRI_AT + 10),
      added: null,
    };
  }
  const sideBytes = frame.isVersion1
    ? frame.channels === 1
      ? 17
      : 32
    : frame.channels === 1
      ? 9
      : 17;
  const at = MP3_HEAD_BYTES + sideBytes;
  const name = textAt(bytes, at);
  if ((name !== "Xing" && name !== "Info") || bytes.byteLength < at + 8) {
    return undefined;
  }
  const flags = view.getUint32(at + 4);
  let next = at + 8;
  const field = (bit: number, length: number) => {
    const start = (flags & bit) === 0 ? -1 : next;
    next += start < 0 ? 0 : length;
    return start >= 0 && start + 4 <= bytes.byteLength ? view.getUint32(start) : null;
  };
  const frames = field(0b1, 4);
  const size = field(0b10, 4);
  // A table of contents and a quality; LAME's part follows.
  field(0b100, 100);
  field(0b1000, 4);
  const hasDelay = bytes.byteLength >= next + 24 && LAME_LIKE.has(textAt(bytes, next));
  const delays = hasDelay ? (view.getUint16(next + 21) << 8) | view.getUint8(next + 23) : 0;
  return {
    frames,
    bytes: size,
    added: hasDelay ? { delay: delays >>> 12, padding: delays & 0xfff } : null,
  };
}
