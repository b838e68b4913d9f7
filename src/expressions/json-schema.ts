import { removeUriSchemePlugin } from "@hyperjump/browser";
import {
  InvalidSchemaError,
  registerSchema,
  unregisterSchema,
  validate as validateInstance,
} from "@hyperjump/json-schema/draft-2020-12";
import "@hyperjump/json-schema/draft-2019-09";
import "@hyperjump/json-schema/draft-07";
import {
  BasicOutputPlugin,
  compile,
  type CompiledSchema,
  type EvaluationPlugin,
  getSchema,
  interpret,
} from "@hyperjump/json-schema/experimental";
import * as Instance from "@hyperjump/json-schema/instance/experimental";
import { BoundedCache } from "../lib/memory/bounded-cache.ts";
import {
  ExactNumber,
  isJsonObject,
  type JsonValue,
  stringifyJson,
} from "../lib/json/exact-json.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import { jsonValueProblem } from "../lib/json/value-depth.ts";
import { registerExactKeywords } from "./exact-schema-keywords.ts";
import { registerLinearKeywords } from "./linear-schema-keywords.ts";
import { atPointer, violationMessage } from "./schema-violation.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

/** Empty if the value conforms. `path` is a JSON pointer, empty for the whole value. */
export type SchemaCheck = (value: JsonValue) => readonly { path: string; message: string }[];

export const SCHEMA_LENGTH_MAX = LIMITS.json_schema.value;
/**
 * Maximum number of keywords evaluated on one value, and of parts of that value; a few `$ref` that double could otherwise need
 * 2^40 evaluations.
 */
const OPERATIONS_MAX = LIMITS.json_schema_operations.value;
const DEPTH_MAX = LIMITS.json_schema_depth.value;

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
const DIALECTS: ReadonlySet<string> = new Set([
  DIALECT,
  "https://json-schema.org/draft/2019-09/schema",
  "http://json-schema.org/draft-07/schema",
]);
const BASE = "https://schema.invalid/";

// A `$ref` must never cause a fetch: only parts of the schema itself can be referenced.
for (const scheme of ["http", "https", "file"]) {
  removeUriSchemePlugin(scheme);
}
registerLinearKeywords();
registerExactKeywords();

const checks = new BoundedCache<string, Promise<SchemaCheck>>(128);
// The library keeps schemas in one registry, so schemas are compiled one at a time and removed
// afterwards.
let last: Promise<unknown> | undefined;
let serial = 0;

/**
 * Compiles the dialects' own schemas first, so that an author's schema cannot replace one of them.
 */
async function warmUp(): Promise<void> {
  for (const dialect of DIALECTS) {
    await validateInstance(dialect, true);
  }
}

/**
 * Compiles a JSON Schema (2020-12; 2019-09 and draft-07 by `$schema`), cached by its text. `format`
 * is an annotation. Numbers are validated as doubles. Throws NodeError `INVALID_SCHEMA`; the
 * returned check throws `SCHEMA_OPERATION_LIMIT`.
 */
export function compileSchema(schema: JsonValue): Promise<SchemaCheck> {
  try {
    refuseUnsafe(schema);
  } catch (error) {
    return Promise.reject(error as NodeError);
  }
  const text = stringifyJson(schema);
  if (text.length > SCHEMA_LENGTH_MAX) {
    return Promise.reject(
      invalid(`it has ${text.length} characters and must not have more than ${SCHEMA_LENGTH_MAX}`),
    );
  }
  return checks.getOrMake(text, () => {
    last ??= warmUp();
    const made = last.then(() => compileOne(plain(schema)));
    last = made.catch(() => {
      checks.delete(text);
    });
    return made;
  });
}

function invalid(reason: string, cause?: unknown): NodeError {
  return new NodeError("INVALID_SCHEMA", `The JSON Schema cannot be used: ${reason}.`, { cause });
}

/** Reasons to reject a schema: it reaches beyond itself, or could exhaust the stack. */
function refuseUnsafe(schema: JsonValue): void {
  if (typeof schema !== "boolean" && !isJsonObject(schema)) {
    throw invalid("a schema must be an object, true or false");
  }
  const problem = jsonValueProblem(schema);
  if (problem !== undefined) {
    throw invalid(problem);
  }
  const visit = (value: JsonValue, depth: number): void => {
    if (depth > DEPTH_MAX) {
      throw invalid(`it nests deeper than ${DEPTH_MAX} levels`);
    }
    if (Array.isArray(value)) {
      for (const element of value as readonly JsonValue[]) {
        visit(element, depth + 1);
      }
    } else if (isJsonObject(value)) {
      for (const [key, child] of Object.entries(value)) {
        refuseKeyword(key, child);
        visit(child, depth + 1);
      }
    }
  };
  visit(schema, 0);
}

