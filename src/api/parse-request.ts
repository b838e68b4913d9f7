import type { Context } from "hono";
import type { z } from "zod";
import { AppError, type ErrorCode, ERRORS, type FieldError } from "../lib/errors.ts";
import { isJsonObject, type JsonValue, parseJson } from "../lib/exact-json.ts";
import type { AppEnv } from "./app-env.ts";
import { describeIssue } from "./describe-issue.ts";
import { readJsonText } from "./read-json-body.ts";

/** Past this many the caller has the idea, and the answer stays small. */
const FIELD_ERRORS_MAX = 100;

export interface RequestSchemas {
  readonly params?: z.ZodType | undefined;
  readonly query?: z.ZodType | undefined;
  readonly headers?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
  readonly isBodyOptional?: boolean | undefined;
  readonly codes?: Readonly<Record<string, ErrorCode>> | undefined;
}

export interface ParsedRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  readonly exactBody: () => JsonValue;
}

type Part = "params" | "query" | "headers" | "body";
interface Found {
  readonly errors: FieldError[];
  code: ErrorCode | undefined;
}

/**
 * Parses every part of a request and reports all problems of all parts at once (spec 1 §7).
 * Throws `validation_error`, or the code that `codes` gives for a field (`"query.status"`), or the
 * one an issue carries in `params.code` (`invalid_id`).
 */
export async function parseRequest(
  c: Context<AppEnv>,
  schemas: RequestSchemas,
): Promise<ParsedRequest> {
  const found: Found = { errors: [], code: undefined };
  const text = schemas.body === undefined ? undefined : await readBody(c, schemas);
  const params = check("params", schemas, () => c.req.param(), found);
  const query = check("query", schemas, () => queryOf(c.req.url), found);
  const headers = check("headers", schemas, () => c.req.header(), found);
  const body = check("body", schemas, () => parseObject(text), found);
  if (found.errors.length > 0) {
    throw new AppError(found.code ?? "validation_error", detailOf(found.errors), {
      errors: found.errors.slice(0, FIELD_ERRORS_MAX),
    });
  }
  return { params, query, headers, body, exactBody: () => parseJson(text ?? "{}") };
}

async function readBody(c: Context<AppEnv>, schemas: RequestSchemas): Promise<string | undefined> {
  const text = await readJsonText(c.req.raw);
  if (text === undefined && schemas.isBodyOptional !== true) {
    throw new AppError("invalid_request", "The body is missing. Send a JSON object.");
  }
  return text;
}

function parseObject(text: string | undefined): unknown {
  if (text === undefined) {
    return {};
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, 200) : "";
    throw new AppError("invalid_request", `The body is not valid JSON: ${reason}`);
  }
  if (!isJsonObject(value)) {
    throw new AppError("invalid_request", "The body must be a JSON object, `{ … }`.");
  }
  return value;
}

function check(part: Part, schemas: RequestSchemas, read: () => unknown, found: Found): unknown {
  const schema = schemas[part];
  if (schema === undefined) {
    return undefined;
  }
  const parsed = schema.safeParse(read(), { reportInput: true });
  if (parsed.success) {
    return parsed.data;
  }
  for (const issue of parsed.error.issues) {
    for (const error of describeIssue(issue)) {
      found.errors.push(error);
    }
    found.code ??= codeOf(part, issue, schemas);
  }
  return undefined;
}

function codeOf(
  part: Part,
  issue: z.core.$ZodIssue,
  schemas: RequestSchemas,
): ErrorCode | undefined {
  const carried = issue.code === "custom" ? issue.params?.["code"] : undefined;
  if (typeof carried === "string" && Object.hasOwn(ERRORS, carried)) {
    return carried as ErrorCode;
  }
  const field = String(issue.path[0] ?? "");
  const key = `${part}.${field}`;
  return schemas.codes !== undefined && Object.hasOwn(schemas.codes, key)
    ? schemas.codes[key]
    : undefined;
}

/** Query parameters; one that is given several times is an array. */
function queryOf(url: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  const start = url.indexOf("?");
  if (start === -1) {
    return query;
  }
  for (const [name, value] of new URLSearchParams(url.slice(start))) {
    const before = query[name];
    query[name] =
      before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return query;
}

function detailOf(errors: readonly FieldError[]): string {
  const [first] = errors;
  if (first === undefined) {
    return "The request is invalid.";
  }
  const more = errors.length === 1 ? "" : ` (and ${errors.length - 1} more, see errors)`;
  return `${first.field === "" ? "" : `${first.field}: `}${first.message}${more}`;
}
