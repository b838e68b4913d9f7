/** Copies of movies, and what is compared of them. */
import { createHash } from "node:crypto";
import { MemorySource } from "../../../src/lib/files/memory-source.ts";
import type { MediaTrack, OpenMedia } from "../../../src/media/container/media-track.ts";
import {
  copiedTrack,
  type MovieContainer,
  writeMovie,
} from "../../../src/media/container/movie-writer.ts";
import type { MovieTrack } from "../../../src/media/container/movie-track.ts";
import { openMedia } from "../../../src/media/container/open-media.ts";
import { MemorySink } from "./memory-sink.ts";

export const openBytes = (bytes: Uint8Array): Promise<OpenMedia> =>
  openMedia(new MemorySource(bytes, ""));

/** The file that holds these tracks. */
export async function writtenMovie(
  container: MovieContainer,
  tracks: readonly MovieTrack[],
): Promise<Uint8Array<ArrayBuffer>> {
  const sink = new MemorySink();
  await writeMovie(container, tracks, sink);
  return sink.bytes();
}

/** The tracks of video and sound of a file, copied into a container of the same kind. */
export async function copiedMovie(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const media = await openBytes(bytes);
  const tracks = media.tracks.filter(({ kind }) => kind === "video" || kind === "sound");
  return await writtenMovie(
    media.container === "mov" ? "mov" : media.container === "webm" ? "webm" : "mp4",
    tracks.map((track) => copiedTrack(track)),
  );
}

/** A packet with the MD5 of its bytes. */
export interface ListedPacket {
  readonly md5: string;
  readonly pts: number;
  readonly dts: number;
  readonly duration: number;
  readonly isKey: boolean;
}

export async function listPackets(track: MediaTrack): Promise<readonly ListedPacket[]> {
  const listed: ListedPacket[] = [];
  for await (const { data, pts, dts, duration, isKey } of track.packets()) {
    listed.push({ md5: md5Of(data), pts, dts, duration, isKey });
  }
  return listed;
}

export function md5Of(bytes: Uint8Array): string {
  return createHash("md5").update(bytes).digest("hex");
}
