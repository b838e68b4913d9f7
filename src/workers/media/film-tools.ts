import { asNodeError } from "../../domain/datasets/as-node-error.ts";
import {
  SOUND_FORMAT_ENTRIES,
  type SoundFormat,
  type SoundFormatName,
} from "../../contracts/media/sound-formats.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { assembleSound } from "../../media/assembly/assemble-sound.ts";
import { looped } from "../../media/assembly/pair-sounds.ts";
import { ByteWindow } from "../../media/container/byte-window.ts";
import { mediaTooLong } from "../../media/container/media-error.ts";
import type { MediaSink } from "../../media/container/media-sink.ts";
import type { MediaTrack, OpenMedia } from "../../media/container/media-track.ts";
import type { MovieTrack } from "../../media/container/movie-track.ts";
import { copiedTrack, writeMovie } from "../../media/container/movie-writer.ts";
import {
  detectContainer,
  openMedia,
  requireSoundTrack,
  requireVideoTrack,
} from "../../media/container/open-media.ts";
import { toAmplitude } from "../../media/dsp/decibels.ts";
import { copiedAac, copiedOpus } from "../../media/film/copied-sound.ts";
import { soundCopy } from "../../media/film/extract-sound.ts";
import { type FilmClip, inspectFilm } from "../../media/film/film-clip.ts";
import {
  type FilmSound,
  joinedSounds,
  placedSounds,
  writeInScale,
} from "../../media/film/film-sound.ts";
import { checkJoinable, joinFilms } from "../../media/film/join-films.ts";
import { madeSound } from "../../media/film/made-sound.ts";
import { resolveFormat } from "../../media/format/resolve-format.ts";
import type { FilmTools, MuxRequest } from "../../nodes/define-film-tools.ts";
import type { TaskFiles } from "../shared/node-context.ts";
import type { MediaScope } from "./audio-tools.ts";
import { MOVIE_TYPES, type OpenMovie } from "./open-movie.ts";
import { AAC_CODECS, OPUS_CODECS, SOUND_ENCODERS } from "./sound-codecs.ts";
import { formatFor, type SoundInput, SoundFiles } from "./sound-files.ts";

type Container = OpenMovie["container"];
type MovieSound = SoundFormat & { readonly format: "m4a" | "ogg" };

const SECONDS_MAX = LIMITS.media_duration.value / 1_000;
/** Longest sound that is decoded. */
const DECODED_SECONDS_MAX = LIMITS.decoded_duration.value / 1_000;

/** Tools that take sound out of videos, put it into them, and join videos. No picture is decoded. */
export function createFilmTools({ signal }: MediaScope, files: TaskFiles): FilmTools {
  const films = new FilmFiles(files, signal);
  return {
    extractAudio: (video, request) =>
      withNodeErrors(async () => {
        const { format } = request;
        const copied = format === "source" ? await films.copySound(video) : undefined;
        if (copied !== undefined) {
          return copied;
        }
        return await SoundFiles.use({ files, signal }, async (sounds) => {
          const inputs = await sounds.input("video", video);
          // What `source` cannot copy is FLAC, which loses nothing.
          const asked = { ...request, format: format === "source" ? ("flac" as const) : format };
          const written = formatFor(asked, inputs);
          const [input] = inputs;
          return (await sounds.write("audio", written, sounds.convert(input, written))).file;
        });
      }),
    muxAudio: (video, audio, request) => withNodeErrors(() => films.mux(video, audio, request)),
    concat: (clips) => withNodeErrors(() => films.concat(clips)),
  };
}

async function withNodeErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asNodeError(error);
  }
}

/** The videos that one call of a tool reads and writes. */
class FilmFiles {
  readonly #files: TaskFiles;
  readonly #signal: AbortSignal;

  constructor(files: TaskFiles, signal: AbortSignal) {
    this.#files = files;
    this.#signal = signal;
  }

  /** Undefined if the sound must be encoded again. */
  async copySound(file: FileRef): Promise<FileRef | undefined> {
    const media = await this.#open(file);
    const track = requireSoundTrack(media);
    const seconds = track.duration === null ? media.seconds : track.duration / track.timeScale;
    checkSeconds(seconds ?? 0, SECONDS_MAX);
    const copy = await soundCopy(track);
    if (copy === undefined) {
      return undefined;
    }
    const { contentType } = SOUND_FORMAT_ENTRIES[copy.format];
    return await this.#store(`audio.${copy.format}`, contentType, (sink) =>
      copy.write(sink, this.#signal),
    );
  }

