import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  FfmpegSoundDecoder,
  type SoundTrackConfig,
} from "../../../../../src/media/codec/ffmpeg/sound-decoder.ts";
import {
  codecFixture,
  decodedFixture,
  expectedHashes,
  ffmpegModules,
  readTrack,
} from "../../../../support/media/codec-fixtures.ts";

/** All samples of a file, interleaved, 1.0 is full scale. */
async function decodeFile(name: string) {
  const { packets, ...track } = await readTrack(codecFixture(name));
  const codec = name.split("-")[0] as SoundTrackConfig["codec"];
  const decoder = new FfmpegSoundDecoder(ffmpegModules.sound, { codec, ...track });
  const samples: number[] = [];
  let failures = 0;
  const take = (block: readonly Float32Array[]) => {
    for (let i = 0; i < (block[0]?.length ?? 0); i++) {
      samples.push(...block.map((channel) => channel[i]!));
    }
  };
  for (const { data } of packets) {
    const block = decoder.decode(data);
    failures += block === null ? 1 : 0;
    take(block ?? []);
  }
  take(decoder.flush());
  const { sampleRate, channels, memoryBytes } = decoder;
  decoder.close();
  return { samples, failures, sampleRate, channels, memoryBytes };
}

describe("decoded samples", () => {
  it.each([
    ["aac-stereo.m4a", 44_100, 2],
    ["aac-mono.aac", 22_050, 1],
    ["aac-he-v1.aac", 48_000, 2],
    ["aac-he-v2.aac", 48_000, 2],
    ["aac-51.m4a", 48_000, 6],
    ["vorbis-stereo.ogg", 44_100, 2],
    ["vorbis-51.webm", 48_000, 6],
  ])("of %s are those of native ffmpeg, to one step of 16 bits", async (name, rate, channels) => {
    const decoded = await decodeFile(name);
    expect([decoded.failures, decoded.sampleRate, decoded.channels]).toEqual([0, rate, channels]);
    const expected = decodedFixture(name);
    expect(decoded.samples.length).toBe(expected.length);
    let worst = 0;
    for (const [i, sample] of decoded.samples.entries()) {
      worst = Math.max(worst, Math.abs(Math.round(sample * 32_768) - expected[i]!));
    }
    expect(worst).toBeLessThanOrEqual(1);
    expect(Math.max(...expected)).toBeGreaterThan(5_000);
    expect(decoded.memoryBytes).toBeLessThan(4 * 1024 * 1024);
  });

  it.each(["alac-16.m4a", "alac-24.m4a"])("of %s are those of native ffmpeg", async (name) => {
    const { samples, failures } = await decodeFile(name);
    expect(failures).toBe(0);
    const integers = Int32Array.from(samples, (sample) => sample * 2_147_483_648);
    expect([createHash("md5").update(integers).digest("hex")]).toEqual(expectedHashes(name));
  });
});
