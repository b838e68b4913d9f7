import type { JsonValue } from "../../lib/exact-json.ts";
import { checkDefinition } from "./check-definition.ts";
import { type DefinitionProblem, definitionProblem } from "./definition-problem.ts";

export interface ValidationReport {
  readonly valid: boolean;
  readonly errors: readonly DefinitionProblem[];
  readonly warnings: readonly DefinitionProblem[];
}

/** Every problem of a definition at once, and what is allowed but probably not meant. */
export function validateDefinition(value: JsonValue): ValidationReport {
  const { errors, warnings } = checkDefinition(value);
  return {
    valid: errors.length === 0,
    errors: errors.map((issue) => definitionProblem(issue)),
    warnings: warnings.map((issue) => definitionProblem(issue)),
  };
}
