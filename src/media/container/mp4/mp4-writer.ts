import { NodeError } from "../../../lib/errors/node-error.ts";
import { LimitedSink, OUTPUT_BYTES_MAX } from "../limited-sink.ts";
import { emptyMedia, unreadableMedia } from "../media-error.ts";
import { type MediaSink, PATCHED_BYTES_MAX } from "../media-sink.ts";
import type { MediaPacket } from "../media-track.ts";
import type { MovieTrack, WrittenMovie } from "../movie-track.ts";
import { isPcmCodec, PCM_BYTES } from "../wav/pcm.ts";
import { m4aFileType } from "./m4a-header.ts";
import {
  type MovieHead,
  movieHeader,
  movieTimeScale,
  type PlannedTrack,
  presentedTicks,
  trackBox,
} from "./movie-box.ts";
import { PacketPlan, turnsOf } from "./packet-plan.ts";
import {
  box,
  boxHead,
  lazyBox,
  type LazyPart,
  lazyZeros,
  numberPieces,
  text,
  u32,
} from "./write-box.ts";

type Mp4Container = "mp4" | "mov" | "m4a";

const BOX_HEAD_BYTES = 8;
const VERSION = 0x200;

/** A track while it is written. */
interface WritingTrack extends PlannedTrack {
  /** Its packets are made while they are written, so that its tables follow. */
  readonly isLive: boolean;
  /** Position of its list of chunks in the file. */
  offsetsAt: number;
  chunk: number;
}

/** See `writeMovie`. */
export async function writeMp4(
  container: Mp4Container,
  tracks: readonly MovieTrack[],
  sink: MediaSink,
  signal?: AbortSignal,
): Promise<WrittenMovie> {
  const writer = new Mp4Writer(container, new LimitedSink(sink, tooLarge), signal);
  await writer.plan(tracks);
  await writer.writeHead();
  await writer.writePackets();
  writer.patchHead();
  return { sizeBytes: sink.sizeBytes, faststart: true };
}

function tooLarge(): NodeError {
  return new NodeError(
    "FILE_TOO_LARGE",
    `The file would have more than ${OUTPUT_BYTES_MAX} bytes. Send fewer or shorter files.`,
  );
}

/**
 * Writes `moov` before the packets without a second copy of them: sizes and times of packets that exist are read from the tables of
 * their sources first. For packets that are made on the way, room is left at the beginning of `moov`, where the tables are
 * written at the end; what remains of the room is a box `free`.
 */
class Mp4Writer {
  readonly #container: Mp4Container;
  readonly #sink: MediaSink;
  readonly #signal: AbortSignal | undefined;
  #tracks: readonly WritingTrack[] = [];
  #movie: MovieHead = { isQuickTime: false, timeScale: 1 };
  /** Position and size of the room for tables. */
  #room = { at: 0, bytes: 0 };
  /** Last turn of the tracks whose packets are known. */
  #lastTurn = 0;
  #dataHeadAt = 0;

  constructor(container: Mp4Container, sink: MediaSink, signal: AbortSignal | undefined) {
    this.#container = container;
    this.#sink = sink;
    this.#signal = signal;
  }

