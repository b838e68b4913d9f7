import { luminance, parseHexColor } from "../../../lib/hex-color.ts";
import type { ImageElement, MaskShape } from "../../document/elements.ts";
import { multiply, transformPath, IDENTITY } from "../drawing/matrix.ts";
import { readAlignment } from "../drawing/picture-placement.ts";
import type { PreparedBase, PreparedImage, PreparedMask, PreparedOpacityMask } from "./prepared.ts";
import { readPath } from "./read-path.ts";

export function prepareImage(element: ImageElement, base: PreparedBase): PreparedImage {
  const { clipPath, opacityMask } = element;
  return {
    ...base,
    kind: "image",
    src: element.src,
    fitMode: element.placeholder?.fitMode ?? element.fitMode,
    anchor: readAlignment(element.placeholder?.alignment ?? element.alignment),
    frame: element.frame ?? null,
    clip: clipPath === undefined ? null : maskOf(clipPath.units, clipPath),
    mask: opacityMask === undefined ? null : opacityMaskOf(opacityMask),
  };
}

function opacityMaskOf(mask: NonNullable<ImageElement["opacityMask"]>): PreparedOpacityMask {
  const { x, y, width, height } = mask;
  return {
    ...maskOf(mask.contentUnits, mask),
    box: { x, y, width, height },
    isBoxInBoxUnits: mask.units === "object_bounding_box",
  };
}

function maskOf(
  units: "object_bounding_box" | "user_space",
  mask: {
    readonly transform?: readonly [number, number, number, number, number, number] | undefined;
    readonly shapes: readonly MaskShape[];
  },
): PreparedMask {
  const outer = mask.transform ?? IDENTITY;
  return {
    isBoxUnits: units === "object_bounding_box",
    shapes: mask.shapes.map((shape) => ({
      path: transformPath(
        readPath(shape.pathData),
        shape.transform === undefined ? outer : multiply(outer, shape.transform),
      ),
      fillRule: shape.fillRule,
      value: shape.opacity * brightness(shape),
    })),
  };
}

function brightness({ luminance: own, color }: MaskShape): number {
  return own ?? (color === undefined ? 1 : luminance(parseHexColor(color)));
}
