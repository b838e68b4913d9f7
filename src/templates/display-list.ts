/**
 * A design document laid out: what each page shows, and nothing about how it came there. The PDF writer reads nothing
 * else. Lengths are in points; a page's origin is its top left, y goes down, and angles
 * in matrices turn clockwise. Everything is plain data: two equal lists give equal bytes.
 */
export interface DisplayList {
  readonly pages: readonly DisplayPage[];
}

export interface DisplayPage {
  /** The page of the document that this output page was made from. */
  readonly pageId: string;
  /** From 1, over the whole output. */
  readonly pageNumber: number;
  /** The number as it prints, in the page's numbering style; "" if the page hides it. */
  readonly label: string;
  readonly width: number;
  readonly height: number;
  /** From back to front. */
  readonly items: readonly DisplayItem[];
  readonly links: readonly DisplayLink[];
}

/** `[a, b, c, d, e, f]` as in SVG and PDF: x' = a·x + c·y + e, y' = b·x + d·y + f. */
export type Matrix = readonly [number, number, number, number, number, number];

export type DisplayItem =
  | DisplayGroup
  | DisplayGlyphs
  | DisplayPath
  | DisplayPicture
  | DisplayArtwork;

/** Items that are moved, clipped, masked or made transparent together. */
export interface DisplayGroup {
  readonly kind: "group";
  readonly transform: Matrix;
  /** 0 to 1. Below 1 the items are composed first and then made transparent as one. */
  readonly opacity: number;
  /** Only what is inside shows. In the group's own coordinates. */
  readonly clip: DisplayClip | null;
  readonly mask: DisplayMask | DrawnMask | null;
  readonly items: readonly DisplayItem[];
}

/** The union of its shapes. */
export interface DisplayClip {
  readonly shapes: readonly { readonly path: Path; readonly fillRule: FillRule }[];
}

/** What shows through is the value of the last shape at that point, 0 where there is none or outside the box. */
export interface DisplayMask {
  readonly box: Box;
  readonly shapes: readonly {
    readonly path: Path;
    readonly fillRule: FillRule;
    /** 0 to 1: opacity and luminance multiplied. */
    readonly value: number;
  }[];
}

/** What shows through is the lightness of what is drawn at that point, 0 where there is nothing or outside the box. */
export interface DrawnMask {
  readonly box: Box;
  /** In gray. */
  readonly items: readonly DisplayItem[];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** One run of one face, size, direction and paint, on one baseline. */
export interface DisplayGlyphs {
  readonly kind: "glyphs";
  /** Key of the face among the fonts that were given to the layout: the digest of its file. */
  readonly face: string;
  readonly size: number;
  readonly fill: SolidPaint | GradientPaint;
  /** 0 to 1; of the fill. */
  readonly opacity: number;
  /** Solid; over the fill. Drawings alone have it. */
  readonly stroke?: Stroke;
  /** The baseline's start. */
  readonly x: number;
  readonly y: number;
  /** In visual order, from left to right. */
  readonly glyphs: readonly PlacedGlyph[];
  readonly clusters: readonly GlyphCluster[];
  readonly isRightToLeft: boolean;
  /** Space after each cluster, of which x of the glyphs has its part; absent where there is none. */
  readonly charSpacing?: number;
}

export interface PlacedGlyph {
  readonly glyph: number;
  /** From the run's start. x already has kerning, spacing and GPOS offsets. */
  readonly x: number;
  readonly y: number;
  /** Index among the run's clusters. */
  readonly cluster: number;
}

/** Characters that are printed together by some glyphs, in logical order within a run. */
export interface GlyphCluster {
  /** The characters that extraction of text gives back; never empty. */
  readonly text: string;
}

export interface DisplayPath {
  readonly kind: "path";
  readonly path: Path;
  readonly fillRule: FillRule;
  readonly fill: Fill | null;
  readonly stroke: Stroke | null;
  readonly isStrokeFirst: boolean;
}

export type FillRule = "non_zero" | "even_odd";

export interface Fill {
  readonly paint: SolidPaint | GradientPaint;
  /** 0 to 1. */
  readonly opacity: number;
}

export interface Stroke extends Fill {
  readonly width: number;
  /** Lengths of dashes and gaps; empty for a solid line. */
  readonly dashes: readonly number[];
  /** How far into the pattern the line starts; 0 without it. */
  readonly dashOffset?: number;
  readonly cap: "butt" | "round" | "square";
  readonly join: "miter" | "round" | "bevel";
  readonly miterLimit: number;
}

/** Absolute segments: M x y, L x y, C x1 y1 x2 y2 x y, Z. Quadratic curves and arcs are converted before. */
export interface Path {
  readonly segments: readonly PathSegment[];
}

export type PathSegment =
  | readonly ["M", number, number]
  | readonly ["L", number, number]
  | readonly ["C", number, number, number, number, number, number]
  | readonly ["Z"];

/** sRGB, each 0 to 255. */
export interface SolidPaint {
  readonly kind: "color";
  readonly rgb: readonly [number, number, number];
}

/** Coordinates are those of the path after `transform`. The ends are padded. */
export interface GradientPaint {
  readonly kind: "gradient";
  readonly transform: Matrix;
  readonly shape:
    | {
        readonly kind: "linear";
        readonly x1: number;
        readonly y1: number;
        readonly x2: number;
        readonly y2: number;
      }
    | {
        readonly kind: "radial";
        readonly cx: number;
        readonly cy: number;
        readonly r: number;
        readonly fx: number;
        readonly fy: number;
      };
  /** 2 to 32, in drawings to 256; offsets never fall. */
  readonly stops: readonly {
    readonly offset: number;
    readonly rgb: readonly [number, number, number];
    readonly opacity: number;
  }[];
}

/** A raster picture. The matrix puts the unit square (0,0 top left to 1,1 bottom right) on the page. */
export interface DisplayPicture {
  readonly kind: "picture";
  /** Key of the picture among those that were given to the layout: the digest of its bytes. */
  readonly picture: string;
  readonly matrix: Matrix;
}

/** A drawing that prints as vectors. The matrix puts its view box's unit square on the page. */
export interface DisplayArtwork {
  readonly kind: "artwork";
  /** Key of the drawing among the pictures that were given to the layout. */
  readonly artwork: string;
  readonly matrix: Matrix;
  /** Colors that are replaced, `#rrggbb` to `#rrggbb`, in lower case. */
  readonly replacements: Readonly<Record<string, string>>;
}

export interface DisplayLink {
  /** Where it can be clicked: the corners of a quadrilateral on the page. */
  readonly corners: readonly [Point, Point, Point, Point];
  readonly target:
    | { readonly kind: "url"; readonly url: string }
    | { readonly kind: "page"; readonly pageNumber: number };
}

export interface Point {
  readonly x: number;
  readonly y: number;
}
