import type { MediaSink } from "./media-sink.ts";
import type { MediaTrack } from "./media-track.ts";
import type { MovieTrack, WrittenMovie } from "./movie-track.ts";
import { writeMp4 } from "./mp4/mp4-writer.ts";
import { writeWebm } from "./webm/webm-writer.ts";

/** `m4a` is an MP4 with the brands of a file with sound only. */
export type MovieContainer = "mp4" | "mov" | "m4a" | "webm";

/**
 * Writes a movie from its beginning to its end: the tracks interleaved, of each a packet held at a time, and tables of about
 * 4 bytes for a packet. MP4, MOV and M4A have `moov` before `mdat` and are not fragmented; WebM has Cues and its duration.
 * Throws NodeError `MEDIA_CODEC_UNSUPPORTED` for a codec that the container does not have, `MEDIA_EMPTY` for a track of video
 * or sound without a packet, `FILE_TOO_LARGE` above 2 GiB, `MEDIA_UNREADABLE` above 2,000,000 packets in a track, and the
 * errors of the tracks and of the sink.
 */
export async function writeMovie(
  container: MovieContainer,
  tracks: readonly MovieTrack[],
  sink: MediaSink,
  signal?: AbortSignal,
): Promise<WrittenMovie> {
  return container === "webm"
    ? await writeWebm(tracks, sink, signal)
    : await writeMp4(container, tracks, sink, signal);
}

/** A track that copies a whole track of video or sound, with its edits. `changes` replace fields. */
export function copiedTrack(track: MediaTrack, changes: Partial<MovieTrack> = {}): MovieTrack {
  const { kind, codec, config, sound, picture, description, timeScale, language, edits } = track;
  if (codec === null || (kind !== "sound" && kind !== "video")) {
    throw new RangeError("Only a track of video or sound with a known codec can be copied.");
  }
  return {
    kind,
    codec,
    config,
    sound,
    picture,
    description,
    timeScale,
    language,
    isDefault: true,
    edits,
    heads: track.heads === undefined ? undefined : () => track.heads?.() ?? [],
    packets: () => track.packets(),
    ...changes,
  };
}
