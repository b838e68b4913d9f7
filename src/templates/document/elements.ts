import * as z from "zod";
import { box, ownSize } from "./element-box.ts";
import { alignment, imageFitMode, Placeholder } from "./field.ts";
import { fillRule, linePaint, shapePaint } from "./paint.ts";
import {
  color,
  colorOrNone,
  coordinate,
  finite,
  flag,
  guid,
  jsonValue,
  pathData,
  share,
  size,
  textUpTo,
  transform,
} from "./scalars.ts";
import { TextElement } from "./text-element.ts";

const ImageFrame = z
  .strictObject({
    focalX: share.default(0.5),
    focalY: share.default(0.5),
    scale: z.number().min(0.1).max(10).default(1),
    offsetX: coordinate.default(0),
    offsetY: coordinate.default(0),
    rotation: finite.default(0),
    strokeColor: colorOrNone.default(null),
    strokeWidth: size.default(0),
  })
  .meta({ id: "ImageFrame" });
export type ImageFrame = z.output<typeof ImageFrame>;

const MaskShape = z
  .strictObject({
    pathData,
    fillRule,
    transform: transform.optional(),
    opacity: share.default(1),
    luminance: share.optional(),
    color: color.optional(),
  })
  .meta({ id: "MaskShape" });
export type MaskShape = z.output<typeof MaskShape>;

const units = z.enum(["object_bounding_box", "user_space"]).default("object_bounding_box");
const mask = {
  units,
  transform: transform.optional(),
  shapes: z.array(MaskShape).min(1).max(200),
};

const ClipPath = z.strictObject(mask).meta({ id: "ClipPath" });
export type ClipPath = z.output<typeof ClipPath>;

const OpacityMask = z
  .strictObject({
    ...mask,
    contentUnits: units,
    x: coordinate.default(-0.1),
    y: coordinate.default(-0.1),
    width: size.default(1.2),
    height: size.default(1.2),
  })
  .meta({ id: "OpacityMask" });
export type OpacityMask = z.output<typeof OpacityMask>;

/** The source of a picture; its address is judged when the picture is fetched. */
export const pictureSource = z.string();

export const ImageElement = z
  .strictObject({
    $type: z.literal("image"),
    ...box,
    src: pictureSource.nullable().default(null),
    fitMode: imageFitMode.default("fit"),
    alignment: alignment.default("center"),
    frame: ImageFrame.optional(),
    clipPath: ClipPath.optional(),
    opacityMask: OpacityMask.optional(),
  })
  .meta({ id: "ImageElement" });
export type ImageElement = z.output<typeof ImageElement>;

export const RectangleElement = z
  .strictObject({
    $type: z.literal("rectangle"),
    ...box,
    ...shapePaint,
    rx: size.optional(),
    ry: size.optional(),
    cornerRadiusTopLeft: size.optional(),
    cornerRadiusTopRight: size.optional(),
    cornerRadiusBottomRight: size.optional(),
    cornerRadiusBottomLeft: size.optional(),
  })
  .meta({ id: "RectangleElement" });
export type RectangleElement = z.output<typeof RectangleElement>;

export const CircleElement = z
  .strictObject({ $type: z.literal("circle"), ...ownSize, ...shapePaint, radius: size })
  .meta({ id: "CircleElement" });
export type CircleElement = z.output<typeof CircleElement>;

export const EllipseElement = z
  .strictObject({ $type: z.literal("ellipse"), ...ownSize, ...shapePaint, rx: size, ry: size })
  .meta({ id: "EllipseElement" });
export type EllipseElement = z.output<typeof EllipseElement>;

const marker = z.enum(["none", "arrow", "circle"]).default("none");

export const LineElement = z
  .strictObject({
    $type: z.literal("line"),
    ...ownSize,
    ...linePaint,
    x1: coordinate,
    y1: coordinate,
    x2: coordinate,
    y2: coordinate,
    startMarker: marker,
    endMarker: marker,
  })
  .meta({ id: "LineElement" });
export type LineElement = z.output<typeof LineElement>;

export const PathElement = z
  .strictObject({ $type: z.literal("path"), ...box, ...shapePaint, pathData })
  .meta({ id: "PathElement" });
export type PathElement = z.output<typeof PathElement>;

/** 10 MB, as imports of drawings. */
export const ARTWORK_CHARACTERS_MAX = 10_000_000;

export const SvgArtworkElement = z
  .strictObject({
    $type: z.literal("svg_artwork"),
    ...box,
    svg: textUpTo(ARTWORK_CHARACTERS_MAX),
    /** Color of the drawing → color that prints in its place. */
    replacements: z.record(color, color).default({}),
  })
  .meta({ id: "SvgArtworkElement" });
export type SvgArtworkElement = z.output<typeof SvgArtworkElement>;

const ComponentOverride = z
  .strictObject({
    elementId: guid,
    /** Properties of that element; checked against its own type. */
    properties: z.record(z.string(), jsonValue),
  })
  .meta({ id: "ComponentOverride" });
export type ComponentOverride = z.output<typeof ComponentOverride>;

