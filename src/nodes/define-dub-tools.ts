/** What `aggregate/audio_timeline` and `utility/dubbing_manifest` ask of the media Worker. */
import type {
  BACKGROUND_MODES,
  DubbingManifest,
  SPEAKER_VOICE_SOURCES,
} from "../contracts/media/dubbing-manifest.ts";
import type { QualityCheck } from "../contracts/quality-check.ts";
import type { JsonValue } from "../lib/exact-json.ts";
import type { FileRef } from "../lib/file-ref.ts";

/** The JSON inputs of a dub; undefined: not connected or absent. */
export interface DubDocuments {
  readonly cues: JsonValue;
  readonly timelineManifest: JsonValue;
  readonly evidence: JsonValue;
  readonly stemsManifest: JsonValue | undefined;
  readonly duckingReport: JsonValue | undefined;
  readonly voices: JsonValue | undefined;
}

/** The files of a dub, in the same way. */
export interface DubFiles {
  readonly dubbedAudio: FileRef;
  readonly backgroundAudio: FileRef | undefined;
  readonly finalAudio: FileRef | undefined;
  readonly finalVideo: FileRef | undefined;
  readonly subtitles: FileRef | undefined;
}

export interface DubRequest {
  readonly background_mode: (typeof BACKGROUND_MODES)[number];
  readonly speaker_voice_source: (typeof SPEAKER_VOICE_SOURCES)[number];
  readonly require_final_video: boolean;
  readonly placement_tolerance_seconds: number;
  readonly duration_tolerance_seconds: number;
  readonly required_check_ids: readonly string[];
  readonly ignored_check_ids: readonly string[];
  readonly on_fail: "fail" | "report";
}

/** Part of `AudioTools`. */
export interface DubTools {
  /**
   * Compares and joins what a dub consists of; reads the header of its video. Throws NodeError `DUBBING_*`, and those of a
   * video that cannot be read.
   */
  joinDub(
    documents: DubDocuments,
    files: DubFiles,
    request: DubRequest,
  ): Promise<{ readonly manifest: DubbingManifest; readonly check: QualityCheck }>;
}
