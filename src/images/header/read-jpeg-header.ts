import { unreadableImage } from "../image-errors.ts";
import { JPEG_COEFFICIENT_BYTES_MAX } from "../jpeg/jpeg-memory.ts";
import { colorBytes, PROFILE_BYTES_MAX } from "../color/convert-colors.ts";
import type { DecodingBytes, EmbeddedProfile, ImageHeader, Orientation } from "./image-header.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/**
 * Maximum number of scans: each processes all pixels again, and may have only a few bytes. Encoders
 * write about ten.
 */
const SCANS_MAX = LIMITS.jpeg_scans.value;

/** The module's code, tables and stack, rows that are passed on, and temporary allocations. */
const OWN_BYTES = 1024 * 1024;

const EOI = 0xd9;
const SOS = 0xda;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const ADOBE = [0x41, 0x64, 0x6f, 0x62, 0x65];
const EXIF = [0x45, 0x78, 0x69, 0x66, 0, 0];
const PROFILE = [...Buffer.from("ICC_PROFILE\0")];
/** The profile's name, the number of its piece and how many there are. */
const PROFILE_HEAD_BYTES = PROFILE.length + 2;

/** Supported frame types (baseline, extended, progressive), each with whether it is progressive. */
const FRAMES = new Map([
  [0xc0, false],
  [0xc1, false],
  [0xc2, true],
]);

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly isProgressive: boolean;
  /** By component: 1 for gray, 3 for color, 4 for CMYK. */
  readonly sampling: readonly { readonly h: number; readonly v: number }[];
}

/** A JPEG's parts, found without decoding. */
export interface JpegStructure {
  readonly frame: Frame;
  readonly orientation: Orientation;
  readonly firstScanColors: number;
  /** Written by Adobe's software, or as it does: CMYK is then stored inverted. */
  readonly isAdobe: boolean;
  /** Without pieces if some are missing or it is too large. */
  readonly profile: EmbeddedProfile | undefined;
}

/**
 * The header of a JPEG whose segments are complete. An end marker may be missing, as in browsers: the reader says whether
 * pixels are. Throws NodeError `IMAGE_UNREADABLE` if it is cut short before its first scan, or of an unsupported kind:
 * lossless, arithmetic, more than 8 bits.
 */
export function readJpegHeader(bytes: Uint8Array): ImageHeader {
  return headerOf(structureOf(bytes, false));
}

/**
 * The parts of a JPEG whose segments and scans are complete, up to its end marker.
 * Throws NodeError `IMAGE_UNREADABLE` if it is cut short, or of an unsupported kind: lossless,
 * arithmetic, more than 8 bits.
 */
export function readJpegStructure(bytes: Uint8Array): JpegStructure {
  return structureOf(bytes, true);
}

function structureOf(bytes: Uint8Array, needsEnd: boolean): JpegStructure {
  const profiles = new Map<number, Uint8Array>();
  let isAdobe = false;
  let frame: Frame | undefined;
  let orientation: Orientation | undefined;
  let scans = 0;
  let firstScanColors = 0;
  for (const { code, body } of segments(bytes, needsEnd)) {
    if (isFrame(code)) {
      if (frame !== undefined) {
        throw unreadableImage("is a JPEG with two frames. Save it as JPEG again.");
      }
      frame = readFrame(code, body);
    } else if (code === APP1 && EXIF.every((byte, i) => body[i] === byte)) {
      orientation ??= readExifOrientation(body.subarray(EXIF.length));
    } else if (code === APP14) {
      isAdobe ||= ADOBE.every((byte, i) => body[i] === byte);
    } else if (code === APP2 && PROFILE.every((byte, i) => body[i] === byte)) {
      profiles.set(body[PROFILE.length] ?? 0, body);
    } else if (code === SOS && ++scans === 1) {
      firstScanColors = body[0] ?? 0;
    } else if (code === SOS && scans > SCANS_MAX) {
      throw unreadableImage(
        `is a JPEG with more than ${SCANS_MAX} scans, which takes too long to decode. Save it as JPEG again.`,
      );
    }
  }
  if (frame === undefined || scans === 0) {
    throw unreadableImage("is a JPEG without a picture in it. Save it as JPEG again.");
  }
  const profile = profileOf(profiles);
  return { frame, firstScanColors, orientation: orientation ?? 1, isAdobe, profile };
}

