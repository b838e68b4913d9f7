import type { Fit, ResizeRequest } from "../../contracts/models/picture-edits.ts";

/** Width and height in px. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A picture that is scaled, then cropped, then placed on a canvas. */
export interface Fitted {
  readonly scaled: Size;
  /** The part of the scaled picture that is kept. */
  readonly window: Size & { readonly left: number; readonly top: number };
  readonly canvas: Size;
  /** The position of the window on the canvas. */
  readonly left: number;
  readonly top: number;
}

/**
 * Fits a picture of size `from`. With one side of `box`, the other is proportional, rounded halves up, and at least 1;
 * `fit` then has no effect. Throws RangeError if `box` has no side.
 */
export function fitSize(
  from: Size,
  box: Pick<ResizeRequest, "width" | "height">,
  fit: Fit,
): Fitted {
  const { width, height } = box;
  if (width === undefined || height === undefined) {
    if (width !== undefined) {
      return whole({ width, height: proportional(from.height, width, from.width) });
    }
    if (height !== undefined) {
      return whole({ width: proportional(from.width, height, from.height), height });
    }
    throw new RangeError("A width or a height is needed.");
  }
  const asked = { width, height };
  if (fit === "stretch") {
    return whole(asked);
  }
  // The products are exact: sides have at most 14 bits.
  const isWidthTight = width * from.height <= height * from.width;
  const byWidth = { width, height: proportional(from.height, width, from.width) };
  const byHeight = { width: proportional(from.width, height, from.height), height };
  if (fit === "cover") {
    const scaled = isWidthTight ? byHeight : byWidth;
    const left = Math.floor((scaled.width - width) / 2);
    const top = Math.floor((scaled.height - height) / 2);
    return { scaled, window: { left, top, ...asked }, canvas: asked, left: 0, top: 0 };
  }
  const scaled = isWidthTight ? byWidth : byHeight;
  if (fit === "inside") {
    return whole(scaled);
  }
  return {
    ...whole(scaled),
    canvas: asked,
    left: Math.floor((width - scaled.width) / 2),
    top: Math.floor((height - scaled.height) / 2),
  };
}

/** `side` × `to` / `from`, rounded halves up, at least 1. */
function proportional(side: number, to: number, from: number): number {
  return Math.max(1, Math.floor((2 * side * to + from) / (2 * from)));
}

function whole(size: Size): Fitted {
  return { scaled: size, window: { left: 0, top: 0, ...size }, canvas: size, left: 0, top: 0 };
}
