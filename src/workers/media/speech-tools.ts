import rnnoise from "simple-rnnoise-wasm/rnnoise.wasm";
import convolve from "../../media/dsp/convolve.wasm";
import stretcher from "../../media/codec/time-stretch.wasm";
import type { AudioProcessingReport } from "../../contracts/media/audio-reports.ts";
import type { SoundFormat } from "../../contracts/media/sound-formats.ts";
import type { AudioBlock } from "../../media/audio-block.ts";
import { silentBlocks } from "../../media/silent-blocks.ts";
import { looped, pairSounds } from "../../media/assembly/pair-sounds.ts";
import {
  checkDucking,
  DUCK_PROFILES,
  type DuckControls,
  Ducker,
  duckFrames,
  type Ducking,
  duckResults,
} from "../../media/dsp/ducker.ts";
import {
  checkEnhancement,
  createEnhancer,
  enhanceResults,
  enhanceSettings,
  resolveEnhancement,
} from "../../media/dsp/enhance-speech.ts";
import {
  actualDuration,
  checkFit,
  chooseTarget,
  decideFit,
  type Fit,
  fitResults,
} from "../../media/dsp/fit-duration.ts";
import {
  checkNormalization,
  normalizationResults,
  normalizeLoudness,
} from "../../media/dsp/normalize-loudness.ts";
import { buildProcessingReport } from "../../media/dsp/processing-report.ts";
import { buildQualityReport } from "../../media/dsp/quality-report.ts";
import { Resampler } from "../../media/dsp/resampler.ts";
import { METER_DEFAULTS, SoundMeter } from "../../media/dsp/sound-meter.ts";
import { inBlocks } from "../../media/dsp/sound-stage.ts";
import { SpeechLevelMeter } from "../../media/dsp/speech-levels.ts";
import { TimeStretch } from "../../media/dsp/time-stretch.ts";
import type { AudioTools, DuckRequest } from "../../nodes/define-audio-tools.ts";
import {
  formatFor,
  framesIn,
  type SoundInput,
  type SoundFiles,
  type StoredSound,
} from "./sound-files.ts";

/** Runs work on the sounds of one call. */
type Using = <T>(work: (sounds: SoundFiles) => Promise<T>) => Promise<T>;

/** Container of a written format, as reports name it. */
const CONTAINERS = { wav: "wav", flac: "flac", mp3: "mp3", m4a: "mp4", ogg: "ogg" } as const;

