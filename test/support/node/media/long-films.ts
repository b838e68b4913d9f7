/** Long films as they are uploaded, piece after piece, so that a test holds none of them. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type {
  MediaPacket,
  MediaTrack,
  PacketHead,
} from "../../../../src/media/container/media-track.ts";
import type { MovieTrack } from "../../../../src/media/container/movie-track.ts";
import { copiedTrack, writeMovie } from "../../../../src/media/container/movie-writer.ts";
import {
  requireSoundTrack,
  requireVideoTrack,
} from "../../../../src/media/container/open-media.ts";
import { openBytes } from "../../media/copied-movie.ts";
import { MemorySink } from "../../media/memory-sink.ts";

const GOLDEN = fileURLToPath(new URL("../../../golden/media/", import.meta.url).href);

/** A file of test/golden/media (scripts/make-media-fixtures.ts). */
export function goldenMedia(name: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(readFileSync(GOLDEN + name));
}

/** Films of these containers, with the fixture whose packets they repeat. An M4A has the sound alone. */
const SOURCES = { mp4: "h264-aac.mp4", webm: "vp8-opus.webm", m4a: "h264-aac.mp4" } as const;
/** Pictures of the fixtures, 25 in a second. */
const PICTURES = 10;
const PIECE_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;
const FILLER = 0x0c;
const STOP = 0x80;

/** What decides the size of a film. */
export interface LongFilm {
  readonly container?: keyof typeof SOURCES;
  readonly seconds: number;
  /** Of pictures and sound; an M4A has the bytes of its packets. */
  readonly bytes?: number;
  readonly hasSound?: boolean;
  /** Of a WebM: whether its header states its duration, as it does by default. Without it, every packet is read for it. */
  readonly isTimed?: boolean;
}

/**
 * A film of so many seconds and about so many bytes: the packets of a fixture again and again, each made longer by bytes that decoders
 * pass over.
 */
export async function* longFilm({
  container = "mp4",
  seconds,
  bytes = 0,
  hasSound = true,
  isTimed = true,
}: LongFilm): AsyncGenerator<Uint8Array> {
  const media = await openBytes(goldenMedia(SOURCES[container]));
  const loops = Math.round((seconds * 25) / PICTURES);
  const hasPictures = container !== "m4a";
  const own = await bytesOf([
    ...(hasPictures ? [requireVideoTrack(media)] : []),
    ...(hasSound ? [requireSoundTrack(media)] : []),
  ]);
  const padding = Math.max(0, Math.floor((bytes / loops - own) / PICTURES));
  const pad = container === "mp4" ? withFiller : withZeros;
  const tracks: MovieTrack[] = [];
  if (hasPictures) {
    tracks.push(await repeated(requireVideoTrack(media), loops, (data) => pad(data, padding)));
  }
  if (hasSound) {
    const sound = requireSoundTrack(media);
    tracks.push(await repeated(sound, loops, (data) => data));
  }
  if (container === "webm") {
    // Its head is changed at the end.
    const sink = new MemorySink();
    await writeMovie(container, tracks, sink);
    yield isTimed ? sink.bytes() : withoutDuration(sink.bytes());
    return;
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  let sizeBytes = 0;
  const pieces = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  const flush = async () => {
    await writer.write(pieces.slice(0, filled));
    filled = 0;
  };
  const written = writeMovie(container, tracks, {
    async append(piece) {
      sizeBytes += piece.byteLength;
      for (let at = 0; at < piece.byteLength;) {
        const part = piece.subarray(at, at + PIECE_BYTES - filled);
        pieces.set(part, filled);
        at += part.byteLength;
        filled += part.byteLength;
        if (filled === PIECE_BYTES) {
          // oxlint-disable-next-line no-await-in-loop -- piece after piece
          await flush();
        }
      }
    },
    patch: () => {
      throw new Error("The tables of a copy are known before it is written.");
    },
    get sizeBytes() {
      return sizeBytes;
    },
  }).then(
    async () => {
      await flush();
      await writer.close();
    },
    (error: unknown) => writer.abort(error),
  );
  yield* readable;
  await written;
}

/** What the tables of a track have for a packet at most, or a WebM in its head. */
const PACKET_HEAD_BYTES = 24;

/** Bytes that the packets of tracks take in a file. */
async function bytesOf(tracks: readonly MediaTrack[]): Promise<number> {
  let bytes = 0;
  for (const track of tracks) {
    for await (const { data } of track.packets()) {
      bytes += data.byteLength + PACKET_HEAD_BYTES;
    }
  }
  return bytes;
}

/** The packets of a track, `loops` times. */
async function repeated(
  track: MediaTrack,
  loops: number,
  change: (data: Uint8Array) => Uint8Array,
): Promise<MovieTrack> {
  const packets: MediaPacket[] = [];
  for await (const packet of track.packets()) {
    packets.push({ ...packet, data: change(packet.data.slice()) });
  }
  const [first] = packets;
  const last = packets.at(-1);
  if (first === undefined || last === undefined) {
    throw new Error("The fixture has no packet.");
  }
  const step = (last.dts - first.dts) / (packets.length - 1);
  const period = Math.round(step * packets.length);
  function* all(): Generator<MediaPacket> {
    for (let loop = 0; loop < loops; loop++) {
      for (const packet of packets) {
        const [dts, pts] = [packet.dts + loop * period, packet.pts + loop * period];
        yield { ...packet, dts, pts };
      }
    }
  }
  function* heads(): Generator<PacketHead> {
    for (const { data, ...head } of all()) {
      yield { ...head, bytes: data.byteLength };
    }
  }
  return copiedTrack(track, {
    edits: track.edits.map(({ start }) => ({ start, duration: null })),
    heads: track.heads === undefined ? undefined : heads,
    // oxlint-disable-next-line typescript/require-await -- tracks are read asynchronously
    async *packets() {
      yield* all();
    },
  });
}

/** The element Duration (0x4489) of 0, which states none. */
function withoutDuration(webm: Uint8Array): Uint8Array {
  const at = webm.findIndex((byte, i) => byte === 0x44 && webm[i + 1] === 0x89);
  const length = (webm[at + 2] ?? 0) & 0x7f;
  if (at < 0 || length > 8) {
    throw new Error("The header has no duration.");
  }
  return webm.fill(0, at + 3, at + 3 + length);
}

/** With a unit of filler data (ITU-T H.264, 7.3.2.7). */
function withFiller(data: Uint8Array, padding: number): Uint8Array {
  if (padding < LENGTH_BYTES + 2) {
    return data;
  }
  const made = new Uint8Array(data.length + padding).fill(0xff);
  made.set(data);
  new DataView(made.buffer).setUint32(data.length, padding - LENGTH_BYTES);
  made[data.length + LENGTH_BYTES] = FILLER;
  made[made.length - 1] = STOP;
  return made;
}

/** Behind the last partition of a picture of VP8, which is read as far as it is needed. */
function withZeros(data: Uint8Array, padding: number): Uint8Array {
  const made = new Uint8Array(data.length + padding);
  made.set(data);
  return made;
}
