import { OPUS_RATE, readOpusHead } from "../../codec/opus-head.ts";
import { frameCounter } from "../../codec/packet-frames.ts";
import { type ByteWindow, textAt, viewOf } from "../byte-window.ts";
import { readStreamInfo } from "../flac/stream-info.ts";
import { HeaderBudget, PacketBudget, TRACKS_MAX } from "../media-caps.ts";
import { shownId, truncatedMedia, unreadableMedia } from "../media-error.ts";
import type { MediaPacket, MediaTrack, PacketRange, SoundTrack } from "../media-track.ts";
import { firstOggPages, type OggPacket, oggPackets } from "./ogg-packets.ts";
import { lastOggPage, refuseChained } from "./ogg-pages.ts";
import { joinVorbisConfig } from "./vorbis-modes.ts";

/** Headers of FLAC in Ogg whose number is not stated. */
const HEADERS_MAX = 1_000;
/** Packets on the first page with sound. */
const FIRST_PACKETS_MAX = 255;

/** A stream by its first packet. */
interface Stream {
  readonly serial: number;
  readonly codec: "opus" | "vorbis" | "flac" | null;
  readonly codecId: string;
  readonly first: Uint8Array;
}

/** Opens the streams of an Ogg file. Throws NodeError with a code of docs/contract/media.md. */
export async function openOgg(window: ByteWindow): Promise<readonly MediaTrack[]> {
  const pages = await firstOggPages(window, TRACKS_MAX);
  if (pages.length === 0) {
    throw unreadableMedia("has no page of Ogg that begins a stream. Encode it again.");
  }
  const serials = new Set(pages.map(({ serial }) => serial));
  const tracks: MediaTrack[] = [];
  for (const { serial, data } of pages) {
    // oxlint-disable-next-line no-await-in-loop -- each reads the same bytes
    tracks.push(await openStream(window, streamOf(serial, data), serials));
  }
  return tracks;
}

function streamOf(serial: number, first: Uint8Array): Stream {
  const has = (tag: string) => textAt(first, 0, tag.length) === tag;
  const codec = has("OpusHead")
    ? "opus"
    : has("\u0001vorbis")
      ? "vorbis"
      : has("\u007fFLAC")
        ? "flac"
        : null;
  return { serial, codec, codecId: codec ?? shownId(textAt(first, 0, 8)), first };
}

async function openStream(
  window: ByteWindow,
  stream: Stream,
  serials: ReadonlySet<number>,
): Promise<MediaTrack> {
  const { serial, codec, codecId, first } = stream;
  const base = {
    id: serial,
    codec,
    codecId,
    packetCount: null,
    language: "und",
    picture: null,
    edits: [],
    description: null,
    prepare: () => Promise.resolve(),
  };
  if (codec === null) {
    const isVideo = textAt(first, 0, 7) === "\u0080theora";
    return {
      ...base,
      kind: isVideo ? "video" : "other",
      timeScale: 1,
      duration: null,
      config: first,
      sound: null,
      packets: () => {
        throw unreadableMedia(`has a stream "${codecId}" that is not read. Convert it first.`);
      },
    };
  }
  const headers = await headerPackets(window, stream);
  const { sound, preSkip, config } = soundOf(stream, headers);
  const timeScale = codec === "opus" ? OPUS_RATE : sound.sampleRate;
  const headerCount = headers.length;
  const { start, end, endsAt } = await positions(window, stream, serials, headerCount, config);
  const frames = end === null ? null : Math.max(0, end - start - preSkip);
  const skip = preSkip + Math.max(0, -start);
  return {
    ...base,
    kind: "sound",
    timeScale,
    duration: end === null ? null : Math.max(0, end - start),
    config,
    sound: {
      ...sound,
      trim: { skip, frames: frames === null ? null : frames - Math.max(0, -start) },
    },
    packets: (range) =>
      soundPackets(
        window,
        stream,
        { headerCount, config, frames: end === null ? null : end - start, endsAt },
        range,
      ),
  };
}

/** The header packets of a stream, the first one included. */
async function headerPackets(window: ByteWindow, { serial, codec, first }: Stream) {
  const budget = new HeaderBudget();
  const stated = codec === "opus" ? 2 : codec === "vorbis" ? 3 : 1 + viewOf(first).getUint16(7);
  const headers: Uint8Array[] = [];
  for await (const { data, isDamaged, lostPages } of oggPackets(window, serial)) {
    const isOpenEnd = codec === "flac" && stated === 1;
    if (headers.length === (isOpenEnd ? HEADERS_MAX : stated) || (isOpenEnd && data[0] === 0xff)) {
      return headers;
    }
    if (isDamaged || lostPages > 0) {
      throw unreadableMedia(`has a damaged header of ${codec ?? "Ogg"}. Encode it again.`);
    }
    budget.add(data.byteLength);
    headers.push(data.slice());
  }
  if (headers.length < stated) {
    throw truncatedMedia("is an Ogg that ends within its header.");
  }
  return headers;
}

interface StreamSound {
  readonly sound: Omit<SoundTrack, "trim">;
  readonly preSkip: number;
  readonly config: Uint8Array;
}

