/** A picture as RGBA, not premultiplied: `width` × `height` × 4 bytes. */
export interface Raster {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/**
 * A picture that is read from top to bottom, some rows at a time, so that it need not be held
 * whole.
 */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** No pixel is transparent. */
  readonly isOpaque: boolean;
  /**
   * Complete rows as RGBA, not premultiplied; each stripe is valid until the next is requested.
   * They can be read once: their memory is released at their end. Throws NodeError
   * `IMAGE_UNREADABLE` if the file is damaged.
   */
  stripes(): AsyncIterable<Uint8ClampedArray>;
}

/** All pixels of a picture, 4 bytes each. */
export async function readRaster(picture: Picture): Promise<Raster> {
  const { width, height } = picture;
  const rgba = new Uint8ClampedArray(width * height * 4);
  let at = 0;
  for await (const stripe of picture.stripes()) {
    rgba.set(stripe, at);
    at += stripe.length;
  }
  return { rgba, width, height };
}

/** Number of pixels that are passed on at once. */
const STRIPE_BYTES = 1024 * 1024;

/** Pixels in memory, as a picture that is read by rows. */
export function rasterPicture({ rgba, width, height }: Raster): Picture {
  const stripeBytes = Math.max(1, Math.floor(STRIPE_BYTES / (width * 4))) * width * 4;
  let held: Uint8ClampedArray | undefined = rgba;
  return {
    width,
    height,
    isOpaque: isOpaque(rgba),
    // oxlint-disable-next-line typescript/require-await -- other pictures are asynchronous
    async *stripes() {
      for (let at = 0; held !== undefined && at < held.length; at += stripeBytes) {
        yield held.subarray(at, at + stripeBytes);
      }
      held = undefined;
    },
  };
}

/** Whether every pixel is opaque. */
function isOpaque(rgba: Uint8ClampedArray): boolean {
  for (let at = 3; at < rgba.length; at += 4) {
    if (rgba[at] !== 255) {
      return false;
    }
  }
  return true;
}
