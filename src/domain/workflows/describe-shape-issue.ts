import type { z } from "zod";
import type { DefinitionIssue } from "../../engine/plan/plan.ts";
import { typeText } from "../../lib/issue-text.ts";
import { showValue } from "../../lib/show-value.ts";

const SHOWN_CHARS_MAX = 60;

/** A zod issue of a definition's shape as definition issues: one for each unknown field. */
export function describeShapeIssue(
  prefix: string,
  issue: z.core.$ZodIssue,
  nodeId: string | undefined,
): DefinitionIssue[] {
  const node = nodeId === undefined ? {} : { node_id: nodeId };
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      code: "UNKNOWN_FIELD",
      path: jsonPath(prefix, [...issue.path, key]),
      message: `"${shorten(key)}" is not a field of a definition here.`,
      ...node,
    }));
  }
  const path = jsonPath(prefix, issue.path);
  if (issue.code === "invalid_type" && issue.input === undefined) {
    const message = `${path === "" ? "The definition" : `"${path}"`} is missing; give ${typeText(issue.expected)}.`;
    return [{ code: "REQUIRED_FIELD", path, message, ...node }];
  }
  const given = issue.input === undefined ? "" : `; got ${showValue(issue.input)}`;
  return [{ code: "INVALID_FIELD", path, message: `${issue.message}${given}.`, ...node }];
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** `nodes[3]` and `["position", "x"]` → `nodes[3].position.x`. */
function jsonPath(prefix: string, path: readonly PropertyKey[]): string {
  let text = prefix;
  for (const key of path) {
    if (typeof key === "number") {
      text += `[${key}]`;
    } else if (PLAIN_KEY.test(String(key))) {
      text += text === "" ? String(key) : `.${String(key)}`;
    } else {
      text += `[${JSON.stringify(shorten(String(key)))}]`;
    }
  }
  return text;
}

function shorten(text: string): string {
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}
