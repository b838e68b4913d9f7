import { describe, expect, it, test } from "vitest";
import { FlacAnyDepthDecoder } from "../../../../src/media/codec/flac-any-depth-decoder.ts";
import { flacCrc16, flacCrc8 } from "../../../../src/media/codec/flac-checksums.ts";
import { FlacEncoder } from "../../../../src/media/codec/flac-encoder.ts";
import { parseFlacFrame } from "../../../../src/media/container/flac/flac-frame.ts";
import type { EncodedSound } from "../../../../src/media/codec/codec.ts";
import { FlacWriter } from "../../../../src/media/container/flac/flac-writer.ts";
import { type IntegerDepth, roundBlock } from "../../../../src/media/dsp/rounding.ts";
import { DECODERS } from "../../../support/media/read-codecs.ts";
import { outcomeOf, readSound } from "../../../support/media/read-sound.ts";
import { noise, sine } from "../../../support/media/signals.ts";
import { compiledCodec } from "../../../support/media/sound-encoders.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { MemorySink } from "../../../support/media/memory-sink.ts";

const FRAMES = 30_000;
const RATE = 44_100;
const module = compiledCodec("flac-encoder.wasm");

/** Sounds for which libFLAC chooses each kind of subframe, and each kind of stereo. */
function sounds(): Readonly<Record<string, readonly Float32Array[]>> {
  const tone = sine(RATE, FRAMES / RATE, 440, -6);
  const other = noise(FRAMES, 0.7, 1);
  const quiet = noise(FRAMES, 0.001, 2);
  const sum = (a: Float32Array, b: Float32Array) => a.map((x, i) => (x + (b[i] ?? 0)) / 2);
  return {
    "tones and noise": [tone, other],
    "nearly equal channels": [tone, sum(tone, sum(tone, quiet))],
    "one channel in the other": [other, sum(other, tone)],
    // Left and right are a tone with noise, their middle is the tone.
    "middle and side": [
      tone.map((x, i) => x + 20 * (quiet[i] ?? 0)),
      tone.map((x, i) => x - 20 * (quiet[i] ?? 0)),
    ],
    "left and side": [tone, tone.map((x, i) => x + 20 * (quiet[i] ?? 0))],
    "side and right": [tone.map((x, i) => x + 20 * (quiet[i] ?? 0)), tone],
    silence: [new Float32Array(FRAMES), tone.map((x) => Math.round(x * 8) / 8)],
    "full scale": [tone.map((x) => Math.sign(x)), other.map((x) => -Math.sign(x))],
    mono: [sum(tone, quiet)],
    "six channels": [tone, other, quiet, sum(tone, other), sum(other, quiet), sum(tone, quiet)],
  };
}

async function flacOf(
  depth: number,
  planes: readonly Float32Array[],
  change = (packet: EncodedSound) => packet,
): Promise<Uint8Array> {
  const sink = new MemorySink();
  const channels = planes.length;
  // libFLAC takes every depth; the service writes those of the type. Only the digest of another one would be wrong.
  const encoder = new FlacEncoder(module, { sampleRate: RATE, channels }, depth as IntegerDepth);
  const writer = new FlacWriter(sink, encoder);
  const add = async (packets: readonly EncodedSound[]) => {
    for (const packet of packets) {
      await writer.add(change(packet));
    }
  };
  for (let at = 0; at < FRAMES; at += 8_192) {
    await add(encoder.encode(planes.map((plane) => plane.subarray(at, at + 8_192))));
  }
  await add(encoder.end());
  await writer.end();
  return sink.bytes();
}

/** The samples as whole numbers of so many bits, channel after channel. */
function integers(planes: readonly Float32Array[], depth: number): readonly Int32Array[] {
  return planes.map((plane) => {
    const out = new Int32Array(plane.length);
    roundBlock([plane], depth as IntegerDepth, out);
    return out;
  });
}

/** The same frame, whose depth is that of STREAMINFO. */
function withoutDepth({ data, frames }: EncodedSound): EncodedSound {
  const frame = data.slice();
  const { headBytes } = parseFlacFrame(frame, 0)!;
  frame[3] = frame[3]! & ~0b1110;
  frame[headBytes - 1] = flacCrc8(frame, 0, headBytes - 1);
  const checksum = flacCrc16(frame, frame.length - 2);
  frame.set([checksum >> 8, checksum & 0xff], frame.length - 2);
  return { data: frame, frames };
}

it("the sounds of this test have every kind of stereo", async () => {
  const kinds = new Set<number>();
  for (const planes of Object.values(sounds())) {
    await flacOf(20, planes, (packet) => {
      kinds.add(parseFlacFrame(packet.data, 0)!.assignment);
      return packet;
    });
  }
  // Left, right and their differences: RFC 9639, section 9.1.3.
  expect([1, 8, 9, 10].filter((kind) => !kinds.has(kind))).toEqual([]);
});

describe.each([12, 20, 8, 16, 24])("FLAC of %i bits", (depth) => {
  test.each(Object.entries(sounds()))("of %s is read to the bit", async (_name, planes) => {
    const {
      info,
      planes: read,
      decodeErrors,
    } = await readSound(await flacOf(depth, planes), DECODERS);
    expect([info.codec, info.bitDepth, info.frames, decodeErrors]).toEqual([
      "flac",
      depth,
      FRAMES,
      0,
    ]);
    for (const [channel, whole] of integers(planes, depth).entries()) {
      expect(
        Buffer.compare(
          Buffer.from(integers(read, depth)[channel]!.buffer),
          Buffer.from(whole.buffer),
        ),
      ).toBe(0);
    }
  });

  it("is read where the frames do not state their depth", async () => {
    const planes = sounds()["tones and noise"]!;
    const stated = await readSound(await flacOf(depth, planes), DECODERS);
    const bytes = await flacOf(depth, planes, withoutDepth);
    const unstated = await readSound(bytes, DECODERS);
    expect([unstated.info, unstated.decodeErrors]).toEqual([stated.info, 0]);
    expect(unstated.planes).toEqual(stated.planes);
    // Its checksums are compared, too.
    bytes[bytes.length - 300]! ^= 1;
    expect(await outcomeOf(bytes, DECODERS)).toMatch(/^MEDIA_(?:UNREADABLE|TRUNCATED)$/);
  });
});

it("a frame with a changed bit never decodes, and none takes long or throws", async () => {
  const packets: Uint8Array[] = [];
  await flacOf(20, sounds()["nearly equal channels"]!, (packet) => {
    packets.push(packet.data);
    return packet;
  });
  const decoder = new FlacAnyDepthDecoder(2, 20);
  const random = new SeededRandom(1);
  for (const packet of packets) {
    expect(decoder.decode(packet)).not.toBeNull();
    for (let i = 0; i < 40; i++) {
      const damaged = packet.slice();
      const bit = random.below(damaged.length * 8);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      expect(decoder.decode(damaged)).toBeNull();
      expect(decoder.decode(packet.subarray(0, random.below(packet.length)))).toBeNull();
    }
  }
  expect(decoder.memoryBytes).toBeLessThanOrEqual(2 * 8 * 4_096);
});
