/** The sound of joined videos: each clip's begins with its pictures, and silence follows one that is shorter, to the sample. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { assembleSound } from "../../../../src/media/assembly/assemble-sound.ts";
import type { AudioBlock } from "../../../../src/media/audio-block.ts";
import type { MediaTrack } from "../../../../src/media/container/media-track.ts";
import { requireVideoTrack } from "../../../../src/media/container/open-media.ts";
import { inspectFilm } from "../../../../src/media/film/film-clip.ts";
import {
  type ClipSound,
  joinedSounds,
  placedSounds,
} from "../../../../src/media/film/film-sound.ts";
import { joinFilms } from "../../../../src/media/film/join-films.ts";
import { madeSound } from "../../../../src/media/film/made-sound.ts";
import { openBytes, writtenMovie } from "../../../support/media/copied-movie.ts";
import {
  decodedByFfmpeg,
  HAS_FFMPEG,
  probedByFfmpeg,
} from "../../../support/media/native-sound.ts";
import { mediaFixture } from "../../../support/media/read-codecs.ts";
import { readSound } from "../../../support/media/read-sound.ts";
import { REAL_CODECS } from "../../../support/media/real-codecs.ts";
import { sine } from "../../../support/media/signals.ts";
import { soundEncoders } from "../../../support/media/sound-encoders.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "joined-sounds-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const RATE = 48_000;
const HERTZ = 1_000;
/** Seconds of the sound of each clip: shorter than its pictures, none, longer than they are, and shorter again. */
const SECONDS = [0.25, null, 0.7, 0.1] as const;
/** What a codec adds before and after an edge, in frames. */
const EDGE = 1_500;

async function* toneOf(seconds: number): AsyncGenerator<AudioBlock> {
  yield [sine(RATE, seconds, HERTZ, -6, 0)];
}

/** A film of four equal clips, of which each has a tone of another length. */
async function joinedFilm(name: string) {
  const [isWebm, file] = [name.endsWith("webm"), mediaFixture(name)];
  const films = [];
  for (const _seconds of SECONDS) {
    // oxlint-disable-next-line no-await-in-loop -- clip after clip
    films.push(await inspectFilm(await openBytes(file)));
  }
  const open = async (): Promise<MediaTrack> => requireVideoTrack(await openBytes(file));
  const joined = joinFilms(films, open);
  const clips = SECONDS.map((seconds): ClipSound | undefined =>
    seconds === null ? undefined : { startSeconds: 0, open: () => toneOf(seconds) },
  );
  const { sounds, frames } = joinedSounds(joined, clips, RATE);
  const sound = madeSound(
    {
      format: {
        format: isWebm ? "ogg" : "m4a",
        sampleRate: RATE,
        channels: 1,
        bitrateKbps: 96,
        bitDepth: null,
      },
      hasEdits: !isWebm,
      frames,
      blocks: () => assembleSound(placedSounds(sounds), { channels: 1, frames }),
    },
    soundEncoders,
  );
  const starts = joined.clips.map(({ from }) => (from * RATE) / joined.timeScale);
  return {
    bytes: await writtenMovie(isWebm ? "webm" : "mp4", [joined.track, sound]),
    starts,
    frames,
  };
}

function level(samples: Float32Array): number {
  const energy = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return 10 * Math.log10(energy + 1e-20);
}

/** Frames by which a tone is later than one that begins at `start`, within half a period. */
function lateness(samples: Float32Array, start: number, from: number, to: number): number {
  let [inPhase, across] = [0, 0];
  for (let i = from; i < to; i++) {
    const angle = (2 * Math.PI * HERTZ * (i - start)) / RATE;
    inPhase += (samples[i] ?? 0) * Math.sin(angle);
    across += (samples[i] ?? 0) * Math.cos(angle);
  }
  return (-Math.atan2(across, inPhase) / (2 * Math.PI * HERTZ)) * RATE;
}

function checkTones(samples: Float32Array, starts: readonly number[], frames: number): void {
  for (const [index, seconds] of SECONDS.entries()) {
    const start = Math.round(starts[index] ?? 0);
    const next = Math.round(starts[index + 1] ?? frames);
    const end = Math.min(next, start + Math.round((seconds ?? 0) * RATE));
    const what = `clip ${index}`;
    if (end > start) {
      const [from, to] = [start + EDGE, end - EDGE];
      expect(level(samples.slice(from, to)), what).toBeCloseTo(-9, 0);
      expect(Math.abs(lateness(samples, start, from, to)), what).toBeLessThan(0.5);
    }
    if (end < next) {
      expect(level(samples.slice(end + EDGE, next - EDGE)), what).toBeLessThan(-60);
    }
  }
}

describe("the sounds of joined clips", () => {
  test.each(["h264-aac.mp4", "vp8-opus.webm"])(
    "are cut or filled to the pictures of each clip in %s",
    async (name) => {
      const { bytes, starts, frames } = await joinedFilm(name);
      expect(frames).toBeGreaterThan(4 * 0.35 * RATE);
      const read = await readSound(bytes, REAL_CODECS);
      expect(read.frames).toBe(frames);
      checkTones(read.planes[0] ?? new Float32Array(), starts, frames);
    },
  );

  it.skipIf(!HAS_FFMPEG)("are so for ffmpeg too", async () => {
    for (const name of ["h264-aac.mp4", "vp8-opus.webm"]) {
      // oxlint-disable-next-line no-await-in-loop -- film after film
      const { bytes, starts, frames } = await joinedFilm(name);
      const path = join(folder, name);
      writeFileSync(path, bytes);
      expect(probedByFfmpeg(path)).toMatchObject({ codec_type: "video" });
      const [decoded] = decodedByFfmpeg([path]);
      const samples = decoded?.planes[0] ?? new Float32Array();
      // ffmpeg decodes the last packet of AAC to its end.
      expect(samples.length - frames, name).toBeGreaterThanOrEqual(0);
      expect(samples.length - frames, name).toBeLessThan(1_024);
      checkTones(samples, starts, frames);
    }
  });
});
