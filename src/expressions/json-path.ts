import { BoundedCache } from "../lib/memory/bounded-cache.ts";
import { isJsonObject, type JsonValue } from "../lib/json/exact-json.ts";
import { FormulaSyntaxError } from "./formula-syntax-error.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

export const PATH_LENGTH_MAX = LIMITS.json_path.value;

/** One step: an own property, a list index (negative from the end), or every element. */
export type PathStep =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "every" };

/** Paths are cached, because nodes use them for every element. */
const parsed = new BoundedCache<string, readonly PathStep[]>(256);

const BARE = /[^.[\]"'*\s$][^.[\]"']*/y;
const INDEX = /-?\d{1,9}/y;

/**
 * Parses `$`, `$.a.b`, `a.b`, `$.a["b.c"]`, `$.items[0].name`, `$.items[*].price`
 * (docs/contract/formulas.md#columns: a `path` may be written `name` or `$.name`). Filters and
 * recursive descent are not supported. Throws FormulaSyntaxError.
 */
export function parseJsonPath(source: string): readonly PathStep[] {
  return parsed.getOrMake(source, () => parse(source));
}

function parse(source: string): readonly PathStep[] {
  if (source.length > PATH_LENGTH_MAX) {
    throw new FormulaSyntaxError(
      `A path has at most ${PATH_LENGTH_MAX} characters; the limit is exceeded`,
      source.slice(0, PATH_LENGTH_MAX),
      PATH_LENGTH_MAX,
    );
  }
  const steps: PathStep[] = [];
  let at = 0;
  if (source.startsWith("$")) {
    at = 1;
  } else if (source !== "" && !source.startsWith("[")) {
    at = bareKey(source, 0, steps);
  }
  while (at < source.length) {
    if (source[at] === ".") {
      at = source[at + 1] === "*" ? every(at + 2, steps) : bareKey(source, at + 1, steps);
    } else if (source[at] === "[") {
      at = bracket(source, at + 1, steps);
    } else {
      throw new FormulaSyntaxError(
        `Unexpected ${JSON.stringify(source[at])} in the path; a dot or a bracket is expected`,
        source,
        at,
      );
    }
  }
  if (source === "") {
    throw new FormulaSyntaxError("The path is empty; write $ for the whole value", source, 0);
  }
  return steps;
}

function every(next: number, steps: PathStep[]): number {
  steps.push({ kind: "every" });
  return next;
}

function bareKey(source: string, at: number, steps: PathStep[]): number {
  BARE.lastIndex = at;
  const key = BARE.exec(source)?.[0];
  if (key === undefined) {
    throw new FormulaSyntaxError("A name is expected in the path", source, at);
  }
  steps.push({ kind: "key", key });
  return at + key.length;
}

function bracket(source: string, at: number, steps: PathStep[]): number {
  let next: number;
  const quote = source[at];
  if (quote === '"' || quote === "'") {
    let key = "";
    next = at + 1;
    while (next < source.length && source[next] !== quote) {
      next += source[next] === "\\" ? 1 : 0;
      key += source[next] ?? "";
      next += 1;
    }
    next += 1;
    steps.push({ kind: "key", key });
  } else if (quote === "*") {
    next = every(at + 1, steps);
  } else {
    INDEX.lastIndex = at;
    const index = INDEX.exec(source)?.[0];
    if (index === undefined) {
      throw new FormulaSyntaxError("A number, a quoted name or * is expected in [ ]", source, at);
    }
    steps.push({ kind: "index", index: Number(index) });
    next = at + index.length;
  }
  if (source[next] !== "]") {
    throw new FormulaSyntaxError(
      '"]" is expected in the path',
      source,
      Math.min(next, source.length),
    );
  }
  return next + 1;
}

const VISITS_MAX = LIMITS.json_path_visits.value;

/**
 * The value at a path; undefined if it does not exist. Own properties only. With `[*]`, the result
 * is a flat list of the values found, in order.
 */
export function readJsonPath(root: JsonValue, steps: readonly PathStep[]): JsonValue | undefined {
  let found: readonly JsonValue[] = [root];
  let isList = false;
  let visits = 0;
  for (const step of steps) {
    const next: JsonValue[] = [];
    for (const value of found) {
      if (step.kind === "every") {
        isList = true;
        const children = Array.isArray(value)
          ? (value as readonly JsonValue[])
          : isJsonObject(value)
            ? Object.values(value)
            : [];
        visits += children.length;
        if (visits > VISITS_MAX) {
          return undefined;
        }
        for (const child of children) {
          next.push(child);
        }
      } else {
        const child = readStep(value, step);
        if (child !== undefined) {
          next.push(child);
        }
      }
    }
    found = next;
  }
  return isList ? found : found[0];
}

function readStep(
  value: JsonValue,
  step: Exclude<PathStep, { kind: "every" }>,
): JsonValue | undefined {
  if (step.kind === "index") {
    return Array.isArray(value) ? (value as readonly JsonValue[]).at(step.index) : undefined;
  }
  return isJsonObject(value) && Object.hasOwn(value, step.key) ? value[step.key] : undefined;
}
