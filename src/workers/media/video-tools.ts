import { asNodeError } from "../../domain/datasets/as-node-error.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { MovieTrack } from "../../media/container/movie-track.ts";
import { copiedTrack, writeMovie } from "../../media/container/movie-writer.ts";
import {
  decodeSubtitles,
  parseSubtitleJson,
  parseSubtitleText,
} from "../../media/subtitles/parse-subtitles.ts";
import { placeCues } from "../../media/subtitles/place-cues.ts";
import { invalidSubtitles, type SubtitleCue } from "../../media/subtitles/subtitle-cue.ts";
import { textTrack } from "../../media/subtitles/text-track.ts";
import { writeSidecar } from "../../media/subtitles/write-sidecar.ts";
import type { SubtitleSource, VideoTools } from "../../nodes/define-video-tools.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import type { MediaScope } from "./audio-tools.ts";
import { createFilmTools } from "./film-tools.ts";
import { MOVIE_TYPES, type OpenMovie, openMovie } from "./open-movie.ts";
import { makeThumbnail } from "./make-thumbnail.ts";
import { splitMovie } from "./split-movie.ts";

const SIDECAR_TYPES = { srt: "application/x-subrip", vtt: "text/vtt" } as const;

/** Tools for video: packets are copied from ranges of the source to parts of the result. */
export function createVideoTools(scope: MediaScope, files: TaskFiles): VideoTools {
  const { signal } = scope;
  return {
    split: (file, segments, cut) =>
      withNodeErrors(() => splitMovie(files, file, segments, cut, signal)),

    thumbnail: (file, at, request) =>
      withNodeErrors(() => makeThumbnail(files, file, at, request, signal)),
    ...createFilmTools(scope, files),

    addSubtitles: (file, source, request) =>
      withNodeErrors(async () => {
        const movie = await openMovie(files, file);
        // Rounded down, so that no cue makes the movie longer than its video.
        const durationMs = Math.floor(movie.seconds * 1_000);
        const offsetMs = Math.round(request.offset_seconds * 1_000);
        const cues = placeCues(await cuesOf(source, files), { offsetMs, durationMs });
        const tracks = copiedTracks(movie);
        const { picture } = movie.video;
        if (cues.length > 0 && picture !== null) {
          const { language, default: isDefault } = request;
          tracks.push(
            textTrack(movie.container, cues, { language, isDefault, picture, durationMs }),
          );
        }
        const { sidecar_format: format } = request;
        const document = new TextEncoder().encode(writeSidecar(cues, format));
        // The video first: a cue that its track cannot hold fails the node before anything is stored.
        const video = await writeVideo(files, movie.container, tracks, signal);
        const subtitles = await files.write(`subtitles.${format}`, SIDECAR_TYPES[format], document);
        return { video, subtitles, captions: cues.length };
      }),
  };
}

async function withNodeErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asNodeError(error);
  }
}

/** The cues of a document, in its order. Throws NodeError `SUBTITLES_INVALID`. */
async function cuesOf(source: SubtitleSource, files: TaskFiles): Promise<readonly SubtitleCue[]> {
  switch (source?.kind) {
    case "cues":
      return parseSubtitleJson(source.cues);
    case "text":
      return parseSubtitleText(source.text);
    case "file": {
      const { sizeBytes } = source.file;
      if (sizeBytes > LIMITS.subtitle_bytes.value) {
        throw invalidSubtitles(
          `The file has ${sizeBytes} bytes; at most ${LIMITS.subtitle_bytes.value} are accepted.`,
        );
      }
      return parseSubtitleText(decodeSubtitles(await files.read(source.file)));
    }
    default:
      return [];
  }
}

function copiedTracks({ video, sound }: OpenMovie): MovieTrack[] {
  return [copiedTrack(video), ...(sound === null ? [] : [copiedTrack(sound)])];
}

/** Stores a movie under the name `video`; nothing of it is stored if this throws. */
async function writeVideo(
  files: TaskFiles,
  container: OpenMovie["container"],
  tracks: readonly MovieTrack[],
  signal: AbortSignal,
): Promise<FileRef> {
  const sink = files.beginMedia(`video.${container}`, MOVIE_TYPES[container]);
  try {
    await writeMovie(container, tracks, sink, signal);
    return await sink.end();
  } catch (error) {
    await sink.abort();
    throw error;
  }
}
