/** Damaged films in every node of videos: each ends with files that are read again, or with a code and nothing stored. */
import { scheduler } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { liveBytes } from "../../../support/datasets/live-bytes.ts";
import { fuzzReader } from "../../../support/fuzz/fuzz-reader.ts";
import { openBytes } from "../../../support/media/copied-movie.ts";
import { damagedFilm } from "../../../support/media/damaged-film.ts";
import { FILM_REFUSALS } from "../../../support/media/film-refusals.ts";
import { FILM_WORKS, type FilmWork, FILMS } from "../../../support/media/film-works.ts";
import { resultContext } from "../../../support/results/result-context.ts";
import { executionsOf, IS_PROOF } from "../../../support/sizes.ts";

beforeAll(() => {
  // The tools give their turn away with it, as in Workers; Node has it in a module.
  vi.stubGlobal("scheduler", scheduler);
});

afterAll(() => {
  vi.unstubAllGlobals();
});

/** Bytes that may be in use after damaged films, more than before them. */
const GROWTH_MAX = 4 * 1024 * 1024;

/** A collection ends the sweeping of buffers that the one before it has begun. */
function settledBytes(): number {
  liveBytes();
  return liveBytes();
}

interface Damaged {
  readonly bytes: Uint8Array;
  readonly work: FilmWork;
}

describe("a damaged film", () => {
  test.each(Object.entries(FILMS))(
    "%s ends with files that are read again, or with a code and nothing stored",
    { timeout: 600_000 },
    async (name, film) => {
      const whole = film();
      let failedWith = 0;
      // The first task of a process leaves modules and caches, which do not count as growth. The few of `npm test` are below the bound.
      for (const work of IS_PROOF ? FILM_WORKS : []) {
        const made = resultContext();
        try {
          await work(made.context.video, made.add(name, "video/mp4", whole));
        } catch (error) {
          expect(error).toBeInstanceOf(NodeError);
        }
      }
      const report = await fuzzReader<Damaged, void>({
        name,
        seed: whole.length,
        executions: executionsOf(50),
        draw: (random) => ({ bytes: damagedFilm(random, whole), work: random.pick(FILM_WORKS) }),
        read: async ({ bytes, work }) => {
          const made = resultContext();
          const given = made.add(name, "video/mp4", bytes);
          try {
            for (const file of await work(made.context.video, given)) {
              if (!file.contentType.startsWith("image/")) {
                // oxlint-disable-next-line no-await-in-loop -- file after file
                await readAgain(made.bytesOf(file));
              }
            }
          } catch (error) {
            failedWith = made.count() - 1;
            throw error;
          }
        },
        liveBytes: settledBytes,
        isRefusal: (error) =>
          error instanceof NodeError && FILM_REFUSALS.has(error.code) && failedWith === 0,
        show: ({ bytes, work }) =>
          `${FILM_WORKS.indexOf(work)} ${Buffer.from(bytes).toString("base64").slice(0, 600)}`,
      });
      expect(report.findings).toEqual([]);
      expect(report.accepted).toBeGreaterThan(0);
      expect(report.refused).toBeGreaterThan(0);
      // Measured: up to 0.6 MB after 1,000 films; a copy of each would be 10 MB.
      expect(report.peakLiveBytes).toBeLessThan(GROWTH_MAX);
    },
  );
});

/** A file that was written is whole: a fault of its own is not a code of the source. */
async function readAgain(bytes: Uint8Array): Promise<void> {
  try {
    const { tracks } = await openBytes(bytes);
    for (const track of tracks) {
      // oxlint-disable-next-line no-await-in-loop -- track after track
      for await (const { data } of track.packets()) {
        expect(data.byteLength).toBeGreaterThanOrEqual(0);
      }
    }
  } catch (error) {
    throw new Error(`A written file is not read: ${String(error)}`, { cause: error });
  }
}
