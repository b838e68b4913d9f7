import { unreadableImage } from "../image-errors.ts";

/** The first frame of a GIF, not decompressed. */
export interface GifFrame {
  /** Size of the whole picture. */
  readonly width: number;
  readonly height: number;
  /** Position of the frame in the picture. */
  readonly left: number;
  readonly top: number;
  readonly frameWidth: number;
  readonly frameHeight: number;
  readonly isInterlaced: boolean;
  /** RGB, 3 bytes for each color. */
  readonly palette: Uint8Array;
  readonly transparentIndex: number | undefined;
  /** Bits of the smallest LZW code. */
  readonly codeBits: number;
  /** The LZW data, with its blocks joined. */
  readonly data: Uint8Array;
}

const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const IMAGE = 0x2c;

/** The first frame of a GIF, up to its last block. Throws NodeError `IMAGE_UNREADABLE`. */
export function readGifFrame(bytes: Uint8Array): GifFrame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  need(bytes, 13);
  const width = view.getUint16(6, true);
  const height = view.getUint16(8, true);
  if (width === 0 || height === 0) {
    throw unreadableImage(`is a GIF of ${width} × ${height} px. Save it as GIF again.`);
  }
  const global = readPalette(bytes, 13, bytes[10] ?? 0);
  const { at, transparentIndex } = findFrame(bytes, global.end);
  need(bytes, at + 10);
  const place = {
    left: view.getUint16(at + 1, true),
    top: view.getUint16(at + 3, true),
    frameWidth: view.getUint16(at + 5, true),
    frameHeight: view.getUint16(at + 7, true),
  };
  const { left, top, frameWidth, frameHeight } = place;
  const isEmpty = frameWidth === 0 || frameHeight === 0;
  if (isEmpty || left + frameWidth > width || top + frameHeight > height) {
    throw unreadableImage(
      `is a GIF of ${width} × ${height} px whose first frame of ${frameWidth} × ${frameHeight} px at (${left}, ${top}) is not inside of it. Save it again.`,
    );
  }
  const flags = bytes[at + 9] ?? 0;
  const local = readPalette(bytes, at + 10, flags);
  const palette = local.palette ?? global.palette;
  if (palette === undefined) {
    throw unreadableImage("is a GIF without colors (no palette). Save it as GIF again.");
  }
  need(bytes, local.end + 1);
  const codeBits = bytes[local.end] ?? 0;
  if (codeBits < 1 || codeBits > 8) {
    throw unreadableImage(
      `is a GIF whose smallest code has ${codeBits} bits; 1 to 8 are allowed. Save it again.`,
    );
  }
  return {
    width,
    height,
    ...place,
    isInterlaced: (flags & 0x40) !== 0,
    palette,
    transparentIndex,
    codeBits,
    data: joined(bytes, local.end + 1),
  };
}

/** Offset of the first frame, and the settings in the extensions before it. */
function findFrame(
  bytes: Uint8Array,
  from: number,
): { at: number; transparentIndex: number | undefined } {
  let transparentIndex: number | undefined;
  for (let at = from; ;) {
    need(bytes, at + 2);
    if (bytes[at] === IMAGE) {
      return { at, transparentIndex };
    }
    if (bytes[at] !== EXTENSION) {
      throw unreadableImage(
        `is a GIF with an unknown block at byte ${at}, before any frame. Save it as GIF again.`,
      );
    }
    const { end } = blockEnds(bytes, at + 2);
    if (bytes[at + 1] === GRAPHIC_CONTROL && bytes[at + 2] === 4) {
      transparentIndex = ((bytes[at + 3] ?? 0) & 1) === 1 ? bytes[at + 6] : undefined;
    }
    at = end;
  }
}

function need(bytes: Uint8Array, length: number): void {
  if (bytes.length < length) {
    throw unreadableImage("is cut short: the GIF ends before its first frame does. Send it whole.");
  }
}

function readPalette(
  bytes: Uint8Array,
  at: number,
  flags: number,
): { palette: Uint8Array | undefined; end: number } {
  if ((flags & 0x80) === 0) {
    return { palette: undefined, end: at };
  }
  const end = at + 3 * 2 ** ((flags & 7) + 1);
  need(bytes, end);
  return { palette: bytes.subarray(at, end), end };
}

/** Data of the sub-blocks from `at` on, and the offset after the block that ends them. */
function blockEnds(bytes: Uint8Array, at: number): { length: number; end: number } {
  let length = 0;
  for (;;) {
    need(bytes, at + 1);
    const size = bytes[at] ?? 0;
    at += 1 + size;
    if (size === 0) {
      return { length, end: at };
    }
    length += size;
  }
}

function joined(bytes: Uint8Array, start: number): Uint8Array {
  const { length } = blockEnds(bytes, start);
  const data = new Uint8Array(length);
  for (let at = start, to = 0; to < length;) {
    const size = bytes[at] ?? 0;
    data.set(bytes.subarray(at + 1, at + 1 + size), to);
    at += 1 + size;
    to += size;
  }
  return data;
}
