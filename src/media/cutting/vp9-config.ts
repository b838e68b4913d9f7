import { unreadableMedia } from "../container/media-error.ts";

/** Luma samples of the largest picture of each level (VP9 levels, annex A). */
const LEVELS: readonly (readonly [samples: number, level: number])[] = [
  [36_864, 10],
  [73_728, 11],
  [122_880, 20],
  [245_760, 21],
  [552_960, 30],
  [983_040, 31],
  [2_228_224, 40],
  [8_912_896, 50],
];
const LARGEST_LEVEL = 60;
const SYNC_CODE = 0x49_83_42;
const RGB = 7;
/** Code points of ITU-T H.273 by the color spaces of VP9. */
const MATRICES = [2, 6, 1, 6, 7, 9, 2, 0];
const UNSPECIFIED = 2;
const COLOCATED_420 = 1;
const CHROMA_422 = 2;
const CHROMA_444 = 3;

/**
 * Content of the box `vpcC` by the first bytes of a key packet (VP9 bitstream, 6.2; VP codec ISO media file format), which a WebM need not have.
 * Throws NodeError `MEDIA_UNREADABLE` for a packet that is not a key picture of VP9.
 */
export function vp9Config(
  packet: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
): Uint8Array {
  let at = 0;
  const bits = (count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i++, at++) {
      value = value * 2 + (((packet[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    }
    return value;
  };
  const marker = bits(2);
  const profile = bits(1) + 2 * bits(1);
  const isReserved = profile === 3 && bits(1) === 1;
  const [isRepeated, isInter] = [bits(1), bits(1)];
  bits(2);
  if (marker !== 2 || isReserved || isRepeated === 1 || isInter === 1 || bits(24) !== SYNC_CODE) {
    throw unreadableMedia("has a key packet that is not a picture of VP9. Export it again.");
  }
  const depth = profile < 2 ? 8 : bits(1) === 1 ? 12 : 10;
  const space = bits(3);
  const isFullRange = space === RGB ? 1 : bits(1);
  const isSubsampled = profile === 0 || profile === 2;
  const chroma = isSubsampled ? COLOCATED_420 : chromaOf(space, bits);
  const level = LEVELS.find(([samples]) => width * height <= samples)?.[1] ?? LARGEST_LEVEL;
  const matrix = MATRICES[space] ?? UNSPECIFIED;
  return Uint8Array.of(
    1,
    0,
    0,
    0,
    profile,
    level,
    (depth << 4) | (chroma << 1) | isFullRange,
    UNSPECIFIED,
    UNSPECIFIED,
    matrix,
    0,
    0,
  );
}

function chromaOf(space: number, bits: (count: number) => number): number {
  if (space === RGB) {
    return CHROMA_444;
  }
  const [x, y] = [bits(1), bits(1)];
  return x === 0 ? CHROMA_444 : y === 0 ? CHROMA_422 : COLOCATED_420;
}
