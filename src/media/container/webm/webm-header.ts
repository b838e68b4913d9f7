import { OPUS_RATE, readOpusHead } from "../../codec/opus-head.ts";
import { type ByteWindow, textAt } from "../byte-window.ts";
import { HeaderBudget, TRACKS_MAX } from "../media-caps.ts";
import { encryptedMedia, shownId, truncatedMedia, unreadableMedia } from "../media-error.ts";
import type { MediaTrack } from "../media-track.ts";
import { elementsIn, findElement, floatOf, ID, readHead, TOP_LEVEL, unsignedOf } from "./ebml.ts";

/** What a WebM says before its first cluster. */
export interface WebmHeader {
  /** In nanoseconds. */
  readonly tick: number;
  readonly seconds: number | null;
  readonly tracks: readonly WebmTrack[];
  /** Position of the first cluster, or of the end. */
  readonly clusters: number;
  /** End of the segment. */
  readonly end: number;
}

export type WebmTrack = Omit<MediaTrack, "prepare" | "packets" | "timeScale">;

const HEAD_BYTES_MAX = 4_096;
const ELEMENTS_MAX = 10_000;
const DEFAULT_TICK = 1_000_000;
const KINDS: Readonly<Record<number, MediaTrack["kind"]>> = {
  1: "video",
  2: "sound",
  17: "subtitles",
};
const CODECS: Readonly<Record<string, string>> = {
  A_OPUS: "opus",
  A_VORBIS: "vorbis",
  V_VP8: "vp8",
  V_VP9: "vp9",
  V_AV1: "av1",
};
const NOTHING = new Uint8Array(0);

/** Throws NodeError with a code of docs/contract/media.md. */
export async function readWebmHeader(window: ByteWindow): Promise<WebmHeader> {
  const segment = await openSegment(window);
  const end = segment.size === null ? window.sizeBytes : segment.from + segment.size;
  if (end > window.sizeBytes) {
    throw truncatedMedia(`is a WebM with ${window.sizeBytes} of ${end} bytes.`);
  }
  const budget = new HeaderBudget();
  let tick = DEFAULT_TICK;
  let duration = 0;
  let tracks: readonly WebmTrack[] | undefined;
  let at = segment.from;
  for (let count = 0; at < end; count++) {
    // oxlint-disable no-await-in-loop -- where an element begins follows from the one before
    const head = await readHead(window, at);
    if (head === undefined || head.id === ID.cluster) {
      break;
    }
    if (count > ELEMENTS_MAX) {
      throw unreadableMedia("has more than 10,000 elements before its sound. Export it again.");
    }
    if (head.size === null) {
      throw unreadableMedia("has an element without a size in its header. Export it again.");
    }
    if (head.from + head.size > end) {
      throw segment.size === null
        ? truncatedMedia("is a WebM that ends within its header.")
        : unreadableMedia("has elements of WebM that overlap. Export it again.");
    }
    if (head.id === ID.info || head.id === ID.tracks) {
      budget.add(head.size);
      const content = await window.read(head.from, head.size);
      if (head.id === ID.info) {
        tick = unsignedOf(findElement(content, ID.timestampScale) ?? NOTHING) || tick;
        duration = floatOf(findElement(content, ID.duration) ?? NOTHING);
      } else {
        tracks ??= readTracks(content);
      }
    }
    // oxlint-enable no-await-in-loop
    at = head.from + head.size;
  }
  if (tracks === undefined) {
    throw unreadableMedia("is a WebM without tracks before its first cluster. Export it again.");
  }
  const seconds = duration > 0 ? (duration * tick) / 1e9 : null;
  return { tick, seconds, tracks, clusters: at, end };
}

