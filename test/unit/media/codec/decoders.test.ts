/** The decoders of packets: samples, damaged packets, memory (docs/decisions/media-reading.md). */
import { describe, expect, test } from "vitest";
import { createFlacDecoder } from "../../../../src/media/codec/flac-decoder.ts";
import { Mp3Decoder } from "../../../../src/media/codec/mp3-decoder.ts";
import { OpusDecoder } from "../../../../src/media/codec/opus-decoder.ts";
import { opusPacketFrames } from "../../../../src/media/codec/packet-frames.ts";
import { openMedia, requireSoundTrack } from "../../../../src/media/container/open-media.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { verbatimFlac } from "../../../support/media/flac-file.ts";
import { DECODERS, mediaFixture, MODULES } from "../../../support/media/read-codecs.ts";
import { readSound } from "../../../support/media/read-sound.ts";
import { executionsOf } from "../../../support/sizes.ts";

async function packetsOf(name: string): Promise<readonly Uint8Array[]> {
  const media = await openMedia(new MemorySource(mediaFixture(name), ""));
  const packets: Uint8Array[] = [];
  for await (const { data } of requireSoundTrack(media).packets()) {
    packets.push(data.slice());
  }
  return packets;
}

const OPUS_HEAD = Uint8Array.from(Buffer.from("4f707573486561640102380180bb0000000000", "hex"));
/** STREAMINFO behind the mark and the head of the block. */
const FLAC_INFO = mediaFixture("stereo.flac").slice(8, 42);

describe("a decoder", () => {
  test.each([8, 12, 16, 20, 24] as const)("of FLAC keeps each sample of %i bits", async (bits) => {
    const random = new SeededRandom(bits);
    const full = 2 ** (bits - 1);
    const samples = Array.from({ length: 4_000 }, () => random.int(-full, full - 1));
    samples.splice(0, 4, -full, full - 1, 0, -1);
    const { planes, info } = await readSound(verbatimFlac(samples, bits), DECODERS);
    expect(info.bitDepth).toBe(bits);
    expect(planes).toEqual([Float32Array.from(samples, (sample) => sample / full)]);
  });

  test("of Opus applies the gain of the header", async () => {
    const head = OPUS_HEAD.slice();
    // −6 dB in steps of 1/256 dB.
    new DataView(head.buffer).setInt16(16, -6 * 256, true);
    const [loud, quiet] = [OPUS_HEAD, head].map((config) => new OpusDecoder(MODULES.opus, config));
    for (const packet of await packetsOf("stereo.opus")) {
      const [a, b] = [loud?.decode(packet)?.[0], quiet?.decode(packet)?.[0]];
      expect(b?.[500]).toBeCloseTo((a?.[500] ?? Number.NaN) * 10 ** (-6 / 20), 6);
    }
  });

  test("of Opus returns as many samples as a packet states", async () => {
    const decoder = new OpusDecoder(MODULES.opus, OPUS_HEAD);
    for (const packet of await packetsOf("stereo.opus")) {
      expect(decoder.decode(packet)?.[0]).toHaveLength(opusPacketFrames(packet));
    }
  });

  test.each([
    ["mp3", "cbr.mp3", () => new Mp3Decoder(MODULES.mp3, 2)],
    ["opus", "stereo.opus", () => new OpusDecoder(MODULES.opus, OPUS_HEAD)],
    [
      "flac",
      "stereo.flac",
      () => createFlacDecoder(MODULES.flac, { config: FLAC_INFO, channels: 2 }),
    ],
  ] as const)(
    "of %s survives damaged packets and decodes the next sound",
    async (_codec, name, open) => {
      const packets = await packetsOf(name);
      const whole = () => {
        const decoder = open();
        return packets.map((packet) => decoder.decode(packet)?.map((plane) => [...plane]));
      };
      const before = whole();
      const decoder = open();
      const random = new SeededRandom(packets.length);
      let memoryMax = 0;
      for (let i = 0; i < executionsOf(40); i++) {
        const packet = random.pick(packets).slice();
        for (let change = 0; change < 8; change++) {
          packet[random.below(packet.length)] = random.below(256);
        }
        const cut = packet.subarray(0, random.below(packet.length + 1));
        decoder.decode(random.chance(0.5) ? packet : cut);
        memoryMax = Math.max(memoryMax, decoder.memoryBytes);
      }
      expect(memoryMax).toBeLessThanOrEqual(open().memoryBytes);
      expect(decoder.decode(new Uint8Array(0))).toBeNull();
      expect(whole()).toEqual(before);
    },
    // A damaged frame of FLAC ends its instance of wasm.
    300_000,
  );
});
