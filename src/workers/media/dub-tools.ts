import type { SoundFormat } from "../../contracts/media/sound-formats.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { openMedia } from "../../media/container/open-media.ts";
import { videoSeconds } from "../../media/container/video-seconds.ts";
import { toThousandths } from "../../media/dsp/decibels.ts";
import {
  buildDubbingManifest,
  type DubbingFile,
  type DubbingFiles,
} from "../../media/dubbing/build-dubbing-manifest.ts";
import {
  buildTimeline,
  checkTimeline,
  orderCues,
  placeCues,
} from "../../media/timeline/place-cues.ts";
import { sumTimeline } from "../../media/timeline/sum-timeline.ts";
import type { DubTools, TimelineRequest } from "../../nodes/define-dub-tools.ts";
import { formatFor, framesIn, type SoundFiles, type SoundInput } from "./sound-files.ts";

/** In Hz. */
const TIMELINE_RATE = 48_000;

/** The path of a stored file, as references have it. */
export type PathOf = (file: FileRef) => Promise<string>;

/** Runs work on the files of one call. */
type Using = <T>(work: (sounds: SoundFiles) => Promise<T>) => Promise<T>;

/** The tools that put a dub together. */
export function createDubTools(using: Using, pathOf: PathOf): DubTools {
  return {
    placeClips: (clips, request, given) =>
      using(async (sounds) => {
        const durationSeconds = given.durationSeconds ?? request.timeline_duration ?? null;
        const rules = { missingCuePolicy: request.missing_cue_policy, durationSeconds };
        const ordered = orderCues(
          clips.map(({ index, cueId, speaker, start, end, clip }) => ({
            index,
            cueId: cueId ?? null,
            speaker: speaker ?? null,
            start: start ?? null,
            end: end ?? null,
            hasClip: clip !== undefined,
          })),
          rules,
        );
        const present = clips.flatMap(({ index, clip }) =>
          clip === undefined ? [] : [{ index, clip }],
        );
        const inputs = await sounds.inputs(
          "clips",
          present.map(({ clip }) => clip),
        );
        const format = timelineFormat(request, inputs);
        const byElement = new Map(present.map(({ index }, at) => [index, inputs[at]]));
        const inputOf = (index: number): SoundInput => {
          const input = byElement.get(index);
          if (input === undefined) {
            throw new Error(`Element ${index} has a clip that was not read.`);
          }
          return input;
        };
        const placement = {
          sampleRate: format.sampleRate,
          overlapPolicy: request.overlap_policy,
          fadeMs: request.fade_ms,
          durationSeconds,
        };
        const placed = placeCues(ordered, (index) => framesIn(inputOf(index), format), placement);
        sounds.readInOrder(
          placed.cues.filter(({ frames }) => frames > 0).map(({ cue }) => inputOf(cue.index)),
        );
        const { written, overloadGainDb } = await sounds.writeSum(
          format,
          () =>
            sumTimeline(placed, format.channels, (index) => sounds.convert(inputOf(index), format)),
          placed.frames,
        );
        const timeline = buildTimeline(placed, {
          ...rules,
          ...placement,
          channels: format.channels,
          durationSource:
            given.durationSeconds !== undefined
              ? "dynamic"
              : durationSeconds === null
                ? "content"
                : "saved",
          skippedItems: given.skippedItems,
          overloadGainDb: toThousandths(overloadGainDb),
        });
        return {
          audio: written.file,
          timeline,
          check: checkTimeline(placed, format.sampleRate),
        };
      }),

    joinDub: (documents, files, request) =>
      using(async (sounds) => {
        const known = new Map<string, DubbingFile>();
        const describe = async (file: FileRef): Promise<DubbingFile> => {
          const { contentType, sizeBytes } = file;
          const described = known.get(file.key) ?? {
            // A reference finds no file whose bytes are in a row or in a pack.
            path: await pathOf(file.isObject ? file : await sounds.storeAsObject(file)),
            contentType,
            sizeBytes,
          };
          known.set(file.key, described);
          return described;
        };
        const describeIfAny = async (file: FileRef | undefined) =>
          file === undefined ? null : await describe(file);
        const described: DubbingFiles = {
          dubbedAudio: await describe(files.dubbedAudio),
          backgroundAudio: await describeIfAny(files.backgroundAudio),
          finalAudio: await describeIfAny(files.finalAudio),
          finalVideo:
            files.finalVideo === undefined
              ? null
              : {
                  ...(await describe(files.finalVideo)),
                  durationSeconds: await measureVideo(sounds, files.finalVideo),
                },
          subtitles: await describeIfAny(files.subtitles),
        };
        return buildDubbingManifest(documents, described, {
          backgroundMode: request.background_mode,
          speakerVoiceSource: request.speaker_voice_source,
          requireFinalVideo: request.require_final_video,
          placementToleranceSeconds: request.placement_tolerance_seconds,
          durationToleranceSeconds: request.duration_tolerance_seconds,
          requiredCheckIds: request.required_check_ids,
          ignoredCheckIds: request.ignored_check_ids,
          onFail: request.on_fail,
        });
      }),
  };
}

/** The rate is 48 kHz unless set, and the channels are the most of any clip, at most two. */
function timelineFormat(request: TimelineRequest, inputs: readonly SoundInput[]): SoundFormat {
  const hasStereo = inputs.some(({ info }) => info.channels > 1);
  return formatFor(
    {
      ...request,
      sample_rate: request.sample_rate ?? TIMELINE_RATE,
      channels: request.channels ?? (hasStereo ? 2 : 1),
    },
    inputs,
  );
}

/** In seconds, to the microsecond. */
async function measureVideo(sounds: SoundFiles, file: FileRef): Promise<number> {
  const seconds = await videoSeconds(await openMedia(await sounds.source(file)));
  return Math.round(seconds * 1e6) / 1e6;
}
