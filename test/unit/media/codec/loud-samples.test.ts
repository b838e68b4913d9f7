/** Files of floating-point numbers can have samples far above full scale, which encoders must survive. */
import { OpusDecoder } from "opus-decoder";
import { describe, expect, it } from "vitest";
import { boundedSample } from "../../../../src/media/codec/bounded-sample.ts";
import { OpusEncoder } from "../../../../src/media/codec/ffmpeg/opus-encoder.ts";
import { ffmpegModules } from "../../../support/media/codec-fixtures.ts";
import { soundEncoders } from "../../../support/media/sound-encoders.ts";

const FRAMES = 9_600;
const SHAPE = { sampleRate: 48_000, channels: 1 };

/** A tone of this amplitude, with a sample in it that is not a number. */
const tone = (amplitude: number) =>
  Float32Array.from({ length: FRAMES }, (_, i) =>
    i === 5_000 ? Number.NaN : amplitude * Math.sin((2 * Math.PI * 440 * i) / 48_000),
  );

it("samples within 24 dB above full scale stay, others are cut there, and NaN is silence", () => {
  expect([-16, -1, -0.3, 0, 0.3, 1, 16].map(boundedSample)).toEqual([-16, -1, -0.3, 0, 0.3, 1, 16]);
  expect([-Infinity, -3e38, -16.5, 16.5, 3e38, Infinity, Number.NaN].map(boundedSample)).toEqual([
    -16, -16, -16, 16, 16, 16, 0,
  ]);
});

describe("samples of any size", () => {
  it.each([1, 32_768, 1e30])("of %d become AAC", (amplitude) => {
    const encoder = soundEncoders.aac(SHAPE, 96);
    const packets = [...encoder.encode([tone(amplitude)]), ...encoder.end()];
    expect(packets.length).toBeGreaterThanOrEqual(Math.ceil(FRAMES / 1_024));
    // A tone that was lost would be packets of a few bytes.
    expect(packets.slice(2, -2).every(({ data }) => data.length > 50)).toBe(true);
  });

  it.each([1, 32_768, 1e30])("of %d become Opus that is heard", async (amplitude) => {
    const encoder = new OpusEncoder(ffmpegModules.opus, 1, 64_000);
    const packets = [...encoder.encode([tone(amplitude)]), ...encoder.end()];
    const decoder = new OpusDecoder({
      channels: 1,
      streamCount: 1,
      coupledStreamCount: 0,
      channelMappingTable: [0],
      preSkip: 0,
    });
    await decoder.ready;
    const { channelData, errors } = decoder.decodeFrames(packets.map(({ data }) => data));
    decoder.free();
    expect(errors).toEqual([]);
    const peak = Math.max(...(channelData[0] ?? []).map(Math.abs));
    expect(peak).toBeGreaterThan(0.8);
    expect(peak).toBeLessThan(40);
  });
});