  async mux(video: FileRef, audio: FileRef, request: MuxRequest): Promise<FileRef> {
    const film = await this.#inspect(video);
    const container = containerOf(film);
    const seconds = film.duration / film.video.timeScale;
    const isMix = request.mode === "mix" && film.sound !== null;
    const copied = isMix ? undefined : await this.#copiedSound(audio, container, seconds, request);
    if (copied !== undefined) {
      return await this.#writeMovie(container, [copiedTrack(film.video), copied]);
    }
    checkSeconds(seconds, DECODED_SECONDS_MAX);
    const { files, signal } = { files: this.#files, signal: this.#signal };
    return await SoundFiles.use({ files, signal }, async (sounds) => {
      const added = await sounds.header("audio", audio);
      const own = isMix ? await sounds.header("video", video) : undefined;
      const inputs = own === undefined ? [added] : [own, added];
      const format = movieSound(container, inputs, request.bitrate_kbps);
      const frames = Math.round(seconds * format.sampleRate);
      const open = () => sounds.convert(added, format);
      const heard: FilmSound[] = [
        {
          start: Math.round(request.offset_seconds * format.sampleRate),
          from: 0,
          to: frames,
          gain: toAmplitude(request.audio_gain_db),
          open: request.loop ? () => looped(open) : open,
        },
      ];
      if (own !== undefined) {
        heard.push({
          start: Math.round((await soundStart(film)) * format.sampleRate),
          from: 0,
          to: frames,
          gain: toAmplitude(request.video_gain_db),
          open: () => sounds.convert(own, format),
        });
      }
      const { channels } = format;
      return await writeInScale(
        SOUND_ENCODERS.samples,
        () => assembleSound(placedSounds(heard), { channels, frames }),
        (blocks) =>
          this.#writeMovie(container, [
            copiedTrack(film.video),
            madeSound({ format, hasEdits: container !== "webm", frames, blocks }, SOUND_ENCODERS),
          ]),
      );
    });
  }

  /** The sound as it is, where a movie of the container can have it so. */
  async #copiedSound(
    audio: FileRef,
    container: Container,
    seconds: number,
    { audio_gain_db: gain, offset_seconds: offset, loop }: MuxRequest,
  ): Promise<MovieTrack | undefined> {
    if (gain !== 0 || offset !== 0 || loop) {
      return undefined;
    }
    const source = await this.#files.open(audio);
    if ((await detectContainer(new ByteWindow(source))).container === "wav") {
      return undefined;
    }
    const track = requireSoundTrack(await openMedia(source));
    if (container === "webm") {
      return track.codec === "opus" ? await copiedOpus(track, seconds, OPUS_CODECS) : undefined;
    }
    return track.codec === "aac" ? await copiedAac(track, seconds, AAC_CODECS) : undefined;
  }

  async concat(clips: readonly FileRef[]): Promise<FileRef> {
    const films: FilmClip[] = [];
    const starts: number[] = [];
    let seconds = 0;
    for (const [index, file] of clips.entries()) {
      const film = await this.#inspect(file);
      checkJoinable(films[0] ?? film, film, index + 1);
      starts.push(await soundStart(film));
      films.push(withoutTables(film));
      seconds += film.duration / film.video.timeScale;
    }
    const [first] = films;
    if (first === undefined) {
      throw new Error("A node that joins videos has at least one.");
    }
    const container = containerOf(first);
    const hasSound = films.some(({ sound }) => sound !== null);
    checkSeconds(seconds, hasSound ? DECODED_SECONDS_MAX : SECONDS_MAX);
    const joined = joinFilms(films, async (index) => {
      const file = clips[index];
      if (file === undefined) {
        throw new RangeError("There is no such clip.");
      }
      return requireVideoTrack(await this.#open(file));
    });
    if (!hasSound) {
      return await this.#writeMovie(container, [joined.track]);
    }
    const { files, signal } = { files: this.#files, signal: this.#signal };
    return await SoundFiles.use({ files, signal }, async (sounds) => {
      const inputs: (SoundInput | undefined)[] = [];
      for (const [index, { sound }] of films.entries()) {
        const file = clips[index];
        const has = sound !== null && file !== undefined;
        inputs.push(has ? await sounds.header("clips", file) : undefined);
      }
      const present = inputs.filter((input) => input !== undefined);
      const format = movieSound(container, present.slice(0, 1));
      const { sounds: heard, frames } = joinedSounds(
        joined,
        inputs.map(
          (input, index) =>
            input && {
              startSeconds: starts[index] ?? 0,
              open: () => sounds.convert(input, format),
            },
        ),
        format.sampleRate,
      );
      const { channels } = format;
      const blocks = () => assembleSound(placedSounds(heard), { channels, frames });
      const sound = madeSound(
        { format, hasEdits: container !== "webm", frames, blocks },
        SOUND_ENCODERS,
      );
      return await this.#writeMovie(container, [joined.track, sound]);
    });
  }

  async #open(file: FileRef): Promise<OpenMedia> {
    const [bytes, bytesMax] = [file.sizeBytes, LIMITS.media_file.value];
    if (bytes > bytesMax) {
      throw new NodeError(
        "FILE_TOO_LARGE",
        `The video has ${bytes} bytes; at most ${bytesMax} are accepted. Split it.`,
      );
    }
    return await openMedia(await this.#files.open(file));
  }

  async #inspect(file: FileRef): Promise<FilmClip> {
    const media = await this.#open(file);
    checkSeconds(media.seconds ?? 0, SECONDS_MAX);
    const film = await inspectFilm(media);
    checkSeconds(film.duration / film.video.timeScale, SECONDS_MAX);
    return film;
  }

  async #writeMovie(container: Container, tracks: readonly MovieTrack[]): Promise<FileRef> {
    return await this.#store(`video.${container}`, MOVIE_TYPES[container], async (sink) => {
      await writeMovie(container, tracks, sink, this.#signal);
    });
  }

  /** Stores what `write` puts into the sink; nothing of it is stored if this throws. */
  async #store(
    name: string,
    contentType: string,
    write: (sink: MediaSink) => Promise<void>,
  ): Promise<FileRef> {
    const sink = this.#files.beginMedia(name, contentType);
    try {
      await write(sink);
      return await sink.end();
    } catch (error) {
      await sink.abort();
      throw error;
    }
  }
}

