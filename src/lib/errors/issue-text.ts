import type * as z from "zod";
import { LIMITS } from "../limits/limits-table.ts";
import { showValue } from "../json/show-value.ts";
import { suggestName } from "./suggest-name.ts";

type Issue = z.core.$ZodRawIssue | z.core.$ZodIssue;

/** Names of the value types. */
const TYPES: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  int: "a whole number",
  map: "an object",
  null: "null",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};

/** Names of the formats; others are described by their pattern. */
const FORMATS: Readonly<Record<string, string>> = {
  date: "a date, like 2026-01-31",
  datetime: "an ISO 8601 time with a zone, like 2026-01-31T12:00:00Z",
  email: "an email address",
  json_string: "a JSON text",
  url: "a URL",
  uuid: "a UUID",
};

/** Names of the entries of each kind of value. */
const ENTRIES: Readonly<Record<string, string>> = {
  array: "entries",
  map: "members",
  object: "members",
  record: "members",
  set: "entries",
  string: "characters",
};

/** The type that a schema expected, with its article. */
export function typeText(expected: string): string {
  return TYPES[expected] ?? `a value of type ${expected}`;
}

/** What to do about a name that is not known: the nearest known one, or all of them. */
export function adviseOnName(given: string, known: readonly string[]): string {
  const nearest = suggestName(given, known);
  return nearest === undefined ? `Allowed: ${known.join(", ")}.` : `Did you mean "${nearest}"?`;
}

const UNKNOWN_FIELD = "Unknown field. ";
const NO_ADVICE = "Remove it, or check its spelling.";

/** What to do about each unknown field of an issue that `issueText` worded, in the order of its `keys`. */
export function adviceOnFields({
  keys,
  message,
}: z.core.$ZodIssueUnrecognizedKeys): readonly string[] {
  const lines = message.split("\n").map((line) => line.replace(UNKNOWN_FIELD, ""));
  return keys.map((_key, at) => lines[at] ?? NO_ADVICE);
}

/**
 * A line for each field, as far as problems are reported: a body may have a hundred thousand, and each is compared
 * with every known name. Which fields there are is known only while the schema reports the issue.
 */
function unknownFieldsText(issue: Extract<Issue, { code: "unrecognized_keys" }>): string {
  const schema = "inst" in issue ? (issue.inst as z.core.$ZodType | undefined) : undefined;
  const { shape = {} } = (schema?._zod.def ?? {}) as { shape?: object };
  const known = Object.keys(shape);
  return issue.keys
    .slice(0, LIMITS.problems_reported.value)
    .map((key) => UNKNOWN_FIELD + (known.length === 0 ? NO_ADVICE : adviseOnName(key, known)))
    .join("\n");
}

/**
 * The rule that a value breaks, in the service's own words, without a full stop; of unknown fields,
 * sentences, a line for each. Given to a schema as `error`, it speaks where the schema has no words of
 * its own.
 */
export function issueText(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `Must be ${typeText(issue.expected)}`;
    case "invalid_value":
      return `Must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(showValue).join(", ")}`;
    case "too_big":
      return boundText(
        issue.origin,
        issue.inclusive === false ? "less than" : "at most",
        issue.maximum,
      );
    case "too_small":
      return issue.origin === "string" && Number(issue.minimum) === 1
        ? "Must not be empty"
        : boundText(
            issue.origin,
            issue.inclusive === false ? "more than" : "at least",
            issue.minimum,
          );
    case "invalid_format":
      return formatText(issue);
    case "not_multiple_of":
      return `Must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return unknownFieldsText(issue);
    case "invalid_union":
      return "Does not match any accepted form";
    case "invalid_key":
      return "Has a member whose name is not accepted";
    case "invalid_element":
      return "Has an entry that is not accepted";
    case "custom":
    default:
      return "Is not accepted";
  }
}

function boundText(origin: string, bound: string, figure: number | bigint): string {
  const entries = ENTRIES[origin];
  if (entries === undefined) {
    return `Must be ${bound} ${figure}`;
  }
  return `Must have ${bound} ${figure} ${Number(figure) === 1 ? singular(entries) : entries}`;
}

function singular(entries: string): string {
  return entries === "entries" ? "entry" : entries.slice(0, -1);
}

function formatText(issue: Extract<Issue, { code: "invalid_format" }>): string {
  const named = FORMATS[issue.format];
  if (named !== undefined) {
    return `Must be ${named}`;
  }
  for (const [format, rule] of [
    ["starts_with", "prefix"],
    ["ends_with", "suffix"],
    ["includes", "includes"],
  ] as const) {
    if (issue.format === format) {
      const text = String((issue as Record<string, unknown>)[rule]);
      const verb = { starts_with: "start with", ends_with: "end with", includes: "contain" }[
        format
      ];
      return `Must ${verb} ${JSON.stringify(text)}`;
    }
  }
  return issue.pattern === undefined
    ? `Must be a valid ${issue.format}`
    : `Must match ${issue.pattern}`;
}
