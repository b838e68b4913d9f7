/**
 * A job on sounds in a process of its own: `node --import ./bench/load-wasm.mjs bench/sounds-alone.ts <job> <folder>
 * <rounds> <file …>`. Prints the milliseconds of processor time of each round as JSON, after one round that compiles.
 *
 * - `decode`: every sample of a file. `measure`, `convert:<format>`, `convert44`, `normalize`, `limit`,
 *   `follow` (a single pass), `split`, `concat`, `fit`, `duck`, `mix`, `enhance`:
 *   one call of the media Worker's tool. `timeline`: 500 clips of two seconds one after another. `clips`: the same clips,
 *   only read. `loop:<format>`: each of the files converted, one after another, without a service.
 */
import type { SoundFormatName } from "../src/contracts/media/sound-formats.ts";
import type { TaskFiles } from "../src/workers/shared/node-context.ts";
import { begin, roundsOf } from "./job-rounds.ts";
import { fileIn, filesIn } from "./sounds-on-disk.ts";

// Nothing else has a turn in this process.
(globalThis as { scheduler?: unknown }).scheduler = { wait: () => Promise.resolve() };
const { createAudioTools } = await import("../src/workers/media/audio-tools.ts");
const { SoundFiles } = await import("../src/workers/media/sound-files.ts");

const CLIPS = 500;
const CLIP_SECONDS = 2;
const METER = {
  silence_threshold_db: -50,
  min_silence_seconds: 0.5,
  near_clip_db: -0.1,
  loudness_tolerance_lu: 1,
  max_true_peak_db: -1,
  max_near_clipped_samples: 0,
  max_silence_ratio: 1,
};
const WAV = { format: "wav" } as const;
const FIT = {
  min_speed: 0.5,
  max_speed: 2,
  on_out_of_range: "fail",
  pad_short: true,
  tolerance_seconds: 0.01,
} as const;

const [job = "", folder = "", rounds = "1", ...names] = process.argv.slice(2);
const { signal } = new AbortController();
// These tools use no other part of it.
const files = filesIn(folder) as TaskFiles;
const tools = createAudioTools({ signal }, files, ({ key }) => Promise.resolve(key));
const inputs = names.map((name) => fileIn(folder, name));
const [first, second] = inputs;
if (first === undefined) {
  throw new Error("The job has no file.");
}

const decode = (file: typeof first) =>
  SoundFiles.use({ files, signal }, async (sounds) => {
    const [input] = await sounds.input("audio", file);
    let frames = 0;
    for await (const block of sounds.blocks(input)) {
      frames += block[0]?.length ?? 0;
    }
    return { frames, seconds: frames / input.info.sampleRate };
  });

const normalizeTo = (target: number, mode: "two_pass" | "single_pass") => () =>
  tools.normalize(first, {
    ...WAV,
    target_lufs: target,
    true_peak_db: -1,
    mode,
    tolerance_lu: 0.5,
    max_gain_db: 30,
  });

const [name, format = "wav"] = job.split(":") as [string, SoundFormatName?];
const JOBS: Readonly<Record<string, () => Promise<unknown>>> = {
  decode: () => decode(first),
  measure: () => tools.measure(first, METER),
  convert: () => tools.convert(first, { format }),
  convert44: () => tools.convert(first, { ...WAV, sample_rate: 44_100 }),
  // The sound's peaks stay below the limit of the first, and exceed that of the second.
  normalize: normalizeTo(-30, "two_pass"),
  limit: normalizeTo(-6, "two_pass"),
  follow: normalizeTo(-16, "single_pass"),
  split: () => tools.split(first, [{ start: 0.5, end: 360_000 }], { format: "source" }),
  concat: () => tools.concat(inputs, { ...WAV, gap_seconds: 0, crossfade_ms: 50 }),
  fit: async () => {
    const { seconds } = await decode(first);
    // The decoding of the length is not part of the tool.
    begin();
    const targetDuration = seconds / 1.25;
    await tools.fit(first, { ...WAV, ...FIT }, { ...NO_WINDOW, targetDuration });
  },
  duck: () =>
    tools.duck(first, second ?? first, {
      ...WAV,
      profile: "podcast",
      length: "longest",
      loop_background: false,
    }),
  mix: () => tools.mix(inputs, { ...WAV, gains_db: [-6, -6], length: "longest" }),
  enhance: () => tools.enhance(first, { ...WAV, profile: "podcast", denoise_technique: "auto" }),
  timeline: () => timeline(first),
  clips: async () => {
    for (let clip = 0; clip < CLIPS; clip++) {
      await decode(first);
    }
  },
  loop: async () => {
    for (const file of inputs) {
      await tools.convert(file, { format });
    }
  },
};
const NO_WINDOW = { targetStart: undefined, targetEnd: undefined, targetDuration: undefined };

/** One clip stands for all of them. */
async function timeline(clip: typeof first): Promise<void> {
  const clips = Array.from({ length: CLIPS }, (_none, index) => ({
    index,
    cueId: `c${index}`,
    speaker: undefined,
    start: index * CLIP_SECONDS,
    end: (index + 1) * CLIP_SECONDS,
    clip,
  }));
  await tools.placeClips(
    clips,
    { ...WAV, overlap_policy: "trim_previous", missing_cue_policy: "fail", fade_ms: 5 },
    { durationSeconds: undefined, skippedItems: 0 },
  );
}

const work = JOBS[name];
if (work === undefined) {
  throw new Error(`There is no job ${name}.`);
}
console.log(JSON.stringify(await roundsOf(work, Number(rounds))));
