import { type JsonValue, parseJson } from "../../lib/exact-json.ts";
import type { CallerContext } from "../../platform/context.ts";
import { readDefinitionText } from "./read-definition-text.ts";
import { type ValidationReport, validateDefinition } from "./validate-definition.ts";

/** Checks a definition meant for this workflow, or its working one. Throws `not_found`, `forbidden`. */
export async function validateWorkflow(
  ctx: CallerContext,
  id: string,
  definition: JsonValue | undefined,
): Promise<ValidationReport> {
  const { text } = await readDefinitionText(ctx, id);
  return validateDefinition(definition ?? parseJson(text));
}
