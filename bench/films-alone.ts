/**
 * A job on films in a process of its own: `node --import ./bench/load-wasm.mjs bench/films-alone.ts <job> <folder> <rounds>
 * <file …>`. Prints the milliseconds of processor time of each round as JSON, after one round that compiles.
 *
 * One call of the media Worker's tool each: `copy` (every packet, as for subtitles without a cue), `split` (all but the first half second,
 * exact), `extract`, `mux` (a film and a sound), `concat` (all files), `thumbnail:<seconds>`.
 */
import { createVideoTools } from "../src/workers/media/video-tools.ts";
import type { TaskFiles } from "../src/workers/shared/node-context.ts";
import { roundsOf } from "./job-rounds.ts";
import { fileIn, filesIn } from "./sounds-on-disk.ts";

// Nothing else has a turn in this process.
(globalThis as { scheduler?: unknown }).scheduler = { wait: () => Promise.resolve() };

const [job = "", folder = "", rounds = "1", ...names] = process.argv.slice(2);
const { signal } = new AbortController();
// These tools use no other part of it.
const files = filesIn(folder) as TaskFiles;
const tools = createVideoTools({ signal }, files);
const inputs = names.map((name) => fileIn(folder, name));
const [film, sound] = inputs;
if (film === undefined) {
  throw new Error("The job has no file.");
}

const [name = "", seconds = "0"] = job.split(":");
const JOBS: Readonly<Record<string, () => Promise<unknown>>> = {
  copy: () =>
    tools.addSubtitles(film, null, {
      language: "und",
      default: true,
      sidecar_format: "srt",
      offset_seconds: 0,
    }),
  split: () => tools.split(film, [{ start: 0.5, end: 360_000 }], "exact"),
  extract: () => tools.extractAudio(film, { format: "source" }),
  mux: () =>
    tools.muxAudio(film, sound ?? film, {
      mode: "replace",
      audio_gain_db: 0,
      video_gain_db: 0,
      offset_seconds: 0,
      loop: false,
    }),
  concat: () => tools.concat(inputs),
  thumbnail: () =>
    tools.thumbnail(film, Number(seconds), { mode: "exact", format: "jpg", quality: 85 }),
};
const work = JOBS[name];
if (work === undefined) {
  throw new Error(`There is no job ${name}.`);
}
console.log(JSON.stringify(await roundsOf(work, Number(rounds))));
