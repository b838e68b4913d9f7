import { expect, it } from "vitest";
import { roundBlock } from "../../../../src/media/dsp/rounding.ts";
import { DECODERS } from "../../../support/media/read-codecs.ts";
import { outcomeOf, readSound } from "../../../support/media/read-sound.ts";
import { formatOf, tones, writeSound } from "../../../support/media/written-sound.ts";

const FRAMES = 20_000;

it.each([8_001, 44_100, 65_537, 96_001, 191_999, 192_000])(
  "FLAC of %i Hz is read as it was written, also where its frames do not state the rate",
  async (rate) => {
    const sound = tones(rate, 2, FRAMES);
    const { bytes } = await writeSound(formatOf("flac", rate, 2), sound);
    const { info, planes, decodeErrors } = await readSound(bytes, DECODERS);
    expect([info.sampleRate, info.frames, decodeErrors]).toEqual([rate, FRAMES, 0]);
    const integers = (block: readonly Float32Array[]) => {
      const out = new Int16Array(FRAMES * 2);
      roundBlock(block, 16, out);
      return out;
    };
    expect(integers(planes)).toEqual(integers(sound));
  },
);

it("a frame that does not state its rate and is damaged does not decode", async () => {
  const { bytes } = await writeSound(formatOf("flac", 96_001, 2), tones(96_001, 2, FRAMES));
  const at = bytes.length - 300;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  expect(await outcomeOf(bytes, DECODERS)).toMatch(/^MEDIA_(?:UNREADABLE|TRUNCATED)$/);
});