function checkSeconds(seconds: number, secondsMax: number): void {
  if (seconds > secondsMax) {
    throw mediaTooLong(seconds, secondsMax);
  }
}

function containerOf({ container }: FilmClip): Container {
  if (container !== "mp4" && container !== "mov" && container !== "webm") {
    throw new Error(`A ${container} has a track of video.`);
  }
  return container;
}

/** A clip whose tracks do not hold tables and ranges of the file any more. */
function withoutTables(film: FilmClip): FilmClip {
  const gone = () => {
    throw new Error("A clip that was inspected is read again by opening it.");
  };
  const strip = (track: MediaTrack): MediaTrack => ({
    ...track,
    heads: gone,
    packets: gone,
    prepare: gone,
  });
  const { video, sound } = film;
  return { ...film, video: strip(video), sound: sound === null ? null : strip(sound) };
}

/**
 * The form of a movie's sound: the rate of the first input, and the more channels of all. A bit rate that the codec does not have
 * becomes the nearest one that it has.
 */
function movieSound(
  container: Container,
  inputs: readonly SoundInput[],
  bitrateKbps?: number,
): MovieSound {
  const name: SoundFormatName & MovieSound["format"] = container === "webm" ? "ogg" : "m4a";
  const { min = 0, max = 0 } = SOUND_FORMAT_ENTRIES[name].bitrate ?? {};
  const rate = bitrateKbps === undefined ? undefined : Math.min(max, Math.max(min, bitrateKbps));
  const channels = inputs.some(({ info }) => info.channels > 1) ? 2 : 1;
  const format = resolveFormat(
    { format: name, bitrate_kbps: rate, channels },
    inputs.map(({ info }) => info),
  );
  return { ...format, format: name };
}

/** Seconds from the start of a video to its first sample of sound, where packets have times and no edit list. */
async function soundStart({ container, sound }: FilmClip): Promise<number> {
  if (container !== "webm" || sound === null) {
    return 0;
  }
  for await (const { pts } of sound.packets()) {
    return pts / sound.timeScale;
  }
  return 0;
}
