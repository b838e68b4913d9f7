import { unreadableImage } from "../image-errors.ts";
import { colorBytes } from "../color/convert-colors.ts";
import type { EmbeddedProfile, ImageHeader, Orientation } from "./image-header.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const BOXES_MAX = LIMITS.avif_boxes.value;

const MB = 1024 * 1024;
/**
 * Initial memory of the decoder, and memory that does not depend on the pixels, mostly the edges of
 * frames.
 */
const MEMORY_BYTES_MIN = 16 * MB;
const OWN_BYTES = 16 * MB;
/** Bytes for each pixel, measured with photographs. Noise needs more, up to the memory cap. */
const PIXEL_BYTES = {
  halfColors: { opaque: 14.4, alpha: 28.8 },
  wholeColors: { opaque: 17.4, alpha: 32 },
} as const;
/** Identifies the item that is a transparency plane. */
const ALPHA = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha";

interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

type Property =
  | { readonly kind: "size"; readonly width: number; readonly height: number }
  | { readonly kind: "turn"; readonly turn: Orientation }
  | { readonly kind: "alpha" }
  | { readonly kind: "coding"; readonly hasHalfColors: boolean; readonly isGray: boolean }
  | { readonly kind: "profile"; readonly profile: EmbeddedProfile }
  | { readonly kind: "other" };

/** irot counts quarter turns counterclockwise. */
const TURNS_BY_ANGLE: readonly Orientation[] = [1, 8, 3, 6];

/**
 * The header of an AVIF: the largest size of any of its items, so that no tile, alpha plane or
 * thumbnail exceeds the limit, and the rotation of the main picture. The size of coded frames is
 * bounded by the codec's own memory. Throws NodeError `IMAGE_UNREADABLE`.
 */
export function readAvifHeader(bytes: Uint8Array): ImageHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const budget = { boxes: BOXES_MAX };
  const inside = (parent: Box, skip = 0) => boxes(view, parent.start + skip, parent.end, budget);
  const meta = find(boxes(view, 0, bytes.length, budget), "meta");
  // meta, iprp's ipma and pitm begin with a version and flags.
  const children = meta === undefined ? [] : inside(meta, 4);
  const iprp = find(children, "iprp");
  const tables = iprp === undefined ? [] : inside(iprp);
  const ipco = find(tables, "ipco");
  const properties = ipco === undefined ? [] : inside(ipco).map((box) => readProperty(view, box));
  const sizes = properties.filter((property) => property.kind === "size");
  const [first, ...others] = sizes.toSorted((a, b) => b.width * b.height - a.width * a.height);
  if (first === undefined || [first, ...others].some(({ width, height }) => width * height === 0)) {
    throw unreadableImage("is an AVIF without a size. Save it as AVIF again.");
  }
  const ipma = find(tables, "ipma");
  const main = find(children, "pitm");
  const shown =
    ipma === undefined || main === undefined
      ? []
      : associated(view, ipma, mainItem(view, main)).flatMap(
          (index) => properties[index - 1] ?? [],
        );
  const turns = shown
    .filter((property) => property.kind === "turn")
    .map(({ turn }) => turn)
    .filter((turn) => turn !== 1);
  const profile = shown.find((property) => property.kind === "profile")?.profile;
  const isGray = shown.some((property) => property.kind === "coding" && property.isGray);
  const colorsHeld = colorBytes(profile);
  const { width, height } = first;
  const hasAlpha = properties.some(({ kind }) => kind === "alpha");
  const hasHalfColors = properties.every((one) => one.kind !== "coding" || one.hasHalfColors);
  const colors = PIXEL_BYTES[hasHalfColors ? "halfColors" : "wholeColors"];
  const pixelBytes = colors[hasAlpha ? "alpha" : "opaque"];
  return {
    format: "avif",
    kind: hasAlpha ? "an AVIF with transparency" : "an AVIF",
    width,
    height,
    hasAlpha,
    turns,
    colors: profile && { channels: isGray ? 1 : 3, isInverted: false, profile },
    decodingBytes: (w, h, fileBytes) => {
      const memory = OWN_BYTES + 2 * fileBytes + pixelBytes * w * h;
      const beside = colorsHeld.first + colorsHeld.kept;
      return { kept: Math.max(MEMORY_BYTES_MIN, memory) + beside, fading: 0 };
    },
  };
}

