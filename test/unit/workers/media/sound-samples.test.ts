/** The samples that the media Worker decodes for sample models, up to the end of a damaged sound. */
import { describe, expect, test } from "vitest";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { openSound } from "../../../../src/media/container/open-sound.ts";
import {
  openSamples,
  type Sound,
  UnreadableSound,
} from "../../../../src/providers/sample/sound/wav-reader.ts";
import { samplesOf } from "../../../../src/workers/media/sound-samples.ts";
import { opusFile } from "../../../support/media/ogg-file.ts";
import { DECODERS } from "../../../support/media/read-codecs.ts";

const PAGES = 300;

/** An Opus file, of which the pages before the last one have a wrong checksum, as its reader gets it. */
async function decoded(damaged: number) {
  const file = opusFile(PAGES, (page, i) =>
    i >= PAGES - 1 - damaged && i < PAGES - 1 ? { ...page, isWrong: true } : page,
  );
  const reader = await openSound(new MemorySource(file, ""), DECODERS, { maxSeconds: 60 });
  const { sampleRate, channels, frames } = reader.info;
  const releases: string[] = [];
  const samples = samplesOf(reader, { release: () => releases.push("released") }, () =>
    Promise.resolve(),
  );
  if (frames === null) {
    throw new Error("The length of the file is known.");
  }
  return { sound: openSamples({ sampleRate, channels, frames, samples }), frames, releases };
}

async function framesOf(sound: Sound): Promise<number> {
  let count = 0;
  for await (const block of sound.blocks()) {
    count += block.length / sound.channels;
  }
  return count;
}

describe("decoded samples", () => {
  test("of a whole sound are all there, and so are those of one with 1 % of damaged packets", async () => {
    for (const damaged of [0, 3]) {
      // oxlint-disable-next-line no-await-in-loop -- one after another
      const { sound, frames, releases } = await decoded(damaged);
      // oxlint-disable-next-line no-await-in-loop -- one after another
      expect(await framesOf(sound)).toBe(frames);
      expect(releases).toEqual(["released"]);
    }
  });

  test("of a sound with more damaged packets end before its last frame", async () => {
    const { sound, releases } = await decoded(30);
    await expect(framesOf(sound)).rejects.toThrow(UnreadableSound);
    expect(releases).toEqual(["released"]);
  });

  test("that are not read to their end release the memory when they are closed", async () => {
    const { sound, releases } = await decoded(0);
    for await (const block of sound.blocks()) {
      expect(block.length).toBeGreaterThan(0);
      break;
    }
    expect(releases).toEqual([]);
    await sound.close();
    expect(releases).toContain("released");
  });
});
