import * as z from "zod";
import type { CatalogParameter } from "../../contracts/workflows/node-type-entry.ts";
import type { NodeType } from "../../nodes/define-roles.ts";

type JsonSchema = Record<string, unknown>;

/** Catalog metadata in a parameter's `.meta()`, not used for validation. */
const OURS = [
  "title",
  "description",
  "advanced",
  "exposable",
  "hidden",
  "visible_when",
  "schema_ref",
  "category",
  "parameter_type",
] as const;

/** The parameters of a node type, derived from its zod schema alone. */
export function describeParameters(node: NodeType): readonly CatalogParameter[] {
  const shape = node.params.shape as Record<string, z.ZodType>;
  return Object.entries(shape).map(([name, field]) => describeParameter(name, field));
}

function describeParameter(name: string, field: z.ZodType): CatalogParameter {
  // As authors write the value: members with a default may be left out.
  const schema: JsonSchema = {
    ...z.toJSONSchema(field, { unrepresentable: "any", io: "input", override: keepDefault }),
  };
  const said = new Map<string, unknown>();
  for (const key of OURS) {
    if (schema[key] !== undefined) {
      said.set(key, schema[key]);
    }
    delete schema[key];
  }
  delete schema["$schema"];
  const text = (key: (typeof OURS)[number]): string | undefined => {
    const value = said.get(key);
    return typeof value === "string" ? value : undefined;
  };
  const visibleWhen = said.get("visible_when") as CatalogParameter["visible_when"];
  const [description, category, schemaRef] = [
    text("description"),
    text("category"),
    text("schema_ref"),
  ];
  return {
    name,
    type: text("parameter_type") ?? parameterType(schema),
    label: text("title") ?? name,
    ...(description !== undefined && { description }),
    ...(category !== undefined && { category }),
    required: !field.safeParse(undefined).success,
    advanced: said.get("advanced") === true,
    exposable: said.get("exposable") === true,
    hidden: said.get("hidden") === true,
    ...(visibleWhen !== undefined && { visible_when: visibleWhen }),
    value_schema: schema,
    ...(schemaRef !== undefined && { schema_ref: schemaRef }),
  };
}

/**
 * The converter leaves a default out behind a conversion of the input, as numbers have it, because it could be of another form
 * than what is written. Parameters convert only how a number is held.
 */
function keepDefault({
  zodSchema,
  jsonSchema,
}: {
  readonly zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  const { def } = zodSchema._zod;
  if (def.type === "default") {
    jsonSchema.default = def.defaultValue;
  }
}

/** `text`, `number`, `integer`, `boolean`, `enum`, or `json` for structured values. */
function parameterType(schema: JsonSchema): string {
  const options = schema["anyOf"];
  if (Array.isArray(options)) {
    // A nullable value is described by its type when not null.
    const some = (options as JsonSchema[]).find((option) => option["type"] !== "null");
    return some === undefined ? "json" : parameterType(some);
  }
  if (Array.isArray(schema["enum"])) {
    return "enum";
  }
  const named = schema["type"];
  const type: unknown = Array.isArray(named) ? named.find((each) => each !== "null") : named;
  switch (type) {
    case "string":
      return "text";
    case "number":
    case "integer":
    case "boolean":
      return type;
    default:
      return "json";
  }
}
