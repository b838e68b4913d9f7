/** What `aggregate/audio_timeline` and `utility/dubbing_manifest` ask of the media Worker. */
import type {
  BACKGROUND_MODES,
  DubbingManifest,
  SPEAKER_VOICE_SOURCES,
} from "../contracts/media/dubbing-manifest.ts";
import type { QualityCheck } from "../contracts/quality-check.ts";
import type {
  AudioTimeline,
  MISSING_CUE_POLICIES,
  OVERLAP_POLICIES,
} from "../contracts/media/audio-timeline.ts";
import type { SoundParameters } from "../contracts/media/sound-formats.ts";
import type { JsonValue } from "../lib/json/exact-json.ts";
import type { FileRef } from "../lib/files/file-ref.ts";

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

/** An element of the columns of a timeline; undefined: it has no value there. */
export interface TimelineClip {
  /** Its place among all elements. */
  readonly index: number;
  readonly cueId: string | undefined;
  readonly speaker: string | undefined;
  /** In seconds; any number. */
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly clip: FileRef | undefined;
}

export interface TimelineRequest extends SoundParameters {
  readonly overlap_policy: (typeof OVERLAP_POLICIES)[number];
  readonly missing_cue_policy: (typeof MISSING_CUE_POLICIES)[number];
  readonly timeline_duration?: number | null | undefined;
  readonly fade_ms: number;
}

/** Part of `AudioTools`. */
export interface DubTools {
  /**
   * Places clips on a timeline. `given`: its duration as an input has it, and the elements that were skipped. Throws
   * NodeError `TIMELINE_*`, and those of a sound that cannot be read.
   */
  placeClips(
    clips: readonly TimelineClip[],
    request: TimelineRequest,
    given: { readonly durationSeconds: number | undefined; readonly skippedItems: number },
  ): Promise<{
    readonly audio: FileRef;
    readonly timeline: AudioTimeline;
    readonly check: QualityCheck;
  }>;
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
