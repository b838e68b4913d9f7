import { unreadableImage } from "../../image-errors.ts";

/** A colour of a frame, and where its samples lie. */
export interface JpegComponent {
  readonly id: number;
  /** Samples of it beside and below each other in a minimum coded unit. */
  readonly h: number;
  readonly v: number;
  readonly quantaId: number;
  /** Samples that belong to the picture. */
  readonly width: number;
  readonly height: number;
  /** Blocks that are stored: whole units. */
  readonly blocksWide: number;
}

export interface JpegFrame {
  readonly isProgressive: boolean;
  readonly width: number;
  readonly height: number;
  readonly hMax: number;
  readonly vMax: number;
  /** Minimum coded units beside and below each other. */
  readonly unitsWide: number;
  readonly unitsHigh: number;
  readonly components: readonly JpegComponent[];
}

const PROGRESSIVE = 0xc2;

/** The frame of a SOF segment. The header reader has checked its kind, size and number of colours. */
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
    throw damagedJpeg("its frame header has factors that there are not");
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

/** A JPEG that cannot be decoded to its end. `what` names the fault. */
export function damagedJpeg(what: string): Error {
  return unreadableImage(
    `is damaged, or of a kind of JPEG that is not read: ${what}. Save it again, or as PNG.`,
  );
}
