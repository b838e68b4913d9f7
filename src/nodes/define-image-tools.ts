/** The tools of a node that decode, convert, scale and join pictures. */
import type {
  Background,
  ResizeRequest,
  StoredLayer,
  StoredPicture,
} from "../contracts/models/picture-edits.ts";
import type { FileBytes } from "./define-file-tools.ts";

/** Pixels as RGBA, not premultiplied: `width` × `height` × 4 bytes. */
export interface Pixels {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** Raster tools. Implemented by the runner; every call is limited in pixels and bytes. */
export interface ImageTools {
  encodePng(rgba: Uint8ClampedArray, width: number, height: number): Promise<Uint8Array>;
  /**
   * Decodes PNG, JPEG (rotated as EXIF specifies), WebP, GIF (first frame) and AVIF. Throws NodeError
   * `IMAGE_UNREADABLE` or `IMAGE_TOO_LARGE`.
   */
  decode(bytes: Uint8Array): Promise<Pixels>;
  /**
   * Converts any picture to another format: png is lossless, jpg has a white background, webp has exact transparency,
   * and an SVG is drawn with 2048 px on its longest side (docs/contract/assets.md#files). `quality` is 1 to 100 and is
   * ignored for png; `background` replaces transparency. The call, and reading its result, throw NodeError
   * `SVG_UNDRAWABLE`, `IMAGE_UNREADABLE`, `IMAGE_TOO_LARGE` or `TYPE_MISMATCH`.
   */
  convert(
    bytes: Uint8Array,
    contentType: string,
    format: "png" | "jpg" | "webp",
    options?: {
      readonly quality?: number | undefined;
      readonly background?: Background | undefined;
    },
  ): Promise<FileBytes>;
  /**
   * Whether a PNG, JPEG, WebP, GIF or AVIF is displayed as it is stored. Throws NodeError `IMAGE_UNREADABLE` or
   * `IMAGE_TOO_LARGE`.
   */
  isUpright(bytes: Uint8Array): Promise<boolean>;
  /**
   * Scales a picture (docs/contract/pictures.md#resizing). Throws as `convert` does, and RangeError if neither a width
   * nor a height is requested.
   */
  resize(
    bytes: Uint8Array,
    contentType: string,
    request: ResizeRequest,
  ): Promise<{
    readonly bytes: FileBytes;
    readonly format: "png" | "jpg" | "webp";
    readonly width: number;
    readonly height: number;
  }>;
  /**
   * Lays pictures over another one, the first lowest (docs/contract/pictures.md#composing). Returns a PNG of the base's
   * size. Throws as `convert` does.
   */
  compose(base: StoredPicture, layers: readonly StoredLayer[]): Promise<FileBytes>;
  /** Draws an SVG with resvg, `longestSide` px, on a transparent background. Throws NodeError `SVG_UNDRAWABLE`. */
  drawSvg(svg: string, longestSide: number): Promise<Pixels>;
}
