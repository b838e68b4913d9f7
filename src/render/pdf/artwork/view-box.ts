import type { Matrix } from "../../../templates/display-list.ts";
import { numbers } from "./svg-values.ts";

export interface ViewBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Undefined without a valid one. */
export function readViewBox(text: string | undefined): ViewBox | undefined {
  const [x, y, width = 0, height = 0] = numbers(text ?? "");
  return x !== undefined && y !== undefined && width > 0 && height > 0
    ? { x, y, width, height }
    : undefined;
}

const SHARES = { Min: 0, Mid: 0.5, Max: 1 } as const;

/** Maps a view box into a viewport at the origin (SVG 1.1 §7.8). */
export function viewBoxMatrix(
  { x, y, width, height }: ViewBox,
  viewport: { readonly width: number; readonly height: number },
  preserveAspectRatio: string | undefined,
): Matrix {
  const [sx, sy] = [viewport.width / width, viewport.height / height];
  const [, alignX, alignY, slice] =
    /^\s*(?:defer\s+)?x(Min|Mid|Max)Y(Min|Mid|Max)(?:\s+(meet|slice))?\s*$/.exec(
      preserveAspectRatio ?? "xMidYMid",
    ) ?? [];
  if (preserveAspectRatio?.trim().startsWith("none") === true) {
    return [sx, 0, 0, sy, -x * sx, -y * sy];
  }
  const scale = slice === "slice" ? Math.max(sx, sy) : Math.min(sx, sy);
  const shareX = SHARES[(alignX ?? "Mid") as keyof typeof SHARES];
  const shareY = SHARES[(alignY ?? "Mid") as keyof typeof SHARES];
  return [
    scale,
    0,
    0,
    scale,
    (viewport.width - width * scale) * shareX - x * scale,
    (viewport.height - height * scale) * shareY - y * scale,
  ];
}
