import * as z from "zod";
import { Condition } from "./condition.ts";
import { Placeholder } from "./field.ts";
import { Link } from "./link.ts";
import { coordinate, finite, flag, guid, share, size, text } from "./scalars.ts";

const common = {
  id: guid,
  name: text.default(""),
  left: coordinate.default(0),
  top: coordinate.default(0),
  /** Degrees, clockwise, about the center of the box. */
  angle: finite.default(0),
  flipX: flag.default(false),
  flipY: flag.default(false),
  opacity: share.default(1),
  visible: flag.default(true),
  placeholder: Placeholder.optional(),
  condition: Condition.optional(),
  link: Link.optional(),
  styleId: guid.optional(),
  /** On a page's top level only: which output pages of one page show it. */
  pageScope: z.enum(["first", "continuation", "last", "all"]).default("first"),
};

/** Properties of every element that has a box. */
export const box = { ...common, width: size, height: size };
/** The same without a size: circles, ellipses and lines have one of their own. */
export const ownSize = { ...common, width: size.optional(), height: size.optional() };
