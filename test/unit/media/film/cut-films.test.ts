/**
 * Films that end too early, at each of their parts and at many places, in every tool for videos: refused with nothing stored, or
 * made as of the whole film, packet for packet. Whole films are worked on as before in between, by the same modules.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scheduler } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { copiedMovie, listPackets, md5Of, openBytes } from "../../../support/media/copied-movie.ts";
import { openFilm } from "../../../support/media/cut-film.ts";
import { partStarts } from "../../../support/media/cut-places.ts";
import { FILM_REFUSALS } from "../../../support/media/film-refusals.ts";
import { FILM_WORKS, type FilmWork, FILMS } from "../../../support/media/film-works.ts";
import { HAS_FFMPEG, judge } from "../../../support/media/native-sound.ts";
import { shownPictures } from "../../../support/media/shown-pictures.ts";
import { resultContext } from "../../../support/results/result-context.ts";
import { IS_PROOF, sizeOf } from "../../../support/sizes.ts";

beforeAll(() => {
  // The tools give their turn away with it, as in Workers; Node has it in a module.
  vi.stubGlobal("scheduler", scheduler);
});

afterAll(() => {
  vi.unstubAllGlobals();
});

/** At each place one of the tools in turn; in `npm test` at every seventh part, of some films, and fewer whole ones. */
const STRIDE = IS_PROOF ? 1 : 7;
const FILM_STRIDE = IS_PROOF ? 1 : 3;
const WHOLE_STRIDE = IS_PROOF ? 1 : 4;
/** Between two whole films. */
const CUTS_AT_ONCE = 200;

/** The films as they are, and those with their tables at the end also with tables at the start. */
const CUT: readonly (readonly [name: string, film: () => Promise<Uint8Array>])[] = Object.entries(
  FILMS,
)
  .flatMap(([name, film]) => [
    [name, () => Promise.resolve(film())] as const,
    ...(name.endsWith("webm")
      ? []
      : [[name.replace(".", "-fast."), () => copiedMovie(film())] as const]),
  ])
  .filter((_, index) => index % FILM_STRIDE === 0);

function placesIn(name: string, bytes: Uint8Array): readonly number[] {
  const random = new SeededRandom(bytes.length);
  const parts = partStarts(name, bytes).flatMap((at) => [at, at + 1]);
  return [
    ...parts.filter((_, i) => i % STRIDE === 0),
    ...Array.from({ length: sizeOf("mediaCuts") }, () => random.below(bytes.length)),
    bytes.length - 1,
  ].filter((at) => at < bytes.length);
}

/** What a tool makes of a film: every packet of its files, or the code with which it is refused and the files that it left. */
async function outcomeOf(name: string, bytes: Uint8Array, work: FilmWork): Promise<unknown> {
  const task = resultContext();
  const film = task.add(name, "video/mp4", bytes);
  try {
    const made = [];
    for (const file of await work(task.context.video, film)) {
      made.push({
        name: file.name,
        content: await contentOf(task.bytesOf(file), file.contentType),
      });
    }
    return made;
  } catch (error) {
    if (error instanceof NodeError && FILM_REFUSALS.has(error.code)) {
      return { code: error.code, files: task.count() - 1 };
    }
    throw error;
  }
}

async function contentOf(bytes: Uint8Array, contentType: string): Promise<unknown> {
  if (contentType.startsWith("image/")) {
    return md5Of(bytes);
  }
  const { tracks } = await openBytes(bytes);
  const contents = [];
  for (const track of tracks) {
    const { kind, codec, edits } = track;
    contents.push({ kind, codec, edits, packets: await listPackets(track) });
  }
  return contents;
}

/** The film with a fragment for each group of pictures, by ffmpeg. */
function fragmented(film: Uint8Array): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "cut-films-"));
  try {
    const [from, to] = [join(folder, "from.mov"), join(folder, "to.mp4")];
    writeFileSync(from, film);
    const copy = ["-c", "copy", "-movflags", "frag_keyframe+empty_moov"];
    judge("ffmpeg", "-v", "error", "-i", from, ...copy, to);
    return new Uint8Array(readFileSync(to));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The outcome of a film that is cut where every tool reads. */
const REFUSED = {
  code: expect.stringMatching(/^MEDIA_(?:TRUNCATED|UNREADABLE|EMPTY)$/) as unknown,
  files: 0,
};

describe("a film that was cut", () => {
  test.each(CUT)(
    "%s never passes for a whole one, and harms no other task",
    { timeout: 600_000 },
    async (name, film) => {
      const bytes = await film();
      const whole: unknown[] = [];
      for (const work of FILM_WORKS) {
        whole.push(await outcomeOf(name, bytes, work));
      }
      expect(whole.some((outcome) => Array.isArray(outcome))).toBe(true);
      for (const [index, at] of placesIn(name, bytes).entries()) {
        const turn = index % FILM_WORKS.length;
        const cut = bytes.slice(0, at);
        const found = await outcomeOf(name, cut, FILM_WORKS[turn]!);
        // Of a film without sound that is missed, before its pictures are.
        const expected = Array.isArray(whole[turn]) ? [REFUSED] : [REFUSED, whole[turn]];
        const place = `byte ${at} of ${bytes.length}, tool ${turn}`;
        expect(expected, `${place}: ${JSON.stringify(found).slice(0, 200)}`).toContainEqual(found);
        if (index % CUTS_AT_ONCE === CUTS_AT_ONCE - 1) {
          const next = Math.floor(index / CUTS_AT_ONCE) % FILM_WORKS.length;
          expect(await outcomeOf(name, bytes, FILM_WORKS[next]!)).toEqual(whole[next]);
        }
      }
      for (let turn = 0; turn < FILM_WORKS.length; turn += WHOLE_STRIDE) {
        expect(await outcomeOf(name, bytes, FILM_WORKS[turn]!), `tool ${turn}`).toEqual(
          whole[turn],
        );
      }
    },
  );

  if (IS_PROOF) {
    // A fragment states nothing about those that follow: a film that ends with a whole one is shorter, and each of its frames right.
    test.skipIf(!HAS_FFMPEG)(
      "in fragments is refused, or has the first frames of the whole one",
      async () => {
        const bytes = fragmented(FILMS["h264-open-gop.mov"]!());
        const framesOf = async (part: Uint8Array) => {
          const task = resultContext();
          const [file] = await task.context.video.split(
            task.add("film.mp4", "video/mp4", part),
            [{ start: 0, end: 100 }],
            "exact",
          );
          const { track } = await openFilm(task.bytesOf(file!));
          return (await shownPictures(track)).map(({ hash }) => hash);
        };
        const whole = await framesOf(bytes);
        expect(whole.length).toBeGreaterThan(20);
        const lengths = new Set<number>();
        for (const at of placesIn("film.mp4", bytes)) {
          try {
            const frames = await framesOf(bytes.slice(0, at));
            expect([at, frames]).toEqual([at, whole.slice(0, frames.length)]);
            lengths.add(frames.length);
          } catch (error) {
            if (!(error instanceof NodeError && FILM_REFUSALS.has(error.code))) {
              throw error;
            }
          }
        }
        // The film without its index, and those of its first fragments.
        expect(lengths.size).toBeGreaterThan(1);
        expect(lengths.has(0)).toBe(false);
      },
    );
  }
});
