import { inflateSync } from "node:zlib";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { joinPieces } from "../byte-writer.ts";
import type { EmbeddedProfile, PictureColors } from "../header/image-header.ts";
import { PixelKernels, PixelLayout } from "../pixels/pixel-kernels.ts";
import type { Picture } from "../raster/raster.ts";
import { readSourceProfile, type SourceProfile } from "./source-profile.ts";
import { isSrgb, SRGB_GRID_BYTES_MAX, srgbGrid } from "./srgb-grid.ts";

/** A larger profile is passed over: those of presses have about one. */
export const PROFILE_BYTES_MAX = LIMITS.picture_profile.value;

/** Pixels that are converted at once. */
const PIXELS_BYTES = 64 * 1024;
/** Deflate expands at most so many times. */
const EXPANSION_MAX = 1_032;

/** Memory of a picture's colors in bytes, beside its rows. */
export interface ColorBytes {
  /** Until the first row: the profile. */
  readonly first: number;
  /** Until the last row: the grid, which is computed and then copied, and pixels. */
  readonly kept: number;
}

/** Maximum memory of the colors of a picture with this profile. */
export function colorBytes(profile: EmbeddedProfile | undefined): ColorBytes {
  if (profile === undefined) {
    return { first: 0, kept: 0 };
  }
  const bytes = profile.pieces.reduce((sum, piece) => sum + piece.length, 0);
  const first = profile.isDeflated ? 2 * Math.min(PROFILE_BYTES_MAX, EXPANSION_MAX * bytes) : bytes;
  return { first, kept: 2 * (SRGB_GRID_BYTES_MAX + PIXELS_BYTES) };
}

/**
 * The picture with its pixels in sRGB, converted by its profile. A profile that is damaged, too large or of other channels than
 * the picture is passed over, as in browsers; CMYK without one is multiplied with its black. `pixels` is pixels.wasm. Stripes are
 * changed in place.
 */
export function inSrgb(
  picture: Picture,
  colors: PictureColors | undefined,
  pixels: WebAssembly.Module,
): Picture {
  return colors === undefined
    ? picture
    : {
        ...picture,
        async *stripes() {
          const convert = converterOf(colors, pixels);
          for await (const stripe of picture.stripes()) {
            convert?.(stripe);
            yield stripe;
          }
        },
      };
}

/** Undefined if the pixels are sRGB already. */
function converterOf(
  colors: PictureColors,
  pixels: WebAssembly.Module,
): ((rgba: Uint8ClampedArray) => void) | undefined {
  const profile = profileToApply(colors);
  const grid = profile && srgbGrid(profile, colors.isInverted);
  if (grid === undefined && colors.channels !== 4) {
    return undefined;
  }
  const layout = new PixelLayout({ part: PIXELS_BYTES, grid: grid?.colors.length ?? 0 });
  const kernels = new PixelKernels(pixels, layout);
  const [partAt, gridAt] = [layout.at("part"), layout.at("grid")];
  if (grid !== undefined) {
    kernels.bytes(gridAt, grid.colors.length).set(grid.colors);
  }
  const steps = grid && { points: grid.pointsOfSide, channels: grid.channels };
  const inverted = colors.isInverted ? 1 : 0;
  return (rgba) => {
    for (let at = 0; at < rgba.length; at += PIXELS_BYTES) {
      const from = rgba.subarray(at, at + PIXELS_BYTES);
      const part = kernels.bytes(partAt, from.length);
      part.set(from);
      if (steps === undefined) {
        kernels.call.by_black(partAt, part.length / 4, inverted);
      } else {
        kernels.call.by_grid(partAt, part.length / 4, gridAt, steps.points, steps.channels);
      }
      from.set(part);
    }
  };
}

/**
 * How a picture in other colors than sRGB was converted: by its profile, as CMYK without one, or as if its profile, which is
 * damaged, too large or of other channels, were not there.
 */
export type ColorConversion = "by_profile" | "without_profile" | "profile_not_applied";

/** Undefined if the pixels are sRGB already. */
export function colorConversionOf(colors: PictureColors | undefined): ColorConversion | undefined {
  if (colors === undefined) {
    return undefined;
  }
  if (colors.profile === undefined) {
    return colors.channels === 4 ? "without_profile" : undefined;
  }
  const source = fittingProfile(colors);
  if (source === undefined) {
    return "profile_not_applied";
  }
  return isSrgb(source) ? undefined : "by_profile";
}

/**
 * The bytes of a profile of as many channels as the picture, which can be read and is not that of sRGB: what another file
 * with the same samples must have beside them. Undefined without one.
 */
export function profileToKeep(colors: PictureColors): Uint8Array | undefined {
  const bytes = colors.profile && profileBytes(colors.profile);
  const source = bytes && readSourceProfile(bytes);
  return source === undefined || source.channels !== colors.channels || isSrgb(source)
    ? undefined
    : bytes;
}

/** Whether samples of these colors are those of sRGB, or gray with its curve, as far as the service can read their profile. */
export function areSrgb(colors: PictureColors | undefined): boolean {
  return colors === undefined || (colors.channels !== 4 && profileToApply(colors) === undefined);
}

/** Undefined also if the pixels are sRGB already. */
function profileToApply(colors: PictureColors): SourceProfile | undefined {
  const source = fittingProfile(colors);
  return source === undefined || isSrgb(source) ? undefined : source;
}

/** Undefined if the picture has no profile that can be read and is one of its channels. */
function fittingProfile({ channels, profile }: PictureColors): SourceProfile | undefined {
  const source = profile === undefined ? undefined : readEmbeddedProfile(profile);
  // Gray pixels are read as three equal channels, to which a profile of three applies too.
  const isFitting =
    source !== undefined &&
    (source.channels === channels || (source.channels === 3 && channels === 1));
  return isFitting ? source : undefined;
}

/** Undefined if the profile is damaged, too large or of another kind. */
function readEmbeddedProfile(profile: EmbeddedProfile): SourceProfile | undefined {
  const bytes = profileBytes(profile);
  return bytes && readSourceProfile(bytes);
}

/** Undefined if it is too large, or cannot be inflated. */
function profileBytes({ pieces, isDeflated }: EmbeddedProfile): Uint8Array | undefined {
  const [first = new Uint8Array(0), ...others] = pieces;
  const stored = others.length === 0 ? first : joinPieces(pieces);
  const bytes = isDeflated ? inflated(stored) : stored;
  return bytes === undefined || bytes.length > PROFILE_BYTES_MAX ? undefined : bytes;
}

function inflated(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: PROFILE_BYTES_MAX });
  } catch {
    return undefined;
  }
}
