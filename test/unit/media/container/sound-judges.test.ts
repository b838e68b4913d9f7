/** ffmpeg decodes the sounds to the same samples, where it is installed (`test/allowed-skips.json`). */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { DECODERS, mediaFixture } from "../../../support/media/read-codecs.ts";
import { readSound } from "../../../support/media/read-sound.ts";

const HAS_FFMPEG = spawnSync("ffmpeg", ["-version"]).error === undefined;

/** The first channel by ffmpeg. */
function byFfmpeg(name: string, channels: number): Float32Array {
  const path = fileURLToPath(new URL(`../../../golden/media/${name}`, import.meta.url).href);
  const args = ["-v", "error", "-i", path, "-map", "0:a:0", "-f", "f32le", "-"];
  const { stdout } = spawnSync("ffmpeg", args, { maxBuffer: 64 * 1024 * 1024 });
  const all = new Float32Array(Uint8Array.from(stdout).buffer);
  return Float32Array.from({ length: all.length / channels }, (_, i) => all[i * channels] ?? 0);
}

describe("a sound of the fixtures", () => {
  // libopus and ffmpeg's decoder of Opus differ by rounding.
  test.skipIf(!HAS_FFMPEG).each([
    ["cbr.mp3", 2e-6],
    ["no-note.mp3", 2e-6],
    ["mono-8000.mp3", 2e-6],
    ["stereo.flac", 0],
    ["flac.ogg", 0],
    ["flac.mp4", 0],
    ["pcm-s16.mov", 0],
    ["pcm-s24.mov", 0],
    ["stereo.opus", 5e-3],
    ["surround.opus", 5e-3],
    ["opus.webm", 5e-3],
    ["vp8-opus.webm", 5e-3],
  ])("has the samples that ffmpeg decodes: %s", async (name, difference) => {
    const { planes, info, frames } = await readSound(mediaFixture(name), DECODERS);
    const judged = byFfmpeg(name, info.channels);
    expect(frames).toBe(judged.length);
    const [left = new Float32Array(0)] = planes;
    const largest = left.reduce(
      (max, value, i) => Math.max(max, Math.abs(value - (judged[i] ?? 9))),
      0,
    );
    expect(largest).toBeLessThanOrEqual(difference);
  });
});
