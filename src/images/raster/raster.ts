/** A picture as RGBA, not premultiplied: `width` × `height` × 4 bytes. */
export interface Raster {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}
