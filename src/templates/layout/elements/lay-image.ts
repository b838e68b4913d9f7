import type { Box, DisplayClip, DisplayMask, Matrix } from "../../display-list.ts";
import type { Canvas } from "../drawing/canvas.ts";
import { placeOf, type Context } from "../context.ts";
import type { Laid } from "../drawing/laid.ts";
import type { PictureResource } from "../resources/layout-resources.ts";
import { IDENTITY, transformPath, translation } from "../drawing/matrix.ts";
import { rectanglePath } from "../drawing/outlines.ts";
import { solid } from "../drawing/paints.ts";
import { fitArtwork, fitPicture, isOutside, placeInFrame } from "../drawing/picture-placement.ts";
import type {
  PreparedArtwork,
  PreparedFrame,
  PreparedImage,
  PreparedMask,
  PreparedOpacityMask,
} from "../prepare/prepared.ts";

const NO_REPLACEMENTS = {};

export function layImage(element: PreparedImage, context: Context): Laid {
  const { pass, scope } = context;
  const { field, width, height } = element;
  const place = placeOf(element, scope);
  const isField = field?.placeholderType === "image";
  const value = isField ? scope.read(field) : undefined;
  const src = typeof value === "string" ? value : element.src;
  return {
    width,
    height,
    isGrown: false,
    paint(canvas, x, y) {
      if (src === null || src === "") {
        return;
      }
      const picture = pass.resources.pictures.get(src) ?? NOT_FOUND;
      if (picture.kind === "failed") {
        pass.account.imageFailed(element.id, place.field, picture.reason);
        if (isField && field.required && pass.options.missingPolicy === "fail_required") {
          pass.account.problems.push({
            code: "IMAGE_FAILED",
            field: place.valuePath,
            elementId: element.id,
            message: `The picture of the required field ${place.valuePath} could not be used: ${picture.reason}.`,
          });
        }
        return;
      }
      pass.account.imageLoaded(picture);
      paintPicture(canvas, element, picture, x, y);
      pass.account.noteOutside(element.id, canvas.corners({ x, y, width, height }), {
        isPartEnough: false,
      });
    },
  };
}

const NOT_FOUND: PictureResource = { kind: "failed", reason: "not_found" };

type LoadedPicture = Exclude<PictureResource, { readonly kind: "failed" }>;

function paintPicture(
  canvas: Canvas,
  element: PreparedImage,
  picture: LoadedPicture,
  x: number,
  y: number,
): void {
  const { frame, clip, mask, width, height } = element;
  const box: Box = { x: 0, y: 0, width, height };
  const fitted = fitPicture(picture.width, picture.height, box, element.fitMode, element.anchor);
  const matrix =
    frame === null
      ? ([fitted.width, 0, 0, fitted.height, fitted.x, fitted.y] as const)
      : placeInFrame(fitted, box, frame);
  const clips = [
    ...(clip === null ? [] : [clipOf(clip, box)]),
    ...(isOutside(matrix, box) ? [{ shapes: [boxShape(box)] }] : []),
  ];
  const opacityMask = mask === null ? null : maskOf(mask, box);
  const border = frame === null ? null : borderOf(frame, clip, box);
  if (clips.length === 0 && opacityMask === null && border === null) {
    const [a, b, c, d, e, f] = matrix;
    putPicture(canvas, picture, [a, b, c, d, e + x, f + y]);
    return;
  }
  const at = { transform: translation(x, y), opacity: 1, clip: null };
  canvas.group({ ...at, mask: opacityMask }, (inside) => {
    clipped(inside, clips, (target) => putPicture(target, picture, matrix));
    if (border !== null) {
      inside.items.push(...border);
    }
  });
}

/** Paints within all of the clips. */
function clipped(canvas: Canvas, clips: readonly DisplayClip[], paint: (c: Canvas) => void): void {
  const [clip, ...rest] = clips;
  if (clip === undefined) {
    paint(canvas);
    return;
  }
  canvas.group({ transform: IDENTITY, opacity: 1, clip, mask: null }, (inside) =>
    clipped(inside, rest, paint),
  );
}

/** A drawing or a raster picture over the unit square that the matrix places. */
export function putPicture(canvas: Canvas, picture: LoadedPicture, matrix: Matrix): void {
  canvas.items.push(
    picture.kind === "raster"
      ? { kind: "picture", picture: picture.key, matrix }
      : { kind: "artwork", artwork: picture.key, matrix, replacements: NO_REPLACEMENTS },
  );
}

function boxShape(box: Box): DisplayClip["shapes"][number] {
  return { path: rectanglePath(box, null), fillRule: "non_zero" };
}

function inBox(isBoxUnits: boolean, { width, height }: Box): Matrix {
  return isBoxUnits ? [width, 0, 0, height, 0, 0] : IDENTITY;
}

function clipOf({ isBoxUnits, shapes }: PreparedMask, box: Box): DisplayClip {
  const matrix = inBox(isBoxUnits, box);
  return {
    shapes: shapes.map(({ path, fillRule }) => ({ path: transformPath(path, matrix), fillRule })),
  };
}

function maskOf(mask: PreparedOpacityMask, box: Box): DisplayMask {
  const matrix = inBox(mask.isBoxUnits, box);
  const [sx, , , sy] = inBox(mask.isBoxInBoxUnits, box);
  const { x, y, width, height } = mask.box;
  return {
    box: { x: x * sx, y: y * sy, width: width * sx, height: height * sy },
    shapes: mask.shapes.map(({ path, fillRule, value }) => ({
      path: transformPath(path, matrix),
      fillRule,
      value,
    })),
  };
}

/** The frame's border along the clip path, else along the box. */
function borderOf(
  { strokeColor, strokeWidth }: PreparedFrame,
  clip: PreparedMask | null,
  box: Box,
): Canvas["items"] | null {
  if (strokeColor === null || strokeWidth === 0) {
    return null;
  }
  const { shapes } = clip === null ? { shapes: [boxShape(box)] } : clipOf(clip, box);
  return shapes.map(({ path, fillRule }) => ({
    kind: "path",
    path,
    fillRule,
    fill: null,
    stroke: {
      paint: solid(strokeColor),
      opacity: 1,
      width: strokeWidth,
      dashes: [],
      cap: "butt",
      join: "miter",
      miterLimit: 4,
    },
    isStrokeFirst: false,
  }));
}

export function layArtwork(element: PreparedArtwork, { pass }: Context): Laid {
  const { width, height, svg, replacements } = element;
  return {
    width,
    height,
    isGrown: false,
    paint(canvas, x, y) {
      const drawing = pass.resources.artworks.get(svg) ?? UNREADABLE;
      if (drawing.kind !== "artwork") {
        const reason = drawing.kind === "failed" ? drawing.reason : "unsupported";
        pass.account.imageFailed(element.id, null, reason);
        return;
      }
      pass.account.imageLoaded(drawing);
      const box: Box = { x, y, width, height };
      const fitted = fitArtwork(drawing.width, drawing.height, box, drawing.preserveAspectRatio);
      const matrix: Matrix = [fitted.width, 0, 0, fitted.height, fitted.x, fitted.y];
      const clips = isOutside(matrix, box) ? [{ shapes: [boxShape(box)] }] : [];
      clipped(canvas, clips, (target) => {
        target.items.push({ kind: "artwork", artwork: drawing.key, matrix, replacements });
      });
      pass.account.noteOutside(element.id, canvas.corners(box), { isPartEnough: false });
    },
  };
}

const UNREADABLE: PictureResource = { kind: "failed", reason: "unreadable" };
