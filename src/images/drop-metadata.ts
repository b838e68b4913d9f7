/**
 * Pictures without what their file says besides the pixels: EXIF, XMP, IPTC, comments and texts. Colors stay as they
 * are: a color profile, and the marker that says how a JPEG's colors are stored, are kept.
 */
import { unreadableImage } from "./image-errors.ts";

const PNG_SIGNATURE_BYTES = 8;
/** Chunks of a PNG that change its pixels or their colors; all others are dropped. */
const PNG_KEPT: ReadonlySet<string> = new Set([
  "IHDR",
  "PLTE",
  "tRNS",
  "IDAT",
  "IEND",
  "gAMA",
  "cHRM",
  "sRGB",
  "iCCP",
  "cICP",
  "sBIT",
]);

/** Returns the pieces of a complete PNG that are kept. Throws NodeError `IMAGE_UNREADABLE`. */
export function dropPngMetadata(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes);
  const kept = [bytes.subarray(0, PNG_SIGNATURE_BYTES)];
  let at = PNG_SIGNATURE_BYTES;
  while (at < bytes.length) {
    if (at + 12 > bytes.length) {
      throw cutOff();
    }
    const end = at + 12 + view.getUint32(at);
    if (end > bytes.length) {
      throw cutOff();
    }
    const name = nameAt(bytes, at + 4);
    if (PNG_KEPT.has(name)) {
      kept.push(bytes.subarray(at, end));
    }
    if (name === "IEND") {
      return joined(kept);
    }
    at = end;
  }
  throw cutOff();
}

const MARKER = 0xff;
const SOI_BYTES = 2;
const SOS = 0xda;
const EOI = 0xd9;
const COMMENT = 0xfe;
const FIRST_APP = 0xe0;
const LAST_APP = 0xef;
/** JFIF, the color profile, and Adobe's marker, which says how the colors are stored. */
const JPEG_KEPT_APPS: ReadonlySet<number> = new Set([0xe0, 0xe2, 0xee]);
const PROFILE = [...Buffer.from("ICC_PROFILE\0")];

/** Returns a complete JPEG without its metadata, and without what follows its end. Throws NodeError `IMAGE_UNREADABLE`. */
export function dropJpegMetadata(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes);
  const kept = [bytes.subarray(0, SOI_BYTES)];
  let at = SOI_BYTES;
  while (at + 4 <= bytes.length || (at + 2 <= bytes.length && bytes[at + 1] === EOI)) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== MARKER) {
      throw cutOff();
    }
    if (marker === MARKER) {
      at += 1;
      continue;
    }
    if (marker === EOI) {
      kept.push(bytes.subarray(at, at + 2));
      return joined(kept);
    }
    let end = at + 2 + view.getUint16(at + 2);
    if (marker === SOS) {
      end = endOfScan(bytes, end);
    }
    if (end > bytes.length) {
      throw cutOff();
    }
    if (!isJpegMetadata(bytes, at, marker)) {
      kept.push(bytes.subarray(at, end));
    }
    at = end;
  }
  throw cutOff();
}

function isJpegMetadata(bytes: Uint8Array, at: number, marker: number): boolean {
  if (marker === COMMENT) {
    return true;
  }
  if (marker < FIRST_APP || marker > LAST_APP) {
    return false;
  }
  const isProfile = PROFILE.every((byte, index) => bytes[at + 4 + index] === byte);
  // The second segment also holds other pictures of a camera and their descriptions.
  return !JPEG_KEPT_APPS.has(marker) || (marker === 0xe2 && !isProfile);
}

/** Where the compressed data of a scan ends: at the next marker that is neither a stuffed byte nor a restart. */
function endOfScan(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at + 1 < bytes.length) {
    const found = bytes.indexOf(MARKER, at);
    if (found === -1 || found + 1 >= bytes.length) {
      break;
    }
    const next = bytes[found + 1] ?? 0;
    if (next !== 0 && next !== MARKER && !(next >= 0xd0 && next <= 0xd7)) {
      return found;
    }
    at = next === MARKER ? found + 1 : found + 2;
  }
  throw cutOff();
}

const RIFF_BYTES = 12;
/** Chunks of a WebP that hold its pixels or its colors; all others are dropped. */
const WEBP_KEPT: ReadonlySet<string> = new Set([
  "VP8X",
  "ICCP",
  "ANIM",
  "ANMF",
  "ALPH",
  "VP8 ",
  "VP8L",
]);
/** Bits of the extended header that say that the file has EXIF and XMP. */
const EXIF_AND_XMP_BITS = 0b0000_1100;

/** Returns a complete WebP without its metadata. Throws NodeError `IMAGE_UNREADABLE`. */
export function dropWebpMetadata(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes);
  const end = Math.min(bytes.length, 8 + view.getUint32(4, true));
  const kept: Uint8Array[] = [];
  let at = RIFF_BYTES;
  while (at + 8 <= end) {
    const size = view.getUint32(at + 4, true);
    const next = at + 8 + size + (size % 2);
    if (at + 8 + size > bytes.length) {
      throw cutOff();
    }
    const name = nameAt(bytes, at);
    if (WEBP_KEPT.has(name)) {
      const chunk = bytes.slice(at, Math.min(next, bytes.length));
      if (name === "VP8X") {
        chunk[8] = (chunk[8] ?? 0) & ~EXIF_AND_XMP_BITS;
      }
      kept.push(chunk);
    }
    at = next;
  }
  const header = bytes.slice(0, RIFF_BYTES);
  const size = kept.reduce((sum, chunk) => sum + chunk.length, RIFF_BYTES - 8);
  viewOf(header).setUint32(4, size, true);
  return joined([header, ...kept]);
}

function nameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function cutOff() {
  return unreadableImage("is cut short. Export it again.");
}
