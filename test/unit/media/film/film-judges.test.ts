/** Films of many kinds, made and judged by ffmpeg where it is installed: the same packets, pictures and samples, without a word. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MediaTrack } from "../../../../src/media/container/media-track.ts";
import {
  requireSoundTrack,
  requireVideoTrack,
} from "../../../../src/media/container/open-media.ts";
import { soundCopy } from "../../../../src/media/film/extract-sound.ts";
import { inspectFilm } from "../../../../src/media/film/film-clip.ts";
import { joinFilms } from "../../../../src/media/film/join-films.ts";
import { copiedMovie, openBytes, writtenMovie } from "../../../support/media/copied-movie.ts";
import { MemorySink } from "../../../support/media/memory-sink.ts";
import { HAS_FFMPEG, judge } from "../../../support/media/native-sound.ts";
import { presentedSound } from "../../../support/media/presented-sound.ts";
import { IS_PROOF } from "../../../support/sizes.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "films-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const path = (name: string) => join(folder, name);
const ffmpeg = (...args: readonly string[]) => judge("ffmpeg", "-v", "error", "-y", ...args);

const PICTURES = ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=2"];
const NTSC = ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=30000/1001:d=2"];
const TONE = ["-f", "lavfi", "-i", "sine=440:r=48000:d=2"];
const H264 = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "20", "-threads", "1"];
const UNEVEN = "select='not(mod(n,3))+not(mod(n,7))',setsar=4/3";

/** What ffmpeg makes each film of. */
const FILMS: Readonly<Record<string, readonly string[]>> = {
  "b-frames.mp4": [...PICTURES, ...TONE, ...H264, "-c:a", "aac"],
  "b-frames.mov": [...PICTURES, ...TONE, ...H264, "-c:a", "pcm_s16be"],
  "ntsc.mp4": [...NTSC, ...TONE, ...H264, "-c:a", "libmp3lame"],
  "uneven.mp4": [...PICTURES, "-vf", UNEVEN, "-vsync", "vfr", ...H264],
  "hevc.mp4": [
    ...PICTURES,
    "-c:v",
    "libx265",
    "-x265-params",
    "log-level=error:pools=1",
    "-bf",
    "2",
  ],
  "fragments.mp4": [...PICTURES, ...TONE, ...H264, "-c:a", "aac", "-movflags", "frag_keyframe"],
  "negative.mp4": [...PICTURES, ...H264, "-movflags", "negative_cts_offsets"],
  "turned.mp4": ["-i", "b-frames.mp4", "-c", "copy", "-metadata:s:v", "rotate=90"],
  "cut.mp4": ["-ss", "0.9", "-i", "b-frames.mp4", "-c", "copy"],
  "vp8.webm": [
    ...PICTURES,
    ...TONE,
    "-c:v",
    "libvpx",
    "-deadline",
    "realtime",
    "-c:a",
    "libvorbis",
  ],
  "vp9.webm": [
    ...PICTURES,
    ...TONE,
    "-c:v",
    "libvpx-vp9",
    "-deadline",
    "realtime",
    "-c:a",
    "libopus",
  ],
};

/** `npm test` takes one film for each rule; the proof takes all. */
const NAMES = IS_PROOF
  ? Object.keys(FILMS)
  : ["b-frames.mp4", "uneven.mp4", "turned.mp4", "cut.mp4", "vp9.webm"];
const SOUNDS = IS_PROOF
  ? ["b-frames.mp4", "b-frames.mov", "ntsc.mp4", "vp8.webm", "vp9.webm"]
  : ["b-frames.mp4", "vp9.webm"];
const made = new Map<string, Uint8Array<ArrayBuffer>>();

function film(name: string): Uint8Array<ArrayBuffer> {
  const before = made.get(name);
  if (before !== undefined) {
    return before;
  }
  const args = (FILMS[name] ?? []).map((arg) => (arg === "b-frames.mp4" ? path(arg) : arg));
  ffmpeg(...args, path(name));
  const bytes = new Uint8Array(readFileSync(path(name)));
  made.set(name, bytes);
  return bytes;
}

