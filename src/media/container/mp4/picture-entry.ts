import { viewOf } from "../byte-window.ts";
import type { PictureTrack } from "../media-track.ts";
import type { SampleEntry } from "./sample-entry.ts";

export interface PictureEntry {
  readonly codec: string | null;
  readonly codecId: string;
  readonly config: Uint8Array;
  readonly picture: PictureTrack;
}

/** Codec and box of its configuration, by the letters of an entry. */
const CODECS: Readonly<Record<string, readonly [codec: string, box: string]>> = {
  avc1: ["h264", "avcC"],
  avc3: ["h264", "avcC"],
  hvc1: ["hevc", "hvcC"],
  hev1: ["hevc", "hvcC"],
  vp08: ["vp8", "vpcC"],
  vp09: ["vp9", "vpcC"],
  av01: ["av1", "av1C"],
};
const FIXED_POINT = 65_536;
const MATRIX_BYTES = 36;

/** `matrix`: the transformation in the track's header, 36 bytes. */
export function readPictureEntry(entry: SampleEntry, matrix: Uint8Array): PictureEntry {
  const view = viewOf(entry.bytes);
  const [codec, box] = CODECS[entry.type] ?? [null, ""];
  const aspect = entry.boxes.get("pasp");
  const isStated = aspect !== undefined && aspect.byteLength >= 8;
  const horizontal = isStated ? viewOf(aspect).getUint32(0) : 1;
  const vertical = isStated ? viewOf(aspect).getUint32(4) : 1;
  const hasSize = entry.bytes.byteLength >= 36;
  return {
    codec,
    codecId: entry.type,
    config: entry.boxes.get(box) ?? new Uint8Array(0),
    picture: {
      width: hasSize ? view.getUint16(32) : 0,
      height: hasSize ? view.getUint16(34) : 0,
      rotation: rotationOf(matrix),
      pixelAspect: horizontal === 0 || vertical === 0 ? [1, 1] : [horizontal, vertical],
      matrix,
      sampleEntry: entry.bytes,
    },
  };
}

/** The quarter turns that a transformation has; others count as none. */
function rotationOf(matrix: Uint8Array): PictureTrack["rotation"] {
  if (matrix.byteLength < MATRIX_BYTES) {
    return 0;
  }
  const view = viewOf(matrix);
  const [a, b, c, d] = [0, 4, 12, 16].map((at) => view.getInt32(at) / FIXED_POINT);
  if (a === 0 && b === 1 && c === -1 && d === 0) {
    return 90;
  }
  if (a === -1 && b === 0 && c === 0 && d === -1) {
    return 180;
  }
  return a === 0 && b === -1 && c === 1 && d === 0 ? 270 : 0;
}
