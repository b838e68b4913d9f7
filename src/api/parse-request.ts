import type { Context } from "hono";
import * as z from "zod";
import { AppError, type ErrorCode, ERRORS, type FieldError } from "../lib/errors/errors.ts";
import { exactValue, isJsonObject, type JsonValue } from "../lib/json/exact-json.ts";
import { adviseOnName, issueText } from "../lib/errors/issue-text.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import type { AppEnv } from "./app-env.ts";
import { describeIssue } from "./describe-issue.ts";
import type { RequestSchemas } from "./endpoint-declaration.ts";
import { type AnswerBytes, readJsonText } from "./read-json-body.ts";

/** Routes whose query parameters are all declared; pages and files ignore unknown ones. */
const STRICT_PATHS = /^\/(?:api\/v1|api\/embed|admin\/v1)\//;
const SHOWN_CHARS_MAX = 60;

/** Whether a route of this path rejects unknown query parameters. */
export function refusesUnknownQuery(path: string): boolean {
  return STRICT_PATHS.test(path);
}

export interface ParsedRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  readonly exactBody: () => JsonValue;
}

/** Returns the response to a request by the bytes of its body, once its other parts are known to be valid. */
export type AnswerKnown = (
  parts: Pick<ParsedRequest, "params" | "headers">,
  ...given: Parameters<AnswerBytes>
) => ReturnType<AnswerBytes>;

type Part = "params" | "query" | "headers" | "body";
interface Found {
  readonly errors: FieldError[];
  code: ErrorCode | undefined;
}

/**
 * Parses every part of a request and reports all problems of all parts at once (docs/contract/problems.md#format).
 * Throws `validation_error`, or the code that `codes` maps a field to (`"query.status"`), or an issue's `params.code`
 * (`invalid_id`); `unsupported_media_type` for an encoded body. With `inOrder`, parts after one with problems are not
 * looked at; then `known` may answer before the body is parsed.
 */
export async function parseRequest(
  c: Context<AppEnv>,
  schemas: RequestSchemas,
  path: string,
  known?: AnswerKnown,
): Promise<ParsedRequest | Response> {
  refuseEncoded(c.req.raw);
  const found: Found = { errors: [], code: undefined };
  const { inOrder = false } = schemas;
  const read = async (answer?: AnswerBytes) =>
    schemas.body === undefined ? undefined : await readBody(c, schemas, answer);
  const early = inOrder ? undefined : await read();
  const params = check("params", schemas, () => c.req.param(), found);
  if (inOrder) {
    refuseFound(found, schemas);
  }
  const given = queryOf(c.req.url);
  const query = check("query", schemas, () => given, found);
  if (refusesUnknownQuery(path)) {
    refuseUnknown(Object.keys(given), schemas.query, found);
  }
  const headers = check("headers", schemas, () => c.req.header(), found);
  if (inOrder) {
    refuseFound(found, schemas);
  }
  const text = inOrder
    ? await read(known && ((bytes) => known({ params, headers }, bytes)))
    : early;
  if (text instanceof Response) {
    return text;
  }
  let parsed: JsonValue = {};
  const body = check("body", schemas, () => (parsed = parseObject(text)), found);
  refuseFound(found, schemas);
  let exact: JsonValue | undefined;
  const exactBody = () => (exact ??= text === undefined ? {} : exactValue(text, parsed));
  return { params, query, headers, body, exactBody };
}

function refuseFound({ errors, code }: Found, schemas: RequestSchemas): void {
  if (errors.length > 0) {
    throw new AppError(code ?? "validation_error", detailOf(errors), {
      errors: errors.slice(0, LIMITS[schemas.problemsLimit ?? "problems_reported"].value),
    });
  }
}

/** Bodies are read unencoded: a limit on compressed bytes would not limit the content (RFC 7694). */
function refuseEncoded({ headers, body }: Request): void {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (body !== null && encoding !== "" && encoding !== "identity") {
    throw new AppError(
      "unsupported_media_type",
      `The body has Content-Encoding: ${encoding.slice(0, SHOWN_CHARS_MAX)}, and encoded bodies are not accepted. Send the body unencoded, without that header.`,
      { headers: { "accept-encoding": "identity" } },
    );
  }
}

