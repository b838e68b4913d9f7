/** MP4Box of GPAC reads what is written in MP4 and MOV, where it is installed (test/allowed-skips.json). */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codecFixture } from "../../../support/media/codec-fixtures.ts";
import { copiedMovie, listPackets, openBytes } from "../../../support/media/copied-movie.ts";
import { HAS_MP4BOX, listedByMp4box } from "../../../support/media/native-sound.ts";
import { mediaFixture } from "../../../support/media/read-codecs.ts";
import { formatOf, tones, triedRates, writeSound } from "../../../support/media/written-sound.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mp4box-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function judged(name: string, bytes: Uint8Array) {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return listedByMp4box(path);
}

const FILMS: readonly (readonly [name: string, bytes: () => Uint8Array<ArrayBuffer>])[] = [
  ["h264-aac.mp4", () => mediaFixture("h264-aac.mp4")],
  ["fragments.mp4", () => mediaFixture("fragments.mp4")],
  ["flac.mp4", () => mediaFixture("flac.mp4")],
  ...["h264-b-frames.mp4", "h264-interlaced.mp4", "h264-open-gop.mov"].map(
    (name) => [name, () => codecFixture(name)] as const,
  ),
  ...["hevc-b-frames.mp4", "hevc-10-bit.mp4", "av1.mp4"].map(
    (name) => [name, () => codecFixture(name)] as const,
  ),
];

describe("MP4Box", () => {
  it.skipIf(!HAS_MP4BOX)("finds the length of a written M4A of every rate and shape", async () => {
    for (const rate of triedRates("m4a")) {
      for (const channels of [1, 2] as const) {
        const frames = Math.round(rate * 0.7) + 11;
        // oxlint-disable-next-line no-await-in-loop -- sound after sound
        const { bytes } = await writeSound(
          formatOf("m4a", rate, channels),
          tones(rate, channels, frames),
        );
        const [track, ...others] = judged(`${rate}-${channels}.m4a`, bytes);
        expect(others).toEqual([]);
        expect(track?.type, `${rate}`).toBe("soun:mp4a");
        expect(Math.abs(track!.durationMs - (1_000 * frames) / rate), `${rate}`).toBeLessThan(
          1.001,
        );
        expect(track?.text).toContain(`${channels} Channel(s) - SampleRate ${rate}`);
      }
    }
  });

  it.skipIf(!HAS_MP4BOX)("finds every packet and length of a copied film", async () => {
    for (const [name, source] of FILMS) {
      // oxlint-disable-next-line no-await-in-loop -- film after film
      const bytes = await copiedMovie(source());
      // oxlint-disable-next-line no-await-in-loop -- film after film
      const { tracks } = await openBytes(bytes);
      const listed = judged(name, bytes);
      expect(listed, name).toHaveLength(tracks.length);
      for (const [index, track] of tracks.entries()) {
        // oxlint-disable-next-line no-await-in-loop -- track after track
        const packets = await listPackets(track);
        expect(listed[index]?.samples, name).toBe(packets.length);
        const shown = track.edits.reduce((sum, edit) => sum + (edit.duration ?? Number.NaN), 0);
        if (shown > 0) {
          const ms = (1_000 * shown) / track.timeScale;
          expect(Math.abs(listed[index]!.durationMs - ms), name).toBeLessThan(1.001);
        }
      }
    }
    const cut = await copiedMovie(mediaFixture("h264-aac.mp4"));
    expect(() => judged("cut.mp4", cut.subarray(0, 400))).toThrow("MP4Box -info");
  });
});
