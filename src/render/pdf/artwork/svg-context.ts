import type {
  DisplayGroup,
  DisplayClip,
  DisplayItem,
  Matrix,
  Path,
} from "../../../templates/display-list.ts";
import { ArtworkError } from "./artwork-error.ts";
import { shapePath, type Viewport } from "./svg-shapes.ts";
import { type Style, SvgStyles } from "./svg-styles.ts";
import type { SvgNode } from "./svg-node.ts";
import type { DrawingFonts } from "./svg-text.ts";
import type { SvgTree } from "./svg-tree.ts";

/** Drawn objects, each use of one counted. */
const ITEMS_MAX = 50_000;
/** Elements that are visited, each use counted: uses of uses multiply even where they draw nothing. */
const VISITS_MAX = 200_000;
/** Segments of all paths, which are held in memory together. */
const SEGMENTS_MAX = 400_000;
/** Characters of all texts, which are shaped one by one. */
const CHARACTERS_MAX = 100_000;
/** Uses, masks, patterns and markers inside of each other. */
const USES_MAX = 20;

/** Properties with the values that have no effect. */
export type Effects = readonly (readonly [string, readonly string[]])[];

export interface PainterOptions {
  /** Receives each part that cannot be converted, which then draws nothing. Without it the first one is thrown. */
  readonly onProblem?: (error: ArtworkError, part: string) => void;
  /** Without them a text is one item for each of its runs, with its paints and without glyphs. */
  readonly fonts?: DrawingFonts;
  /** Whether masks and patterns, which elements of a document do not have, are problems. */
  readonly isForElements?: boolean;
}

/** One drawing that is being converted: what its parts refer to, what they are, and how much they are. */
export class SvgContext {
  readonly tree: SvgTree;
  readonly styles: SvgStyles;
  readonly options: PainterOptions;
  /** Draws the children of an element. */
  readonly children: (node: SvgNode, style: Style, viewport: Viewport) => DisplayItem[];
  /** Drawn objects, each use of one counted. */
  objects = 0;
  uses = 0;
  visits = 0;
  segments = 0;
  characters = 0;

  constructor(tree: SvgTree, options: PainterOptions, children: SvgContext["children"]) {
    this.tree = tree;
    this.styles = new SvgStyles(tree.css);
    this.options = options;
    this.children = children;
  }

  /** `part` is the name of the element or property that is not converted. */
  unsupported(node: SvgNode, part: string, message: string): void {
    this.problem(new ArtworkError("unsupported", message, node), part);
  }

  problem(error: ArtworkError, part: string): void {
    if (this.options.onProblem === undefined) {
      throw error;
    }
    this.options.onProblem(error, part);
  }

  visit(node: SvgNode): void {
    if (++this.visits > VISITS_MAX) {
      throw new ArtworkError("too_large", `Its uses draw more than ${VISITS_MAX} elements.`, node);
    }
  }

  /** Another drawn object. */
  count(node: SvgNode): void {
    if (++this.objects > ITEMS_MAX) {
      throw new ArtworkError(
        "too_large",
        `The drawing draws more than ${ITEMS_MAX} objects.`,
        node,
      );
    }
  }

  /** Runs `work`, which draws what an element refers to. */
  inside<T>(node: SvgNode, work: () => T): T {
    if (this.uses >= USES_MAX) {
      throw new ArtworkError("unreadable", "It uses an element that uses this one again.", node);
    }
    this.uses++;
    const made = work();
    this.uses--;
    return made;
  }

  /** The path of a shape, counted. */
  path(node: SvgNode, style: Style, viewport: Viewport): Path | undefined {
    let path: Path | undefined;
    try {
      path = shapePath(node, style, viewport);
    } catch (error) {
      if (!(error instanceof ArtworkError)) {
        throw error;
      }
      this.problem(error, "d");
    }
    this.segments += path?.segments.length ?? 0;
    if (this.segments > SEGMENTS_MAX) {
      throw new ArtworkError(
        "too_large",
        `The drawing's paths have more than ${SEGMENTS_MAX} segments.`,
        node,
      );
    }
    return path;
  }

  referred(href: string | undefined): SvgNode | undefined {
    return href?.startsWith("#") === true ? this.tree.ids.get(href.slice(1)) : undefined;
  }

  refuse(node: SvgNode, style: Style, effects: Effects): void {
    for (const [property, harmless] of effects) {
      const value = style.get(property);
      if (value !== undefined && !harmless.includes(value)) {
        this.unsupported(node, property, `The property ${property} is not converted.`);
      }
    }
  }

  /** More characters of a text. */
  countCharacters(node: SvgNode, count: number): void {
    this.characters += count;
    if (this.characters > CHARACTERS_MAX) {
      const message = `The drawing's texts have more than ${CHARACTERS_MAX} characters.`;
      throw new ArtworkError("too_large", message, node);
    }
  }
}

/** The id that an address in a property names, with its `#`. */
export function urlTarget(value: string | undefined): string | undefined {
  return /^url\(\s*['"]?(#[^'")]*)['"]?\s*\)$/.exec(value?.trim() ?? "")?.[1];
}

export function groupOf(
  matrix: Matrix,
  clip: DisplayClip | null,
  items: readonly DisplayItem[],
): DisplayGroup {
  return { kind: "group", transform: matrix, opacity: 1, clip, mask: null, items };
}
