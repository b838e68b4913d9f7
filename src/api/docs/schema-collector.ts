import * as z from "zod";

type JsonSchema = z.core.JSONSchema.BaseSchema;

const DEFS = "#/$defs/";
const COMPONENTS = "#/components/schemas/";

/**
 * Converts zod schemas to the JSON Schemas of an OpenAPI 3.1 document (both use draft 2020-12). Named schemas (`.meta({
 * id })`) become components; a schema whose input and output differ becomes two components, the former with the suffix
 * `Input`.
 */
export class SchemaCollector {
  readonly components: Record<string, JsonSchema> = {};

  /**
   * Returns the schema inline, with `$ref`s into `components`. `owner` keeps unnamed recursive parts of different
   * schemas apart.
   */
  add(schema: z.ZodType, io: "input" | "output", owner: string): JsonSchema {
    // Wrapped, so that a schema that refers to itself gets a definition instead of `#`.
    const whole = z.toJSONSchema(z.object({ it: schema }), {
      io,
      unrepresentable: "any",
      override: ({ jsonSchema }) => loosen(jsonSchema, io),
    });
    const names = new Map<string, string>();
    const definitions = Object.entries(whole.$defs ?? {});
    for (const [name, definition] of definitions) {
      names.set(name, this.#nameOf(name, definition, io, owner));
    }
    const rename = (part: JsonSchema) => renameRefs(part, names) as JsonSchema;
    for (const [name, definition] of definitions) {
      this.components[names.get(name) ?? name] ??= rename(definition);
    }
    return rename(whole.properties?.["it"] as JsonSchema);
  }

  #nameOf(name: string, definition: JsonSchema, io: "input" | "output", owner: string): string {
    if (name.startsWith("__")) {
      return `${owner}${name.replaceAll("__schema", "Part")}`;
    }
    const known = this.components[name];
    const isOther =
      known !== undefined &&
      JSON.stringify(known) !== JSON.stringify(renameRefs(definition, new Map()));
    return isOther && io === "input" ? `${name}Input` : name;
  }
}

/**
 * Responses may gain fields (docs/contract/conventions.md#versions), so their objects stay open; safe-integer bounds
 * are omitted as noise.
 */
function loosen(schema: JsonSchema, io: "input" | "output"): void {
  if (io === "output" && schema.additionalProperties === false) {
    delete schema.additionalProperties;
  }
  if (schema.maximum === Number.MAX_SAFE_INTEGER) {
    delete schema.maximum;
  }
  if (schema.minimum === Number.MIN_SAFE_INTEGER) {
    delete schema.minimum;
  }
}

function renameRefs(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) {
    return value.map((entry) => renameRefs(entry, names));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    copy[key] =
      key === "$ref" && typeof entry === "string" && entry.startsWith(DEFS)
        ? COMPONENTS + (names.get(entry.slice(DEFS.length)) ?? entry.slice(DEFS.length))
        : renameRefs(entry, names);
  }
  return copy;
}
