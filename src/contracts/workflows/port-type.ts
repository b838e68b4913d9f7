import * as z from "zod";
import { MEDIA_KIND_NAMES } from "../media/media-kinds.ts";

/** The type of a port. `any` is checked at run time. */
export const PORT_TYPES = [
  "text",
  "number",
  "boolean",
  "json",
  "url",
  ...MEDIA_KIND_NAMES,
  "dataset",
  "any",
] as const;

export const PortType = z.enum(PORT_TYPES);
export type PortType = z.infer<typeof PortType>;
