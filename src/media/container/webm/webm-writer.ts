import { NodeError } from "../../../lib/errors/node-error.ts";
import { type FrameCounter, frameCounter } from "../../codec/packet-frames.ts";
import { GrowingNumbers } from "../growing-numbers.ts";
import { LimitedSink, OUTPUT_BYTES_MAX } from "../limited-sink.ts";
import { PacketBudget } from "../media-caps.ts";
import { emptyMedia } from "../media-error.ts";
import type { MediaSink } from "../media-sink.ts";
import type { MediaPacket } from "../media-track.ts";
import type { MovieTrack, WrittenMovie } from "../movie-track.ts";
import { ID } from "./ebml.ts";
import { statedDurationNs, trackEntry } from "./track-entry.ts";
import {
  element,
  elementHead,
  float,
  signed,
  string,
  unsigned,
  variableNumber,
} from "./write-ebml.ts";

const APP = "edgeloom";
const MILLISECOND = 1_000_000;
/** Ticks of a source that are kept, in nanoseconds: with shorter ones a cluster would hold less than a third of a second. */
const TICK_MIN = 10_000;
const TICK_MAX = 10_000_000;
/** Bounds of a cluster, which is held until its size is known. */
const CLUSTER_BYTES = 1024 * 1024;
const CLUSTER_NS = 5_000_000_000;
const CLUSTER_TICKS = 32_767;
/** Between two entries of the index. */
const CUE_NS = 500_000_000;
const KEY = 0x80;
const LONG_SIZE = 8;
const LONG_POSITION = 8;

/** See `writeMovie`. */
export async function writeWebm(
  tracks: readonly MovieTrack[],
  sink: MediaSink,
  signal?: AbortSignal,
): Promise<WrittenMovie> {
  if (tracks.some(({ edits }) => edits.length > 0)) {
    throw new RangeError("A WebM has no edits: times are those at which packets are presented.");
  }
  const writer = new WebmWriter(tracks, new LimitedSink(sink, tooLarge));
  await writer.begin();
  const queues = tracks.map((track, index) => new TimedPackets(track, index + 1, writer.tick));
  try {
    for (;;) {
      let first: TimedPackets | undefined;
      for (const queue of queues) {
        // oxlint-disable-next-line no-await-in-loop -- they may share a source
        await queue.peek();
        first = queue.time < (first?.time ?? Number.POSITIVE_INFINITY) ? queue : first;
      }
      if (first === undefined) {
        break;
      }
      signal?.throwIfAborted();
      // oxlint-disable-next-line no-await-in-loop -- block after block
      await writer.add(first);
    }
  } finally {
    for (const queue of queues) {
      // oxlint-disable-next-line no-await-in-loop -- decoders are closed one after another
      await queue.close();
    }
  }
  for (const { track, count } of queues) {
    if (count === 0 && track.kind !== "text") {
      throw emptyMedia(track.kind);
    }
  }
  await writer.end(Math.max(0, ...queues.map(({ end }) => end)));
  return { sizeBytes: sink.sizeBytes, faststart: null };
}

function tooLarge(): NodeError {
  return new NodeError(
    "FILE_TOO_LARGE",
    `The file would have more than ${OUTPUT_BYTES_MAX} bytes. Send fewer or shorter files.`,
  );
}

/** The packets of a track with their times in ticks of the file. */
class TimedPackets {
  readonly track: MovieTrack;
  readonly number: number;
  /** Of the next packet; infinity after the last one. */
  time = 0;
  /** Packets that were taken. */
  count = 0;
  /** Time at which the last taken packet ends. */
  end = 0;
  #next: MediaPacket | undefined;
  #isRead = false;
  readonly #packets: AsyncIterator<MediaPacket>;
  readonly #tick: number;
  readonly #frames: FrameCounter;
  readonly #budget = new PacketBudget();
  #lastPts = Number.NaN;
  #lastTime = 0;
  #lastTicks = 0;

  constructor(track: MovieTrack, number: number, tick: number) {
    this.track = track;
    this.number = number;
    this.#tick = tick;
    this.#packets = track.packets()[Symbol.asyncIterator]();
    const { codec, config, sound } = track;
    this.#frames = sound === null ? () => 0 : frameCounter(codec, config, sound.packetFrames);
  }

