import { type ByteWindow, viewOf } from "../byte-window.ts";
import { DEPTH_MAX } from "../media-caps.ts";
import { unreadableMedia } from "../media-error.ts";

/** The head of an element of EBML (RFC 8794). */
export interface ElementHead {
  readonly id: number;
  /** First byte of its content. */
  readonly from: number;
  /** Null if the size is unknown. */
  readonly size: number | null;
}

/** Elements that are read or written. */
export const ID = {
  ebml: 0x1a45dfa3,
  ebmlVersion: 0x4286,
  ebmlReadVersion: 0x42f7,
  maxIdLength: 0x42f2,
  maxSizeLength: 0x42f3,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  crc32: 0xbf,
  void: 0xec,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  trackUid: 0x73c5,
  flagDefault: 0x88,
  flagLacing: 0x9c,
  defaultDuration: 0x23e383,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  codecDelay: 0x56aa,
  seekPreRoll: 0x56bb,
  language: 0x22b59c,
  languageTag: 0x22b59d,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  channels: 0x9f,
  bitDepth: 0x6264,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  contentEncodings: 0x6d80,
  contentEncoding: 0x6240,
  contentEncryption: 0x5035,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  blockDuration: 0x9b,
  referenceBlock: 0xfb,
  discardPadding: 0x75a2,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
  seekPosition: 0x53ac,
  cues: 0x1c53bb6b,
  cuePoint: 0xbb,
  cueTime: 0xb3,
  cueTrackPositions: 0xb7,
  cueTrack: 0xf7,
  cueClusterPosition: 0xf1,
  chapters: 0x1043a770,
  tags: 0x1254c367,
  attachments: 0x1941a469,
} as const;

/** Elements that end a cluster or segment of unknown size. */
export const TOP_LEVEL: ReadonlySet<number> = new Set([
  ID.segment,
  ID.ebml,
  ID.info,
  ID.tracks,
  ID.cluster,
  ID.seekHead,
  ID.cues,
  ID.chapters,
  ID.tags,
  ID.attachments,
]);

const HEAD_BYTES_MAX = 12;

/** The head at a position; undefined at the end of the file. Throws NodeError `MEDIA_UNREADABLE`. */
export async function readHead(window: ByteWindow, at: number): Promise<ElementHead | undefined> {
  const bytes = window.peek(at, HEAD_BYTES_MAX) ?? (await window.read(at, HEAD_BYTES_MAX));
  return bytes.byteLength === 0 ? undefined : headAt(bytes, 0, at);
}

/** The head at an index of bytes whose first one lies at `origin`. */
export function headAt(bytes: Uint8Array, index: number, origin: number): ElementHead {
  const id = numberAt(bytes, index, 4, true);
  const size = numberAt(bytes, index + id.bytes, 8, false);
  return {
    id: id.value,
    from: origin + index + id.bytes + size.bytes,
    size: size.isUnknown ? null : size.value,
  };
}

interface VariableNumber {
  readonly value: number;
  readonly bytes: number;
  /** All of its bits are 1. */
  readonly isUnknown: boolean;
}

/** A number whose first byte tells its length by leading zeros; an id keeps the mark of its length. */
export function numberAt(
  bytes: Uint8Array,
  at: number,
  bytesMax: number,
  keepsMark: boolean,
): VariableNumber {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first << 24 || 0) + 1;
  if (first === 0 || length > bytesMax || at + length > bytes.byteLength) {
    throw unreadableMedia("has a damaged element of WebM. Export it again.");
  }
  const mark = 0x80 >> (length - 1);
  let value = keepsMark ? first : first & (mark - 1);
  let isUnknown = (first & (mark - 1)) === mark - 1;
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i] ?? 0;
    isUnknown &&= byte === 0xff;
    value = value * 256 + byte;
  }
  return { value, bytes: length, isUnknown };
}

/** An element in memory, with its elements if it is a master that is read. */
export interface Element {
  readonly id: number;
  readonly data: Uint8Array;
}

/** The elements in the content of a master. Throws NodeError `MEDIA_UNREADABLE` for one that reaches beyond it. */
export function* elementsIn(data: Uint8Array, depth = 1): Generator<Element> {
  if (depth > DEPTH_MAX) {
    throw unreadableMedia("has elements nested more than 16 deep. Export it again.");
  }
  for (let at = 0; at < data.byteLength;) {
    const { id, from, size } = headAt(data, at, 0);
    if (size === null || from + size > data.byteLength) {
      throw unreadableMedia("has elements of WebM that overlap. Export it again.");
    }
    yield { id, data: data.subarray(from, from + size) };
    at = from + size;
  }
}

export function findElement(data: Uint8Array, id: number): Uint8Array | undefined {
  for (const element of elementsIn(data)) {
    if (element.id === id) {
      return element.data;
    }
  }
  return undefined;
}

/** An unsigned number of up to 8 bytes. */
export function unsignedOf(data: Uint8Array): number {
  return data.subarray(0, 8).reduce((value, byte) => value * 256 + byte, 0);
}

/** A signed number of up to 8 bytes. */
export function signedOf(data: Uint8Array): number {
  const value = unsignedOf(data);
  const isNegative = ((data[0] ?? 0) & 0x80) !== 0;
  return isNegative ? value - 2 ** (8 * Math.min(data.byteLength, 8)) : value;
}

/** A float of 4 or 8 bytes; 0 for none. */
export function floatOf(data: Uint8Array): number {
  return data.byteLength === 4
    ? viewOf(data).getFloat32(0)
    : data.byteLength === 8
      ? viewOf(data).getFloat64(0)
      : 0;
}
