import { constants, deflateRawSync } from "node:zlib";

/** How a stripe of filtered rows is deflated; `level` and `strategy` as zlib has them. */
export interface DeflateWay {
  readonly level: number;
  readonly strategy: number;
}

/** Bytes that are deflated in each way to choose one: the reach of deflate's matches. */
const SAMPLE_BYTES = 32 * 1024;

const WITH_MATCHES: DeflateWay = { level: 4, strategy: constants.Z_FILTERED };

/**
 * The fastest first. The short matches that zlib finds in the grain of a photograph take as many bytes as they save, and most of the
 * time.
 */
const WITHOUT_MATCHES: readonly DeflateWay[] = [
  { level: 4, strategy: constants.Z_HUFFMAN_ONLY },
  { level: 4, strategy: constants.Z_RLE },
];

/**
 * Rows that shrink to less than this share are those of a drawing: they are deflated fast anyway, and what is below the sample may need
 * matches.
 */
const DRAWING = 1 / 8;

/** A slower way has to save more than this share of the bytes. */
const WORTH = 0.005;

/** The way that makes the middle of this stripe of filtered rows smallest, by half a percent or the fastest. */
export function chooseDeflate(stripe: Uint8Array): DeflateWay {
  const from = Math.max(0, (stripe.length - SAMPLE_BYTES) >>> 1);
  const sample = stripe.subarray(from, from + SAMPLE_BYTES);
  const withMatches = deflateRawSync(sample, WITH_MATCHES).length;
  if (withMatches < sample.length * DRAWING) {
    return WITH_MATCHES;
  }
  const [huffman, runs] = WITHOUT_MATCHES.map((way) => ({
    way,
    bytes: deflateRawSync(sample, way).length,
  })) as [Tried, Tried];
  const faster = runs.bytes < huffman.bytes * (1 - WORTH) ? runs : huffman;
  return withMatches < faster.bytes * (1 - WORTH) ? WITH_MATCHES : faster.way;
}

interface Tried {
  readonly way: DeflateWay;
  readonly bytes: number;
}
