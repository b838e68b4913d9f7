/**
 * The request for a code symbol and the drawn result (docs/contract/codes.md#symbols,
 * `image/code`).
 */
import * as z from "zod";

export const Symbology = z.enum(["qr", "ean13", "code128"]);
export type Symbology = z.infer<typeof Symbology>;

/** Name of the symbology for people. */
export const CODE_FORMATS = ["QRCode", "EAN13", "Code128"] as const;
export type CodeFormat = (typeof CODE_FORMATS)[number];

export const ErrorCorrection = z.enum(["L", "M", "Q", "H"]);
export type ErrorCorrection = z.infer<typeof ErrorCorrection>;

export const ModuleShape = z.enum([
  "square",
  "rounded",
  "circle",
  "dots",
  "diamond",
  "heart",
  "star",
]);
export type ModuleShape = z.infer<typeof ModuleShape>;

export const EyeFrameShape = z.enum(["square", "rounded", "circle", "leaf"]);
export type EyeFrameShape = z.infer<typeof EyeFrameShape>;

export const EyeBallShape = z.enum(["square", "rounded", "circle", "leaf", "diamond"]);
export type EyeBallShape = z.infer<typeof EyeBallShape>;

export const LogoBackground = z.enum(["square", "rounded", "circle"]);
export type LogoBackground = z.infer<typeof LogoBackground>;

/** Red, green, blue, 0 to 255 each. */
export type Rgb = readonly [number, number, number];

export interface CodeSpec {
  readonly symbology: Symbology;
  readonly text: string;
  /** Width of the picture in px; of a QR code also its height. */
  readonly size: number;
  /** The minimum. A higher level is used if it needs no more modules, and a logo uses H. */
  readonly errorCorrection: ErrorCorrection;
  readonly moduleShape: ModuleShape;
  readonly eyeFrameShape: EyeFrameShape;
  readonly eyeBallShape: EyeBallShape;
  readonly codeColor: Rgb;
  readonly eyeColor: Rgb;
  /** `null` means transparent. */
  readonly backgroundColor: Rgb | null;
  readonly logo?: { readonly bytes: Uint8Array; readonly contentType: string };
  readonly logoBackground: LogoBackground;
  /** Side of the logo's patch, in percent of the symbol's side. */
  readonly logoSizePercent: number;
  readonly humanReadableText: boolean;
  /** Height of the bars in px. */
  readonly barHeight?: number;
}

/**
 * A drawn symbol, as pixels and as SVG with the same geometry, and the values measured on the
 * pixels.
 */
export interface DrawnCode {
  /** The text that a scanner must read: the input text, or the 13 digits of an `ean13`. */
  readonly text: string;
  /** Created on request. */
  readonly svg: string;
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  readonly errorCorrection: ErrorCorrection | null;
  /** Side of a module, or width of the thinnest bar, in px. */
  readonly modulePx: number;
  /**
   * Empty margin around the symbol, in modules: the smallest of all sides for `qr`, of left and
   * right for bar codes.
   */
  readonly quietZone: readonly number[];
  /** Fraction of the symbol's area that the logo covers, 0 to 1. */
  readonly logoCoverage: number;
}
