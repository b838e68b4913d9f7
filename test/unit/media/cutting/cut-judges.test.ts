/** Exact parts of films as ffmpeg shows them, where it is installed: the pictures of the source at their times, without a word. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CUT_FILMS, cutFilm, openFilm, partsOf } from "../../../support/media/cut-film.ts";
import { HAS_FFMPEG, judge } from "../../../support/media/native-sound.ts";
import { shownSeconds } from "../../../support/media/shown-pictures.ts";
import { IS_PROOF, sizeOf } from "../../../support/sizes.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cuts-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface JudgedPicture {
  /** In seconds. */
  readonly time: number;
  readonly hash: string;
}

/** The pictures that ffmpeg shows. */
function shownByFfmpeg(file: Uint8Array, name: string, codec: string): readonly JudgedPicture[] {
  const path = join(folder, name);
  writeFileSync(path, file);
  // dav1d in ffmpeg 5.1 shows pictures that an edit list hides.
  const decoder = codec === "av1" ? ["-c:v", "libaom-av1"] : [];
  // Turning would decode to other bytes.
  const input = ["-v", "error", "-xerror", "-noautorotate", ...decoder, "-i", path];
  const text = judge("ffmpeg", ...input, "-vsync", "passthrough", "-f", "framemd5", "-").toString();
  const [, over = "1", under = "1"] = /#tb 0: (\d+)\/(\d+)/.exec(text) ?? [];
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const fields = line.split(/,\s*/);
      return {
        time: (Number(fields[2]) * Number(over)) / Number(under),
        hash: fields.at(-1) ?? "",
      };
    });
}

/** ffmpeg 5.1 shows the second of two edits too early where the first one hides pictures. */
const judged = Object.entries(CUT_FILMS)
  .filter(([name]) => !name.includes("leaves out its middle"))
  .filter((_film, index) => index % sizeOf("judgedFilmStride") === 0);

it.skipIf(!HAS_FFMPEG)("ffmpeg shows an exact part of a film as it shows the film", async () => {
  for (const [name, film] of judged) {
    const file = film();
    // oxlint-disable-next-line no-await-in-loop -- film after film
    const { seconds, track } = await openFilm(file);
    const codec = track.codec ?? "";
    const all = shownByFfmpeg(file, "source", codec);
    // oxlint-disable-next-line no-await-in-loop -- film after film
    const times = await shownSeconds(track);
    expect(all.length, name).toBe(times.length);
    const half = 0.5 / track.timeScale;
    // The first part ends with the film.
    for (const [start, end] of [...partsOf(seconds, 2)].slice(IS_PROOF ? 0 : 1)) {
      // oxlint-disable-next-line no-await-in-loop -- part after part
      const { bytes } = await cutFilm(file, start, end, "exact");
      const shown = shownByFfmpeg(bytes, "part", codec);
      const wanted = times.flatMap((time, index) =>
        time >= start - half && time < end - half ? [{ time, hash: all[index]?.hash }] : [],
      );
      expect(
        shown.map(({ hash }) => hash),
        `${name} from ${start}`,
      ).toEqual(wanted.map(({ hash }) => hash));
      for (const [index, { time }] of shown.entries()) {
        expect(time, `${name} from ${start}`).toBeCloseTo(
          (wanted[index]?.time ?? 0) - (wanted[0]?.time ?? 0),
          4,
        );
      }
    }
  }
});
