/** The header of a frame of MPEG audio (ISO/IEC 11172-3 and 13818-3, and MPEG 2.5). */
export interface Mp3Frame {
  /** Of the whole frame. */
  readonly bytes: number;
  readonly layer: 1 | 2 | 3;
  /** For each channel. */
  readonly samples: number;
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly isVersion1: boolean;
}

/** In kbit/s, of MPEG 1 and of MPEG 2 and 2.5, by layer. */
const RATES_1 = [
  [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
] as const;
const RATES_2 = [
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;

/** Number of bytes of a frame's header. */
export const MP3_HEAD_BYTES = 4;

/**
 * Parses a frame's first four bytes, as a big-endian number. Undefined for bytes that begin no frame; frames of a free
 * bit rate, which no program writes, count as none.
 */
export function parseMp3Frame(head: number): Mp3Frame | undefined {
  const version = (head >>> 19) & 0b11;
  const layer = 4 - ((head >>> 17) & 0b11);
  const sampleRate = SAMPLE_RATES[(head >>> 10) & 0b11];
  if (head >>> 21 !== 0x7ff || version === 1 || sampleRate === undefined) {
    return undefined;
  }
  if (layer !== 1 && layer !== 2 && layer !== 3) {
    return undefined;
  }
  const isVersion1 = version === 3;
  const kilobits = (isVersion1 ? RATES_1 : RATES_2)[layer - 1]?.[(head >>> 12) & 0b1111] ?? 0;
  if (kilobits === 0) {
    return undefined;
  }
  // MPEG 2 has half of the rates of MPEG 1, MPEG 2.5 a quarter.
  const rate = sampleRate / (isVersion1 ? 1 : version === 2 ? 2 : 4);
  const samples = layer === 1 ? 384 : layer === 3 && !isVersion1 ? 576 : 1_152;
  const slot = layer === 1 ? 4 : 1;
  const slots = Math.floor((samples * kilobits * 125) / (rate * slot)) + ((head >>> 9) & 1);
  return {
    bytes: slots * slot,
    layer,
    samples,
    sampleRate: rate,
    channels: ((head >>> 6) & 0b11) === 3 ? 1 : 2,
    isVersion1,
  };
}
