import type { AudioProcessingReport } from "../../contracts/media/audio-reports.ts";
import type { SoundFormat } from "../../contracts/media/sound-formats.ts";
import { assembleSound } from "../../media/assembly/assemble-sound.ts";
import { type JoinedSound, joinedFrames, joinSounds } from "../../media/assembly/join-sounds.ts";
import { toAmplitude, toThousandths } from "../../media/dsp/decibels.ts";
import { buildProcessingReport } from "../../media/dsp/processing-report.ts";
import { buildQualityReport, checkQuality } from "../../media/dsp/quality-report.ts";
import { SoundMeter } from "../../media/dsp/sound-meter.ts";
import type { AudioTools, MadeSound } from "../../nodes/define-audio-tools.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import { createDubTools, type PathOf } from "./dub-tools.ts";
import { createSpeechTools } from "./speech-tools.ts";
import { createSplitTools } from "./split-tools.ts";
import {
  formatFor,
  framesIn,
  type SoundInput,
  SoundFiles,
  type StoredSound,
} from "./sound-files.ts";

/** The attempt of a task that uses the tools. */
export interface MediaScope {
  readonly signal: AbortSignal;
}

/** Tools for sound: files are read by ranges and written in parts. */
export function createAudioTools(scope: MediaScope, files: TaskFiles, pathOf: PathOf): AudioTools {
  const { signal } = scope;
  const using = <T>(work: (sounds: SoundFiles) => Promise<T>) =>
    SoundFiles.use({ files, signal }, work);
  return {
    ...createSpeechTools(using),
    ...createDubTools(using, pathOf),
    ...createSplitTools(using),

    measure: (file, limits) =>
      using(async (sounds) => {
        const [input] = await sounds.input("audio", file);
        const settings = {
          silenceThresholdDb: limits.silence_threshold_db,
          minSilenceSeconds: limits.min_silence_seconds,
          nearClipDb: limits.near_clip_db,
        };
        const meter = new SoundMeter(input.info, settings);
        for await (const block of sounds.blocks(input)) {
          meter.add(block);
        }
        const { info, decodeErrors } = input;
        const metrics = buildQualityReport(meter.result(), settings, { ...info, decodeErrors });
        const check = checkQuality(metrics, {
          targetLufs: limits.target_lufs ?? null,
          loudnessToleranceLu: limits.loudness_tolerance_lu,
          maxTruePeakDb: limits.max_true_peak_db,
          maxNearClippedSamples: limits.max_near_clipped_samples,
          maxSilenceRatio: limits.max_silence_ratio,
        });
        return { metrics, check };
      }),

    convert: (file, form) =>
      using(async (sounds) => {
        const inputs = await sounds.input("audio", file);
        const format = formatFor(form, inputs);
        const [input] = inputs;
        const blocks = sounds.convert(input, format);
        return (await sounds.write("audio", format, blocks, framesIn(input, format))).file;
      }),

    concat: (clips, request) =>
      using(async (sounds) => {
        const inputs = await sounds.inputs("clips", clips);
        const format = formatFor(request, inputs);
        const { gap_seconds: gap, crossfade_ms: crossfade } = request;
        const joint = {
          channels: format.channels,
          gapFrames: Math.round(gap * format.sampleRate),
          crossfadeFrames: Math.round((crossfade / 1000) * format.sampleRate),
        };
        const joined = inputs.map((input): JoinedSound => ({
          frames: framesIn(input, format),
          open: () => sounds.convert(input, format),
        }));
        const stored = await sounds.write(
          "audio",
          format,
          joinSounds(joined, joint),
          joinedFrames(joined, joint),
        );
        return madeOf("concat", inputs, format, stored, {
          ...(gap > 0 && { gap_seconds: gap }),
          ...(crossfade > 0 && { crossfade_ms: crossfade }),
        });
      }),

    mix: (tracks, request) =>
      using(async (sounds) => {
        const inputs = await sounds.inputs("tracks", tracks);
        const format = formatFor(request, inputs);
        const lengths = inputs.map((input) => framesIn(input, format));
        const frames =
          request.length === "longest"
            ? Math.max(...lengths)
            : request.length === "shortest"
              ? Math.min(...lengths)
              : (lengths[0] ?? 0);
        const gains = inputs.map((_input, index) => request.gains_db[index] ?? 0);
        const sum = () =>
          assembleSound(
            inputs.map((input, index) => ({
              start: 0,
              frames: null,
              gain: toAmplitude(gains[index] ?? 0),
              fadeIn: 0,
              fadeOut: 0,
              open: () => sounds.convert(input, format),
            })),
            { channels: format.channels, frames },
          );
        const { written, overloadGainDb } = await sounds.writeSum(format, sum, frames);
        return madeOf(
          "mix",
          inputs,
          format,
          written,
          { gains_db: gains, length: request.length },
          overloadGainDb,
        );
      }),
  };
}

function madeOf(
  operation: AudioProcessingReport["operation"],
  inputs: readonly SoundInput[],
  format: SoundFormat,
  { file, written }: StoredSound,
  settings: AudioProcessingReport["settings"],
  overloadGainDb = 0,
): MadeSound {
  const results = { overload_gain_db: toThousandths(overloadGainDb) };
  return {
    audio: file,
    report: buildProcessingReport({ operation, inputs, format, written, settings, results }),
  };
}
