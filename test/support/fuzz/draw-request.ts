/** Generates requests from an OpenAPI document: mostly valid, with one hostile value. */
import type { SeededRandom } from "../../simulation/seeded-random.ts";
import { hostileJson, hostileText } from "./hostile-values.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- a JSON document that is walked
type Json = any;

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly spec: Json;
}

export interface DrawnRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

export interface FuzzWorld {
  /** `document.components.schemas`. */
  readonly components: Json;
  /** A valid value for a path parameter of an operation, if there is one. */
  pathValue(operation: Operation, name: string): string | undefined;
  /** A valid body, by operation id. */
  readonly bodies: Readonly<Record<string, unknown>>;
  readonly foreign: readonly string[];
}

export function operationsOf(document: Json): Operation[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, spec]) => ({
      method: method.toUpperCase(),
      path,
      spec,
    })),
  );
}

export function drawRequest(
  random: SeededRandom,
  operation: Operation,
  world: FuzzWorld,
): DrawnRequest {
  const { spec } = operation;
  const parameters: readonly Json[] = spec.parameters ?? [];
  // The attacked place; sometimes several at once.
  const isHit = (weight: number) => random.chance(weight);
  let path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const good = world.pathValue(operation, name);
    return good === undefined || isHit(0.25)
      ? encodeText(hostileText(random, world.foreign), random)
      : encodeURIComponent(good);
  });
  const query: string[] = [];
  const headers: Record<string, string> = {};
  for (const parameter of parameters) {
    if (parameter.in === "query" && (parameter.required || random.chance(0.4))) {
      for (let times = random.chance(0.05) ? 2 : 1; times > 0; times -= 1) {
        const text = isHit(0.6)
          ? hostileText(random, world.foreign)
          : String(sample(parameter.schema, world.components, random, 0));
        query.push(`${parameter.name}=${encodeText(text, random)}`);
      }
    } else if (parameter.in === "header" && (parameter.required || random.chance(0.5))) {
      headers[parameter.name] = isHit(0.4)
        ? headerText(hostileText(random, world.foreign))
        : `fuzz-${random.int(0, 1e9)}`;
    }
  }
  if (random.chance(0.05)) {
    query.push(`${encodeText(hostileText(random, world.foreign), random)}=1`);
  }
  if (query.length > 0) {
    path += `?${query.join("&")}`;
  }
  return {
    method: operation.method,
    url: path,
    headers,
    body: drawContent(random, operation, world, headers),
  };
}

/** The body, with its type in `headers`; sometimes missing or with a wrong type. */
function drawContent(
  random: SeededRandom,
  operation: Operation,
  world: FuzzWorld,
  headers: Record<string, string>,
): string | undefined {
  const content: Json = operation.spec.requestBody?.content;
  const [type] = Object.keys(content ?? {});
  if (type === undefined || random.chance(0.03)) {
    return undefined;
  }
  headers["content-type"] = random.chance(0.03) ? "text/plain" : type;
  return type.endsWith("json")
    ? drawBody(random, operation, content[type].schema, world)
    : hostileText(random, world.foreign);
}

/** A body of the right form as text, with one or a few values replaced. */
function drawBody(
  random: SeededRandom,
  { spec }: Operation,
  schema: Json,
  world: FuzzWorld,
): string {
  if (random.chance(0.04)) {
    return hostileJson(random, world.foreign);
  }
  const known = world.bodies[spec.operationId];
  const good =
    known !== undefined && random.chance(0.6) ? known : sample(schema, world.components, random, 0);
  const text = JSON.stringify(good) ?? "{}";
  // Sometimes truncated anywhere.
  if (random.chance(0.03)) {
    return text.slice(0, random.below(text.length + 1));
  }
  const marked = structuredClone(good);
  const slots = slotsOf(marked);
  const chosen = new Map<string, string>();
  for (let hits = random.int(1, 2); hits > 0 && slots.length > 0; hits -= 1) {
    const { parent, key } = random.pick(slots);
    const mark = `@@${chosen.size}@@`;
    parent[key] = mark;
    chosen.set(JSON.stringify(mark), hostileJson(random, world.foreign));
  }
  let drawn = JSON.stringify(marked) ?? "{}";
  for (const [mark, hostile] of chosen) {
    drawn = drawn.replace(mark, () => hostile);
  }
  if (random.chance(0.1) && drawn.startsWith("{")) {
    const key = random.pick(['"__proto__"', '"constructor"', '"unknown"', '""', '"\\ud800"']);
    drawn = `{${key}:${hostileJson(random, world.foreign)}${drawn === "{}" ? "" : ","}${drawn.slice(1)}`;
  }
  return drawn;
}

/** Every place in a value that can be replaced. */
function slotsOf(value: unknown): { parent: Json; key: string | number }[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]) => [
    { parent: value, key },
    ...slotsOf(inner),
  ]);
}

/** A value that roughly matches a JSON Schema. */
function sample(schema: Json, components: Json, random: SeededRandom, depth: number): unknown {
  if (schema === undefined || depth > 6) {
    return {};
  }
  if (schema.$ref !== undefined) {
    return sample(
      components[String(schema.$ref).split("/").at(-1)!],
      components,
      random,
      depth + 1,
    );
  }
  if (schema.const !== undefined) {
    return schema.const;
  }
  if (schema.enum !== undefined) {
    return random.pick(schema.enum);
  }
  for (const union of [schema.anyOf, schema.oneOf]) {
    if (union !== undefined) {
      return sample(random.pick(union), components, random, depth + 1);
    }
  }
  if (schema.allOf !== undefined) {
    return Object.assign(
      {},
      ...schema.allOf.map((part: Json) => sample(part, components, random, depth + 1)),
    );
  }
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "string":
      return random.pick(["a name", "2026-01-01T00:00:00Z", "1", "text", "$"]);
    case "integer":
    case "number":
      return random.pick([schema.minimum ?? 1, 1, 10, schema.maximum ?? 100]);
    case "boolean":
      return random.chance(0.5);
    case "null":
      return null;
    case "array":
      return Array.from({ length: random.int(schema.minItems ?? 0, 2) }, () =>
        sample(schema.items, components, random, depth + 1),
      );
    default:
      return Object.fromEntries(
        Object.entries<Json>(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name) || random.chance(0.5))
          .map(([name, inner]) => [name, sample(inner, components, random, depth + 1)]),
      );
  }
}

function encodeText(text: string, random: SeededRandom): string {
  // Invalid percent signs reach the router unchanged, as a client could send them.
  return random.chance(0.1)
    ? text.replaceAll(/[^\w%.~-]/g, "_").slice(0, 200) || "%"
    : encodeURIComponent(text.toWellFormed());
}

/** Characters that HTTP allows in a header's value. */
function headerText(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]/g, "?")
    .trim()
    .slice(0, 4000);
}
