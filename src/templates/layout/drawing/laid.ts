import type { Canvas } from "./canvas.ts";

/** A part of a page whose size is known and that can be painted. Lengths are in points. */
export interface Laid {
  readonly width: number;
  /** At least the authored height where the part may only grow. */
  readonly height: number;
  /** Whether the part is higher than authored, so that what holds it may grow too. */
  readonly isGrown: boolean;
  /** Paints with its top left at (x, y) and accounts for what prints. Called at most once. */
  readonly paint: (canvas: Canvas, x: number, y: number) => void;
}
