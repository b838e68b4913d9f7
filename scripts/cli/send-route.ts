/** Sends one request built from a command's arguments and flags. */
import { randomUUID } from "node:crypto";
import { type Flags, required, textOf, UsageError } from "./arguments.ts";
import type { Command, FieldKind, Given, Route } from "./command.ts";
import { readJsonFile, readTextFile } from "./read-json-file.ts";
import type { SendOptions, Session } from "./session.ts";

/** Returns the flag of a query parameter: `--starting-after` for `starting_after`. */
export function flagOf(parameter: string): string {
  return parameter.replaceAll("_", "-");
}

/** Returns every flag of a command, for `parseArgs` and for the usage text. */
export function flagsOf({ route, flags = {} }: Command): NonNullable<Command["flags"]> {
  const text = { type: "string" } as const;
  const hasBody = route?.fields !== undefined || route?.file !== undefined;
  return {
    ...Object.fromEntries((route?.query ?? []).map((name) => [flagOf(name), text])),
    ...Object.fromEntries(Object.keys(route?.headers ?? {}).map((name) => [name, text])),
    ...Object.fromEntries(
      Object.entries(route?.fields ?? {}).map(([name, [, kind]]) => [
        name,
        kind === "boolean" ? ({ type: "boolean" } as const) : text,
      ]),
    ),
    ...(hasBody && { body: { ...text, value: "FILE" } }),
    ...(route !== undefined && route.method !== "GET" && { "idempotency-key": text }),
    ...flags,
  };
}

export async function sendRoute(session: Session, route: Route, given: Given): Promise<Response> {
  const { path, rest } = fillPath(route, given);
  const options: SendOptions = {
    headers: headersOf(route, given.flags),
    ...(await bodyOf(route, given, rest)),
    ...(route.isOperator === true && { as: "operator" as const }),
    ...(route.isPublic === true && { as: "nobody" as const }),
  };
  return session.send(route.method, path + queryOf(route, given.flags), options);
}

function fillPath(route: Route, { args }: Given): { path: string; rest: readonly string[] } {
  let used = 0;
  const path = route.path.replaceAll(/\{(\w+)(\+?)\}/g, (_all, name: string, slashes: string) => {
    const value = required(args[used++], name.toUpperCase());
    return slashes === "" ? encodeURIComponent(value) : value;
  });
  const rest = args.slice(used);
  if (rest.length > (route.file === undefined ? 0 : 1)) {
    throw new UsageError(`Unexpected argument: "${rest.at(-1)}".`);
  }
  return { path, rest };
}

function queryOf(route: Route, flags: Flags): string {
  const query = new URLSearchParams();
  for (const name of route.query ?? []) {
    const value = textOf(flags, flagOf(name));
    if (value !== undefined) {
      query.set(name, value);
    }
  }
  return query.size === 0 ? "" : `?${query.toString()}`;
}

function headersOf(route: Route, flags: Flags): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [flag, header] of Object.entries(route.headers ?? {})) {
    const value = textOf(flags, flag);
    if (value !== undefined) {
      headers[header] = value;
    }
  }
  const key = textOf(flags, "idempotency-key");
  if (key !== undefined || route.needsKey === true) {
    headers["idempotency-key"] = key ?? randomUUID();
  }
  return headers;
}

async function bodyOf(
  route: Route,
  { flags }: Given,
  rest: readonly string[],
): Promise<{ json?: unknown }> {
  if (route.fields === undefined && route.file === undefined) {
    return route.body === undefined ? {} : { json: route.body };
  }
  const file = textOf(flags, "body");
  const whole =
    file !== undefined
      ? await readJsonFile(file)
      : route.file === "body"
        ? await readJsonFile(required(rest[0], "FILE"))
        : {};
  if (typeof whole !== "object" || whole === null || Array.isArray(whole)) {
    throw new UsageError("The body is not a JSON object.");
  }
  const body: Record<string, unknown> = { ...whole };
  const isFileNeeded =
    file === undefined && typeof route.file === "object" && route.file.isOptional !== true;
  if (typeof route.file === "object" && (isFileNeeded || rest[0] !== undefined)) {
    const name = required(rest[0], "FILE");
    body[route.file.field] =
      route.file.isText === true ? await readTextFile(name) : await readJsonFile(name);
  }
  return { json: { ...body, ...fieldsOfFlags(route.fields ?? {}, flags) } };
}

/** Returns the fields of a body that flags have set. */
export function fieldsOfFlags(
  fields: NonNullable<Route["fields"]>,
  flags: Flags,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([flag, [field, kind]]) => {
      const value = flags[flag];
      return value === undefined ? [] : [[field, fieldValue(flag, String(value), kind)]];
    }),
  );
}

function fieldValue(flag: string, text: string, kind: FieldKind): unknown {
  switch (kind) {
    case "text":
      return text;
    case "nullable":
      return text === "null" ? null : text;
    case "boolean":
      return text === "true";
    case "list":
      return text === "" ? [] : text.split(",");
    case "number": {
      const value = Number(text);
      if (text.trim() === "" || !Number.isFinite(value)) {
        throw new UsageError(`--${flag}: "${text}" is not a number.`);
      }
      return value;
    }
    case "json":
      try {
        return JSON.parse(text);
      } catch {
        throw new UsageError(`--${flag}: ${text} is not JSON.`);
      }
  }
}
