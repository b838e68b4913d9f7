import { unreadableImage } from "../../../../src/images/image-errors.ts";

/** A color component of a frame, and the position of its samples. */
export interface JpegComponent {
  readonly id: number;
  /** Its number of samples horizontally and vertically in a minimum coded unit. */
  readonly h: number;
  readonly v: number;
  readonly quantaId: number;
  /** Number of samples within the picture. */
  readonly width: number;
  readonly height: number;
  /** Number of stored blocks: complete units. */
  readonly blocksWide: number;
}

export interface JpegFrame {
  readonly isProgressive: boolean;
  readonly width: number;
  readonly height: number;
  readonly hMax: number;
  readonly vMax: number;
  /** Number of minimum coded units horizontally and vertically. */
  readonly unitsWide: number;
  readonly unitsHigh: number;
  readonly components: readonly JpegComponent[];
}

const PROGRESSIVE = 0xc2;

/**
 * The frame of a SOF segment. The header reader has checked its kind, size and number of colors.
 */
export function readJpegFrame(marker: number, body: Uint8Array): JpegFrame {
  const height = word(body, 1);
  const width = word(body, 3);
  const given = Array.from({ length: body[5] ?? 0 }, (_, i) => {
    const at = 6 + i * 3;
    const sampling = body[at + 1] ?? 0;
    return {
      id: body[at] ?? 0,
      h: sampling >> 4,
      v: sampling & 15,
      quantaId: body[at + 2] ?? 0,
    };
  });
  if (given.some(({ h, v, quantaId }) => h < 1 || h > 4 || v < 1 || v > 4 || quantaId > 3)) {
    throw damagedJpeg("its frame header has invalid sampling factors");
  }
  const hMax = Math.max(...given.map(({ h }) => h));
  const vMax = Math.max(...given.map(({ v }) => v));
  const unitsWide = Math.ceil(width / (8 * hMax));
  const unitsHigh = Math.ceil(height / (8 * vMax));
  return {
    isProgressive: marker === PROGRESSIVE,
    width,
    height,
    hMax,
    vMax,
    unitsWide,
    unitsHigh,
    components: given.map((component) => ({
      ...component,
      width: Math.ceil((width * component.h) / hMax),
      height: Math.ceil((height * component.v) / vMax),
      blocksWide: unitsWide * component.h,
    })),
  };
}

export function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/** A JPEG that cannot be decoded completely. `what` states the fault. */
export function damagedJpeg(what: string): Error {
  return unreadableImage(
    `is damaged, or of an unsupported kind of JPEG: ${what}. Save it again, or as PNG.`,
  );
}
