import * as z from "zod";
import { FontReference } from "../../contracts/files/font.ts";
import { box } from "./element-box.ts";
import { Link } from "./link.ts";
import { withoutDefaults } from "./paint.ts";
import {
  colorOrNone,
  coordinate,
  familyName,
  flag,
  languageTag,
  share,
  size,
  text,
} from "./scalars.ts";

const fontSize = z.number().min(1).max(1_000);
const lineHeight = z.number().min(0.5).max(5);
const textAlign = z.enum(["start", "left", "center", "right", "justify", "end"]);
const direction = z.enum(["auto", "ltr", "rtl"]);
const font = z.strictObject(FontReference.shape).meta({ id: "PinnedFont" });

const runProperties = {
  fontFamily: familyName.default("Noto Sans"),
  font: font.optional(),
  fontSize: fontSize.default(12),
  fontWeight: z.int().min(100).max(900).default(400),
  fontStyle: z.enum(["normal", "italic"]).default("normal"),
  fill: colorOrNone.default("#000000"),
  fillOpacity: share.default(1),
  /** Points after each cluster. */
  charSpacing: z.number().min(-100).max(100).default(0),
  underline: flag.default(false),
  strikethrough: flag.default(false),
};

/** A run states what differs from the element. */
const RichTextRun = z
  .strictObject({
    text,
    ...withoutDefaults(runProperties),
    /** Points upwards. */
    baselineShift: coordinate.optional(),
    link: Link.optional(),
  })
  .meta({ id: "RichTextRun" });
export type RichTextRun = z.output<typeof RichTextRun>;

const RichTextParagraph = z
  .strictObject({
    textAlign: textAlign.optional(),
    lineHeight: lineHeight.optional(),
    spaceBefore: size.default(0),
    spaceAfter: size.default(0),
    direction: direction.optional(),
    runs: z.array(RichTextRun),
  })
  .meta({ id: "RichTextParagraph" });
export type RichTextParagraph = z.output<typeof RichTextParagraph>;

export const RichText = z
  .strictObject({ paragraphs: z.array(RichTextParagraph) })
  .meta({ id: "RichText" });
export type RichText = z.output<typeof RichText>;

const textProperties = {
  ...runProperties,
  fallbackFonts: z.array(familyName).max(8).default([]),
  textAlign: textAlign.default("start"),
  verticalAlign: z.enum(["top", "middle", "bottom"]).default("top"),
  /** Times the size of the font. */
  lineHeight: lineHeight.default(1.2),
  padding: size.default(0),
  direction: direction.default("auto"),
  language: languageTag.optional(),
  textTransform: z.enum(["none", "uppercase", "lowercase"]).default("none"),
  /** OpenType tag → value. */
  features: z.record(z.string().regex(/^[\x20-\x7e]{4}$/), z.int().min(0).max(65_535)).optional(),
  fixedHeight: flag.default(true),
  overflowMode: z.enum(["clip", "visible", "ellipsis", "shrink", "fail"]).default("clip"),
  minFontSize: fontSize.default(6),
  maxLines: z.int().min(1).max(1_000).optional(),
};

/** What a style of kind `text` may state. */
export const TextStyle = z.strictObject(withoutDefaults(textProperties)).meta({ id: "TextStyle" });
export type TextStyle = z.output<typeof TextStyle>;

export const TextElement = z
  .strictObject({
    $type: z.literal("text"),
    ...box,
    ...textProperties,
    text: text.optional(),
    richText: RichText.optional(),
  })
  .meta({ id: "TextElement" });
export type TextElement = z.output<typeof TextElement>;
