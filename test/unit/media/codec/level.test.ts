/** The encoder of MP3 keeps the level of a sound, which a node may have set (docs/contract/media.md#loudness). */
import { expect, test } from "vitest";
import { DECODERS } from "../../../support/media/read-codecs.ts";
import { readSound } from "../../../support/media/read-sound.ts";
import { decibelsOf, rmsOf, sine } from "../../../support/media/signals.ts";
import { formatOf, writeSound } from "../../../support/media/written-sound.ts";

test.each([
  [8_000, 1, 32],
  [22_050, 1, 64],
  [44_100, 1, 128],
  [44_100, 2, 96],
  [44_100, 2, 128],
  [44_100, 2, 192],
  [48_000, 2, 320],
] as const)(
  "an MP3 of %i Hz with %i channels at %i kbit/s keeps its level",
  async (rate, channels, kbps) => {
    const tone = sine(rate, 2, 440, -6);
    const sound = Array.from({ length: channels }, () => tone);
    const { bytes } = await writeSound(formatOf("mp3", rate, channels, { kbps }), sound);
    const { planes } = await readSound(bytes, DECODERS);
    const middle = (samples: Float32Array) => samples.subarray(rate / 4, -rate / 4);
    expect(planes).toHaveLength(channels);
    for (const plane of planes) {
      const change = decibelsOf(rmsOf(middle(plane)) / rmsOf(middle(tone)));
      expect(Math.abs(change)).toBeLessThan(0.02);
    }
  },
);
