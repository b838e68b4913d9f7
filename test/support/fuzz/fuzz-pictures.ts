/** Seeded damage to real picture files, and the invariants of a decoder's result. */
import { CONVERSION_BYTES_MAX, conversionBytes } from "../../../src/images/conversion-bytes.ts";
import { readImageHeader } from "../../../src/images/header/read-image-header.ts";
import type { Raster } from "../../../src/images/raster/raster.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { AVIF, GIF, JPEG, PNG, WEBP, WEBP_CLEAR, WEBP_LOSSLESS } from "../images/hostile-files.ts";
import {
  gifFile,
  orientedJpeg,
  progressiveJpegFile,
  samplePicture,
} from "../images/sample-files.ts";

const SEEDS = [
  PNG,
  JPEG,
  orientedJpeg(JPEG, 6),
  progressiveJpegFile(samplePicture(40, 30)),
  WEBP,
  WEBP_LOSSLESS,
  WEBP_CLEAR,
  GIF,
  gifFile(samplePicture(9, 7), 2),
  AVIF,
];
const EXTREMES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0xffff_ffff];

export interface PictureFuzz {
  readonly executions: number;
  readonly decoded: number;
  readonly refused: number;
  /** Violations, with the number of the damage. */
  readonly faults: readonly string[];
}

/** Damages files and decodes them; the same seed gives the same files. */
export async function fuzzPictures(
  decode: (bytes: Uint8Array) => Promise<Raster>,
  executions: number,
  seed: number,
): Promise<PictureFuzz> {
  const random = randomFrom(seed);
  const faults: string[] = [];
  let [decoded, refused] = [0, 0];
  for (let i = 0; i < executions; i++) {
    const bytes = damage(random);
    try {
      const { rgba, width, height } = await decode(bytes);
      decoded++;
      const header = readImageHeader(bytes);
      const held = conversionBytes(header, header, bytes.length, "pixels");
      if (held > CONVERSION_BYTES_MAX || rgba.length !== width * height * 4) {
        faults.push(`${i}: ${width} × ${height} px in ${rgba.length} bytes`);
      }
    } catch (error) {
      refused++;
      const isRefusal =
        error instanceof NodeError &&
        ["IMAGE_UNREADABLE", "IMAGE_TOO_LARGE"].includes(error.code) &&
        !error.retryable;
      if (!isRefusal) {
        faults.push(`${i}: ${String(error)}`);
      }
    }
  }
  return { executions, decoded, refused, faults };
}

type Random = (below: number) => number;

function damage(random: Random): Uint8Array {
  let bytes = SEEDS[random(SEEDS.length)]!.slice();
  for (let times = 1 + random(4); times > 0 && bytes.length > 0; times--) {
    const at = random(bytes.length);
    const end = Math.min(bytes.length, at + 1 + random(40));
    switch (random(7)) {
      case 0:
        bytes[at] = bytes[at]! ^ (1 << random(8));
        break;
      case 1:
        bytes[at] = random(256);
        break;
      case 2:
        bytes = bytes.slice(0, at);
        break;
      case 3:
        bytes = Uint8Array.from([...bytes.subarray(0, end), ...bytes.subarray(at)]);
        break;
      case 4:
        bytes = Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(end)]);
        break;
      case 5: {
        const other = SEEDS[random(SEEDS.length)]!;
        bytes = Uint8Array.from([
          ...bytes.subarray(0, at),
          ...other.subarray(random(other.length)),
        ]);
        break;
      }
      default:
        if (at + 4 <= bytes.length) {
          // Mostly in headers, which contain sizes and lengths.
          const place = random(3) > 0 ? Math.min(at, random(64)) : at;
          new DataView(bytes.buffer).setUint32(
            place,
            EXTREMES[random(EXTREMES.length)]!,
            random(2) === 0,
          );
        }
    }
  }
  return bytes;
}

/** Numbers below a bound, the same for the same seed (mulberry32). */
function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
