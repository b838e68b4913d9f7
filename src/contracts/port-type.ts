import * as z from "zod";
import { MEDIA_KIND_NAMES } from "./media-kinds.ts";

/** What a port carries. `any` is checked when it runs. */
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