async function openSegment(window: ByteWindow) {
  const head = await readHead(window, 0);
  if (head?.id !== ID.ebml || head.size === null || head.size > HEAD_BYTES_MAX) {
    throw unreadableMedia("has a damaged header of WebM. Export it again.");
  }
  const content = await window.read(head.from, head.size);
  const docType = findElement(content, ID.docType) ?? NOTHING;
  const name = textAt(docType, 0, docType.byteLength).replace(/\0+$/, "");
  if (name !== "webm") {
    throw unreadableMedia(`is "${shownId(name)}" and not WebM, which is read. Convert it first.`);
  }
  let at = head.from + head.size;
  for (let count = 0; count < ELEMENTS_MAX; count++) {
    // oxlint-disable-next-line no-await-in-loop -- where an element begins follows from the one before
    const next = await readHead(window, at);
    if (next === undefined) {
      throw truncatedMedia("is a WebM that ends before its tracks.");
    }
    if (next.id === ID.segment) {
      return next;
    }
    if (next.size === null || TOP_LEVEL.has(next.id)) {
      break;
    }
    at = next.from + next.size;
  }
  throw unreadableMedia("is a WebM without a segment. Export it again.");
}

function readTracks(content: Uint8Array): readonly WebmTrack[] {
  const tracks: WebmTrack[] = [];
  for (const { id, data } of elementsIn(content)) {
    if (id === ID.trackEntry) {
      if (tracks.length === TRACKS_MAX) {
        throw unreadableMedia("has more than 16 tracks. Remove the others.");
      }
      tracks.push(readTrack(data));
    }
  }
  return tracks;
}

function readTrack(content: Uint8Array): WebmTrack {
  const fields = new Map<number, Uint8Array>();
  for (const { id, data } of elementsIn(content, 2)) {
    fields.set(id, data);
  }
  const text = (id: number) => textAt(fields.get(id) ?? NOTHING, 0, 64).replace(/\0+$/, "");
  const number = (id: number) => unsignedOf(fields.get(id) ?? NOTHING);
  checkEncodings(fields.get(ID.contentEncodings) ?? NOTHING);
  const kind = KINDS[number(ID.trackType)] ?? "other";
  const codecId = shownId(text(ID.codecId));
  const codec = CODECS[codecId] ?? null;
  const config = (fields.get(ID.codecPrivate) ?? NOTHING).slice();
  return {
    id: number(ID.trackNumber),
    kind,
    codec,
    codecId,
    duration: null,
    packetCount: null,
    language: text(ID.language) || "eng",
    config,
    sound: kind === "sound" ? soundOf(codec, fields, config) : null,
    picture: kind === "video" ? pictureOf(fields.get(ID.video) ?? NOTHING) : null,
    edits: [],
    description: { container: "webm", trackEntry: content.slice() },
  };
}

function checkEncodings(content: Uint8Array): void {
  for (const { id, data } of elementsIn(content, 3)) {
    if (id === ID.contentEncoding) {
      if (findElement(data, ID.contentEncryption) !== undefined) {
        throw encryptedMedia('element "ContentEncryption"');
      }
      throw unreadableMedia("has compressed packets, which WebM does not allow. Export it again.");
    }
  }
}

function soundOf(
  codec: string | null,
  fields: ReadonlyMap<number, Uint8Array>,
  config: Uint8Array,
): MediaTrack["sound"] {
  const audio = fields.get(ID.audio) ?? NOTHING;
  const channels = findElement(audio, ID.channels);
  const shape = {
    sampleRate: floatOf(findElement(audio, ID.samplingFrequency) ?? NOTHING) || 8_000,
    channels: channels === undefined ? 1 : unsignedOf(channels),
    bitDepth: null,
    packetFrames: 0,
  };
  const delay = fields.get(ID.codecDelay);
  const delayNs = delay === undefined ? undefined : unsignedOf(delay);
  if (codec === "opus") {
    const head = readOpusHead(config);
    const skip = delayNs === undefined ? head.preSkip : Math.round((delayNs * OPUS_RATE) / 1e9);
    return {
      ...shape,
      sampleRate: OPUS_RATE,
      channels: head.channels,
      trim: { skip, frames: null },
    };
  }
  const skip = Math.round(((delayNs ?? 0) * shape.sampleRate) / 1e9);
  return { ...shape, trim: { skip, frames: null } };
}

function pictureOf(video: Uint8Array): MediaTrack["picture"] {
  const size = (id: number) => unsignedOf(findElement(video, id) ?? NOTHING);
  return {
    width: size(ID.pixelWidth),
    height: size(ID.pixelHeight),
    rotation: 0,
    pixelAspect: [1, 1],
    matrix: NOTHING,
    sampleEntry: NOTHING,
  };
}
