import type { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { assembleSound } from "../../media/assembly/assemble-sound.ts";
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
import { placedSounds } from "../../media/film/film-sound.ts";
import { madeSound } from "../../media/film/made-sound.ts";
import { resolveFormat } from "../../media/format/resolve-format.ts";
import type { Segment } from "../../nodes/define-segments.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import { MOVIE_TYPES, type OpenMovie, openMovie } from "./open-movie.ts";
import { SOUND_ENCODERS } from "./sound-codecs.ts";
import { SoundFiles } from "./sound-files.ts";

/** A part that is ready to be written. */
interface PlannedPart {
  readonly container: OpenMovie["container"];
  readonly video: MovieTrack;
  /** Undefined where there is none. Called when the part is written, because an encoder has memory. */
  readonly sound: () => MovieTrack | undefined;
}

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
  return await SoundFiles.use({ files, signal }, async (sounds) => {
    const plans: PlannedPart[] = [];
    for (const [index, segment] of segments.entries()) {
      signal.throwIfAborted();
      const cut = await planVideoCut(movie.video, movie.seconds, segment, mode, index);
      const container = containerOf(movie, cut, mode, index);
      const isWithoutEdits = mode === "keyframe" || container === "webm";
      plans.push({
        container,
        video: copiedVideo(await describedFor(container, movie, cut), cut, isWithoutEdits),
        sound: await soundOf(sounds, file, movie, cut, container),
      });
    }
    const parts: FileRef[] = [];
    for (const [index, { container, video, sound }] of plans.entries()) {
      const track = sound();
      const tracks = track === undefined ? [video] : [video, track];
      parts.push(
        await sounds.store(`segment_${index}.${container}`, MOVIE_TYPES[container], (sink) =>
          writeMovie(container, tracks, sink, signal),
        ),
      );
    }
    return parts;
  });
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
  sounds: SoundFiles,
  file: FileRef,
  { container: source, video, sound }: OpenMovie,
  cut: VideoCut,
  container: OpenMovie["container"],
): Promise<PlannedPart["sound"]> {
  if (sound?.sound == null) {
    return () => undefined;
  }
  const { sampleRate } = sound.sound;
  const [from, to] = [cut.from, cut.to].map((tick) =>
    Math.round((tick * sampleRate) / video.timeScale),
  ) as [number, number];
  const track = source === "webm" ? countedSound(sound) : sound;
  await track.prepare();
  const late = source === "webm" ? await framesBefore(sound, sampleRate) : 0;
  const parts = [
    ...(late > 0 ? [{ start: null, frames: late }] : []),
    ...presentedParts(track, sampleRate / track.timeScale),
  ];
  if (cutParts(parts, from, to).every(({ start }) => start === null)) {
    return () => undefined;
  }
  if (container === "webm") {
    const copied = await copiedWebmSound(track, { from: from - late, to: to - late });
    return () => copied;
  }
  if (source === "webm" && sound.codec !== "opus") {
    return await encodedSound(sounds, file, { from, to, late });
  }
  const copied = copiedSound(track, { shape: sound.sound, parts, from, to });
  return () => copied;
}

/** Frames from the start of a WebM to the first one of its sound, which may begin later than the pictures. */
async function framesBefore(sound: MediaTrack, sampleRate: number): Promise<number> {
  for await (const { pts } of sound.packets()) {
    return Math.max(0, Math.round((pts * sampleRate) / sound.timeScale));
  }
  return 0;
}

/** Vorbis, which an MP4 does not have, as Opus: the frames of the interval, and silence where the sound has none. */
async function encodedSound(
  sounds: SoundFiles,
  file: FileRef,
  { from, to, late }: { readonly from: number; readonly to: number; readonly late: number },
): Promise<PlannedPart["sound"]> {
  const input = await sounds.header("video", file);
  const { sampleRate } = input.info;
  const resolved = resolveFormat({ format: "ogg" }, [input.info]);
  const format = { ...resolved, format: "ogg" as const };
  const inFormat = (frames: number) => Math.round((frames * format.sampleRate) / sampleRate);
  const frames = inFormat(to - from);
  const start = inFormat(Math.max(0, late - from));
  const first = Math.max(0, from - late);
  const part = () => sounds.converted(sounds.part(input, first, to - late), input, format);
  const placed = placedSounds([{ start, from: 0, to: frames, gain: 1, open: part }]);
  const { channels } = format;
  const blocks = () => assembleSound(placed, { channels, frames });
  return () => madeSound({ format, hasEdits: true, frames, blocks }, SOUND_ENCODERS);
}
