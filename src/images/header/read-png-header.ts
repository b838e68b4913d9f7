import { unreadableImage } from "../image-errors.ts";
import { colorBytes } from "../color/convert-colors.ts";
import type { EmbeddedProfile, ImageHeader } from "./image-header.ts";
import { PNG_SIGNATURE } from "../png/read/png-layout.ts";

const ICCP = 0x69_43_43_50;
const IDAT = 0x49_44_41_54;
const TRNS = 0x74_52_4e_53;
const IEND = 0x49_45_4e_44;
const SIGNATURE_BYTES = 8;
const MB = 1024 * 1024;
/** Maximum output of one step of decompression, and a stripe. */
const STEP_BYTES = 5 * MB;

/**
 * The header of a PNG whose chunks are complete, to the last one. The codec verifies checksums.
 * Throws NodeError `IMAGE_UNREADABLE`.
 */
export function readPngHeader(bytes: Uint8Array): ImageHeader {
  const size = readPngSize(bytes);
  if (size === undefined) {
    throw unreadableImage(
      "does not have a complete PNG header with a width and a height. Save it as PNG again.",
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hasPixels = false;
  let profile: EmbeddedProfile | undefined;
  // Color types 4 and 6 have alpha; others may declare one color as transparent.
  let hasAlpha = ((bytes[25] ?? 0) & 4) !== 0;
  for (let at = SIGNATURE_BYTES; ;) {
    // Length, name and checksum of a chunk are 12 bytes.
    const length = at + 12 <= bytes.length ? view.getUint32(at) : Infinity;
    if (at + 12 + length > bytes.length) {
      throw unreadableImage(
        `is cut short: the PNG chunk at byte ${at} extends past the end of the file. Send the complete file.`,
      );
    }
    const name = view.getUint32(at + 4);
    hasPixels ||= name === IDAT;
    if (name === ICCP && !hasPixels) {
      profile ??= profileIn(bytes.subarray(at + 8, at + 8 + length));
    }
    hasAlpha ||= name === TRNS;
    if (name === IEND) {
      break;
    }
    at += 12 + length;
  }
  if (!hasPixels) {
    throw unreadableImage("is a PNG without pixels (no IDAT chunk). Save it as PNG again.");
  }
  const isInterlaced = bytes[28] === 1;
  const colors = colorBytes(profile);
  return {
    format: "png",
    kind: isInterlaced ? "an interlaced PNG" : "a PNG",
    ...size,
    hasAlpha,
    turns: [],
    // Of the color types, 0 and 4 are gray.
    colors: profile && {
      channels: ((bytes[25] ?? 0) & 3) === 0 ? 1 : 3,
      isInverted: false,
      profile,
    },
    decodingBytes: (w, h) => {
      // The profile is read before the pixels.
      const step = Math.max(STEP_BYTES, colors.first);
      return { kept: step + colors.kept + (isInterlaced ? 4 * w * h : 0), fading: 0 };
    },
  };
}

/** The compressed profile in an iCCP chunk: after its name, a zero and the number of the method, 0. */
function profileIn(body: Uint8Array): EmbeddedProfile | undefined {
  const end = body.indexOf(0);
  return end === -1 || body[end + 1] !== 0
    ? undefined
    : { pieces: [body.subarray(end + 2)], isDeflated: true };
}

/** Width and height from the header, without decoding; undefined if the bytes are not a PNG. */
export function readPngSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  if (bytes.length < 33 || PNG_SIGNATURE.some((byte, i) => bytes[i] !== byte)) {
    return undefined;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The first chunk must be IHDR: 13 bytes of data, then its name.
  if (view.getUint32(8) !== 13 || view.getUint32(12) !== 0x49_48_44_52) {
    return undefined;
  }
  const width = view.getUint32(16);
  const height = view.getUint32(20);
  return width === 0 || height === 0 ? undefined : { width, height };
}
