import type { z } from "zod";
import type { FieldError } from "../lib/errors.ts";
import { showValue } from "../lib/show-value.ts";

const SHOWN_CHARS_MAX = 60;
/** Begins what a schema says that has no words of its own for it. */
const UNWORDED = "Invalid input: ";

/** One zod issue as field errors: a JSON path, and a message that names the value and the rule. */
export function describeIssue(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      field: toPath([...issue.path, key]),
      message: "Unknown field. Remove it, or check its spelling.",
    }));
  }
  if (issue.code === "invalid_union") {
    return describeUnion(issue);
  }
  return [{ field: toPath(issue.path), message: messageOf(issue) }];
}

/** Of a union, the branch that came furthest speaks for it; a union of plain types speaks for itself. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion): FieldError[] {
  const depth = (branch: z.core.$ZodIssue[]) =>
    Math.max(0, ...branch.map((inner) => inner.path.length));
  const deepest = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0];
  if (deepest === undefined || depth(deepest) === 0) {
    const texts = new Set(issue.errors.flat().map((inner) => inner.message));
    const message = texts.size === 0 ? issue.message : [...texts].join("; or ");
    return [{ field: toPath(issue.path), message }];
  }
  return deepest.flatMap((inner) =>
    describeIssue({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue),
  );
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "custom") {
    return issue.message;
  }
  const isUnworded = issue.message.startsWith(UNWORDED);
  if (issue.code === "invalid_type" && issue.input === undefined && isUnworded) {
    const expected = issue.expected === "record" ? "object" : issue.expected;
    return `Required: give ${/^[aeio]/.test(expected) ? "an" : "a"} ${expected}.`;
  }
  const rule = issue.message
    .slice(isUnworded ? UNWORDED.length : 0)
    .replace(/^expected record\b/, "expected object");
  return "input" in issue && issue.input !== undefined
    ? `${upperFirst(rule.replace(/\.$/, ""))}; got ${showValue(issue.input)}.`
    : `${upperFirst(rule.replace(/\.$/, ""))}.`;
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** `["nodes", 3, "a b"]` → `nodes[3]["a b"]`. */
function toPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") {
      text += `[${key}]`;
    } else if (PLAIN_KEY.test(String(key))) {
      text += text === "" ? String(key) : `.${String(key)}`;
    } else {
      text += `[${JSON.stringify(String(key).slice(0, SHOWN_CHARS_MAX))}]`;
    }
  }
  return text;
}
