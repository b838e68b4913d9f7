import type { Rotation } from "./film-picture.ts";

interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** The shape of a pixel, horizontal over vertical; 0 or less where it is not known. */
interface Aspect {
  readonly x: number;
  readonly y: number;
}

const SQUARE: Aspect = { x: 1, y: 1 };

/** The first of these shapes that is known and not square, as the container's goes before the stream's. */
export function pixelAspect(...stated: readonly Aspect[]): Aspect {
  return stated.find(({ x, y }) => x > 0 && y > 0 && x !== y) ?? SQUARE;
}

/**
 * The size at which a picture is shown, with square pixels, turned, and as wide as asked. The height keeps the shape, is rounded and at
 * least 1.
 */
export function shownSize(
  { width, height }: Pixels,
  aspect: Aspect,
  rotation: Rotation,
  asked?: number,
): Pixels {
  const isTurned = rotation === 90 || rotation === 270;
  const wide = (width * aspect.x) / aspect.y;
  const [across, down] = isTurned ? [height, wide] : [wide, height];
  const shown = asked ?? Math.max(1, Math.round(across));
  return { width: shown, height: Math.max(1, Math.round((shown * down) / across)) };
}
