import { multiply, IDENTITY, translation, turnAbout } from "../drawing/matrix.ts";
import type { Canvas } from "../drawing/canvas.ts";
import type { Context } from "../context.ts";
import type { Laid } from "../drawing/laid.ts";
import { layGroup } from "./lay-group.ts";
import { layArtwork, layImage } from "./lay-image.ts";
import { layRegion } from "./lay-region.ts";
import { layRepeat } from "./lay-repeat.ts";
import { layShape } from "./lay-shape.ts";
import { layText } from "./lay-text.ts";
import { resolveLink } from "./links.ts";
import type { PreparedElement } from "../prepare/prepared.ts";
import { isTrue } from "../../values/evaluate-condition.ts";

/** Lays out an element of any kind; null if it does not show. Throws RenderTooLargeError beyond the limit. */
export function layElement(element: PreparedElement, context: Context, room: number): Laid | null {
  if (!isShown(element, context)) {
    return null;
  }
  context.pass.countElement();
  return decorate(element, context, layKind(element, context, room));
}

/** An element whose condition is false, or whose boolean field is, does not exist for the layout. */
export function isShown(
  { condition, field, visible }: PreparedElement,
  { scope }: Pick<Context, "scope">,
): boolean {
  if (condition !== undefined && !isTrue(condition, scope)) {
    return false;
  }
  const value = field?.placeholderType === "boolean" ? scope.read(field) : undefined;
  return typeof value === "boolean" ? value : visible;
}

function layKind(element: PreparedElement, context: Context, room: number): Laid {
  switch (element.kind) {
    case "text":
      return layText(element, context, room);
    case "image":
      return layImage(element, context);
    case "shape":
      return layShape(element, context);
    case "artwork":
      return layArtwork(element, context);
    case "group":
      return layGroup(element, context, room);
    case "layout":
      return layRegion(element, context, room);
    case "repeat":
      return layRepeat(element, context, room);
  }
}

const COUNTED_BY_ELEMENT: ReadonlySet<string> = new Set(["boolean", "color", "image"]);

/** Adds what every kind of element may have: its turn, opacity and link, and the count of its field. */
export function decorate(element: PreparedElement, context: Context, laid: Laid): Laid {
  const { field, link, angle, flipX, flipY, opacity } = element;
  const isTurned = angle % 360 !== 0 || flipX || flipY;
  const isCounted = field !== undefined && COUNTED_BY_ELEMENT.has(field.placeholderType);
  if (!isTurned && opacity === 1 && link === undefined && !isCounted) {
    return laid;
  }
  const { width, height } = laid;
  const paintInside = (canvas: Canvas, x: number, y: number) => {
    laid.paint(canvas, x, y);
    if (link !== undefined) {
      resolveLink(link, element.id, context, (target) =>
        canvas.link({ x, y, width, height }, target),
      );
    }
  };
  return {
    ...laid,
    paint(canvas, x, y) {
      if (isCounted) {
        context.pass.account.fieldUsed(context.scope.codeOf(field));
      }
      if (!isTurned && opacity === 1) {
        paintInside(canvas, x, y);
        return;
      }
      const turn = turnAbout(width / 2, height / 2, angle, flipX, flipY);
      const transform = isTurned ? multiply(translation(x, y), turn) : IDENTITY;
      canvas.group({ transform, opacity, clip: null, mask: null }, (inside) =>
        isTurned ? paintInside(inside, 0, 0) : paintInside(inside, x, y),
      );
    },
  };
}
