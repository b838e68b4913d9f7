import { type HeaderWindow, tagAt } from "./header-window.ts";
import { checkedMetadata, type ReadMetadata, UnreadableSoundFile } from "./sound-metadata.ts";

const PAGE_HEAD = 27;
const TAIL_BYTES = 64 * 1024;
/** Windows of the tail that are looked through: two pages of the longest length. */
const TAILS_MAX = 4;
const STREAMS_MAX = 16;
/** RFC 7845: positions of Opus count at this rate, whatever the input had. */
const OPUS_RATE = 48_000;
const CHAINED = "consists of several streams, so its length is unknown. Encode it again.";

/** The stream of sound in an Ogg file. */
interface Stream {
  readonly serial: number;
  readonly sampleRate: number;
  readonly channels: number;
  /** Positions before the first sample that is heard. */
  readonly skip: number;
}

/** The duration of an Ogg file with Vorbis, Opus, Speex or FLAC, from the position on its last page (RFC 3533). */
export async function readOgg(file: HeaderWindow): Promise<ReadMetadata> {
  const stream = await findStream(file);
  const end = await lastPosition(file, stream.serial);
  return checkedMetadata(Math.max(0, end - stream.skip), stream.sampleRate, stream.channels);
}

/** The first stream of sound; each stream begins with a page of its own, before all other pages. */
async function findStream(file: HeaderWindow): Promise<Stream> {
  let at = 0;
  for (let count = 0; count < STREAMS_MAX; count++) {
    // oxlint-disable no-await-in-loop -- where a page begins follows from the one before
    const head = await file.take(at, PAGE_HEAD);
    if (tagAt(head, 0) !== "OggS" || (head.getUint8(5) & 0b10) === 0) {
      break;
    }
    const segments = head.getUint8(26);
    const serial = head.getUint32(14, true);
    const table = await file.take(at + PAGE_HEAD, segments);
    let length = 0;
    for (let i = 0; i < segments; i++) {
      length += table.getUint8(i);
    }
    at += PAGE_HEAD + segments;
    const packet = await file.take(at, Math.min(length, 128));
    // oxlint-enable no-await-in-loop
    const stream = streamOf(packet, serial);
    if (stream !== undefined) {
      return stream;
    }
    at += length;
  }
  throw new UnreadableSoundFile("has no stream of Vorbis, Opus, Speex or FLAC.");
}

function streamOf(packet: DataView, serial: number): Stream | undefined {
  const has = (tag: string, bytes: number) =>
    packet.byteLength >= bytes && tagAt(packet, 0, tag.length) === tag;
  if (has("\u0001vorbis", 30)) {
    return {
      serial,
      channels: packet.getUint8(11),
      sampleRate: packet.getUint32(12, true),
      skip: 0,
    };
  }
  if (has("OpusHead", 19)) {
    const skip = packet.getUint16(10, true);
    return { serial, channels: packet.getUint8(9), sampleRate: OPUS_RATE, skip };
  }
  if (has("Speex   ", 80)) {
    const channels = packet.getUint32(48, true);
    return { serial, channels, sampleRate: packet.getUint32(36, true), skip: 0 };
  }
  if (has("\u007fFLAC", 51)) {
    // A head of 9 bytes, the mark fLaC, the block's own head; then STREAMINFO, whose length may be unknown.
    const packed = packet.getUint32(17 + 10);
    const channels = ((packed >>> 9) & 0b111) + 1;
    return { serial, channels, sampleRate: packed >>> 12, skip: 0 };
  }
  return undefined;
}

/** The position on the last page of a stream that has one. */
async function lastPosition(file: HeaderWindow, serial: number): Promise<number> {
  let end = file.sizeBytes;
  let hasFirst = false;
  for (let tail = 0; tail < TAILS_MAX && end > 0; tail++) {
    const from = Math.max(0, end - TAIL_BYTES);
    // oxlint-disable-next-line no-await-in-loop -- the bytes before are read only if these have no page
    const bytes = await file.upTo(from, end - from);
    for (let at = bytes.byteLength - PAGE_HEAD; at >= 0; at--) {
      if (bytes.getUint32(at) !== OGGS || bytes.getUint8(at + 4) !== 0) {
        continue;
      }
      // The first page of every stream comes before all other pages, unless a stream follows another.
      const isFirst = (bytes.getUint8(at + 5) & 0b10) !== 0;
      if (bytes.getUint32(at + 14, true) !== serial || isFirst) {
        hasFirst ||= isFirst;
        continue;
      }
      if (hasFirst) {
        throw new UnreadableSoundFile(CHAINED);
      }
      const [low, high] = [bytes.getUint32(at + 6, true), bytes.getUint32(at + 10, true)];
      // All ones: no packet ends on the page.
      if (low !== 0xffff_ffff || high !== 0xffff_ffff) {
        return high * 2 ** 32 + low;
      }
    }
    if (from === 0) {
      break;
    }
    // A page's head may lie across the border.
    end = from + PAGE_HEAD - 1;
  }
  throw new UnreadableSoundFile(CHAINED);
}

const OGGS = 0x4f67_6753;
