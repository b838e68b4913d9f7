import type { Box, Fill, FillRule, Path, Stroke } from "../../display-list.ts";
import type { Condition } from "../../document/condition.ts";
import type { Placeholder } from "../../document/field.ts";
import type { Gradient } from "../../document/paint.ts";
import type { Link } from "../../document/link.ts";
import type { TextSpec } from "../../text/text-spec.ts";
import type { FieldTable } from "../fields/field-table.ts";
import type { PageNumbering } from "../pages/page-numbers.ts";
import type { Anchor, BackgroundFit, FitMode, FrameFit } from "../drawing/picture-placement.ts";

/**
 * A document made ready for many renders: defaults, styles, components and overrides are in place, folders are
 * dissolved, paths are parsed. Nothing in it depends on values. Lengths are in points.
 */
export interface PreparedDocument {
  readonly pages: readonly PreparedPage[];
  readonly masters: readonly PreparedMaster[];
  readonly fields: FieldTable;
}

export interface PreparedSheet {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly background: PreparedBackground;
  readonly elements: readonly PreparedElement[];
}

export interface PreparedBackground {
  readonly color: string | null;
  readonly paint: Gradient | undefined;
  readonly image: (BackgroundFit & { readonly src: string }) | undefined;
}

export interface PreparedMaster extends PreparedSheet {
  readonly rule: "all" | "odd" | "even";
}

export interface PreparedPage extends PreparedSheet {
  readonly fitHeight: boolean;
  readonly bottomMargin: number;
  /** The masters that may apply, in order; the first whose rule fits the number of the output page does. */
  readonly masters: readonly PreparedMaster[];
  readonly masterLayer: "underlay" | "overlay";
  readonly useMasterBackground: boolean;
  readonly numbering: PageNumbering;
  /** The element whose rows go on on further output pages; one of `elements`. */
  readonly flow: PreparedRepeat | null;
}

export type PreparedElement =
  | PreparedText
  | PreparedImage
  | PreparedShape
  | PreparedArtwork
  | PreparedGroup
  | PreparedLayout
  | PreparedRepeat;

export type PageScope = "first" | "continuation" | "last" | "all";

export interface PreparedBase {
  readonly id: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly angle: number;
  readonly flipX: boolean;
  readonly flipY: boolean;
  readonly opacity: number;
  readonly visible: boolean;
  readonly field: Placeholder | undefined;
  readonly condition: Condition | undefined;
  readonly link: Link | undefined;
  readonly pageScope: PageScope;
  /** Whether an authored text in it, at any depth, has a page number token. */
  readonly usesPageNumbers: boolean;
}

export interface PreparedText extends PreparedBase {
  readonly kind: "text";
  /** With the element's own content. */
  readonly spec: TextSpec;
  /** The own content as one plain run, for values. */
  readonly plain: TextSpec;
  /** Of its runs, by `TextRun.link`. */
  readonly runLinks: readonly Link[];
}

export interface PreparedImage extends PreparedBase {
  readonly kind: "image";
  readonly src: string | null;
  readonly fitMode: FitMode;
  readonly anchor: Anchor;
  readonly frame: PreparedFrame | null;
  readonly clip: PreparedMask | null;
  readonly mask: PreparedOpacityMask | null;
}

export interface PreparedFrame extends FrameFit {
  readonly strokeColor: string | null;
  readonly strokeWidth: number;
}

/** Shapes in their units, with their own transforms and that of the mask applied. */
export interface PreparedMask {
  /** Coordinates 0 to 1 are those of the box; otherwise points from its top left. */
  readonly isBoxUnits: boolean;
  readonly shapes: readonly {
    readonly path: Path;
    readonly fillRule: FillRule;
    readonly value: number;
  }[];
}

export interface PreparedOpacityMask extends PreparedMask {
  readonly box: Box;
  readonly isBoxInBoxUnits: boolean;
}

export interface PreparedShape extends PreparedBase {
  readonly kind: "shape";
  /** From the box's top left. */
  readonly outline: Path;
  readonly fillRule: FillRule;
  readonly fill: Fill | null;
  readonly stroke: Stroke | null;
  readonly isStrokeFirst: boolean;
  readonly isNonScaling: boolean;
  /** What a color field colors; a line's stroke. */
  readonly colored: "fill" | "stroke";
  /** The paint of a value of a color field, without its color. */
  readonly fillOpacity: number;
  readonly strokeStyle: Omit<Stroke, "paint">;
  readonly ends: LineEnds | null;
  /** How the outline follows another size; null for shapes that keep theirs. */
  readonly resize: ((width: number, height: number) => PreparedShape) | null;
}

/** A line from (x1, y1) to (x2, y2) in its box, with what stands on its ends. */
export interface LineEnds {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  readonly start: Marker;
  readonly end: Marker;
}

export type Marker = "none" | "arrow" | "circle";

export interface PreparedArtwork extends PreparedBase {
  readonly kind: "artwork";
  readonly svg: string;
  readonly replacements: Readonly<Record<string, string>>;
}

/** A group, or an instance of a component. */
export interface PreparedGroup extends PreparedBase {
  readonly kind: "group";
  readonly children: readonly PreparedElement[];
  /** The component's own size, which is scaled to the box; null for a group. */
  readonly inner: { readonly width: number; readonly height: number } | null;
}

export type Direction = "vertical" | "horizontal" | "grid";

export interface PreparedLayout extends PreparedBase {
  readonly kind: "layout";
  readonly children: readonly PreparedElement[];
  readonly direction: Direction;
  readonly gap: number;
  readonly rowGap: number;
  readonly padding: number;
  readonly columns: number;
  readonly alignItems: "start" | "center" | "end" | "stretch";
  readonly justifyContent: "start" | "center" | "end" | "space_between";
  readonly fitHeight: boolean;
}

export interface PreparedRepeat extends PreparedBase {
  readonly kind: "repeat";
  readonly field: Placeholder;
  readonly children: readonly PreparedElement[];
  readonly header: readonly PreparedElement[];
  readonly headerHeight: number;
  readonly repeatHeader: boolean;
  readonly itemHeight: number;
  readonly itemWidth: number;
  readonly fitItemHeight: boolean;
  readonly direction: Direction;
  readonly columns: number;
  readonly gap: number;
  readonly rowGap: number;
  readonly maxItems: number;
  readonly overflowMode: "clip" | "continue" | "grow";
}
