import type { DisplayItem } from "../../../templates/display-list.ts";
import type { PictureFailure } from "../../../templates/layout/layout-resources.ts";
import type { PdfArtwork } from "../pdf-resources.ts";
import { ArtworkError } from "./artwork-error.ts";
import { SvgPainter } from "./svg-painter.ts";
import { readSvgTree } from "./svg-tree.ts";
import { length } from "./svg-values.ts";
import { readViewBox } from "./view-box.ts";

/** The size of a drawing that states none (CSS 2.2 §10.3.2). */
const DEFAULT_SIZE = { width: 300, height: 150 } as const;

export interface SvgArtwork extends PdfArtwork {
  /** The attribute of the outermost element; null without one. */
  readonly preserveAspectRatio: string | null;
}

/**
 * An SVG as vectors (docs/contract/templates.md#pictures): shapes, groups, uses, gradients, clips, opacity, and the
 * simple rules of its style sheets. Returns why it does not print instead; a drawing with a part that cannot be
 * converted (text, pictures, masks, patterns, filters, markers) is `unsupported` as a whole rather than incomplete.
 */
export function readArtwork(svg: string): SvgArtwork | PictureFailure {
  try {
    const tree = readSvgTree(svg);
    const { attributes } = tree.root;
    const box = readViewBox(attributes.get("viewBox")) ?? {
      x: 0,
      y: 0,
      width: length(attributes.get("width"), DEFAULT_SIZE.width) ?? DEFAULT_SIZE.width,
      height: length(attributes.get("height"), DEFAULT_SIZE.height) ?? DEFAULT_SIZE.height,
    };
    if (!(box.width > 0 && box.height > 0)) {
      return "unreadable";
    }
    const items = new SvgPainter(tree).paint(box);
    const transform = [1, 0, 0, 1, -box.x, -box.y] as const;
    const moved: readonly DisplayItem[] =
      box.x === 0 && box.y === 0
        ? items
        : [{ kind: "group", transform, opacity: 1, clip: null, mask: null, items }];
    return {
      width: box.width,
      height: box.height,
      items: moved,
      preserveAspectRatio: attributes.get("preserveAspectRatio") ?? null,
    };
  } catch (error) {
    if (error instanceof ArtworkError) {
      return error.reason;
    }
    throw error;
  }
}