function find(list: readonly Box[], type: string): Box | undefined {
  return list.find((box) => box.type === type);
}

function boxes(view: DataView, start: number, end: number, budget: { boxes: number }): Box[] {
  const found: Box[] = [];
  for (let at = start; at < end;) {
    if (--budget.boxes < 0) {
      throw unreadableImage(`is an AVIF with more than ${BOXES_MAX} boxes. Save it as AVIF again.`);
    }
    const size = at + 8 <= end ? view.getUint32(at) : Infinity;
    const isLong = size === 1 && at + 16 <= end;
    const head = isLong ? 16 : 8;
    const whole = isLong
      ? Number(view.getBigUint64(at + 8))
      : size === 0 && at + 8 <= end
        ? end - at
        : size;
    if (whole < head || at + whole > end) {
      throw unreadableImage(
        `is cut short or damaged: the AVIF box at byte ${at} does not fit into the file. Send it whole.`,
      );
    }
    found.push({ type: ascii(view, at + 4), start: at + head, end: at + whole });
    at += whole;
  }
  return found;
}

function ascii(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));
}

function readProperty(view: DataView, { type, start, end }: Box): Property {
  const length = end - start;
  if (type === "ispe" && length >= 12) {
    return { kind: "size", width: view.getUint32(start + 4), height: view.getUint32(start + 8) };
  }
  if (type === "irot" && length >= 1) {
    return { kind: "turn", turn: TURNS_BY_ANGLE[view.getUint8(start) & 3] ?? 1 };
  }
  if (type === "imir" && length >= 1) {
    // 0 exchanges top and bottom, 1 left and right.
    return { kind: "turn", turn: (view.getUint8(start) & 1) === 0 ? 4 : 2 };
  }
  if (type === "av1C" && length >= 4) {
    // Subsampled in both directions, or monochrome.
    const flags = view.getUint8(start + 2);
    const isGray = (flags & 0x10) !== 0;
    return { kind: "coding", hasHalfColors: (flags & 0x0c) === 0x0c || isGray, isGray };
  }
  // A property of this type may also be a few numbers (nclx), which the codec reads.
  if (type === "colr" && length > 4 && ["prof", "rICC"].includes(ascii(view, start))) {
    const bytes = new Uint8Array(view.buffer, view.byteOffset + start + 4, length - 4);
    return { kind: "profile", profile: { pieces: [bytes], isDeflated: false } };
  }
  if (type === "auxC" && textAt(view, start + 4, end).startsWith(ALPHA)) {
    return { kind: "alpha" };
  }
  return { kind: "other" };
}

function textAt(view: DataView, start: number, end: number): string {
  const length = Math.max(0, Math.min(end - start, ALPHA.length));
  return String.fromCharCode(...Array.from({ length }, (_, i) => view.getUint8(start + i)));
}

function mainItem(view: DataView, { start, end }: Box): number {
  const isWide = end - start >= 8 && view.getUint8(start) > 0;
  return isWide ? view.getUint32(start + 4) : end - start >= 6 ? view.getUint16(start + 4) : 0;
}

/** 1-based numbers of an item's properties, in order. Entries outside of the box are omitted. */
function associated(view: DataView, { start, end }: Box, item: number): number[] {
  if (end - start < 8) {
    return [];
  }
  const hasWideIds = view.getUint8(start) > 0;
  const isWide = (view.getUint8(start + 3) & 1) === 1;
  const idBytes = hasWideIds ? 4 : 2;
  const entries = view.getUint32(start + 4);
  for (let at = start + 8, i = 0; i < entries && at + idBytes + 1 <= end; i++) {
    const id = hasWideIds ? view.getUint32(at) : view.getUint16(at);
    const count = view.getUint8(at + idBytes);
    at += idBytes + 1;
    const step = isWide ? 2 : 1;
    if (id === item) {
      const indexes: number[] = [];
      for (let k = 0; k < count && at + step <= end; k++, at += step) {
        indexes.push(isWide ? view.getUint16(at) & 0x7fff : view.getUint8(at) & 0x7f);
      }
      return indexes;
    }
    at += count * step;
  }
  return [];
}
