import type { FileRef } from "../../lib/files/file-ref.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { mediaTooLong } from "../../media/container/media-error.ts";
import type { MediaTrack, OpenMedia } from "../../media/container/media-track.ts";
import type { MovieContainer } from "../../media/container/movie-writer.ts";
import {
  openMedia,
  requireSoundTrack,
  requireVideoTrack,
} from "../../media/container/open-media.ts";
import { videoSeconds } from "../../media/container/video-seconds.ts";
import type { TaskFiles } from "../shared/node-context.ts";

/** A video whose packets are copied. */
export interface OpenMovie {
  readonly container: Exclude<MovieContainer, "m4a">;
  readonly video: MediaTrack;
  /** The first track of sound. */
  readonly sound: MediaTrack | null;
  /** How long a player shows the pictures. */
  readonly seconds: number;
}

/** Content type by container, which is the extension of the file too. */
export const MOVIE_TYPES = {
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
} as const satisfies Record<OpenMovie["container"], string>;

/** Opens the container of a video of up to 1 GiB. Throws NodeError with a code of docs/contract/media.md#bad-files. */
export async function openMovieFile(files: TaskFiles, file: FileRef): Promise<OpenMedia> {
  const [bytes, bytesMax] = [file.sizeBytes, LIMITS.media_file.value];
  if (bytes > bytesMax) {
    throw new NodeError(
      "FILE_TOO_LARGE",
      `The video has ${bytes} bytes; at most ${bytesMax} are accepted. Split it.`,
    );
  }
  return await openMedia(await files.open(file));
}

/**
 * Opens a video by ranges. Throws NodeError with a code of docs/contract/media.md#bad-files; a track of sound that cannot be
 * read is not left out silently.
 */
export async function openMovie(files: TaskFiles, file: FileRef): Promise<OpenMovie> {
  const media = await openMovieFile(files, file);
  const video = requireVideoTrack(media);
  const { container } = media;
  if (container !== "mp4" && container !== "mov" && container !== "webm") {
    throw new Error(`A ${container} has a track of video.`);
  }
  const sound = media.tracks.some(({ kind }) => kind === "sound") ? requireSoundTrack(media) : null;
  const seconds = await videoSeconds(media);
  const secondsMax = LIMITS.media_duration.value / 1_000;
  if (seconds > secondsMax) {
    throw mediaTooLong(seconds, secondsMax);
  }
  return { container, video, sound, seconds };
}
