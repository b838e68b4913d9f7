/** Bit rates of layer III in kbit/s by their index, of MPEG 1 and of MPEG 2 and 2.5 (ISO/IEC 11172-3, 13818-3). */
const RATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;
const RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160] as const;
/** Of MPEG 1 by their index; those of MPEG 2 are the half, of MPEG 2.5 the quarter. */
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;
/** MPEG 1 begins here. */
const MPEG_1_FROM = 32_000;
const MPEG_2_FROM = 16_000;

/** Frames of samples in one frame of layer III at this sample rate. */
export function mp3FrameSamples(sampleRate: number): number {
  return sampleRate >= MPEG_1_FROM ? 1_152 : 576;
}

/** Size of the frame of layer III whose head is at `at`, in bytes. Undefined if there is no such head. */
export function mp3FrameBytes(bytes: Uint8Array, at: number): number | undefined {
  if (at + 4 > bytes.byteLength || bytes[at] !== 0xff) {
    return undefined;
  }
  const [second, third] = [bytes[at + 1] as number, bytes[at + 2] as number];
  const version = (second >> 3) & 3;
  const isVersion1 = version === 3;
  const kilobits = (isVersion1 ? RATES_1 : RATES_2)[third >> 4] ?? 0;
  const base = SAMPLE_RATES[(third >> 2) & 3];
  if (second >> 5 !== 7 || version === 1 || kilobits === 0 || base === undefined) {
    return undefined;
  }
  const sampleRate = isVersion1 ? base : version === 2 ? base / 2 : base / 4;
  const padding = (third >> 1) & 1;
  return Math.floor((mp3FrameSamples(sampleRate) * kilobits * 125) / sampleRate) + padding;
}

/**
 * The head of a frame that is like the one at `first`, without checksum and padding, with the lowest bit rate, from its
 * own on, at which the frame has at least `bytes` bytes.
 */
export function mp3HeadFor(first: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(first.subarray(0, 4));
  head[1] = (head[1] as number) | 1;
  head[2] = (head[2] as number) & 0xfd;
  const size = () => mp3FrameBytes(head, 0);
  for (let index = (head[2] as number) >> 4; index < 15; index++) {
    head[2] = ((head[2] as number) & 0x0f) | (index << 4);
    if ((size() ?? 0) >= bytes) {
      break;
    }
  }
  return head;
}

/** Bytes of the side information after the head of a frame without checksum. */
export function mp3SideBytes(head: Uint8Array): number {
  const isVersion1 = ((head[1] as number) >> 3) % 4 === 3;
  const isMono = (head[3] as number) >> 6 === 3;
  return isVersion1 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
}

/** Whether the sample rate belongs to MPEG 2.5, for which LAME has bit rates up to 64 kbit/s only. */
export function isMpeg25(sampleRate: number): boolean {
  return sampleRate < MPEG_2_FROM;
}
