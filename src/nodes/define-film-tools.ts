/** What nodes that take sound out of videos, put it into them, or join videos ask of the media Worker. */
import type { SoundFormatName, SoundParameters } from "../contracts/media/sound-formats.ts";
import type { FileRef } from "../lib/files/file-ref.ts";

export interface ExtractRequest extends Omit<SoundParameters, "format"> {
  /** `source` copies the packets. */
  readonly format: SoundFormatName | "source";
}

export interface MuxRequest {
  readonly mode: "replace" | "mix";
  /** In dB. */
  readonly audio_gain_db: number;
  /** In dB, of the sound that the video has; only `mix` uses it. */
  readonly video_gain_db: number;
  /** Above 0 the audio starts later. */
  readonly offset_seconds: number;
  readonly loop: boolean;
  readonly bitrate_kbps?: number | undefined;
}

/** Part of `VideoTools`. */
export interface FilmTools {
  /** Stores the sound of a video. Throws also `AUDIO_TRACK_MISSING`. */
  extractAudio(video: FileRef, request: ExtractRequest): Promise<FileRef>;
  /** Stores a video with another sound, as long as the video. */
  muxAudio(video: FileRef, audio: FileRef, request: MuxRequest): Promise<FileRef>;
  /** Joins videos in order. Throws also `CONCAT_INCOMPATIBLE`. */
  concat(clips: readonly FileRef[]): Promise<FileRef>;
}
