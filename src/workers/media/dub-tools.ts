import type { FileRef } from "../../lib/file-ref.ts";
import { openMedia } from "../../media/container/open-media.ts";
import { videoSeconds } from "../../media/container/video-seconds.ts";
import {
  buildDubbingManifest,
  type DubbingFile,
  type DubbingFiles,
} from "../../media/dubbing/build-dubbing-manifest.ts";
import type { DubTools } from "../../nodes/define-dub-tools.ts";
import type { SoundFiles } from "./sound-files.ts";

/** The path of a stored file, as references have it. */
export type PathOf = (file: FileRef) => Promise<string>;

/** Runs work on the files of one call. */
type Using = <T>(work: (sounds: SoundFiles) => Promise<T>) => Promise<T>;

/** The tools that put a dub together. */
export function createDubTools(using: Using, pathOf: PathOf): DubTools {
  const describe = async (file: FileRef): Promise<DubbingFile> => ({
    path: await pathOf(file),
    contentType: file.contentType,
    sizeBytes: file.sizeBytes,
  });
  const describeIfAny = async (file: FileRef | undefined) =>
    file === undefined ? null : await describe(file);
  return {
    joinDub: (documents, files, request) =>
      using(async (sounds) => {
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

/** In seconds, to the microsecond. */
async function measureVideo(sounds: SoundFiles, file: FileRef): Promise<number> {
  const seconds = await videoSeconds(await openMedia(await sounds.source(file)));
  return Math.round(seconds * 1e6) / 1e6;
}
