import type { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { presentedParts } from "../../media/container/decode-track.ts";
import type { MediaTrack } from "../../media/container/media-track.ts";
import type { MovieTrack } from "../../media/container/movie-track.ts";
import { writeMovie } from "../../media/container/movie-writer.ts";
import { copiedSound } from "../../media/cutting/copied-sound.ts";
import { cutParts } from "../../media/cutting/cut-parts.ts";
import {
  copiedVideo,
  type CutMode,
  planVideoCut,
  type VideoCut,
} from "../../media/cutting/cut-video.ts";
import { copiedWebmSound, countedSound } from "../../media/cutting/cut-webm-sound.ts";
import { vp9Config } from "../../media/cutting/vp9-config.ts";
import type { Segment } from "../../nodes/define-segments.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import { MOVIE_TYPES, type OpenMovie, openMovie } from "./open-movie.ts";

/** See `VideoTools.split`. Every segment is planned before anything is stored. */
export async function splitMovie(
  files: TaskFiles,
  file: FileRef,
  segments: readonly Segment[],
  mode: CutMode,
  signal: AbortSignal,
): Promise<readonly FileRef[]> {
  const movie = await openMovie(files, file);
  await movie.video.prepare();
  const plans: { readonly container: OpenMovie["container"]; readonly tracks: MovieTrack[] }[] = [];
  for (const [index, segment] of segments.entries()) {
    signal.throwIfAborted();
    const cut = await planVideoCut(movie.video, movie.seconds, segment, mode, index);
    const container = containerOf(movie, cut, mode, index);
    const isWithoutEdits = mode === "keyframe" || container === "webm";
    const sound = await soundOf(movie, cut, container);
    plans.push({
      container,
      tracks: [
        copiedVideo(await describedFor(container, movie, cut), cut, isWithoutEdits),
        ...(sound === undefined ? [] : [sound]),
      ],
    });
  }
  const parts: FileRef[] = [];
  for (const [index, { container, tracks }] of plans.entries()) {
    const sink = files.beginMedia(`segment_${index}.${container}`, MOVIE_TYPES[container]);
    try {
      await writeMovie(container, tracks, sink, signal);
      parts.push(await sink.end());
    } catch (error) {
      await sink.abort();
      throw error;
    }
  }
  return parts;
}

/** WebM has no edit list that could hide a lead-in, so that such a part becomes an MP4, which has no VP8. */
function containerOf(
  { container, video }: OpenMovie,
  { isAtKey }: VideoCut,
  mode: CutMode,
  index: number,
): OpenMovie["container"] {
  if (container !== "webm" || mode === "keyframe" || isAtKey) {
    return container;
  }
  if (video.codec === "vp8") {
    throw new NodeError(
      "VIDEO_CUT_INEXACT",
      `Segment ${index} begins between two key frames of VP8, which no container can cut there. Set cut to keyframe, or send an MP4.`,
    );
  }
  return "mp4";
}

/** The track of video, with the configuration that an MP4 needs: a WebM has none for VP9. */
async function describedFor(
  container: OpenMovie["container"],
  { video }: OpenMovie,
  { key }: VideoCut,
): Promise<MediaTrack> {
  if (container === "webm" || video.codec !== "vp9" || video.picture === null) {
    return video;
  }
  for await (const { data, dts, isKey } of video.packets({ from: key.dts })) {
    if (isKey && dts === key.dts) {
      return video.description?.container === "webm"
        ? { ...video, config: vp9Config(data, video.picture) }
        : video;
    }
  }
  throw new Error("The key packet of a cut is not there.");
}

/** The sound of the same interval; undefined where there is none. */
async function soundOf(
  { container: source, video, sound }: OpenMovie,
  cut: VideoCut,
  container: OpenMovie["container"],
): Promise<MovieTrack | undefined> {
  if (sound?.sound == null) {
    return undefined;
  }
  const { sampleRate } = sound.sound;
  const [from, to] = [cut.from, cut.to].map((tick) =>
    Math.round((tick * sampleRate) / video.timeScale),
  ) as [number, number];
  if (source === "webm" && container === "mp4" && sound.codec !== "opus") {
    throw new NodeError(
      "VIDEO_CUT_INEXACT",
      "The part would be an MP4, which has no Vorbis. Set cut to keyframe, or send a video with Opus.",
    );
  }
  const track = source === "webm" ? countedSound(sound) : sound;
  await track.prepare();
  const parts = presentedParts(track, sampleRate / track.timeScale);
  if (cutParts(parts, from, to).length === 0) {
    return undefined;
  }
  return container === "webm"
    ? await copiedWebmSound(track, { from, to })
    : copiedSound(track, { shape: sound.sound, parts, from, to });
}
