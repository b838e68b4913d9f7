import * as z from "zod";

/** How a picture is fitted into a given size (docs/contract/pictures.md#resizing). */
export const Fit = z.enum(["contain", "cover", "stretch", "inside"]);
export type Fit = z.infer<typeof Fit>;

/** Red, green and blue, 0 to 255 each; null is transparent. */
export type Background = readonly [number, number, number] | null;

export interface ResizeRequest {
  /** In px, 1 to 8,192. At least one is given; the other is then proportional. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly fit: Fit;
  /** Around and behind the picture, if `fit` is `contain`. */
  readonly background: Background;
}

/** The place of a layer on the picture below, in px. */
export interface LayerPlacement {
  /** Of its left upper corner; may be negative. */
  readonly x: number;
  readonly y: number;
  /** Both stretch the layer, one scales it in proportion, none keeps its size. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** 0 to 1. */
  readonly opacity: number;
}

/** A stored picture, read whenever it is needed. */
export interface StoredPicture {
  readonly contentType: string;
  read(): Promise<Uint8Array>;
}

export interface StoredLayer extends StoredPicture {
  readonly placement: LayerPlacement;
}
