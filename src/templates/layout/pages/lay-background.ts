import type { Box } from "../../display-list.ts";
import type { Canvas } from "../drawing/canvas.ts";
import type { Pass } from "../context.ts";
import { putPicture } from "../elements/lay-image.ts";
import { IDENTITY } from "../drawing/matrix.ts";
import { rectanglePath } from "../drawing/outlines.ts";
import { gradientPaint, solid } from "../drawing/paints.ts";
import { fitBackground, isOutside } from "../drawing/picture-placement.ts";
import type { PreparedSheet } from "../prepare/prepared.ts";

/** Paints a page's color, gradient and picture, in this order, over the whole output page. */
export function paintBackground(
  { id, background }: PreparedSheet,
  canvas: Canvas,
  page: Box,
  { account, resources }: Pass,
): void {
  const { color, paint, image } = background;
  const whole = rectanglePath(page, null);
  const paints = [
    ...(color === null ? [] : [solid(color)]),
    ...(paint === undefined ? [] : [gradientPaint(paint, page)]),
  ];
  for (const each of paints) {
    canvas.items.push({
      kind: "path",
      path: whole,
      fillRule: "non_zero",
      fill: { paint: each, opacity: 1 },
      stroke: null,
      isStrokeFirst: false,
    });
  }
  if (image === undefined || image.src === "") {
    return;
  }
  const picture = resources.pictures.get(image.src);
  if (picture === undefined || picture.kind === "failed") {
    account.imageFailed(id, null, picture?.reason ?? "not_found");
    return;
  }
  account.imageLoaded(picture);
  const { x, y, width, height } = fitBackground(picture.width, picture.height, page, image);
  const matrix = [width, 0, 0, height, x, y] as const;
  if (!isOutside(matrix, page)) {
    putPicture(canvas, picture, matrix);
    return;
  }
  const clip = { shapes: [{ path: whole, fillRule: "non_zero" as const }] };
  canvas.group({ transform: IDENTITY, opacity: 1, clip, mask: null }, (inside) =>
    putPicture(inside, picture, matrix),
  );
}
