import type { DisplayItem } from "../../../templates/display-list.ts";
import type { PictureFailure } from "../../../templates/layout/resources/layout-resources.ts";
import type { PdfArtwork } from "../pdf-resources.ts";
import { ArtworkError } from "./artwork-error.ts";
import { SvgPainter } from "./svg-painter.ts";
import type { DrawingFonts } from "./svg-text.ts";
import { readSvgTree, type SvgTree } from "./svg-tree.ts";
import { length } from "./svg-values.ts";
import { readViewBox } from "./view-box.ts";

/** The size of a drawing that states none (CSS 2.2 §10.3.2). */
const DEFAULT_SIZE = { width: 300, height: 150 } as const;

export interface SvgArtwork extends PdfArtwork {
  /** The attribute of the outermost element; null without one. */
  readonly preserveAspectRatio: string | null;
}

/** The coordinates of a drawing: its view box, else its size in px. */
export interface DrawingBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * An SVG as vectors (docs/contract/templates.md#pictures): shapes, texts, groups, uses, gradients, patterns, markers, clips,
 * masks, opacity, and the simple rules of its style sheets. Returns why it does not print instead; a drawing with a part that
 * cannot be converted (pictures, filters) is `unsupported` as a whole rather than incomplete. Without `fonts` texts have
 * no glyphs; rethrows what they throw.
 */
export function readArtwork(svg: string, fonts?: DrawingFonts): SvgArtwork | PictureFailure {
  try {
    const tree = readSvgTree(svg);
    const box = drawingBox(tree);
    const painter = new SvgPainter(tree, fonts === undefined ? {} : { fonts });
    return box === undefined ? "unreadable" : artworkOf(tree, box, painter.paint(box));
  } catch (error) {
    if (error instanceof ArtworkError) {
      return error.reason;
    }
    throw error;
  }
}

/** Undefined for a drawing without an area. */
export function drawingBox({ root: { attributes } }: SvgTree): DrawingBox | undefined {
  const box = readViewBox(attributes.get("viewBox")) ?? {
    x: 0,
    y: 0,
    width: length(attributes.get("width"), DEFAULT_SIZE.width) ?? DEFAULT_SIZE.width,
    height: length(attributes.get("height"), DEFAULT_SIZE.height) ?? DEFAULT_SIZE.height,
  };
  return box.width > 0 && box.height > 0 ? box : undefined;
}

/** What was painted of a drawing, with the corner of its box at the origin. */
export function artworkOf(
  { root }: SvgTree,
  { x, y, width, height }: DrawingBox,
  items: readonly DisplayItem[],
): SvgArtwork {
  const transform = [1, 0, 0, 1, -x, -y] as const;
  const moved: readonly DisplayItem[] =
    x === 0 && y === 0
      ? items
      : [{ kind: "group", transform, opacity: 1, clip: null, mask: null, items }];
  const preserveAspectRatio = root.attributes.get("preserveAspectRatio") ?? null;
  return { width, height, items: moved, preserveAspectRatio };
}