/** Pieces are numbered from 1, and each states how many there are (ICC.1:2022 annex B.4). */
function profileOf(profiles: ReadonlyMap<number, Uint8Array>): EmbeddedProfile | undefined {
  if (profiles.size === 0) {
    return undefined;
  }
  const count = profiles.get(1)?.[PROFILE.length + 1] ?? 0;
  const pieces = Array.from({ length: count }, (_, i) => profiles.get(i + 1));
  const whole = pieces.flatMap((piece) => piece?.subarray(PROFILE_HEAD_BYTES) ?? []);
  const bytes = whole.reduce((sum, piece) => sum + piece.length, 0);
  const isWhole = count > 0 && whole.length === count && bytes <= PROFILE_BYTES_MAX;
  return { pieces: isWhole ? whole : [], isDeflated: false };
}

/** The segments up to the end marker, or the end of the file after a scan, by the codes of their markers. */
function* segments(
  bytes: Uint8Array,
  needsEnd: boolean,
): Generator<{ code: number; body: Uint8Array }> {
  let hasScan = false;
  for (let at = 2; ;) {
    const marker = nextMarker(bytes, at);
    if (marker === undefined && hasScan && !needsEnd) {
      return;
    }
    const { code, end } = marker ?? cutShort();
    at = end;
    if (code === EOI) {
      return;
    }
    // Restart marks and TEM have no length field.
    if ((code >= 0xd0 && code <= 0xd8) || code === 0x01) {
      continue;
    }
    const body = segment(bytes, at);
    at += 2 + body.length;
    hasScan ||= code === SOS;
    yield { code, body };
  }
}

function headerOf({
  frame,
  firstScanColors,
  orientation,
  isAdobe,
  profile,
}: JpegStructure): ImageHeader {
  const { width, height, sampling } = frame;
  const channels = sampling.length;
  const isCmyk = channels === 4;
  const hasScans = frame.isProgressive || firstScanColors < sampling.length;
  const isTurned = orientation !== 1;
  return {
    format: "jpeg",
    kind: `a ${hasScans ? "progressive " : ""}${isCmyk ? "CMYK " : ""}JPEG${isTurned && !hasScans ? " that is turned" : ""}`,
    width,
    height,
    hasAlpha: false,
    turns: isTurned ? [orientation] : [],
    colors:
      isCmyk || profile !== undefined ? { channels, isInverted: isAdobe, profile } : undefined,
    decodingBytes: (w, h) => {
      const { kept, fading } = heldBytes(w, h, sampling, hasScans, orientation > 2);
      const colors = colorBytes(profile);
      return { kept: kept + colors.first + colors.kept, fading };
    },
  };
}

/**
 * Retained memory of a JPEG: rows; with several scans its coefficients, or if they are many a band of them and a bit for
 * each (wasm/pictures/src/jpeg/bands.c); and if rotated its samples.
 */
function heldBytes(
  width: number,
  height: number,
  sampling: Frame["sampling"],
  hasScans: boolean,
  isTurned: boolean,
): DecodingBytes {
  const hMax = Math.max(1, ...sampling.map(({ h }) => h));
  const vMax = Math.max(1, ...sampling.map(({ v }) => v));
  const unitSamples = 64 * sampling.reduce((sum, { h, v }) => sum + h * v, 0);
  const unitsWide = Math.ceil(width / (8 * hMax));
  const samples = unitsWide * Math.ceil(height / (8 * vMax)) * unitSamples;
  // Three rows of samples, one of coefficients, and their pixels, or as many columns if rotated.
  const rows = unitsWide * (5 * unitSamples + 256 * hMax * vMax) + 128 * Math.max(width, height);
  const coefficients = hasScans
    ? Math.min(2 * samples, JPEG_COEFFICIENT_BYTES_MAX + samples / 8)
    : 0;
  return { kept: OWN_BYTES + rows + coefficients + (isTurned ? samples : 0), fading: 0 };
}

