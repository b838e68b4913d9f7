/** Where the layer with the dots behind the canvas stands while it is scaled. */

/** How far the layer goes beyond each side of the canvas, as in the style sheet: a share of its size, and pixels. */
export const DOTS_BEYOND = { share: 0.25, px: 80 } as const;
/** Scales of the painted dots: beyond them the layer would not cover the canvas, or be blurred. */
export const DOTS_SCALE = { min: 0.8, max: 1.25 } as const;

/**
 * How far the layer moves along one axis, so that it covers the canvas, and so that a dot, which is in the middle of its
 * square, is where the origin of the canvas is. `step` is the distance of the dots on the screen, at most 40 px, and `scale`
 * that of the layer, around its own beginning.
 */
export function shiftDots(origin: number, step: number, size: number, scale: number): number {
  const beyond = size * DOTS_BEYOND.share + DOTS_BEYOND.px;
  /** Of the scaled layer, at each side. */
  const over = ((size + 2 * beyond) * scale - size) / 2;
  const rest = (((origin - step / 2 + over) % step) + step) % step;
  return beyond - over + rest - step;
}
