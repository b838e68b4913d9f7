import { NodeError } from "../../lib/errors/node-error.ts";

/** Codecs of sound that are read, for messages. */
const SOUND_READ =
  "AAC-LC, HE-AAC, ALAC, MP3, Opus, Vorbis, FLAC, and PCM of 8 to 64 bits, A-law and µ-law";
const PICTURE_READ = "H.264, HEVC, VP8, VP9 and AV1";

/** `problem` continues "The file …" and ends with the fix. */
export function unreadableMedia(problem: string, cause?: unknown): NodeError {
  return new NodeError("MEDIA_UNREADABLE", `The file ${problem}`, { cause });
}

/** `problem` continues "The file …". */
export function truncatedMedia(problem: string): NodeError {
  return new NodeError("MEDIA_TRUNCATED", `The file ${problem} Send the whole file.`);
}

export function emptyMedia(track: "sound" | "video"): NodeError {
  return new NodeError(
    "MEDIA_EMPTY",
    `The file's ${track} has no ${track === "sound" ? "sample" : "picture"}. Send a file with at least one.`,
  );
}

export function encryptedMedia(mark: string): NodeError {
  return new NodeError(
    "MEDIA_ENCRYPTED",
    `The file is encrypted (${mark}). Send a file without encryption.`,
  );
}

/** `id`: four letters or the id by which the container names the codec. */
export function unsupportedCodec(kind: "sound" | "video", id: string): NodeError {
  return new NodeError(
    "MEDIA_CODEC_UNSUPPORTED",
    `The file's ${kind} has the codec "${id}", which is not read; ${kind === "sound" ? SOUND_READ : PICTURE_READ} are. Convert the file first.`,
  );
}

export function unsupportedParameter(problem: string): NodeError {
  return new NodeError("MEDIA_PARAMETERS_UNSUPPORTED", `The file ${problem}`);
}

export function fileTooLarge(bytes: number, maxBytes: number): NodeError {
  return new NodeError(
    "FILE_TOO_LARGE",
    `The file has ${bytes} bytes; at most ${maxBytes} are accepted. Split it.`,
  );
}

export function mediaTooLong(seconds: number, maxSeconds: number): NodeError {
  return new NodeError(
    "MEDIA_TOO_LONG",
    `The file lasts ${seconds > maxSeconds ? "" : "more than "}${Math.round(seconds)} s; at most ${maxSeconds} s are accepted. Split it.`,
  );
}

/** For messages: text of a container, printable ASCII only. */
export function shownId(id: string): string {
  return id.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 40);
}

export function missingTrack(kind: "sound" | "video"): NodeError {
  return kind === "sound"
    ? new NodeError("AUDIO_TRACK_MISSING", "The file has no sound. Send a file with a sound track.")
    : new NodeError(
        "VIDEO_TRACK_MISSING",
        "The file has no video. Send a file with a video track.",
      );
}