export const ComponentInstanceElement = z
  .strictObject({
    $type: z.literal("component_instance"),
    ...box,
    componentId: guid,
    overrides: z.array(ComponentOverride).default([]),
  })
  .meta({ id: "ComponentInstanceElement" });
export type ComponentInstanceElement = z.output<typeof ComponentInstanceElement>;

const flowDirection = z.enum(["vertical", "horizontal", "grid"]).default("vertical");
const columns = z.int().min(1).max(24).default(2);

// Containers without their children: the type of an element that holds elements cannot be inferred in one step.
const group = { $type: z.literal("group"), ...box };
const folder = { $type: z.literal("folder"), ...box };
const layoutRegion = {
  $type: z.literal("layout_region"),
  ...box,
  direction: flowDirection,
  gap: size.default(0),
  /** Of a grid; the gap where it is left out. */
  rowGap: size.optional(),
  padding: size.default(0),
  columns,
  alignItems: z.enum(["start", "center", "end", "stretch"]).default("start"),
  justifyContent: z.enum(["start", "center", "end", "space_between"]).default("start"),
  fitHeight: flag.default(false),
};
const repeatRegion = {
  $type: z.literal("repeat_region"),
  ...box,
  placeholder: Placeholder,
  itemHeight: size,
  itemWidth: size.optional(),
  fitItemHeight: flag.default(false),
  direction: flowDirection,
  columns,
  gap: size.default(0),
  rowGap: size.optional(),
  headerHeight: size.default(0),
  repeatHeader: flag.default(true),
  maxItems: z.int().min(1).max(100).default(100),
  overflowMode: z.enum(["clip", "continue", "grow"]).default("clip"),
};

type Output<S extends z.ZodRawShape> = z.output<z.ZodObject<S, z.core.$strict>>;
type Input<S extends z.ZodRawShape> = z.input<z.ZodObject<S, z.core.$strict>>;

export interface GroupElement extends Output<typeof group> {
  children: DesignElement[];
}
/** Its children print as if they stood in its place; of its own properties only `visible` counts. */
export interface FolderElement extends Output<typeof folder> {
  children: DesignElement[];
}
export interface LayoutRegionElement extends Output<typeof layoutRegion> {
  children: DesignElement[];
}
export interface RepeatRegionElement extends Output<typeof repeatRegion> {
  /** The row, printed once for each item. */
  children: DesignElement[];
  header: DesignElement[];
}

/** With its defaults filled in. */
export type DesignElement =
  | TextElement
  | ImageElement
  | RectangleElement
  | CircleElement
  | EllipseElement
  | LineElement
  | PathElement
  | SvgArtworkElement
  | ComponentInstanceElement
  | GroupElement
  | FolderElement
  | LayoutRegionElement
  | RepeatRegionElement;

interface WithChildren {
  children: DesignElementInput[];
}

/** As it is stored. */
export type DesignElementInput =
  | z.input<
      | typeof TextElement
      | typeof ImageElement
      | typeof RectangleElement
      | typeof CircleElement
      | typeof EllipseElement
      | typeof LineElement
      | typeof PathElement
      | typeof SvgArtworkElement
      | typeof ComponentInstanceElement
    >
  | (Input<typeof group> & WithChildren)
  | (Input<typeof folder> & WithChildren)
  | (Input<typeof layoutRegion> & WithChildren)
  | (Input<typeof repeatRegion> & WithChildren & { header?: DesignElementInput[] | undefined });

/** Every element; what is first in a list is at the back. */
export const DesignElement: z.ZodType<DesignElement, DesignElementInput> = z
  .lazy(() => AnyElement)
  .meta({ id: "DesignElement" });
const children = z.array(DesignElement);

/** The schema of each type of element. */
export const ELEMENT_SCHEMAS = {
  text: TextElement,
  image: ImageElement,
  rectangle: RectangleElement,
  circle: CircleElement,
  ellipse: EllipseElement,
  line: LineElement,
  path: PathElement,
  svg_artwork: SvgArtworkElement,
  group: z.strictObject({ ...group, children }).meta({ id: "GroupElement" }),
  folder: z.strictObject({ ...folder, children }).meta({ id: "FolderElement" }),
  layout_region: z.strictObject({ ...layoutRegion, children }).meta({ id: "LayoutRegionElement" }),
  repeat_region: z
    .strictObject({ ...repeatRegion, children, header: children.default([]) })
    .meta({ id: "RepeatRegionElement" }),
  component_instance: ComponentInstanceElement,
} as const;
export type ElementType = keyof typeof ELEMENT_SCHEMAS;

const AnyElement = z.discriminatedUnion("$type", [
  ELEMENT_SCHEMAS.text,
  ELEMENT_SCHEMAS.image,
  ELEMENT_SCHEMAS.rectangle,
  ELEMENT_SCHEMAS.circle,
  ELEMENT_SCHEMAS.ellipse,
  ELEMENT_SCHEMAS.line,
  ELEMENT_SCHEMAS.path,
  ELEMENT_SCHEMAS.svg_artwork,
  ELEMENT_SCHEMAS.group,
  ELEMENT_SCHEMAS.folder,
  ELEMENT_SCHEMAS.layout_region,
  ELEMENT_SCHEMAS.repeat_region,
  ELEMENT_SCHEMAS.component_instance,
]);