/** MD5 and time of every packet or picture; the time of the first is left out of all. */
function listed(file: string, stream: "v" | "a", copy: boolean): readonly string[] {
  const args = ["-i", file, "-map", `0:${stream}`, ...(copy ? ["-c", "copy"] : [])];
  const text = judge("ffmpeg", "-v", "error", "-xerror", ...args, "-f", "framemd5", "-").toString();
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(/,\s*/).slice(1).join(" "));
}

const md5 = (lines: readonly string[]) => lines.map((line) => line.split(" ").at(-1));

function properties(file: string): unknown {
  const entries =
    "stream=codec_name,codec_tag_string,width,height,sample_aspect_ratio,start_time,duration:stream_side_data=rotation";
  return JSON.parse(
    judge("ffprobe", "-v", "error", "-show_entries", entries, "-of", "json", file).toString(),
  );
}

describe("films that ffmpeg reads", () => {
  it.skipIf(!HAS_FFMPEG)("have the packets, pictures and properties of their sources", async () => {
    for (const name of NAMES) {
      const source = film(name);
      const copy = path(`copy-${name}`);
      // oxlint-disable-next-line no-await-in-loop -- film after film
      writeFileSync(copy, await copiedMovie(source));
      for (const isCopy of [true, false]) {
        expect(listed(copy, "v", isCopy), name).toEqual(listed(path(name), "v", isCopy));
      }
      // Fragments state no duration of the last packet, and their tables do.
      if (name !== "fragments.mp4") {
        expect(properties(copy), name).toEqual(properties(path(name)));
      }
    }
  });

  it.skipIf(!HAS_FFMPEG)("show every picture of their clips once they are joined", async () => {
    for (const name of NAMES) {
      // A clip that hides pictures can only be the first one.
      const first = film(name);
      const others = name === "cut.mp4" ? film("b-frames.mp4") : first;
      const files = [first, others, others];
      const films = [];
      for (const file of files) {
        // oxlint-disable-next-line no-await-in-loop -- clip after clip
        films.push(await inspectFilm(await openBytes(file)));
      }
      const open = async (index: number): Promise<MediaTrack> =>
        requireVideoTrack(await openBytes(files[index] ?? new Uint8Array()));
      const { track } = joinFilms(films, open);
      const joined = path(`joined-${name}`);
      const container = name.endsWith("webm") ? "webm" : name.endsWith("mov") ? "mov" : "mp4";
      // oxlint-disable-next-line no-await-in-loop -- film after film
      writeFileSync(joined, await writtenMovie(container, [track]));
      const second = name === "cut.mp4" ? "b-frames.mp4" : name;
      const expected = [name, second, second].flatMap((clip) =>
        md5(listed(path(clip), "v", false)),
      );
      expect(md5(listed(joined, "v", false)), name).toEqual(expected);
    }
  });

  it.skipIf(!HAS_FFMPEG)(
    "have the samples of their sources once the sound is taken out",
    async () => {
      for (const name of SOUNDS) {
        // oxlint-disable-next-line no-await-in-loop -- film after film
        const copy = await soundCopy(requireSoundTrack(await openBytes(film(name))));
        const sink = new MemorySink();
        // oxlint-disable-next-line no-await-in-loop -- film after film
        await copy?.write(sink, new AbortController().signal);
        const sound = path(`sound-${name}.${copy?.format ?? ""}`);
        writeFileSync(sound, sink.bytes());
        const decoded = (file: string) =>
          judge("ffmpeg", "-v", "error", "-xerror", "-i", file, "-map", "0:a", "-f", "s16le", "-");
        // oxlint-disable-next-line no-await-in-loop -- film after film
        const { frames } = await presentedSound(film(name));
        // oxlint-disable-next-line no-await-in-loop -- film after film
        expect((await presentedSound(sink.bytes())).frames, name).toBe(frames);
        // ffmpeg decodes the last packet of some formats to its end.
        const [own, source] = [sound, path(name)].map((file) =>
          decoded(file).subarray(0, 2 * frames),
        );
        expect(own?.byteLength, name).toBe(2 * frames);
        expect(source !== undefined && own?.equals(source), name).toBe(true);
      }
    },
  );
});
