/** Sounds that end too early, at each of their parts and at random places (docs/contract/media.md). */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { partStarts } from "../../../support/media/cut-places.ts";
import { DECODERS, mediaFixture } from "../../../support/media/read-codecs.ts";
import { readSound } from "../../../support/media/read-sound.ts";
import { interleaved, testSignal } from "../../../support/media/test-signal.ts";
import { wavFile } from "../../../support/media/wav-file.ts";
import { sizeOf } from "../../../support/sizes.ts";

const FIXTURES = readdirSync(join(import.meta.dirname, "../../../golden/media")).filter(
  (name) => !name.endsWith(".json") && name !== "SHA256SUMS",
);
/** Their containers state a length, or list their packets. */
const PROMISING = /\.(?:mp4|m4a|mov|webm|flac)$/;
const PLACES = sizeOf("mediaCuts");
/** In `npm test` every fourth part. */
const STRIDE = PLACES >= 1_000 ? 1 : 4;

function placesIn(name: string, bytes: Uint8Array): readonly number[] {
  const random = new SeededRandom(bytes.length);
  const parts = partStarts(name, bytes).flatMap((at) => [at, at + 1]);
  return [
    ...parts.filter((_, i) => i % STRIDE === 0),
    ...Array.from({ length: PLACES }, () => random.below(bytes.length)),
  ].filter((at) => at < bytes.length);
}

/** The frames that are read of a file, or the code. */
async function readOf(bytes: Uint8Array): Promise<number | string> {
  try {
    return (await readSound(bytes, DECODERS)).frames;
  } catch (error) {
    if (error instanceof NodeError) {
      return error.code;
    }
    throw error;
  }
}

describe("a sound that was cut", () => {
  test.each(FIXTURES.filter((name) => name !== "h264.mp4"))(
    "%s never passes for a whole one",
    async (name) => {
      const bytes = mediaFixture(name);
      const whole = await readOf(bytes);
      expect(whole).toBeTypeOf("number");
      for (const at of placesIn(name, bytes)) {
        const read = await readOf(bytes.slice(0, at));
        const isShorter = typeof read === "number" && read < Number(whole);
        const place = `${name} cut at byte ${at}`;
        if (name === "fragments.mp4" && typeof read === "number") {
          // A fragment states nothing about those that follow, and the index at the end is not read.
          continue;
        }
        if (PROMISING.test(name)) {
          expect([place, read]).toEqual([
            place,
            expect.stringMatching(/^MEDIA_(?:TRUNCATED|UNREADABLE|EMPTY)$/),
          ]);
        } else if (!isShorter && read !== whole) {
          // One frame without a second one behind it is not known to be MP3.
          expect([place, read]).toEqual([
            place,
            expect.stringMatching(/^MEDIA_(?:TRUNCATED|UNREADABLE|EMPTY|CODEC_UNSUPPORTED)$/),
          ]);
        } else if (read === whole) {
          // Only the last packet is cut.
          expect(bytes.length - at, place).toBeLessThan(1_200);
        }
      }
    },
  );

  test("a WAV is truncated wherever its samples are cut", async () => {
    const bytes = wavFile({ samples: interleaved(testSignal(500)) });
    // Every place in its heads, of which each chunk has one.
    for (let at = 0; at < bytes.length; at += at < 60 ? 1 : 7) {
      const read = await readOf(bytes.slice(0, at));
      const isHeader = at < 12;
      expect([at, read]).toEqual([
        at,
        at === 0
          ? "MEDIA_EMPTY"
          : isHeader
            ? "MEDIA_UNREADABLE"
            : expect.stringMatching(/^MEDIA_(?:TRUNCATED|UNREADABLE)$/),
      ]);
      if (at > 52) {
        expect(read).toBe("MEDIA_TRUNCATED");
      }
    }
  });
});
