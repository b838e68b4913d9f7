import type * as z from "zod";
import type { FieldError } from "../lib/errors/errors.ts";
import { fieldPath } from "../lib/errors/field-path.ts";
import { adviceOnFields, issueText, typeText } from "../lib/errors/issue-text.ts";
import { showValue } from "../lib/json/show-value.ts";

/**
 * Converts one issue of a schema that was parsed with `issueText` to field errors: a JSON path, and a message that
 * names the value and the rule.
 */
export function describeIssue(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === "unrecognized_keys") {
    const advice = adviceOnFields(issue);
    return issue.keys.map((key, at) => ({
      field: fieldPath("", [...issue.path, key]),
      message: `Unknown field. ${advice[at]}`,
    }));
  }
  if (issue.code === "invalid_union") {
    return describeUnion(issue);
  }
  return [{ field: fieldPath("", issue.path), message: messageOf(issue) }];
}

/** For a union, reports the branch that matched furthest; a union of plain types is reported as a whole. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion): FieldError[] {
  const depth = (branch: z.core.$ZodIssue[]) =>
    Math.max(0, ...branch.map((inner) => inner.path.length));
  // A branch that fits but for unknown fields came as far as a branch can.
  const extended = issue.errors.find((branch) =>
    branch.every(({ code }) => code === "unrecognized_keys"),
  );
  const deepest = extended ?? issue.errors.toSorted((a, b) => depth(b) - depth(a))[0];
  if (deepest === undefined || (extended === undefined && depth(deepest) === 0)) {
    const texts = [...new Set(issue.errors.flat().map((inner) => inner.message))];
    const rule = texts.length === 0 ? issue.message : eitherOf(texts);
    return [{ field: fieldPath("", issue.path), message: withValue(rule, issue.input) }];
  }
  return deepest.flatMap((inner) =>
    describeIssue({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue),
  );
}

/** `Must be a string`, `Must be an array` → `Must be a string or an array`. */
function eitherOf(texts: readonly string[]): string {
  const MUST_BE = "Must be ";
  return texts.every((text) => text.startsWith(MUST_BE))
    ? MUST_BE + texts.map((text) => text.slice(MUST_BE.length)).join(" or ")
    : texts.join("; or ");
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "custom") {
    return /[.?!]$/.test(issue.message) ? issue.message : `${issue.message}.`;
  }
  const isUnworded = issue.message === issueText(issue);
  if (issue.code === "invalid_type" && issue.input === undefined && isUnworded) {
    return `Required: give ${typeText(issue.expected)}.`;
  }
  return withValue(issue.message, "input" in issue ? issue.input : undefined);
}

function withValue(rule: string, input: unknown): string {
  const plain = rule.replace(/\.$/, "");
  return input === undefined ? `${plain}.` : `${plain}; got ${showValue(input)}.`;
}
