import { unreadableImage } from "../image-errors.ts";
import { colorBytes } from "../color/convert-colors.ts";
import type { Size } from "../raster/fit-size.ts";
import type { EmbeddedProfile, ImageHeader, Orientation } from "./image-header.ts";
import {
  ascii,
  associated,
  type Box,
  boxBudget,
  boxes,
  countAssociations,
  find,
  isAlphaBox,
  mainItem,
} from "./avif-boxes.ts";

const MB = 1024 * 1024;
/** Memory of the decoder that does not depend on the pixels, its tables and stack. */
const OWN_BYTES = 4 * MB;
/** Working memory for each pixel, beside its samples. */
const WORKING_BYTES = 1;
/** Samples are stored for whole blocks of 128 px, and cannot use all memory that others released. */
const SAMPLE_SHARE = 1.1;

type Property =
  | { readonly kind: "size"; readonly width: number; readonly height: number }
  | { readonly kind: "turn"; readonly turn: Orientation }
  | { readonly kind: "alpha" }
  | { readonly kind: "coding"; readonly sampleBytes: number; readonly isGray: boolean }
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
  const budget = boxBudget();
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
  countAssociations(view, ipma, budget);
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
  const pixelBytes = WORKING_BYTES + SAMPLE_SHARE * samplesHeld(properties, first);
  return {
    format: "avif",
    kind: hasAlpha ? "an AVIF with transparency" : "an AVIF",
    width,
    height,
    hasAlpha,
    turns,
    colors: profile && { channels: isGray ? 1 : 3, isInverted: false, profile },
    decodingBytes: (w, h, fileBytes) => {
      // The coded frames are copied into it.
      const memory = OWN_BYTES + fileBytes + pixelBytes * w * h;
      return { kept: memory + colorsHeld.first + colorsHeld.kept, fading: 0 };
    },
  };
}

/** Bytes of decoded samples for each pixel: of the colors, of the transparency, and of a cell beside the whole that it is copied to. */
function samplesHeld(properties: readonly Property[], whole: Size): number {
  const coded = properties
    .flatMap((property) => (property.kind === "coding" ? property.sampleBytes : []))
    .toSorted((a, b) => b - a);
  const [colors = 1, other = colors] = coded;
  const hasAlpha = properties.some(({ kind }) => kind === "alpha");
  const area = (size: Size) => size.width * size.height;
  const smaller = properties
    .flatMap((property) => (property.kind === "size" ? area(property) : []))
    .filter((pixels) => pixels < area(whole));
  const cell = Math.max(0, ...smaller) / area(whole);
  return colors + (hasAlpha ? other : 0) + cell * colors;
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
    const flags = view.getUint8(start + 2);
    const isGray = (flags & 0x10) !== 0;
    // Halved in width, and in height.
    const planes = isGray ? 1 : 1 + 2 / ((flags & 8 ? 2 : 1) * (flags & 4 ? 2 : 1));
    return { kind: "coding", sampleBytes: planes * (flags & 0x40 ? 2 : 1), isGray };
  }
  // A property of this type may also be a few numbers (nclx), which the reader applies.
  if (type === "colr" && length > 4 && ["prof", "rICC"].includes(ascii(view, start))) {
    const bytes = new Uint8Array(view.buffer, view.byteOffset + start + 4, length - 4);
    return { kind: "profile", profile: { pieces: [bytes], isDeflated: false } };
  }
  return { kind: isAlphaBox(view, { type, start, end }) ? "alpha" : "other" };
}
