import { type ByteWindow, textAt, viewOf } from "../byte-window.ts";
import { DEPTH_MAX, HeaderBudget } from "../media-caps.ts";
import { truncatedMedia, unreadableMedia } from "../media-error.ts";

/** A box of an MP4 or atom of a MOV (ISO/IEC 14496-12, section 4.2). */
export interface Box {
  readonly type: string;
  /** First byte of its header. */
  readonly start: number;
  /** Its content. */
  readonly from: number;
  readonly to: number;
  /** Empty for boxes whose content is not boxes, or is not needed. */
  readonly children: readonly Box[];
}

/** Boxes whose content is boxes, as far as they are needed. */
const CONTAINERS = new Set([
  "moov",
  "trak",
  "edts",
  "mdia",
  "minf",
  "stbl",
  "udta",
  "meta",
  "ilst",
  "mvex",
  "moof",
  "traf",
  "----",
]);
/** Boxes whose bytes are the header of a file; the rest is read as it is needed. */
const HEADERS = new Set(["moov", "moof"]);
const PROMISES = new Set(["moov", "moof", "mdat", "ftyp"]);
const BOXES_MAX = 200_000;
const INNER_BOXES_MAX = 20_000;
const HEAD_BYTES = 8;
const LONG_HEAD_BYTES = 16;

interface BoxHead {
  readonly type: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The boxes of a file with those inside of `moov`; the boxes of a `moof` are read by `readInner`. Throws NodeError
 * `MEDIA_UNREADABLE` for boxes that overlap or are too many, `MEDIA_TRUNCATED` for one that the file does not have whole.
 */
export async function readBoxes(window: ByteWindow): Promise<readonly Box[]> {
  const budget = new HeaderBudget();
  const boxes: Box[] = [];
  let hasMovie = false;
  for (let at = 0; at < window.sizeBytes;) {
    // oxlint-disable no-await-in-loop -- where a box begins follows from the one before
    const head = await headAt(window, at, window.sizeBytes);
    if (head === undefined) {
      // Bytes after the last box are none of the file's promises.
      if (hasMovie) {
        break;
      }
      throw unreadableMedia(`has no valid box at byte ${at}. Export it again.`);
    }
    if (head.to > window.sizeBytes) {
      if (hasMovie && !PROMISES.has(head.type)) {
        break;
      }
      throw truncatedMedia(`ends within its box "${shown(head.type)}".`);
    }
    if (HEADERS.has(head.type)) {
      budget.add(head.to - head.from);
    }
    if (head.type === "moov" && hasMovie) {
      throw unreadableMedia('has two boxes "moov". Export it again.');
    }
    hasMovie ||= head.type === "moov";
    const children = head.type === "moov" ? await readInner(window, head) : [];
    // oxlint-enable no-await-in-loop
    boxes.push({ ...head, start: at, children });
    if (boxes.length > BOXES_MAX) {
      throw unreadableMedia("has more than 200,000 boxes. Export it again.");
    }
    at = head.to;
  }
  return boxes;
}

/** The boxes inside of a `moov` or `moof`, down to the sixteenth level. */
export async function readInner(
  window: ByteWindow,
  parent: Pick<Box, "from" | "to">,
): Promise<readonly Box[]> {
  const count = { boxes: 0 };
  return await readChildren(window, parent.from, parent.to, 2, count);
}

async function readChildren(
  window: ByteWindow,
  from: number,
  to: number,
  depth: number,
  count: { boxes: number },
): Promise<readonly Box[]> {
  if (depth > DEPTH_MAX && from + HEAD_BYTES <= to) {
    throw unreadableMedia("has boxes nested more than 16 deep. Export it again.");
  }
  const boxes: Box[] = [];
  // Fewer than eight bytes are the end mark of a QuickTime list.
  for (let at = from; at + HEAD_BYTES <= to;) {
    // oxlint-disable no-await-in-loop -- where a box begins follows from the one before
    const head = await headAt(window, at, to);
    if (head === undefined || head.to > to || ++count.boxes > INNER_BOXES_MAX) {
      throw unreadableMedia(`has boxes that overlap at byte ${at}. Export it again.`);
    }
    const inner = CONTAINERS.has(head.type) ? await innerStart(window, head) : undefined;
    const children =
      inner === undefined ? [] : await readChildren(window, inner, head.to, depth + 1, count);
    // oxlint-enable no-await-in-loop
    boxes.push({ ...head, start: at, children });
    at = head.to;
  }
  return boxes;
}

/** A `meta` of MP4 has four bytes before its boxes, one of QuickTime has none. */
async function innerStart(window: ByteWindow, { type, from, to }: BoxHead): Promise<number> {
  if (type !== "meta" || to - from < HEAD_BYTES) {
    return from;
  }
  return textAt(await window.read(from, HEAD_BYTES), 4) === "hdlr" ? from : from + 4;
}

/** Undefined for a size that no box has. */
async function headAt(window: ByteWindow, at: number, to: number): Promise<BoxHead | undefined> {
  const bytes = window.peek(at, LONG_HEAD_BYTES) ?? (await window.read(at, LONG_HEAD_BYTES));
  if (bytes.byteLength < HEAD_BYTES) {
    return undefined;
  }
  const view = viewOf(bytes);
  const short = view.getUint32(0);
  const isLong = short === 1 && bytes.byteLength === LONG_HEAD_BYTES;
  // A size of 0 reaches to the end.
  const size = isLong
    ? view.getUint32(8) * 2 ** 32 + view.getUint32(12)
    : short === 0
      ? to - at
      : short;
  const headBytes = isLong ? LONG_HEAD_BYTES : HEAD_BYTES;
  return size < headBytes
    ? undefined
    : { type: textAt(bytes, 4), from: at + headBytes, to: at + size };
}

export function findBox(boxes: readonly Box[], ...path: readonly string[]): Box | undefined {
  let found: Box | undefined;
  let level = boxes;
  for (const type of path) {
    found = level.find((box) => box.type === type);
    if (found === undefined) {
      return undefined;
    }
    level = found.children;
  }
  return found;
}

/** The content of a box of at most `max` bytes. Throws NodeError `MEDIA_UNREADABLE` if it has fewer than `min` or more. */
export async function contentOf(
  window: ByteWindow,
  box: Pick<Box, "type" | "from" | "to">,
  min: number,
  max: number,
): Promise<Uint8Array> {
  const length = box.to - box.from;
  if (length < min || length > max) {
    throw unreadableMedia(
      `has a box "${shown(box.type)}" of ${length} bytes, which cannot be. Export it again.`,
    );
  }
  return await window.read(box.from, length);
}

export function shown(type: string): string {
  return type.replaceAll(/[^\x20-\x7e]/g, "?");
}
