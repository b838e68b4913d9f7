import type { DisplayItem, DisplayPath, Fill, Matrix, Path, Stroke } from "../../display-list.ts";
import type { Canvas } from "../drawing/canvas.ts";
import type { Context } from "../context.ts";
import type { Laid } from "../drawing/laid.ts";
import { ellipsePath } from "../drawing/outlines.ts";
import { IDENTITY, invert, transformPath } from "../drawing/matrix.ts";
import { moveAll, solid } from "../drawing/paints.ts";
import type { LineEnds, Marker, PreparedShape } from "../prepare/prepared.ts";

/** Of an arrow, in widths of its line. */
const ARROW_LENGTH = 4;
const ARROW_HALF_WIDTH = 1.5;
const DISC_RADIUS = 1.5;
/** How far a line ends before an arrow's tip: its end is hidden in the arrow, which is wider there. */
const ARROW_OVERLAP = 2;

export function layShape(element: PreparedShape, context: Context): Laid {
  const { fill, stroke } = paintsOf(element, context);
  const { account } = context.pass;
  return {
    width: element.width,
    height: element.height,
    isGrown: false,
    paint(canvas, x, y) {
      if (fill === null && stroke === null) {
        return;
      }
      const { fillRule, isStrokeFirst } = element;
      if (element.ends !== null && stroke !== null) {
        paintLine(canvas, element.ends, stroke, element.isNonScaling, x, y);
      } else {
        const moved = moveAll({ path: element.outline, fill, stroke }, x, y);
        pushPath(canvas, { kind: "path", fillRule, isStrokeFirst, ...moved }, element.isNonScaling);
      }
      const { width, height } = element;
      account.noteOutside(element.id, canvas.corners({ x, y, width, height }), {
        isPartEnough: false,
      });
    },
  };
}

/** With the value of a color field in place. */
function paintsOf(
  element: PreparedShape,
  { scope }: Context,
): { readonly fill: Fill | null; readonly stroke: Stroke | null } {
  const { field, fill, stroke } = element;
  const value = field?.placeholderType === "color" ? scope.read(field) : undefined;
  if (typeof value !== "string") {
    return { fill, stroke };
  }
  const paint = solid(value);
  if (element.colored === "fill") {
    return { fill: { paint, opacity: element.fillOpacity }, stroke };
  }
  const { strokeStyle } = element;
  return { fill, stroke: strokeStyle.width === 0 ? null : { ...strokeStyle, paint } };
}

/** A stroke that does not scale keeps its width on the page, however what holds it is scaled. */
function pushPath(canvas: Canvas, item: DisplayPath, isNonScaling: boolean): void {
  const { stroke } = item;
  const linear = linearOf(canvas.matrix);
  if (!isNonScaling || stroke === null || isUnscaled(linear)) {
    canvas.items.push(item);
    return;
  }
  const [a, b, c, d] = linear;
  const scale = Math.hypot(a, b);
  if (isSimilar(linear)) {
    const dashes = stroke.dashes.map((length) => length / scale);
    canvas.items.push({ ...item, stroke: { ...stroke, width: stroke.width / scale, dashes } });
    return;
  }
  const back = invert([a, b, c, d, 0, 0]);
  if (back === null) {
    return;
  }
  // The fill may have a gradient in the old coordinates, so only the stroke is drawn in those of the page.
  const whole: DisplayItem = {
    kind: "group",
    transform: back,
    opacity: 1,
    clip: null,
    mask: null,
    items: [{ ...item, fill: null, path: transformPath(item.path, linear), stroke }],
  };
  const inside: DisplayItem = { ...item, stroke: null };
  canvas.items.push(
    ...(item.fill === null ? [whole] : item.isStrokeFirst ? [whole, inside] : [inside, whole]),
  );
}

function linearOf([a, b, c, d]: Matrix): Matrix {
  return [a, b, c, d, 0, 0];
}

function isUnscaled(matrix: Matrix): boolean {
  return isSimilar(matrix) && Math.abs(Math.hypot(matrix[0], matrix[1]) - 1) < 1e-9;
}

/** Whether the matrix only turns, flips and scales both axes alike. */
function isSimilar([a, b, c, d]: Matrix): boolean {
  return Math.abs(Math.hypot(a, b) - Math.hypot(c, d)) < 1e-9 && Math.abs(a * c + b * d) < 1e-9;
}

/** A line with markers. Where it is transparent, line and markers are one, so that their overlap does not show. */
function paintLine(
  canvas: Canvas,
  ends: LineEnds,
  stroke: Stroke,
  isNonScaling: boolean,
  x: number,
  y: number,
): void {
  const scale = isNonScaling ? canvas.scale : 1;
  const width = stroke.width / (scale > 0 ? scale : 1);
  const { x1, y1, x2, y2, start, end } = ends;
  const length = Math.hypot(x2 - x1, y2 - y1);
  // A line without a length points to the right.
  const [dx, dy] = length > 0 ? [(x2 - x1) / length, (y2 - y1) / length] : [1, 0];
  const opaque: Stroke = { ...stroke, opacity: 1 };
  const fill: Fill = { paint: stroke.paint, opacity: 1 };
  const items: DisplayPath[] = [];
  const from = overlapOf(start) * width;
  const to = length - overlapOf(end) * width;
  if (from <= to) {
    items.push(
      pathItem(
        {
          segments: [
            ["M", x1 + dx * from, y1 + dy * from],
            ["L", x1 + dx * to, y1 + dy * to],
          ],
        },
        null,
        opaque,
      ),
    );
  }
  const markers = [
    markerPath(start, x1, y1, -dx, -dy, width),
    markerPath(end, x2, y2, dx, dy, width),
  ];
  for (const path of markers) {
    if (path !== null) {
      items.push(pathItem(path, fill, null));
    }
  }
  const style = { transform: IDENTITY, opacity: stroke.opacity, clip: null, mask: null };
  const put = (target: Canvas) => {
    for (const item of items) {
      pushPath(target, { ...item, ...moveAll(item, x, y) }, isNonScaling);
    }
  };
  if (stroke.opacity < 1) {
    canvas.group(style, put);
  } else {
    put(canvas);
  }
}

function pathItem(path: Path, fill: Fill | null, stroke: Stroke | null): DisplayPath {
  return { kind: "path", path, fillRule: "non_zero", fill, stroke, isStrokeFirst: false };
}

function overlapOf(marker: Marker): number {
  return marker === "arrow" ? ARROW_OVERLAP : 0;
}

/** The marker on a point of a line that comes from the direction (dx, dy). */
function markerPath(
  marker: Marker,
  x: number,
  y: number,
  dx: number,
  dy: number,
  width: number,
): Path | null {
  switch (marker) {
    case "none":
      return null;
    case "circle":
      return ellipsePath(x, y, DISC_RADIUS * width, DISC_RADIUS * width);
    case "arrow": {
      const [backX, backY] = [x - dx * ARROW_LENGTH * width, y - dy * ARROW_LENGTH * width];
      const half = ARROW_HALF_WIDTH * width;
      return {
        segments: [
          ["M", x, y],
          ["L", backX - dy * half, backY + dx * half],
          ["L", backX + dy * half, backY - dx * half],
          ["Z"],
        ],
      };
    }
  }
}
