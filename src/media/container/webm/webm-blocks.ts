import type { ByteWindow } from "../byte-window.ts";
import { PACKET_BYTES_MAX, PacketBudget } from "../media-caps.ts";
import { truncatedMedia, unreadableMedia } from "../media-error.ts";
import {
  type ElementHead,
  elementsIn,
  ID,
  numberAt,
  readHead,
  signedOf,
  TOP_LEVEL,
  unsignedOf,
} from "./ebml.ts";
import type { WebmHeader } from "./webm-header.ts";

/** A frame of one track in a block. */
export interface WebmFrame {
  readonly data: Uint8Array;
  /** In ticks of the file. */
  readonly time: number;
  /** In ticks; 0 if it is not stated. */
  readonly duration: number;
  readonly isKey: boolean;
  /** Nanoseconds at its end that are not presented. */
  readonly discardNs: number;
}

/** The cluster that is read. */
interface Cluster {
  /** Null if its size is unknown. */
  readonly end: number | null;
  time: number;
}

/**
 * The frames of one track, cluster after cluster. Throws NodeError `MEDIA_UNREADABLE` for elements that overlap and for
 * clusters whose times run backwards, `MEDIA_TRUNCATED` for a block that the file does not have whole.
 */
export async function* webmFrames(
  window: ByteWindow,
  header: WebmHeader,
  track: number,
): AsyncGenerator<WebmFrame> {
  const budget = new PacketBudget();
  let cluster: Cluster | undefined;
  let clusterTime = 0;
  for (let at = header.clusters; at < header.end;) {
    cluster = cluster?.end === at ? undefined : cluster;
    // oxlint-disable no-await-in-loop -- where an element begins follows from the one before
    const head = await readHead(window, at);
    if (head === undefined) {
      return;
    }
    const { id, from, size } = head;
    checkEnd(from + (size ?? 0), header.end, window.sizeBytes, cluster?.end ?? null);
    if (id === ID.cluster) {
      cluster = { end: size === null ? null : from + size, time: 0 };
      at = from;
      continue;
    }
    if (size === null) {
      throw unreadableMedia("has an element of WebM without a size. Export it again.");
    }
    // Cues, tags and what else follows the clusters.
    cluster = TOP_LEVEL.has(id) ? undefined : cluster;
    if (cluster !== undefined && id === ID.timestamp) {
      cluster.time = unsignedOf(await window.read(from, size));
      if (cluster.time < clusterTime) {
        throw unreadableMedia("has clusters whose times run backwards. Export it again.");
      }
      clusterTime = cluster.time;
    } else if (cluster !== undefined && (id === ID.simpleBlock || id === ID.blockGroup)) {
      const frames = await readBlock(window, head, size, track, cluster.time);
      budget.add(frames.length);
      yield* frames;
    }
    // oxlint-enable no-await-in-loop
    at = from + size;
  }
}

/** The frames of a block, or none if it belongs to another track. */
async function readBlock(
  window: ByteWindow,
  { id, from }: ElementHead,
  size: number,
  track: number,
  time: number,
): Promise<readonly WebmFrame[]> {
  if (size > PACKET_BYTES_MAX) {
    throw unreadableMedia("has a block of more than 32 MiB. Export it again.");
  }
  const bytes = window.peek(from, size) ?? (await window.read(from, size));
  const block = id === ID.simpleBlock ? simpleBlock(bytes) : blockGroup(bytes);
  return block === undefined || trackOf(block.bytes) !== track ? [] : framesOf(block, time);
}

function checkEnd(
  end: number,
  segmentEnd: number,
  fileEnd: number,
  clusterEnd: number | null,
): void {
  if (clusterEnd !== null && end > clusterEnd) {
    throw unreadableMedia("has elements of WebM that overlap. Export it again.");
  }
  if (end > fileEnd) {
    throw truncatedMedia("is a WebM that ends within a block.");
  }
  if (end > segmentEnd) {
    throw unreadableMedia("has elements of WebM that overlap. Export it again.");
  }
}

