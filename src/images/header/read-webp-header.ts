import { unreadableImage } from "../image-errors.ts";
import { colorBytes } from "../color/convert-colors.ts";
import type { EmbeddedProfile, ImageHeader, PictureColors } from "./image-header.ts";

const ANIMATION_FLAG = 0x02;
/** In the fifth byte of a lossless picture: some pixel is not opaque. */
const LOSSLESS_ALPHA_FLAG = 0x10;
const MB = 1024 * 1024;
/** Memory that does not depend on the pixels, and rows. */
const OWN_BYTES = MB;
const COLUMN_BYTES = 400;
/**
 * Bytes for each pixel in libwebp's memory besides its rows and the file, as measured: 0, 4.3, and 2.1 or, if its transparency
 * has no palette, 6.1.
 */
const PIXEL_BYTES = { lossy: 0.1, lossless: 4.5, lossyWithAlpha: 6.2 } as const;
const KINDS = {
  lossy: "a WebP",
  lossless: "a lossless WebP",
  lossyWithAlpha: "a WebP with transparency",
} as const;

interface Chunk {
  readonly name: string;
  readonly body: Uint8Array;
}

/**
 * The header of a complete still WebP. The sizes of the canvas and the coded picture must be equal.
 * Throws NodeError `IMAGE_UNREADABLE`; an animation is rejected by its flag.
 */
export function readWebpHeader(bytes: Uint8Array): ImageHeader {
  let canvas: Size | undefined;
  let hasAlpha = false;
  let profile: EmbeddedProfile | undefined;
  for (const { name, body } of chunks(bytes)) {
    if (name === "VP8X") {
      if (body.length < 10) {
        throw unreadableImage("is a WebP with a damaged header (VP8X). Save it as WebP again.");
      }
      if (((body[0] ?? 0) & ANIMATION_FLAG) !== 0) {
        throw unreadableImage(
          "is an animated WebP; only still pictures are supported. Save one frame.",
        );
      }
      canvas = { width: 1 + u24(body, 4), height: 1 + u24(body, 7) };
      continue;
    }
    hasAlpha ||= name === "ALPH";
    profile ??= profileIn(name, body);
    const size = name === "VP8 " ? lossySize(body) : name === "VP8L" ? losslessSize(body) : null;
    if (size === null) {
      continue;
    }
    if (size === undefined || size.width === 0 || size.height === 0) {
      throw unreadableImage(`is a WebP with a damaged picture (${name.trim()}). Save it again.`);
    }
    if (canvas !== undefined && (canvas.width !== size.width || canvas.height !== size.height)) {
      throw unreadableImage(
        `is a WebP that states ${canvas.width} × ${canvas.height} px but has ${size.width} × ${size.height} px. Save it again.`,
      );
    }
    const isLossless = name === "VP8L";
    const kind = isLossless ? "lossless" : hasAlpha ? "lossyWithAlpha" : "lossy";
    const colors = colorBytes(profile);
    const isClear = isLossless ? hasLosslessAlpha(body) : hasAlpha;
    return {
      format: "webp",
      kind: KINDS[kind],
      ...size,
      hasAlpha: isClear,
      turns: [],
      colors: colorsOf(profile),
      decodingBytes: (w, h, fileBytes) => {
        const kept = OWN_BYTES + fileBytes + COLUMN_BYTES * w + PIXEL_BYTES[kind] * w * h;
        return { kept: kept + colors.first + colors.kept, fading: 0 };
      },
    };
  }
  throw unreadableImage("is a WebP without a picture in it. Save it as WebP again.");
}

function hasLosslessAlpha(body: Uint8Array): boolean {
  return ((body[4] ?? 0) & LOSSLESS_ALPHA_FLAG) !== 0;
}

function colorsOf(profile: EmbeddedProfile | undefined): PictureColors | undefined {
  return profile && { channels: 3, isInverted: false, profile };
}

function profileIn(name: string, body: Uint8Array): EmbeddedProfile | undefined {
  return name === "ICCP" ? { pieces: [body], isDeflated: false } : undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Chunks in order. Throws if one of them, or the whole, is longer than the file. */
function* chunks(bytes: Uint8Array): Generator<Chunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length < 12 ? Infinity : view.getUint32(4, true) + 8;
  if (end > bytes.length) {
    throw unreadableImage(
      `is cut short: the WebP states ${end === Infinity ? "a header" : `${end} bytes`}, but only ${bytes.length} were sent. Send it whole.`,
    );
  }
  for (let at = 12; at + 8 <= end;) {
    const length = view.getUint32(at + 4, true);
    if (at + 8 + length > end) {
      throw unreadableImage(
        `is damaged: the WebP chunk at byte ${at} extends past the end of the file. Save it again.`,
      );
    }
    yield {
      name: String.fromCharCode(...bytes.subarray(at, at + 4)),
      body: bytes.subarray(at + 8, at + 8 + length),
    };
    // Chunks begin at even offsets.
    at += 8 + length + (length & 1);
  }
}

/** Size of a VP8 key frame (RFC 6386 §9.1); undefined if it is not one. */
function lossySize(body: Uint8Array): Size | undefined {
  const isKeyFrame = ((body[0] ?? 1) & 1) === 0;
  const hasStartCode = body[3] === 0x9d && body[4] === 0x01 && body[5] === 0x2a;
  if (body.length < 10 || !isKeyFrame || !hasStartCode) {
    return undefined;
  }
  // The two high bits are a scale for display.
  return { width: u16(body, 6) & 0x3fff, height: u16(body, 8) & 0x3fff };
}

/** Size of a lossless picture: 14 bits each, minus one. */
function losslessSize(body: Uint8Array): Size | undefined {
  if (body.length < 5 || body[0] !== 0x2f) {
    return undefined;
  }
  const bits = u16(body, 1) | (u16(body, 3) << 16);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

function u16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}

function u24(bytes: Uint8Array, at: number): number {
  return u16(bytes, at) | ((bytes[at + 2] ?? 0) << 16);
}
