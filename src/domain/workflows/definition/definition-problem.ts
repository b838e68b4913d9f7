import { ISSUE_SUGGESTIONS } from "../../../contracts/workflows/definition-issue.ts";
import type { DefinitionIssue } from "../../../engine/plan/plan.ts";
import type { FieldError } from "../../../lib/errors/errors.ts";

export type DefinitionProblem = FieldError & {
  readonly code: string;
  readonly path: string;
  readonly suggestion: string;
};

/**
 * The public view of an issue: a field error with code, node and suggested fix
 * (docs/contract/workflows.md#definitions).
 */
export function definitionProblem(issue: DefinitionIssue): DefinitionProblem {
  return {
    field: issue.path,
    message: issue.message,
    code: issue.code,
    path: issue.path,
    ...(issue.node_id === undefined ? {} : { node_id: issue.node_id }),
    suggestion: issue.suggestion ?? ISSUE_SUGGESTIONS[issue.code],
  };
}