interface Block {
  /** Track, time, flags and frames. */
  readonly bytes: Uint8Array;
  readonly isKey: boolean;
  readonly duration: number;
  readonly discardNs: number;
}

function simpleBlock(bytes: Uint8Array): Block {
  const at = numberAt(bytes, 0, 8, false).bytes;
  return { bytes, isKey: ((bytes[at + 2] ?? 0) & 0x80) !== 0, duration: 0, discardNs: 0 };
}

function blockGroup(content: Uint8Array): Block | undefined {
  let bytes: Uint8Array | undefined;
  let [isKey, duration, discardNs] = [true, 0, 0];
  for (const { id, data } of elementsIn(content, 3)) {
    if (id === ID.block) {
      bytes = data;
    } else if (id === ID.referenceBlock) {
      isKey = false;
    } else if (id === ID.blockDuration) {
      duration = unsignedOf(data);
    } else if (id === ID.discardPadding) {
      discardNs = Math.max(0, signedOf(data));
    }
  }
  return bytes === undefined ? undefined : { bytes, isKey, duration, discardNs };
}

function trackOf(block: Uint8Array): number {
  return numberAt(block, 0, 8, false).value;
}

const NO_LACING = 0;
const XIPH = 1;
const FIXED = 2;

/** The frames of a block, which may hold several (lacing). */
function framesOf(block: Block, clusterTime: number): WebmFrame[] {
  const { bytes, isKey, duration, discardNs } = block;
  const at = numberAt(bytes, 0, 8, false).bytes;
  if (at + 3 > bytes.byteLength) {
    throw damagedLacing();
  }
  const relative = (((bytes[at] ?? 0) << 24) >> 16) | (bytes[at + 1] ?? 0);
  const lacing = ((bytes[at + 2] ?? 0) >> 1) & 0b11;
  const parts = lacing === NO_LACING ? [bytes.subarray(at + 3)] : laced(bytes, at + 3, lacing);
  const time = clusterTime + relative;
  return parts.map((data, i) => ({
    data,
    time,
    duration: duration / parts.length,
    isKey,
    discardNs: i === parts.length - 1 ? discardNs : 0,
  }));
}

function laced(bytes: Uint8Array, start: number, lacing: number): Uint8Array[] {
  const count = (bytes[start] ?? 0) + 1;
  let at = start + 1;
  const sizes: number[] = [];
  if (lacing === FIXED) {
    const size = (bytes.byteLength - at) / count;
    if (!Number.isInteger(size)) {
      throw damagedLacing();
    }
    sizes.push(...Array<number>(count - 1).fill(size));
  } else {
    for (let i = 0, before = 0; i < count - 1; i++) {
      const read = lacing === XIPH ? xiphSize(bytes, at) : ebmlSize(bytes, at, i === 0);
      before = lacing === XIPH || i === 0 ? read.value : before + read.value;
      at += read.bytes;
      sizes.push(before);
    }
  }
  const parts: Uint8Array[] = [];
  for (const size of sizes) {
    if (size < 0 || at + size > bytes.byteLength) {
      throw damagedLacing();
    }
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...parts, bytes.subarray(at)];
}

function xiphSize(bytes: Uint8Array, start: number) {
  let value = 0;
  let at = start;
  for (;;) {
    const byte = bytes[at++];
    if (byte === undefined) {
      throw damagedLacing();
    }
    value += byte;
    if (byte < 255) {
      return { value, bytes: at - start };
    }
  }
}

/** The first size as it is, the others as signed differences. */
function ebmlSize(bytes: Uint8Array, at: number, isFirst: boolean) {
  const read = numberAt(bytes, at, 8, false);
  const middle = 2 ** (7 * read.bytes - 1) - 1;
  return { value: isFirst ? read.value : read.value - middle, bytes: read.bytes };
}

function damagedLacing() {
  return unreadableMedia("has a block of WebM whose frames do not fit in it. Export it again.");
}
