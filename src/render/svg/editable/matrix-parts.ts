import type { Matrix } from "../../../templates/display-list.ts";

/** A matrix that turns, flips and scales, without skewing. */
export interface MatrixParts {
  /** Degrees, clockwise. */
  readonly angle: number;
  readonly scaleX: number;
  readonly scaleY: number;
  /** Whether y is flipped before the turn. */
  readonly isFlipped: boolean;
  /** Whether both axes are scaled alike. */
  readonly isUniform: boolean;
}

/** Undefined for a matrix that skews, or flattens. */
export function partsOf([a, b, c, d]: Matrix): MatrixParts | undefined {
  const scaleX = Math.hypot(a, b);
  const scaleY = Math.hypot(c, d);
  if (scaleX < 1e-9 || scaleY < 1e-9 || Math.abs(a * c + b * d) > 1e-6 * scaleX * scaleY) {
    return undefined;
  }
  return {
    angle: (Math.atan2(b, a) * 180) / Math.PI,
    scaleX,
    scaleY,
    isFlipped: a * d - b * c < 0,
    isUniform: Math.abs(scaleX - scaleY) <= 1e-4 * scaleX,
  };
}

/** The scale of areas as a scale of lengths. */
export function meanScale([a, b, c, d]: Matrix): number {
  return Math.sqrt(Math.abs(a * d - b * c));
}

export function apply([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** As documents have numbers: four decimals of a point. */
export function round(value: number): number {
  const rounded = Math.round(value * 1e4) / 1e4;
  return rounded === 0 ? 0 : rounded;
}