function refuseKeyword(key: string, value: JsonValue): void {
  if (key === "$vocabulary" && isJsonObject(value)) {
    throw invalid("$vocabulary defines a dialect, and only the standard dialects are supported");
  }
  if (key === "$schema" && typeof value === "string" && !DIALECTS.has(value.replace(/#$/, ""))) {
    throw invalid(`"${value.slice(0, 200)}" is not a known dialect; omit $schema for 2020-12`);
  }
  if (key === "$id" && typeof value === "string" && /:|^\/\//.test(value)) {
    if (!URL.canParse(value) || new URL(value).hostname.endsWith("json-schema.org")) {
      throw invalid(`the id "${value.slice(0, 200)}" is already in use or is not a valid address`);
    }
  }
}

/** The same value with doubles, which the validator requires. Its depth has been checked. */
function plain(value: JsonValue): JsonValue {
  if (value instanceof ExactNumber) {
    return value.toNumber();
  }
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map(plain);
  }
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, child]) => [key, plain(child)]))
    : value;
}

/** The validator makes a node of 80 bytes for each element and of 200 for each member, whatever the schema looks at. */
function hasMoreParts(value: JsonValue, max: number): boolean {
  let parts = 0;
  const visit = (part: JsonValue): boolean => {
    if (typeof part !== "object" || part === null || part instanceof ExactNumber) {
      return false;
    }
    const children = Array.isArray(part) ? (part as readonly JsonValue[]) : Object.values(part);
    parts += children.length;
    return parts > max || children.some((child) => visit(child));
  };
  return visit(value);
}

async function compileOne(schema: JsonValue): Promise<SchemaCheck> {
  serial += 1;
  const uri = `${BASE}${serial}`;
  try {
    registerSchema(schema as boolean, uri, DIALECT);
    const compiled = await compile(await getSchema(uri));
    return (value) => check(compiled, schema, value);
  } catch (error) {
    throw error instanceof NodeError ? error : invalid(reasonOf(error), error);
  } finally {
    unregisterSchema(uri);
  }
}

function reasonOf(error: unknown): string {
  // By class: names of classes are shortened in a deployment (docs/decisions/bundle-size.md).
  if (error instanceof InvalidSchemaError) {
    return "it is not valid in its own dialect";
  }
  const message = error instanceof Error ? error.message : "";
  if (
    /Unsupported uri scheme|Unable to load|No such anchor|not a schema|Invalid URL/i.test(message)
  ) {
    return "a $ref in it does not resolve within the schema; put referenced schemas under $defs";
  }
  return message === "" ? "it does not compile" : (message.split("\n", 1)[0]?.slice(0, 300) ?? "");
}

class OperationBudget implements EvaluationPlugin {
  #operations = 0;

  beforeKeyword(): void {
    this.#operations += 1;
    if (this.#operations > OPERATIONS_MAX) {
      throw new NodeError(
        "SCHEMA_OPERATION_LIMIT",
        `Checking the value takes more than ${OPERATIONS_MAX} steps. Simplify the schema or split the value.`,
      );
    }
  }
}

function check(
  compiled: CompiledSchema,
  schema: JsonValue,
  value: JsonValue,
): readonly { path: string; message: string }[] {
  const problem = jsonValueProblem(value);
  if (problem !== undefined) {
    return [{ path: "", message: `cannot be checked: ${problem}` }];
  }
  if (hasMoreParts(value, OPERATIONS_MAX)) {
    throw new NodeError(
      "SCHEMA_OPERATION_LIMIT",
      `The value has more than ${OPERATIONS_MAX} parts. Split it.`,
    );
  }
  const instance = plain(value);
  const errors = new BasicOutputPlugin();
  try {
    const result = interpret(compiled, Instance.fromJs(instance as never), {
      outputFormat: "FLAG",
      plugins: [new OperationBudget(), errors],
    });
    return result.valid ? [] : errors.errors.map((error) => describe(error, schema, instance));
  } catch (error) {
    if (error instanceof RangeError) {
      throw new NodeError(
        "SCHEMA_OPERATION_LIMIT",
        "The schema refers to itself endlessly on this value. Each $ref must apply to a part of the value.",
        { cause: error },
      );
    }
    throw error;
  }
}

function describe(
  error: { keyword: string; absoluteKeywordLocation: string; instanceLocation: string },
  schema: JsonValue,
  instance: JsonValue,
): { path: string; message: string } {
  const path = decodeURI(error.instanceLocation.replace(/^#/, ""));
  const [base = "", pointer = ""] = error.absoluteKeywordLocation.split("#");
  const rule = base.startsWith(BASE) ? atPointer(schema, decodeURI(pointer)) : undefined;
  const keyword = error.keyword.split("/").at(-1) ?? "";
  return { path, message: violationMessage(keyword, rule, atPointer(instance, path)) };
}