  async peek(): Promise<void> {
    if (this.#isRead) {
      return;
    }
    const { done, value } = await this.#packets.next();
    this.#isRead = true;
    this.#next = done === true ? undefined : value;
    if (this.#next === undefined) {
      this.time = Number.POSITIVE_INFINITY;
      return;
    }
    const { pts } = this.#next;
    // Sounds of one block of the source have its time, and follow each other.
    this.time =
      pts === this.#lastPts ? Math.round(this.#lastTime + this.#lastTicks) : this.#ticks(pts);
  }

  /** The packet, and its duration in ticks of the file. */
  take(): MediaPacket & { readonly ticks: number } {
    const packet = this.#next;
    if (packet === undefined) {
      throw new Error("A packet is taken that was not read.");
    }
    this.#budget.add(1);
    const { track } = this;
    const rate = track.sound?.sampleRate ?? 1;
    const frames = this.#frames(packet.data);
    const stated = this.#ticks(packet.duration);
    this.#lastTicks = frames > 0 ? (frames * 1e9) / rate / this.#tick : stated;
    const step = this.count === 0 ? 0 : this.time - this.#lastTime;
    const shown = stated || Math.round(statedDurationNs(track.description) / this.#tick) || step;
    const hidden = (packet.discardFrames ?? 0) + (track.sound?.trim?.skip ?? 0);
    const length =
      track.kind === "sound" ? this.#lastTicks - (hidden * 1e9) / rate / this.#tick : shown;
    this.end = Math.max(this.end, this.time + length);
    this.#lastTime = this.time;
    this.#lastPts = packet.pts;
    this.count++;
    this.#isRead = false;
    return { ...packet, ticks: stated };
  }

  async close(): Promise<void> {
    await this.#packets.return?.();
  }

  #ticks(own: number): number {
    return Math.round((own * 1e9) / this.track.timeScale / this.#tick);
  }
}

/** Writes clusters one after another, then the index; sizes, places and the duration are put into the head at the end. */
class WebmWriter {
  /** In nanoseconds. */
  readonly tick: number;
  readonly #tracks: readonly MovieTrack[];
  readonly #sink: MediaSink;
  #segmentAt = 0;
  #seekAt = 0;
  #infoAt = 0;
  #tracksAt = 0;
  readonly #cueTrack: number;
  readonly #cueTimes = new GrowingNumbers();
  readonly #cuePlaces = new GrowingNumbers();
  #cluster: { readonly time: number; readonly blocks: Uint8Array[]; bytes: number } | undefined;

  constructor(tracks: readonly MovieTrack[], sink: MediaSink) {
    this.#tracks = tracks;
    this.#sink = sink;
    const scale = tracks.find(({ description }) => description?.container === "webm")?.timeScale;
    const tick = scale === undefined ? MILLISECOND : Math.round(1e9 / scale);
    this.tick = tick >= TICK_MIN && tick <= TICK_MAX ? tick : MILLISECOND;
    this.#cueTrack =
      Math.max(
        0,
        tracks.findIndex(({ kind }) => kind === "video"),
      ) + 1;
  }

