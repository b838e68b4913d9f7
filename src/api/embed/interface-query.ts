import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** The query of routes whose answer depends on the interface in force. */
export const interfaceQuery = {
  interface: z
    .string()
    .max(LIMITS.identifier.value)
    .optional()
    .describe("Id of a custom interface; only where the token does not fix another one."),
};
