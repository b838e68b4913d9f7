/** What nodes of video ask of the media Worker. */
import type { JsonValue } from "../lib/json/exact-json.ts";
import type { FileRef } from "../lib/files/file-ref.ts";
import type { Segment } from "./define-segments.ts";
import type { FilmTools } from "./define-film-tools.ts";

/** Where the cues of a video come from; null: no input has any. */
export type SubtitleSource =
  | { readonly kind: "cues"; readonly cues: JsonValue }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly file: FileRef }
  | null;

export interface SubtitleRequest {
  /** Three letters of ISO 639-2. */
  readonly language: string;
  readonly default: boolean;
  readonly sidecar_format: "srt" | "vtt";
  readonly offset_seconds: number;
}

export interface ThumbnailRequest {
  readonly mode: "exact" | "keyframe";
  readonly format: "jpg" | "png" | "webp";
  /** 1 to 100, of jpg and webp. */
  readonly quality: number;
  /** In pixels; that of the video if omitted. */
  readonly width?: number | undefined;
}

/**
 * Reads and makes videos. Packets are copied: no picture is encoded. Every call reads its files by ranges, whatever the
 * duration. Throws NodeError with the codes of docs/contract/media.md#bad-files, `FILE_MISSING`, `SOURCE_CHANGED` and
 * `STORAGE_UNAVAILABLE` (can be retried). Implemented by the media Worker.
 */
export interface VideoTools extends FilmTools {
  /**
   * Replaces the subtitles of a video, and writes them as a document too. Throws also `SUBTITLES_INVALID`. `captions`: how many
   * cues are shown.
   */
  addSubtitles(
    video: FileRef,
    source: SubtitleSource,
    request: SubtitleRequest,
  ): Promise<{ readonly video: FileRef; readonly subtitles: FileRef; readonly captions: number }>;
  /**
   * Decodes the picture that a player shows at a time in seconds, turned and with square pixels. Throws also `SEGMENT_OUT_OF_RANGE` for
   * a time that is negative or not finite.
   */
  thumbnail(video: FileRef, at: number, request: ThumbnailRequest): Promise<FileRef>;
  /**
   * Copies parts of a video, exact to the picture or from the key picture before on. Throws also `SEGMENT_OUT_OF_RANGE` and
   * `VIDEO_CUT_INEXACT`, before anything is stored. The files are in the order of the segments.
   */
  split(
    video: FileRef,
    segments: readonly Segment[],
    cut: "exact" | "keyframe",
  ): Promise<readonly FileRef[]>;
}
