/**
 * Makes HE-AAC of AAC-LC, for tests: Debian's ffmpeg has no encoder for it. Each frame of a core of 24 kHz gets a fill element with
 * SBR data (ISO/IEC 14496-3, 4.4.2.8) of one envelope and, for HE-AAC v2, with one set of intensities of parametric
 * stereo (8.4). The high band has levels that change with the frame.
 */

const ADTS_HEADER_BYTES = 7;
/** Start at band 14 of 64, stop at twice that, a scale of bands of width one: 14 bands, and one of noise. */
const BANDS = 14;
/** Code words of f_huffman_env_1_5dB for the differences 0, -1 and 1. */
const DELTAS = ["00", "01", "100"] as const;

const bits = (value: number, count: number): string => value.toString(2).padStart(count, "0");

/** The envelope of a channel, by its number and its frame's. */
function envelope(frame: number, channel: number): string {
  const deltas = Array.from({ length: BANDS - 1 }, (_, i) => DELTAS[(frame + i + channel) % 3]);
  return bits(40 + (frame % 5) + channel, 7) + deltas.join("");
}

/** The parts of SBR data that a channel has, in the order in which they stand. */
const channel = (frame: number, index: number) => ({
  // Class FIXFIX, one envelope, high resolution.
  grid: "00" + "00" + "1",
  // Neither the envelope nor the noise is relative to the frame before.
  direction: "0" + "0",
  inverseFilter: bits(frame % 4, 2),
  envelope: envelope(frame, index),
  noise: bits(8, 5),
  harmonics: "0",
});

function sbrData(frame: number, channels: 1 | 2, isParametric: boolean): string {
  const header =
    "0" + bits(6, 4) + bits(14, 4) + "000" + "00" + "1" + "0" + bits(0, 2) + "0" + bits(0, 2);
  const all = Array.from({ length: channels }, (_, i) => channel(frame, i));
  const join = (part: keyof (typeof all)[number]) => all.map((of) => of[part]).join("");
  const coupling = channels === 2 ? "0" : "";
  const body = (["grid", "direction", "inverseFilter", "envelope", "noise", "harmonics"] as const)
    .map(join)
    .join("");
  // Intensities of ten bands, in the coarse steps, the first with a difference of 3; neither coherence nor phases.
  const parametric = (
    "10" +
    "1" +
    "1" +
    "000" +
    "0" +
    "0" +
    "0" +
    "01" +
    "0" +
    "11100" +
    "0".repeat(9)
  ).padEnd(32, "0");
  const extension = isParametric ? "1" + bits(4, 4) + parametric : "0";
  return "1" + header + "0" + coupling + body + extension;
}

/** Returns ADTS frames of HE-AAC for ADTS frames of AAC-LC with one or two channels and no other element. */
export function addSbr(adts: Uint8Array, isParametric: boolean): Uint8Array {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < adts.length;) {
    const header = adts.slice(at, at + ADTS_HEADER_BYTES);
    const length =
      (((header[3] ?? 0) & 3) << 11) | ((header[4] ?? 0) << 3) | ((header[5] ?? 0) >> 5);
    const channels = (((header[2] ?? 0) & 1) << 2) | ((header[3] ?? 0) >> 6);
    if (header[0] !== 0xff || (channels !== 1 && channels !== 2)) {
      throw new Error(`There is no frame of one or two channels at byte ${at}.`);
    }
    const core = [...adts.subarray(at + ADTS_HEADER_BYTES, at + length)]
      .map((byte) => bits(byte, 8))
      .join("");
    // A frame ends with the element 111 and zeros up to a byte.
    const kept = core.slice(0, core.lastIndexOf("1") - 2);
    const payload = `1101${sbrData(frames.length, channels, isParametric)}`;
    const bytes = Math.ceil(payload.length / 8);
    const count = bytes < 15 ? bits(bytes, 4) : `1111${bits(bytes - 14, 8)}`;
    const whole = `${kept}110${count}${payload.padEnd(bytes * 8, "0")}111`;
    const body = (whole.match(/.{1,8}/g) ?? []).map((byte) =>
      Number.parseInt(byte.padEnd(8, "0"), 2),
    );
    const frame = Uint8Array.from([...header, ...body]);
    frame[3] = ((frame[3] ?? 0) & 0xfc) | (frame.length >> 11);
    frame[4] = (frame.length >> 3) & 0xff;
    frame[5] = ((frame[5] ?? 0) & 0x1f) | ((frame.length & 7) << 5);
    frames.push(frame);
    at += length;
  }
  return Buffer.concat(frames);
}
