/** The modules of wasm/ffmpeg as a Worker has them: compiled by its deployment, never from bytes. */
import { expect, it } from "vitest";
import opus from "../../../src/media/codec/ffmpeg/opus.wasm";
import { OpusEncoder } from "../../../src/media/codec/ffmpeg/opus-encoder.ts";
import { PictureDecoder } from "../../../src/media/codec/ffmpeg/picture-decoder.ts";
import pictures from "../../../src/media/codec/ffmpeg/pictures.wasm";
import { FfmpegSoundDecoder } from "../../../src/media/codec/ffmpeg/sound-decoder.ts";
import sound from "../../../src/media/codec/ffmpeg/sound.wasm";
import { madeH264 } from "../../support/media/made-h264.ts";

it("a picture is decoded in workerd", () => {
  const decoder = new PictureDecoder(pictures, {
    codec: "h264",
    config: null,
    memoryBytesMax: 8 * 1024 * 1024,
  });
  expect(decoder.send(madeH264(1, 1), 3)).toBe(true);
  decoder.flush();
  const picture = decoder.receive();
  expect(picture).toMatchObject({ width: 16, height: 16, pts: 3 });
  expect([...(picture?.planes[0].subarray(0, 3) ?? [])]).toEqual([16, 16, 16]);
});

it("a packet of AAC is decoded in workerd", () => {
  const decoder = new FfmpegSoundDecoder(sound, {
    codec: "aac",
    config: null,
    sampleRate: 44_100,
    channels: 1,
  });
  // One frame of silence with an ADTS header.
  const silence = Uint8Array.from([
    0xff, 0xf1, 0x50, 0x40, 0x01, 0x7f, 0xfc, 0x01, 0x18, 0x20, 0x07,
  ]);
  const block = decoder.decode(silence);
  expect(block?.map((samples) => [samples.length, Math.max(...samples)])).toEqual([[1_024, 0]]);
  expect(decoder.decode(silence.subarray(0, 9))).toBeNull();
});

it("a packet of Opus is encoded in workerd", () => {
  const encoder = new OpusEncoder(opus, 1, 64_000);
  const tone = Float32Array.from({ length: 1_920 }, (_, i) => Math.sin(i / 20) / 2);
  const sizes = encoder.encode([tone]).map(({ data }) => data.length);
  expect(sizes).toHaveLength(2);
  expect(Math.min(...sizes)).toBeGreaterThan(60);
});