  async begin(): Promise<void> {
    const sink = this.#sink;
    await sink.append(
      element(
        ID.ebml,
        unsigned(ID.ebmlVersion, 1),
        unsigned(ID.ebmlReadVersion, 1),
        unsigned(ID.maxIdLength, 4),
        unsigned(ID.maxSizeLength, 8),
        string(ID.docType, "webm"),
        unsigned(ID.docTypeVersion, 4),
        unsigned(ID.docTypeReadVersion, 2),
      ),
    );
    await sink.append(elementHead(ID.segment, 0, LONG_SIZE));
    this.#segmentAt = sink.sizeBytes;
    this.#seekAt = sink.sizeBytes;
    await sink.append(this.#seekHead(0));
    this.#infoAt = sink.sizeBytes;
    await sink.append(this.#info(0));
    this.#tracksAt = sink.sizeBytes;
    const entries = this.#tracks.map((track, index) => trackEntry(track, index + 1));
    await sink.append(element(ID.tracks, ...entries));
  }

  #info(duration: number): Uint8Array {
    return element(
      ID.info,
      unsigned(ID.timestampScale, this.tick),
      float(ID.duration, duration),
      string(ID.muxingApp, APP),
      string(ID.writingApp, APP),
    );
  }

  #seekHead(cuesAt: number): Uint8Array {
    const places = [
      [ID.info, this.#infoAt],
      [ID.tracks, this.#tracksAt],
      [ID.cues, cuesAt],
    ] as const;
    return element(
      ID.seekHead,
      ...places.map(([id, at]) =>
        element(
          ID.seek,
          element(ID.seekId, elementHead(id, 0).subarray(0, 4)),
          unsigned(ID.seekPosition, Math.max(0, at - this.#segmentAt), LONG_POSITION),
        ),
      ),
    );
  }

  async add(queue: TimedPackets): Promise<void> {
    const { time, number, track } = queue;
    const { ticks, data, isKey, discardFrames = 0 } = queue.take();
    const isCue = isKey && number === this.#cueTrack && this.#isCueDue(time);
    if (this.#cluster === undefined || isCue || !this.#hasRoom(time)) {
      await this.#endCluster();
      this.#cluster = { time, blocks: [], bytes: 0 };
    }
    const cluster = this.#cluster;
    if (isCue) {
      this.#cueTimes.push(time);
      this.#cuePlaces.push(this.#sink.sizeBytes - this.#segmentAt);
    }
    const relative = time - cluster.time;
    const isGroup = discardFrames > 0 || (track.kind !== "sound" && ticks > 0);
    const flags = isKey && !isGroup ? KEY : 0;
    const head = [variableNumber(number), Uint8Array.of(relative >> 8, relative, flags)];
    const rate = track.sound?.sampleRate ?? 1;
    const block = isGroup
      ? element(
          ID.blockGroup,
          element(ID.block, ...head, data),
          ...(ticks > 0 ? [unsigned(ID.blockDuration, ticks)] : []),
          ...(isKey ? [] : [signed(ID.referenceBlock, -1)]),
          ...(discardFrames > 0
            ? [signed(ID.discardPadding, Math.round((discardFrames * 1e9) / rate))]
            : []),
        )
      : element(ID.simpleBlock, ...head, data);
    cluster.blocks.push(block);
    cluster.bytes += block.byteLength;
  }

  #isCueDue(time: number): boolean {
    const { count } = this.#cueTimes;
    return count === 0 || (time - this.#cueTimes.last) * this.tick >= CUE_NS;
  }

  #hasRoom(time: number): boolean {
    const cluster = this.#cluster;
    if (cluster === undefined) {
      return false;
    }
    const ticks = time - cluster.time;
    return (
      cluster.bytes < CLUSTER_BYTES &&
      Math.abs(ticks) <= CLUSTER_TICKS &&
      ticks * this.tick < CLUSTER_NS
    );
  }

  async #endCluster(): Promise<void> {
    const cluster = this.#cluster;
    if (cluster === undefined) {
      return;
    }
    this.#cluster = undefined;
    const time = unsigned(ID.timestamp, cluster.time);
    await this.#sink.append(elementHead(ID.cluster, time.byteLength + cluster.bytes));
    await this.#sink.append(time);
    for (const block of cluster.blocks) {
      // oxlint-disable-next-line no-await-in-loop -- block after block
      await this.#sink.append(block);
    }
  }

  /** `duration`: of the file, in ticks. */
  async end(duration: number): Promise<void> {
    await this.#endCluster();
    const cuesAt = this.#sink.sizeBytes;
    const cues: Uint8Array[] = [];
    for (const [index, time] of [...this.#cueTimes.values()].entries()) {
      cues.push(
        element(
          ID.cuePoint,
          unsigned(ID.cueTime, time),
          element(
            ID.cueTrackPositions,
            unsigned(ID.cueTrack, this.#cueTrack),
            unsigned(ID.cueClusterPosition, this.#cuePlaces.at(index)),
          ),
        ),
      );
    }
    await this.#sink.append(element(ID.cues, ...cues));
    const size = this.#sink.sizeBytes - this.#segmentAt;
    this.#sink.patch(this.#segmentAt - 12, elementHead(ID.segment, size, LONG_SIZE));
    this.#sink.patch(this.#seekAt, this.#seekHead(cuesAt));
    this.#sink.patch(this.#infoAt, this.#info(Math.round(duration)));
  }
}
