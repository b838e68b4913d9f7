import type {
  Box,
  DisplayClip,
  DisplayItem,
  DisplayLink,
  DisplayMask,
  Matrix,
  Point,
} from "../../display-list.ts";
import { apply, multiply } from "./matrix.ts";

/** How a group of items is drawn. */
export interface GroupStyle {
  readonly transform: Matrix;
  readonly opacity: number;
  readonly clip: DisplayClip | null;
  readonly mask: DisplayMask | null;
}

/** Where elements are painted: a page, or a group on it, with coordinates of its own. */
export class Canvas {
  readonly items: DisplayItem[] = [];
  /** From the canvas to the page. */
  readonly matrix: Matrix;
  readonly #links: DisplayLink[];

  constructor(matrix: Matrix, links: DisplayLink[]) {
    this.matrix = matrix;
    this.#links = links;
  }

  /** Paints into a group; a group that stays empty is left out. */
  group(style: GroupStyle, paint: (inside: Canvas) => void): void {
    const inside = new Canvas(multiply(this.matrix, style.transform), this.#links);
    paint(inside);
    if (inside.items.length > 0) {
      this.items.push({ kind: "group", ...style, items: inside.items });
    }
  }

  /** Makes a box a link. */
  link(box: Box, target: DisplayLink["target"]): void {
    this.#links.push({ corners: this.corners(box), target });
  }

  /** The corners of a box on the page. */
  corners({ x, y, width, height }: Box): [Point, Point, Point, Point] {
    return [
      apply(this.matrix, x, y),
      apply(this.matrix, x + width, y),
      apply(this.matrix, x + width, y + height),
      apply(this.matrix, x, y + height),
    ];
  }

  /** How much larger things are on the page, by area. */
  get scale(): number {
    const [a, b, c, d] = this.matrix;
    return Math.sqrt(Math.abs(a * d - b * c));
  }
}
