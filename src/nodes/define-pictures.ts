/** What nodes that make pictures share. */
import * as z from "zod";
import type { Background } from "../contracts/models/picture-edits.ts";
import { HEX_COLOR, parseHexColor } from "../lib/hex-color.ts";

/** A color as `#RRGGBB`, or `transparent`. */
export const backgroundField = z.union(
  [z.string().regex(HEX_COLOR, "must be a color as #RRGGBB"), z.literal("transparent")],
  "must be a color as #RRGGBB, or transparent",
);

/** The color that a parameter states; null if it is transparent or was not given. */
export function backgroundOf(text: string | undefined): Background {
  return text === undefined || text === "transparent" ? null : parseHexColor(text);
}

/** Content types by the name of the format in parameters. */
export const PICTURE_TYPES = { png: "image/png", jpg: "image/jpeg", webp: "image/webp" } as const;