function soundOf({ codec, first }: Stream, headers: readonly Uint8Array[]): StreamSound {
  if (codec === "opus") {
    const { channels, preSkip } = readOpusHead(first);
    const sound = { sampleRate: OPUS_RATE, channels, bitDepth: null, packetFrames: 0 };
    return { sound, preSkip, config: first };
  }
  if (codec === "flac") {
    // A head of 9 bytes, the mark fLaC, the block's own head; then STREAMINFO.
    const { sampleRate, channels, bitDepth, bytes } = readStreamInfo(first.subarray(17));
    return {
      sound: { sampleRate, channels, bitDepth, packetFrames: 0 },
      preSkip: 0,
      config: bytes,
    };
  }
  if (first.byteLength < 30) {
    throw unreadableMedia("has a damaged header of Vorbis. Encode it again.");
  }
  const view = viewOf(first);
  const sampleRate = view.getUint32(12, true);
  const sound = { sampleRate, channels: view.getUint8(11), bitDepth: null, packetFrames: 0 };
  if (sampleRate === 0) {
    throw unreadableMedia("has a header of Vorbis without a sampling rate. Encode it again.");
  }
  return { sound, preSkip: 0, config: joinVorbisConfig(headers) };
}

/**
 * The position of the first sample and the one after the last, from the first page with sound and the last page. The first
 * one is negative if an encoder cuts samples there, and positive if the stream was cut from a longer one. `endsAt`: where the
 * last page lies.
 */
async function positions(
  window: ByteWindow,
  { serial, codec }: Stream,
  serials: ReadonlySet<number>,
  headerCount: number,
  config: Uint8Array,
): Promise<{ readonly start: number; readonly end: number | null; readonly endsAt: number }> {
  const last = await lastOggPage(window, serial, serials);
  // The position 0 is that of a header: no later page is whole.
  const end = last === undefined || last.granule === 0 ? null : last.granule;
  const endsAt = last?.at ?? 0;
  const count = frameCounter(codec, config, 0);
  let number = 0;
  let frames = 0;
  for await (const packet of oggPackets(window, serial)) {
    if (number++ < headerCount) {
      continue;
    }
    frames += count(packet.data);
    if (packet.granule !== null) {
      // On the last page the position says how much of it is presented.
      const start = packet.isLast ? 0 : packet.granule - frames;
      const isShift = codec !== "flac" || start > 0;
      return { start: isShift ? start : 0, end, endsAt };
    }
    if (number > headerCount + FIRST_PACKETS_MAX) {
      break;
    }
  }
  return { start: 0, end, endsAt };
}

interface StreamShape {
  readonly headerCount: number;
  readonly config: Uint8Array;
  /** By the position on the last page, which lies at `endsAt`. */
  readonly frames: number | null;
  readonly endsAt: number;
}

async function* soundPackets(
  window: ByteWindow,
  { serial, codec }: Stream,
  { headerCount, config, frames, endsAt }: StreamShape,
  { from = 0 }: PacketRange = {},
): AsyncGenerator<MediaPacket> {
  const budget = new PacketBudget();
  const count = frameCounter(codec, config, 0);
  let number = 0;
  let pts = 0;
  /** Position by the pages, less the position by the packets; unknown before the first page. */
  let shift: number | undefined;
  let lostPages = 0;
  let isEndSeen = false;
  for await (const packet of oggPackets(window, serial)) {
    if (number++ < headerCount) {
      continue;
    }
    lostPages += packet.lostPages;
    let { data } = packet;
    const duration = count(data);
    budget.add(1 + packet.lostPages);
    const missing = missingFrames(packet, pts + duration, shift, lostPages > 0);
    if (missing !== undefined) {
      shift ??= missing.shift;
    }
    const lost = missing !== undefined && lostPages > 0 ? missing.frames : 0;
    const isEnd = frames !== null && pts + duration + lost >= frames;
    if (isEnd && !isEndSeen && packet.pageAt < endsAt) {
      // The last page may belong to another stream with the same number, whose sound would be left out.
      data = data.slice();
      await refuseChained(window, packet.pageAt);
    }
    isEndSeen ||= isEnd;
    if (from === 0 || pts + duration + lost > from) {
      yield {
        data,
        pts: pts + lost,
        dts: pts + lost,
        duration,
        isKey: true,
        isDamaged: packet.isDamaged,
        ...(missing !== undefined &&
          lostPages > 0 && { lost: { packets: lostPages, frames: lost } }),
      };
    }
    pts += duration + lost;
    lostPages = missing === undefined ? lostPages : 0;
  }
}

/**
 * How many frames a hole in the pages had, by the position at the end of the next whole page. Undefined in the middle of
 * a page.
 */
function missingFrames(
  { granule, isLast }: OggPacket,
  counted: number,
  shift: number | undefined,
  hasHole: boolean,
): { readonly frames: number; readonly shift: number } | undefined {
  if (granule === null) {
    return undefined;
  }
  if (shift === undefined || !hasHole) {
    return { frames: 0, shift: isLast ? 0 : granule - counted };
  }
  return { frames: Math.max(0, granule - shift - counted), shift };
}
