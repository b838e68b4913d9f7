import * as z from "zod";
import { DesignElement, pictureSource } from "./elements.ts";
import { TextStyle } from "./text-element.ts";
import { Gradient, PaintStyle } from "./paint.ts";
import { colorOrNone, flag, guid, jsonValue, share, size, text, textUpTo } from "./scalars.ts";

export const DESIGN_DOCUMENT_REF = "svc.design-document/2.0";
export const SCHEMA_VERSION = "2.0";

const pageSize = z.number().min(10).max(14_400);

const BackgroundImage = z
  .strictObject({
    src: pictureSource,
    fitMode: z.enum(["cover", "contain", "stretch"]).default("cover"),
    focalX: share.default(0.5),
    focalY: share.default(0.5),
    scale: z.number().min(0.25).max(4).default(1),
  })
  .meta({ id: "BackgroundImage" });
export type BackgroundImage = z.output<typeof BackgroundImage>;

const sheet = {
  id: guid,
  name: text.default(""),
  width: pageSize,
  height: pageSize,
  /** Only a label. */
  pageFormat: z.enum(["A4", "Letter", "Custom"]).default("Custom"),
  backgroundColor: colorOrNone.default(null),
  backgroundPaint: Gradient.optional(),
  backgroundImage: BackgroundImage.optional(),
  elements: z.array(DesignElement).default([]),
};

export const DesignPage = z
  .strictObject({
    ...sheet,
    fitHeight: flag.default(false),
    bottomMargin: size.default(0),
    masterPageId: guid.optional(),
    masterLayer: z.enum(["underlay", "overlay"]).default("underlay"),
    useMasterBackground: flag.default(false),
    masterAssignment: z.enum(["automatic", "manual", "none"]).default("automatic"),
    numberingStart: z.int().min(0).optional(),
    numberingStyle: z.enum(["arabic", "roman_upper", "roman_lower"]).default("arabic"),
    hidePageNumber: flag.default(false),
  })
  .meta({ id: "DesignPage" });
export type DesignPage = z.output<typeof DesignPage>;

export const MasterPage = z
  .strictObject({ ...sheet, automaticRule: z.enum(["all", "odd", "even"]).default("all") })
  .meta({ id: "MasterPage" });
export type MasterPage = z.output<typeof MasterPage>;

const label = textUpTo(500).default("");

const DocumentMetadata = z
  .strictObject({
    title: label,
    author: label,
    subject: label,
    keywords: z.array(textUpTo(100)).max(50).default([]),
  })
  .meta({ id: "DocumentMetadata" });
export type DocumentMetadata = z.output<typeof DocumentMetadata>;

export const SampleSet = z
  .strictObject({
    id: guid,
    name: textUpTo(120, 1),
    /** By field code. */
    values: z.record(z.string(), jsonValue),
  })
  .meta({ id: "SampleSet" });
export type SampleSet = z.output<typeof SampleSet>;

const DesignStyle = z
  .discriminatedUnion("kind", [
    z.strictObject({ id: guid, name: text, kind: z.literal("text"), properties: TextStyle }),
    z.strictObject({ id: guid, name: text, kind: z.literal("paint"), properties: PaintStyle }),
  ])
  .meta({ id: "DesignStyle" });
export type DesignStyle = z.output<typeof DesignStyle>;

export const DesignComponent = z
  .strictObject({
    id: guid,
    name: text,
    width: size,
    height: size,
    elements: z.array(DesignElement),
  })
  .meta({ id: "DesignComponent" });
export type DesignComponent = z.output<typeof DesignComponent>;

/** A design template's document: the only definition of its shape (docs/contract/templates.md#documents). */
export const DesignDocument = z
  .strictObject({
    schemaVersion: z.literal(SCHEMA_VERSION),
    pages: z.array(DesignPage).min(1).max(100),
    masterPages: z.array(MasterPage).max(32).default([]),
    metadata: DocumentMetadata.default({ title: "", author: "", subject: "", keywords: [] }),
    sampleSets: z.array(SampleSet).max(50).default([]),
    styles: z.array(DesignStyle).max(200).default([]),
    components: z.array(DesignComponent).max(200).default([]),
  })
  .meta({ id: "DesignDocument" });
/** With its defaults filled in. */
export type DesignDocument = z.output<typeof DesignDocument>;
/** As it is stored: deep-equal to what was sent. */
export type DesignDocumentInput = z.input<typeof DesignDocument>;
