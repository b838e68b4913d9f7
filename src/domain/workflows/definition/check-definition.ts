import type { Definition } from "../../../contracts/workflows/definition.ts";
import { compile } from "../../../engine/compile/compile.ts";
import type { DefinitionIssue, Plan } from "../../../engine/plan/plan.ts";
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import { findNodeType, NODE_TYPES } from "../../../nodes/registry.ts";
import type { ResolveReferences } from "../../../contracts/references.ts";
import type { FindNodeType } from "../../../engine/compile/read-nodes.ts";
import { NO_REFERENCES, References, referencesIn } from "../../../engine/compile/references.ts";
import { checkInterfaces } from "./check-interfaces.ts";
import { type ReadDefinition, readDefinition } from "./read-definition.ts";

export interface CheckedDefinition {
  /** The readable part of the definition; complete if there is no error. */
  readonly definition: Definition | undefined;
  /** Present exactly if there is no error. */
  readonly plan: Plan | undefined;
  readonly references: References;
  readonly errors: readonly DefinitionIssue[];
  readonly warnings: readonly DefinitionIssue[];
}

/** Compiler issues of a node that are only caused by an unreadable connection to it. */
const OF_LOST_CONNECTIONS: ReadonlySet<string> = new Set([
  "PORT_NOT_CONNECTED",
  "CONNECTION_COUNT",
  "CALC_UNCONNECTED_VARIABLE",
  "TEXT_TEMPLATE_MISSING_TEMPLATE",
]);

/** Every problem of a definition at once: shape, nodes, connections, scopes, interfaces (docs/contract/workflows.md#definitions). */
export function checkDefinition(
  value: JsonValue,
  references: References = NO_REFERENCES,
  find: FindNodeType = findNodeType,
): CheckedDefinition {
  const read = readDefinition(value);
  if (read.definition === undefined) {
    return {
      definition: undefined,
      plan: undefined,
      references,
      errors: read.issues,
      warnings: [],
    };
  }
  const compiled = compile(
    read.definition,
    find,
    NODE_TYPES.map((node) => node.type),
    references,
  );
  const interfaces = checkInterfaces(read.definition, find);
  const found = [...compiled.issues, ...interfaces.errors];
  const errors = [
    ...read.issues,
    ...found
      .filter(
        (issue) => !(read.cutNodes.has(issue.node_id ?? "") && OF_LOST_CONNECTIONS.has(issue.code)),
      )
      .map((issue) => atOrigin(issue, read)),
  ];
  const warnings = [...compiled.warnings, ...interfaces.warnings].map((issue) =>
    atOrigin(issue, read),
  );
  return {
    definition: read.definition,
    plan: errors.length === 0 ? compiled.plan : undefined,
    references,
    errors,
    warnings,
  };
}

/** Validates a definition with its references, which are fetched first. */
export async function checkWithReferences(
  value: JsonValue,
  resolve: ResolveReferences,
  find: FindNodeType = findNodeType,
): Promise<CheckedDefinition> {
  const { definition } = readDefinition(value);
  const needed = definition === undefined ? [] : referencesIn(definition, find);
  const found = needed.length === 0 ? [] : await resolve(needed);
  return checkDefinition(value, new References(found), find);
}

/** Unreadable entries were omitted before compiling; maps paths back to the original positions. */
function atOrigin(issue: DefinitionIssue, { origin }: ReadDefinition): DefinitionIssue {
  const match = /^(nodes|connections|interfaces)\[(\d+)\]/.exec(issue.path);
  if (match === null) {
    return issue;
  }
  const list = match[1] as keyof typeof origin;
  const index = origin[list][Number(match[2])] ?? Number(match[2]);
  return { ...issue, path: `${list}[${index}]${issue.path.slice(match[0].length)}` };
}
