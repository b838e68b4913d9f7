/**
 * A picture as a list of shapes, back to front: one geometry for both painters. Coordinates are px
 * of the picture, y downwards.
 */
import type { Rgb } from "../../contracts/code-symbol.ts";
import type { Path } from "./path.ts";

export type Layer =
  /** Rectangles on whole pixels: x, y, width and height of each, in sequence. */
  | { readonly kind: "rects"; readonly color: Rgb; readonly rects: readonly number[] }
  /** One outline at many positions on whole pixels: x and y of each position, in sequence. */
  | {
      readonly kind: "stamps";
      readonly color: Rgb;
      readonly path: Path;
      readonly at: readonly number[];
    }
  /** A picture of that many whole pixels, with its markup for an SVG. */
  | {
      readonly kind: "picture";
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly rgba: Uint8ClampedArray;
      readonly svg: string;
    };

export interface Scene {
  readonly width: number;
  readonly height: number;
  /** `null` means transparent. */
  readonly background: Rgb | null;
  readonly layers: readonly Layer[];
}
