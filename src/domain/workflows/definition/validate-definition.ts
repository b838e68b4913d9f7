import { type JsonValue, parseJson, stringifyJson } from "../../../lib/json/exact-json.ts";
import { jsonValueProblem } from "../../../lib/json/value-depth.ts";
import { checkWithReferences } from "./check-definition.ts";
import type { ResolveReferences } from "../../../contracts/references.ts";
import { resolverOf } from "../../references/resolve-references.ts";
import { checkSchemas } from "./check-schemas.ts";
import { type DefinitionProblem, definitionProblem } from "./definition-problem.ts";
import { definitionSizeProblem } from "./prepare-definition.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { withWorkingPins } from "../../templates/workflow-pins.ts";
import { readDefinitionText } from "./read-definition-text.ts";

export interface ValidationReport {
  readonly valid: boolean;
  readonly errors: readonly DefinitionProblem[];
  readonly warnings: readonly DefinitionProblem[];
}

/**
 * Every problem of a definition at once, and warnings about valid parts that are probably mistakes.
 */
export async function validateDefinition(
  value: JsonValue,
  resolve: ResolveReferences,
): Promise<ValidationReport> {
  const message = definitionSizeProblem(stringifyJson(value));
  if (message !== undefined) {
    // It could not be saved either, and the work of finding all other problems has no bound.
    const problem = definitionProblem({ code: "DEFINITION_TOO_LARGE", path: "", message });
    return { valid: false, errors: [problem], warnings: [] };
  }
  const unstorable = jsonValueProblem(value);
  if (unstorable !== undefined) {
    const said = `The definition cannot be used: ${unstorable}.`;
    const problem = definitionProblem({ code: "INVALID_FIELD", path: "", message: said });
    return { valid: false, errors: [problem], warnings: [] };
  }
  const checked = await checkWithReferences(value, resolve);
  const errors = [...checked.errors, ...(await checkSchemas(checked))];
  const { warnings } = checked;
  return {
    valid: errors.length === 0,
    errors: errors.map((issue) => definitionProblem(issue)),
    warnings: warnings.map((issue) => definitionProblem(issue)),
  };
}

/**
 * Validates a definition for this workflow, or its working one. Throws `not_found`, `forbidden`.
 */
export async function validateWorkflow(
  ctx: CallerContext,
  id: string,
  definition: JsonValue | undefined,
): Promise<ValidationReport> {
  const { text, templatePins } = await readDefinitionText(ctx, id);
  const resolve = resolverOf(withWorkingPins(ctx, id, templatePins));
  return validateDefinition(definition ?? parseJson(text), resolve);
}