/** The tools that change the level, the duration or the noise of a sound. */
export function createSpeechTools(
  using: Using,
): Pick<AudioTools, "normalize" | "fit" | "duck" | "enhance"> {
  return {
    normalize: (file, request) =>
      using(async (sounds) => {
        const inputs = await sounds.input("audio", file);
        const [input] = inputs;
        const format = formatFor(request, inputs);
        const settings = {
          targetLufs: request.target_lufs,
          truePeakDb: request.true_peak_db,
          mode: request.mode,
          maxGainDb: request.max_gain_db,
          toleranceLu: request.tolerance_lu,
        };
        const writing = sounds.begin("audio", format, framesIn(input, format));
        let normalized;
        let stored: StoredSound;
        try {
          normalized = await normalizeLoudness(
            () => sounds.convert(input, format),
            format,
            settings,
            (block) => writing.write(block),
          );
          stored = await writing.end();
        } catch (error) {
          await writing.abort();
          throw error;
        }
        const { info } = input;
        const isSame = info.sampleRate === format.sampleRate && info.channels === format.channels;
        // A sound that was brought to another shape is measured once more, as it came.
        const reading = isSame ? normalized.before : await measured(sounds, input);
        const { decodeErrors } = input;
        const before = buildQualityReport(reading, METER_DEFAULTS, { ...info, decodeErrors });
        const after = buildQualityReport(normalized.after, METER_DEFAULTS, {
          container: CONTAINERS[format.format],
          codec: stored.written.codec,
          bitDepth: format.bitDepth,
          decodeErrors: 0,
        });
        return {
          audio: stored.file,
          before,
          after,
          report: reportOf("loudness_normalize", inputs, format, stored, {
            settings: {
              target_lufs: request.target_lufs,
              true_peak_db: request.true_peak_db,
              mode: request.mode,
              tolerance_lu: request.tolerance_lu,
              max_gain_db: request.max_gain_db,
            },
            results: normalizationResults(normalized),
          }),
          check: checkNormalization({ before, after }, normalized, settings),
        };
      }),

    fit: (file, request, window) =>
      using(async (sounds) => {
        const saved = request.target_duration ?? undefined;
        const target = chooseTarget(window, saved);
        const inputs = await sounds.input("audio", file);
        const [input] = inputs;
        const format = formatFor(request, inputs);
        const settings = {
          savedDuration: saved,
          minSpeed: request.min_speed,
          maxSpeed: request.max_speed,
          onOutOfRange: request.on_out_of_range,
          padShort: request.pad_short,
          toleranceSeconds: request.tolerance_seconds,
        };
        const frames = framesIn(input, format);
        const fit = decideFit(frames, format.sampleRate, target, settings);
        const blocks = fitted(sounds.convert(input, format), frames, fit, format);
        const stored = await sounds.write("audio", format, blocks, fit.frames);
        return {
          audio: stored.file,
          seconds: actualDuration(fit, format.sampleRate),
          report: reportOf("fit_duration", inputs, format, stored, {
            settings: {
              ...(target.source === "saved" && { target_duration: target.seconds }),
              min_speed: request.min_speed,
              max_speed: request.max_speed,
              on_out_of_range: request.on_out_of_range,
              pad_short: request.pad_short,
              tolerance_seconds: request.tolerance_seconds,
            },
            results: fitResults(fit, target),
          }),
          check: checkFit(fit, target, format.sampleRate, settings),
        };
      }),

    duck: (foregroundFile, backgroundFile, request) =>
      using(async (sounds) => {
        const [foreground] = await sounds.input("foreground", foregroundFile);
        const [background] = await sounds.input("background", backgroundFile);
        const most = Math.max(foreground.info.channels, background.info.channels);
        const channels = request.channels ?? (most === 1 ? 1 : 2);
        const format = formatFor({ ...request, channels }, [foreground]);
        const controls = controlsOf(request);
        const frames = duckFrames(
          request.length,
          request.loop_background,
          framesIn(foreground, format),
          framesIn(background, format),
        );
        const alone = sounds.begin("ducked_background", format, frames);
        try {
          let ducking: Ducking | undefined;
          const sum = async function* (): AsyncGenerator<AudioBlock> {
            const ducker = new Ducker(format, controls);
            const below = () => sounds.convert(background, format);
            const pairs = pairSounds(
              sounds.convert(foreground, format),
              request.loop_background ? looped(below) : below(),
              format.channels,
              frames,
            );
            for await (const [above, under] of pairs) {
              const { mixed, ducked } = ducker.process(above, under);
              // The sum is computed again where it overloads; the background is written once.
              if (ducking === undefined) {
                await alone.write(ducked);
              }
              yield mixed;
            }
            ducking = ducker.result();
          };
          const { written, overloadGainDb } = await sounds.writeSum(format, sum, frames);
          const { file } = await alone.end();
          if (ducking === undefined) {
            throw new Error("A sound was written without being computed.");
          }
          const inputs = [foreground, background];
          return {
            audio: written.file,
            background: file,
            report: reportOf("duck", inputs, format, written, {
              settings: duckSettings(request, controls),
              results: duckResults(ducking, overloadGainDb),
            }),
            check: checkDucking(ducking, overloadGainDb),
          };
        } catch (error) {
          await alone.abort();
          throw error;
        }
      }),

    enhance: (file, request) =>
      using(async (sounds) => {
        const inputs = await sounds.input("audio", file);
        const [input] = inputs;
        const format = formatFor(request, inputs);
        const enhancement = resolveEnhancement(request.profile, {
          denoiseTechnique: request.denoise_technique,
          denoiseMix: request.denoise_mix ?? undefined,
          highpassHz: request.highpass_hz ?? undefined,
          deessDb: request.deess_db ?? undefined,
          compressRatio: request.compress_ratio ?? undefined,
          compressThresholdDb: request.compress_threshold_db ?? undefined,
        });
        const [before, after] = [new SpeechLevelMeter(format), new SpeechLevelMeter(format)];
        const enhanced = async function* (): AsyncGenerator<AudioBlock> {
          const chain = createEnhancer(format, enhancement, {
            rnnoise,
            createConverter: (from, to, channels) => new Resampler(convolve, from, to, channels),
          });
          for await (const block of sounds.convert(input, format)) {
            before.add(block);
            const cleaned = chain.process(block);
            after.add(cleaned);
            yield cleaned;
          }
          for (const rest of inBlocks(chain.end())) {
            after.add(rest);
            yield rest;
          }
        };
        const stored = await sounds.write("audio", format, enhanced(), framesIn(input, format));
        const levels = [before.result(), after.result()] as const;
        return {
          audio: stored.file,
          report: reportOf("speech_enhance", inputs, format, stored, {
            settings: enhanceSettings(request.profile, enhancement),
            results: enhanceResults(...levels),
          }),
          check: checkEnhancement(enhancement, ...levels),
        };
      }),
  };
}

