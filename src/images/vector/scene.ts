/**
 * A picture as a list of what is painted, back to front: one geometry for both painters.
 * Coordinates are px of the picture, y downwards.
 */
import type { Rgb } from "../../contracts/code-symbol.ts";
import type { Path } from "./path.ts";

export type Layer =
  /** Rectangles on whole pixels: x, y, width, height of each, one after the other. */
  | { readonly kind: "rects"; readonly color: Rgb; readonly rects: readonly number[] }
  /** One outline at many places on whole pixels: x, y of each place, one after the other. */
  | {
      readonly kind: "stamps";
      readonly color: Rgb;
      readonly path: Path;
      readonly at: readonly number[];
    }
  /** A picture of that many whole pixels, with the markup that stands for it in an SVG. */
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
  /** `null` is transparent. */
  readonly background: Rgb | null;
  readonly layers: readonly Layer[];
}