/**
 * The next marker from `at` on: 0xFF and its code. Entropy-coded bytes and stray bytes before it
 * are skipped, as in decoders. Undefined at the end of the file.
 */
function nextMarker(bytes: Uint8Array, at: number): { code: number; end: number } | undefined {
  for (let mark = bytes.indexOf(0xff, at); mark !== -1; mark = bytes.indexOf(0xff, mark + 1)) {
    const code = bytes[mark + 1];
    if (code !== undefined && code !== 0 && code !== 0xff) {
      return { code, end: mark + 2 };
    }
  }
  return undefined;
}

function cutShort(): never {
  throw unreadableImage(
    "is cut short: the JPEG has no end marker. Send it whole, or save it as JPEG again.",
  );
}

/** A segment's content, after the two bytes of its length. */
function segment(bytes: Uint8Array, at: number): Uint8Array {
  const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  if (at + 2 > bytes.length || at + length > bytes.length) {
    throw unreadableImage(
      `is cut short: the JPEG segment at byte ${at} extends past the end of the file. Send the complete file.`,
    );
  }
  if (length < 2) {
    throw unreadableImage(
      `is damaged: the JPEG segment at byte ${at} has length ${length}. Save it as JPEG again.`,
    );
  }
  return bytes.subarray(at + 2, at + length);
}

/** SOF0 to SOF15, except the tables and JPG in the same range. */
function isFrame(code: number): boolean {
  return code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;
}

function readFrame(code: number, body: Uint8Array): Frame {
  const isProgressive = FRAMES.get(code);
  if (isProgressive === undefined) {
    const kind = code >= 0xc9 ? "arithmetic coding" : code === 0xc3 ? "lossless coding" : "layers";
    throw unreadableImage(
      `is a JPEG with ${kind}, which is not supported. Save it as baseline or progressive JPEG.`,
    );
  }
  const [precision = 0, h1 = 0, h0 = 0, w1 = 0, w0 = 0, components = 0] = body;
  const height = (h1 << 8) | h0;
  const width = (w1 << 8) | w0;
  if (body.length < 6 || body.length < 6 + 3 * components || width === 0 || height === 0) {
    throw unreadableImage(
      `is a JPEG of ${width} × ${height} px with a damaged frame header. Save it as JPEG again.`,
    );
  }
  if (precision !== 8) {
    throw unreadableImage(
      `is a JPEG with ${precision} bits per sample; only 8 are supported. Save it with 8 bits.`,
    );
  }
  if (components !== 1 && components !== 3 && components !== 4) {
    throw unreadableImage(
      `is a JPEG with ${components} color components; only 1 and 3 are supported. Save it as RGB.`,
    );
  }
  const sampling = Array.from({ length: components }, (_, i) => {
    const factors = body[7 + i * 3] ?? 0;
    return { h: Math.max(1, factors >> 4), v: Math.max(1, factors & 15) };
  });
  return { width, height, isProgressive, sampling };
}

const ORIENTATION_TAG = 0x01_12;
const TYPE_SHORT = 3;

/**
 * Orientation in an EXIF block (from its TIFF header on); 1, as stored, if there is no valid one.
 */
export function readExifOrientation(tiff: Uint8Array): Orientation {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  if (tiff.length < 8) {
    return 1;
  }
  const order = view.getUint16(0);
  const isLittle = order === 0x49_49;
  if ((!isLittle && order !== 0x4d_4d) || view.getUint16(2, isLittle) !== 42) {
    return 1;
  }
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > tiff.length) {
    return 1;
  }
  const entries = view.getUint16(directory, isLittle);
  for (let i = 0; i < entries; i++) {
    const at = directory + 2 + i * 12;
    if (at + 12 > tiff.length) {
      return 1;
    }
    if (view.getUint16(at, isLittle) === ORIENTATION_TAG) {
      const value = view.getUint16(at + 8, isLittle);
      const isValid = view.getUint16(at + 2, isLittle) === TYPE_SHORT && value >= 1 && value <= 8;
      return isValid ? (value as Orientation) : 1;
    }
  }
  return 1;
}
