import type { ByteSource } from "../../lib/files/byte-source.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { findAdts, openAdts } from "./adts/open-adts.ts";
import { ByteWindow, textAt } from "./byte-window.ts";
import { openFlac } from "./flac/open-flac.ts";
import { HeaderBudget, PIXELS_MAX } from "./media-caps.ts";
import {
  emptyMedia,
  fileTooLarge,
  missingTrack,
  unreadableMedia,
  unsupportedCodec,
  unsupportedParameter,
} from "./media-error.ts";
import type { ContainerName, MediaTrack, OpenMedia } from "./media-track.ts";
import { findMp3, id3Bytes, openMp3 } from "./mp3/open-mp3.ts";
import { openMp4 } from "./mp4/open-mp4.ts";
import { openOgg } from "./ogg/open-ogg.ts";
import { openWebm } from "./webm/open-webm.ts";

const MARK_BYTES = 16;
const TAGS_MAX = 8;
const EBML = 0x1a45_dfa3;
/** Atoms with which a MOV without a box `ftyp` begins. */
const QUICKTIME = new Set(["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]);

/** The container of a file by its first bytes, and where it begins behind tags. */
export async function detectContainer(
  window: ByteWindow,
): Promise<{ readonly container: ContainerName; readonly start: number }> {
  if (window.sizeBytes === 0) {
    throw emptyMedia("sound");
  }
  if (window.sizeBytes > LIMITS.media_file.value) {
    throw fileTooLarge(window.sizeBytes, LIMITS.media_file.value);
  }
  const start = await afterTags(window);
  const mark = await window.read(start, MARK_BYTES);
  const first = textAt(mark, 0);
  if (["RIFF", "RF64", "BW64"].includes(first) && textAt(mark, 8) === "WAVE") {
    return { container: "wav", start };
  }
  if (first === "fLaC") {
    return { container: "flac", start };
  }
  if (first === "OggS") {
    return { container: "ogg", start };
  }
  if (mark.byteLength >= 4 && new DataView(mark.slice(0, 4).buffer).getUint32(0) === EBML) {
    return { container: "webm", start };
  }
  if (QUICKTIME.has(textAt(mark, 4))) {
    return { container: "mp4", start };
  }
  const [mp3, adts] = [await findMp3(window, start), await findAdts(window, start)];
  if (mp3 !== undefined && (adts === undefined || mp3.at <= adts)) {
    return { container: "mp3", start };
  }
  if (adts !== undefined) {
    return { container: "adts", start };
  }
  throw unreadableMedia(
    "is not a WAV, MP3, FLAC, Ogg, AAC, M4A, MP4, MOV or WebM, or is damaged. Export it again.",
  );
}

/** Position after the ID3 tags at the beginning, which MP3, FLAC and AAC files may have. */
async function afterTags(window: ByteWindow): Promise<number> {
  const budget = new HeaderBudget();
  let at = 0;
  for (let count = 0; count < TAGS_MAX; count++) {
    // oxlint-disable-next-line no-await-in-loop -- where a tag begins follows from the one before
    const head = await window.read(at, 10);
    if (textAt(head, 0, 3) !== "ID3" || head.byteLength < 10) {
      break;
    }
    budget.add(id3Bytes(head));
    at += id3Bytes(head);
  }
  return at;
}

/**
 * Opens the container of a sound or video: tracks, codecs and packets by ranges of the file. A WAV has no packets; it is
 * opened by `openSound`. Throws NodeError with a code of docs/contract/media.md, and the errors of the source.
 */
export async function openMedia(
  source: ByteSource,
  window = new ByteWindow(source),
): Promise<OpenMedia> {
  const { container, start } = await detectContainer(window);
  const single = (tracks: readonly MediaTrack[]): OpenMedia => {
    const [track] = tracks;
    const { duration = null, timeScale = 1 } = track ?? {};
    const seconds = duration === null ? null : duration / timeScale;
    return { container, sizeBytes: window.sizeBytes, tracks, seconds };
  };
  switch (container) {
    case "mp4":
    case "mov":
      return withOwnLength(await openMp4(window));
    case "webm":
      return withOwnLength(await openWebm(window));
    case "ogg":
      return single(await openOgg(window));
    case "flac":
      return single([await openFlac(window, start)]);
    case "mp3": {
      const found = await findMp3(window, start);
      if (found === undefined) {
        throw unreadableMedia("has no frame of MP3. Encode it again.");
      }
      return single([await openMp3(window, found.at, found.frame)]);
    }
    case "adts":
      return single([await openAdts(window, (await findAdts(window, start)) ?? start)]);
    case "wav":
      throw unreadableMedia("is a WAV, which has samples and no packets. Send a video.");
  }
}

/**
 * The header of a file states how long its longest track is. In a file with tracks besides the first ones of video and of sound
 * that may be another than those that are read, so the length counts as unknown.
 */
function withOwnLength(media: OpenMedia): OpenMedia {
  const read = (["video", "sound"] as const).filter((wanted) =>
    media.tracks.some(({ kind }) => kind === wanted),
  );
  return media.tracks.length > read.length ? { ...media, seconds: null } : media;
}

/** The first track of sound. Throws NodeError `AUDIO_TRACK_MISSING` or `MEDIA_CODEC_UNSUPPORTED`. */
export function requireSoundTrack({ tracks }: OpenMedia): MediaTrack {
  return checkedTrack(tracks.find(({ kind }) => kind === "sound") ?? unreadSound(tracks), "sound");
}

/** An Ogg whose only stream is of a codec that is not read has a stream of an unknown kind. */
function unreadSound(tracks: readonly MediaTrack[]): MediaTrack | undefined {
  return tracks.find(
    ({ kind, codec, codecId }) => kind === "other" && codec === null && codecId !== "",
  );
}

/**
 * The first track of video. Throws NodeError `VIDEO_TRACK_MISSING`, `MEDIA_CODEC_UNSUPPORTED` or
 * `MEDIA_PARAMETERS_UNSUPPORTED` for pictures that are too large.
 */
export function requireVideoTrack({ tracks }: OpenMedia): MediaTrack {
  const track = checkedTrack(
    tracks.find(({ kind }) => kind === "video"),
    "video",
  );
  const { width = 0, height = 0 } = track.picture ?? {};
  if (width === 0 || height === 0 || width * height > PIXELS_MAX) {
    throw unsupportedParameter(
      `has pictures of ${width} × ${height} pixels; 1 to 16,777,216 pixels are accepted. Scale the video down.`,
    );
  }
  return track;
}

function checkedTrack(track: MediaTrack | undefined, kind: "sound" | "video"): MediaTrack {
  if (track === undefined) {
    throw missingTrack(kind);
  }
  if (track.codec === null) {
    throw unsupportedCodec(kind, track.codecId);
  }
  return track;
}
