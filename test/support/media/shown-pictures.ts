/** The pictures that a film presents, by the definition of edit lists (ISO/IEC 14496-12, 8.6.6). */
import { PictureDecoder } from "../../../src/media/codec/ffmpeg/picture-decoder.ts";
import type { MediaTrack } from "../../../src/media/container/media-track.ts";
import { ffmpegModules } from "./codec-fixtures.ts";
import { md5Of } from "./copied-movie.ts";
import { pictureHash } from "./picture-hash.ts";

/** A picture that is presented. */
export interface ShownPicture {
  /** In ticks of the presentation. */
  readonly time: number;
  readonly hash: string;
}

/** A picture with its time in the track. */
interface TrackPicture {
  readonly pts: number;
  readonly hash: string;
}

/** Times at which a tick of the track is presented. */
function presentedTimes({ edits }: Pick<MediaTrack, "edits">, pts: number): number[] {
  let at = 0;
  return (edits.length === 0 ? [{ start: 0, duration: null }] : edits).flatMap(
    ({ start, duration }) => {
      const from = at;
      at += duration ?? 0;
      const isShown = start !== null && pts >= start && pts < start + (duration ?? Infinity);
      return isShown ? [from + pts - start] : [];
    },
  );
}

/** When the pictures of a film are presented, in seconds, in order. */
export async function shownSeconds(track: MediaTrack): Promise<readonly number[]> {
  const times: number[] = [];
  for await (const { pts } of track.packets()) {
    times.push(...presentedTimes(track, pts).map((time) => time / track.timeScale));
  }
  return times.toSorted((a, b) => a - b);
}

/** Pictures with the MD5 of their decoded planes; of AV1, which nothing here decodes, with that of their packets. */
export async function shownPictures(track: MediaTrack): Promise<readonly ShownPicture[]> {
  const pictures = track.codec === "av1" ? await packetsOf(track) : await decoded(track);
  return pictures
    .flatMap(({ pts, hash }) => presentedTimes(track, pts).map((time) => ({ time, hash })))
    .toSorted((a, b) => a.time - b.time);
}

async function packetsOf(track: MediaTrack): Promise<readonly TrackPicture[]> {
  const pictures: TrackPicture[] = [];
  for await (const { data, pts } of track.packets()) {
    pictures.push({ pts, hash: md5Of(data) });
  }
  return pictures;
}

async function decoded(track: MediaTrack): Promise<readonly TrackPicture[]> {
  const decoder = new PictureDecoder(ffmpegModules.pictures, {
    codec: track.codec as "h264",
    config: track.codec?.startsWith("h") === true ? track.config : null,
    memoryBytesMax: 48 * 1024 * 1024,
  });
  const pictures: TrackPicture[] = [];
  const take = () => {
    for (let picture = decoder.receive(); picture !== null; picture = decoder.receive()) {
      pictures.push({ pts: picture.pts, hash: pictureHash(picture) });
    }
  };
  for await (const { data, pts } of track.packets()) {
    decoder.send(data, pts);
    take();
  }
  decoder.flush();
  take();
  decoder.close();
  return pictures;
}
