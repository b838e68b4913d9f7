import * as z from "zod";
import { FormulaSyntaxError } from "./formula-syntax-error.ts";
import { parseJsonPath } from "./json-path.ts";

/**
 * A parameter with a path into a JSON value; an invalid path is rejected when the definition is
 * saved.
 */
export const jsonPathField = z.string().superRefine((path, context) => {
  try {
    parseJsonPath(path);
  } catch (error) {
    if (!(error instanceof FormulaSyntaxError)) {
      throw error;
    }
    context.addIssue({ code: "custom", message: `${error.message}.` });
  }
});
