import { compileSchema } from "../../../expressions/json-schema.ts";
import type { DefinitionIssue } from "../../../engine/plan/plan.ts";
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import { NodeError } from "../../../lib/errors/node-error.ts";
import { findNodeType } from "../../../nodes/registry.ts";
import type { CheckedDefinition } from "./check-definition.ts";

/**
 * Compiles every JSON Schema of the nodes, and validates an input's default against its own schema:
 * problems that otherwise the first run would find. Separate from `checkDefinition` because
 * compiling is asynchronous.
 */
export async function checkSchemas({ definition }: CheckedDefinition): Promise<DefinitionIssue[]> {
  const issues: DefinitionIssue[] = [];
  for (const [position, node] of (definition?.nodes ?? []).entries()) {
    const type = findNodeType(node.type);
    const parsed = type?.params.safeParse(node.parameters);
    if (type === undefined || parsed?.success !== true) {
      continue; // checkDefinition has reported the problem
    }
    const fallback = type.role === "input" ? type.defaultValue(parsed.data) : undefined;
    for (const { path, schema } of type.schemas?.(parsed.data) ?? []) {
      const found = await problemOf(schema, fallback);
      if (found !== undefined) {
        const at = `nodes[${position}].parameters.${found.isOfDefault ? "default" : path}`;
        issues.push({ ...found.issue, path: at, node_id: node.id });
      }
    }
  }
  return issues;
}

async function problemOf(
  schema: JsonValue,
  fallback: JsonValue | undefined,
): Promise<{ isOfDefault: boolean; issue: Pick<DefinitionIssue, "code" | "message"> } | undefined> {
  try {
    const check = await compileSchema(schema);
    const [violation] = fallback === undefined ? [] : check(fallback);
    return violation === undefined
      ? undefined
      : {
          isOfDefault: true,
          issue: {
            code: "INVALID_PARAMETER",
            message: `The default does not meet the node's own schema: ${violation.path === "" ? "it" : violation.path} ${violation.message}.`,
          },
        };
  } catch (error) {
    if (error instanceof NodeError) {
      const code =
        error.code === "SCHEMA_OPERATION_LIMIT" ? "SCHEMA_OPERATION_LIMIT" : "INVALID_SCHEMA";
      return { isOfDefault: false, issue: { code, message: error.message } };
    }
    throw error;
  }
}