  get #areAllKnown(): boolean {
    return this.#tracks.every(({ isLive }) => !isLive);
  }

  async plan(tracks: readonly MovieTrack[]): Promise<void> {
    const timeScale = movieTimeScale(tracks.map((track) => track.timeScale));
    this.#movie = { isQuickTime: this.#container === "mov", timeScale };
    const planned: WritingTrack[] = [];
    for (const [index, track] of tracks.entries()) {
      const plan = new PacketPlan(turnsOf(track.timeScale, track.edits), frameBytesOf(track));
      // oxlint-disable-next-line no-await-in-loop -- the tables of one source after another
      for await (const head of track.heads?.() ?? []) {
        plan.add(head);
      }
      this.#signal?.throwIfAborted();
      const isLive = track.heads === undefined;
      if (!isLive) {
        plan.end();
        checkPlan(track, plan);
        this.#lastTurn = Math.max(this.#lastTurn, plan.chunkTurns.last);
      }
      const offsets = new Uint32Array(plan.chunkTurns.count);
      const writing: WritingTrack = {
        id: index + 1,
        track,
        plan,
        offsets,
        isLive,
        offsetsAt: 0,
        chunk: 0,
        onOffsets: () => {
          writing.offsetsAt = this.#sink.sizeBytes;
        },
      };
      planned.push(writing);
    }
    this.#tracks = planned;
  }

  async writeHead(): Promise<void> {
    const tracks = this.#tracks;
    const type = fileType(this.#container, tracks);
    const live = tracks.filter(({ isLive }) => isLive);
    const known = tracks.filter(({ isLive }) => !isLive);
    const durations = tracks.map((track) => presentedTicks(track, this.#movie.timeScale));
    const header = movieHeader(this.#movie.timeScale, Math.max(0, ...durations), tracks.length);
    const room = live.reduce((sum, track) => sum + this.#roomFor(track), 0);
    const knownBoxes = known.map((track) => trackBox(track, this.#movie));
    const knownBytes = knownBoxes.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const start = type.byteLength + BOX_HEAD_BYTES + header.byteLength;
    const boxes: (Uint8Array | LazyPart)[] = [header, ...knownBoxes];
    if (live.length > 0) {
      // After the other tracks, as movies usually have their sound, if their tables are not too long.
      const isLast = start + knownBytes + room <= PATCHED_BYTES_MAX;
      this.#room = { at: start + (isLast ? knownBytes : 0), bytes: room };
      boxes.splice(isLast ? boxes.length : 1, 0, lazyBox("free", lazyZeros(room - BOX_HEAD_BYTES)));
    }
    const moov = lazyBox("moov", ...boxes);
    const dataAt = type.byteLength + moov.byteLength + BOX_HEAD_BYTES;
    const dataBytes = known.reduce((sum, { plan }) => sum + plan.bytes, 0);
    if (dataAt + dataBytes > OUTPUT_BYTES_MAX) {
      throw tooLarge();
    }
    placeChunks(known, dataAt);
    await this.#sink.append(type);
    for (const piece of moov.pieces()) {
      // oxlint-disable-next-line no-await-in-loop -- piece after piece
      await this.#sink.append(piece);
    }
    if (live.length > 0 && this.#lastPatched() > PATCHED_BYTES_MAX) {
      throw unreadableMedia("has more packets than the header of a movie has room for. Split it.");
    }
    this.#dataHeadAt = this.#sink.sizeBytes;
    // Where the size is not known and cannot be changed later, 0 stands for "up to the end".
    const isOpen = live.length > 0;
    await this.#sink.append(boxHead("mdat", isOpen ? 0 : BOX_HEAD_BYTES + dataBytes));
  }

  /** End of what is written again at the end. */
  #lastPatched(): number {
    const offsets = this.#tracks
      .filter(({ isLive }) => !isLive)
      .map((track) => track.offsetsAt + track.offsets.byteLength);
    return Math.max(this.#room.at + this.#room.bytes, ...offsets);
  }

  /** Bytes that the box of a track takes at most. */
  #roomFor(track: WritingTrack): number {
    const { packetsMax } = track.track;
    if (packetsMax === undefined) {
      throw new RangeError("A track without heads needs an upper bound of its packets.");
    }
    // Its packets after the last turn of the others lie in one chunk.
    const chunks = Math.min(packetsMax, this.#lastTurn + 2);
    track.offsets = new Uint32Array(chunks);
    const runs = 2;
    const tables = packetsMax * 4 + chunks * (4 + 12) + runs * 8;
    return trackBox(track, this.#movie).byteLength + tables + BOX_HEAD_BYTES;
  }

  async writePackets(): Promise<void> {
    const queues = this.#tracks.map((track) => new PacketQueue(track, this.#lastTurn + 1));
    try {
      for (;;) {
        const turns: number[] = [];
        for (const queue of queues) {
          // oxlint-disable-next-line no-await-in-loop -- they may share a source
          turns.push(await queue.nextTurn());
        }
        const turn = Math.min(...turns);
        if (turn === Number.POSITIVE_INFINITY) {
          break;
        }
        for (const [index, queue] of queues.entries()) {
          if (turns[index] === turn) {
            // oxlint-disable-next-line no-await-in-loop -- turn after turn
            await this.#writeChunk(queue, turn);
          }
        }
      }
    } finally {
      for (const queue of queues) {
        // oxlint-disable-next-line no-await-in-loop -- decoders are closed one after another
        await queue.close();
      }
    }
    for (const { track, plan, isLive } of this.#tracks) {
      if (isLive) {
        plan.end();
        checkPlan(track, plan);
      }
    }
  }

  async #writeChunk(queue: PacketQueue, turn: number): Promise<void> {
    const { track } = queue;
    const { plan, chunk, isLive } = track;
    const start = this.#sink.sizeBytes;
    if (this.#areAllKnown && track.offsets[chunk] !== start) {
      throw changed();
    }
    track.offsets[chunk] = start;
    for await (const packet of queue.chunk(turn)) {
      this.#signal?.throwIfAborted();
      await this.#sink.append(packet.data);
    }
    if (!isLive && this.#sink.sizeBytes - start !== plan.chunkBytes.at(chunk)) {
      throw changed();
    }
    track.chunk++;
  }

  /** Writes the tables of tracks that were made, and where the chunks of the others are. */
  patchHead(): void {
    const live = this.#tracks.filter(({ isLive }) => isLive);
    if (live.length === 0) {
      return;
    }
    let { at } = this.#room;
    const end = at + this.#room.bytes;
    for (const track of live) {
      const tables = trackBox(track, this.#movie);
      if (at + tables.byteLength > end - BOX_HEAD_BYTES) {
        throw new Error("A track has more packets or durations than it had announced.");
      }
      for (const piece of tables.pieces()) {
        this.#sink.patch(at, piece);
        at += piece.byteLength;
      }
    }
    this.#sink.patch(at, boxHead("free", end - at));
    for (const { isLive, offsets, offsetsAt } of this.#tracks) {
      if (!isLive) {
        let position = offsetsAt;
        for (const piece of numberPieces(offsets)) {
          this.#sink.patch(position, piece);
          position += piece.byteLength;
        }
      }
    }
    if (this.#dataHeadAt + BOX_HEAD_BYTES <= PATCHED_BYTES_MAX) {
      this.#sink.patch(this.#dataHeadAt, boxHead("mdat", this.#sink.sizeBytes - this.#dataHeadAt));
    }
  }
}

/** The packets of a track, chunk by chunk. */
class PacketQueue {
  readonly track: WritingTrack;
  readonly #packets: AsyncIterator<MediaPacket>;
  /** Turn of all later packets of a track that is made. */
  readonly #lastTurn: number;
  /** The next packet of a track that is made; undefined after the last one. */
  #next: MediaPacket | undefined;
  #hasNext = false;

  constructor(track: WritingTrack, lastTurn: number) {
    this.track = track;
    this.#lastTurn = lastTurn;
    this.#packets = track.track.packets()[Symbol.asyncIterator]();
  }

  /** Turn of the next chunk; infinity after the last one. */
  async nextTurn(): Promise<number> {
    const { plan, chunk, isLive } = this.track;
    if (!isLive) {
      return chunk < plan.chunkTurns.count ? plan.chunkTurns.at(chunk) : Number.POSITIVE_INFINITY;
    }
    const packet = await this.#peek();
    return packet === undefined
      ? Number.POSITIVE_INFINITY
      : Math.min(plan.turnOf(packet.dts), this.#lastTurn);
  }

  /** The packets of the next chunk. */
  async *chunk(turn: number): AsyncGenerator<MediaPacket> {
    const { plan, chunk, isLive } = this.track;
    if (isLive) {
      // oxlint-disable-next-line no-await-in-loop -- packet after packet
      for (let packet = await this.#peek(); packet !== undefined; packet = await this.#peek()) {
        // oxlint-disable-next-line no-await-in-loop -- packet after packet
        if ((await this.nextTurn()) !== turn) {
          return;
        }
        plan.add({ ...packet, bytes: packet.data.byteLength }, turn);
        this.#hasNext = false;
        yield packet;
      }
      return;
    }
    for (let left = plan.chunkPackets.at(chunk); left > 0;) {
      // oxlint-disable-next-line no-await-in-loop -- packet after packet
      const { done, value } = await this.#packets.next();
      if (done === true) {
        throw changed();
      }
      left -= plan.frameBytes === null ? 1 : value.data.byteLength / plan.frameBytes;
      yield value;
    }
  }

  async close(): Promise<void> {
    await this.#packets.return?.();
  }

  async #peek(): Promise<MediaPacket | undefined> {
    if (!this.#hasNext) {
      const { done, value } = await this.#packets.next();
      this.#next = done === true ? undefined : value;
      this.#hasNext = true;
    }
    return this.#next;
  }
}

/** Writes the positions of the chunks into the tracks, turn after turn. */
function placeChunks(tracks: readonly WritingTrack[], dataAt: number): void {
  const next = tracks.map(() => 0);
  let at = dataAt;
  for (;;) {
    const turns = tracks.map(({ plan }, index) => {
      const chunk = next[index] ?? 0;
      return chunk < plan.chunkTurns.count ? plan.chunkTurns.at(chunk) : Number.POSITIVE_INFINITY;
    });
    const turn = Math.min(...turns);
    if (turn === Number.POSITIVE_INFINITY) {
      return;
    }
    for (const [index, { plan, offsets }] of tracks.entries()) {
      if (turns[index] === turn) {
        const chunk = next[index] ?? 0;
        offsets[chunk] = at;
        at += plan.chunkBytes.at(chunk);
        next[index] = chunk + 1;
      }
    }
  }
}

function frameBytesOf({ codec, sound }: MovieTrack): number | null {
  return isPcmCodec(codec) && sound !== null ? PCM_BYTES[codec] * sound.channels : null;
}

function checkPlan({ kind }: MovieTrack, plan: PacketPlan): void {
  if (plan.packets === 0 && kind !== "text") {
    throw emptyMedia(kind);
  }
}

/** The file is the same as long as it is read (its ETag is checked), so that this is an error of ours. */
function changed(): Error {
  return new Error("The packets of a movie are not those that its tables announced.");
}

const H264_BRAND = "avc1";

function fileType(container: Mp4Container, tracks: readonly PlannedTrack[]): Uint8Array {
  if (container === "m4a") {
    return m4aFileType();
  }
  if (container === "mov") {
    return box("ftyp", text("qt  "), u32(VERSION), text("qt  "));
  }
  const codecs = tracks.some(({ track }) => track.codec === "h264") ? [text(H264_BRAND)] : [];
  return box("ftyp", text("isom"), u32(VERSION), text("isomiso2iso4"), ...codecs, text("mp41"));
}