/** Unknown parameters, each with the most similar known one. */
function refuseUnknown(
  given: readonly string[],
  schema: z.ZodType | undefined,
  found: Found,
): void {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  for (const name of given.filter((one) => !known.includes(one))) {
    const advice =
      known.length === 0 ? "The route has no query parameters." : adviseOnName(name, known);
    found.errors.push({
      field: name.slice(0, SHOWN_CHARS_MAX).toWellFormed(),
      message: `Unknown query parameter. ${advice}`,
    });
  }
}

async function readBody(
  c: Context<AppEnv>,
  schemas: RequestSchemas,
  answer: AnswerBytes | undefined,
): Promise<string | Response | undefined> {
  const bytesMax = LIMITS[schemas.bodyLimit ?? "json_body"].value;
  const text = await readJsonText(c.req.raw, bytesMax, c.var.ctx.memory, answer);
  if (text === undefined && schemas.isBodyOptional !== true) {
    throw new AppError("invalid_request", "The body is missing. Send a JSON object.");
  }
  return text;
}

function parseObject(text: string | undefined): JsonValue {
  if (text === undefined) {
    return {};
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new AppError("invalid_request", `The body is not valid JSON${placeOf(cause, text)}.`);
  }
  if (!isJsonObject(value)) {
    throw new AppError("invalid_request", "The body must be a JSON object, `{ … }`.");
  }
  return value;
}

/** Returns the position at which a parser stopped, taken from its message; the message itself is not repeated. */
function placeOf(cause: unknown, text: string): string {
  const message = cause instanceof Error ? cause.message : "";
  if (/end of (?:JSON )?input|Unterminated/i.test(message)) {
    return ": it ends before its last value does";
  }
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) {
    return "";
  }
  const before = text.slice(0, Number(position));
  const line = before.split("\n").length;
  const column = before.length - before.lastIndexOf("\n");
  return ` from line ${line}, column ${column} on`;
}

function check(part: Part, schemas: RequestSchemas, read: () => unknown, found: Found): unknown {
  const schema = schemas[part];
  if (schema === undefined) {
    return undefined;
  }
  const given = read();
  const parsed = schema.safeParse(given, { error: issueText, reportInput: true });
  if (parsed.success) {
    return parsed.data;
  }
  for (const issue of parsed.error.issues) {
    const repeated = part === "query" ? repeatedValues(schema, issue, given) : 0;
    const errors =
      repeated === 0
        ? describeIssue(issue)
        : [
            {
              field: String(issue.path[0]),
              message: `Must be sent once, and was sent ${repeated} times.`,
            },
          ];
    for (const error of errors) {
      found.errors.push(error);
    }
    found.code ??= codeOf(part, issue, schemas);
  }
  return undefined;
}

/** How many times a single-valued parameter was sent, if that is the problem; otherwise 0. */
function repeatedValues(schema: z.ZodType, issue: z.core.$ZodIssue, given: unknown): number {
  const [name] = issue.path;
  const values =
    typeof name === "string" ? (given as Readonly<Record<string, unknown>>)[name] : undefined;
  const field =
    schema instanceof z.ZodObject && typeof name === "string" ? schema.shape[name] : undefined;
  return Array.isArray(values) && field !== undefined && !takesList(field) ? values.length : 0;
}

/** Whether a parameter may be sent as a list, whatever wraps its schema. A field that parses lists itself states its type. */
function takesList(field: z.core.$ZodType): boolean {
  if (field instanceof z.ZodType && field.meta()?.["type"] === "array") {
    return true;
  }
  if (field instanceof z.ZodUnion) {
    return field.options.some((option) => takesList(option));
  }
  if (
    field instanceof z.ZodOptional ||
    field instanceof z.ZodNullable ||
    field instanceof z.ZodDefault ||
    field instanceof z.ZodPrefault ||
    field instanceof z.ZodReadonly
  ) {
    return takesList(field.unwrap());
  }
  if (field instanceof z.ZodPipe) {
    return takesList(field.in instanceof z.ZodTransform ? field.out : field.in);
  }
  return field instanceof z.ZodArray;
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

/** Query parameters; a repeated one becomes an array. */
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