async function measured(sounds: SoundFiles, input: SoundInput) {
  const meter = new SoundMeter(input.info);
  for await (const block of sounds.blocks(input)) {
    meter.add(block);
  }
  return meter.result();
}

/** The frames of a sound stretched, cut or padded as was decided. */
async function* fitted(
  blocks: AsyncIterable<AudioBlock>,
  frames: number,
  fit: Fit,
  format: SoundFormat,
): AsyncGenerator<AudioBlock> {
  if (fit.outcome === "unchanged" || fit.appliedSpeed === 1) {
    let left = fit.stretchedFrames;
    for await (const block of blocks) {
      const count = Math.min(left, block[0]?.length ?? 0);
      if (count > 0) {
        yield block.map((samples) => samples.subarray(0, count));
      }
      left -= count;
    }
  } else {
    const stretch = new TimeStretch(stretcher, format, frames, fit.stretchedFrames);
    for await (const block of blocks) {
      yield* stretch.add(block);
    }
    yield* stretch.end();
  }
  yield* silentBlocks(format.channels, fit.paddedFrames);
}

function controlsOf(request: DuckRequest): DuckControls {
  // `custom` lacks four of them, which publishing requires.
  const own: Partial<DuckControls> = DUCK_PROFILES[request.profile];
  return {
    thresholdDb: request.threshold_db ?? own.thresholdDb ?? 0,
    ratio: request.ratio ?? own.ratio ?? 1,
    attackMs: request.attack_ms ?? own.attackMs ?? 1,
    releaseMs: request.release_ms ?? own.releaseMs ?? 10,
    maxReductionDb: request.max_reduction_db ?? own.maxReductionDb ?? 0,
    backgroundGainDb: request.background_gain_db ?? own.backgroundGainDb ?? 0,
    foregroundGainDb: request.foreground_gain_db ?? own.foregroundGainDb ?? 0,
  };
}

function duckSettings(
  { profile, length, loop_background }: DuckRequest,
  controls: DuckControls,
): AudioProcessingReport["settings"] {
  return {
    profile,
    threshold_db: controls.thresholdDb,
    ratio: controls.ratio,
    attack_ms: controls.attackMs,
    release_ms: controls.releaseMs,
    max_reduction_db: controls.maxReductionDb,
    background_gain_db: controls.backgroundGainDb,
    foreground_gain_db: controls.foregroundGainDb,
    length,
    loop_background,
  };
}

function reportOf(
  operation: AudioProcessingReport["operation"],
  inputs: readonly SoundInput[],
  format: SoundFormat,
  { written }: StoredSound,
  made: Pick<AudioProcessingReport, "settings" | "results">,
): AudioProcessingReport {
  return buildProcessingReport({ operation, inputs, format, written, ...made });
}
