import type {
  OpenApiDocument,
  OpenApiMedia,
  OpenApiSchema,
} from "../../contracts/openapi-document.ts";
import { resolveSchema } from "./schema-rows.ts";

const DEPTH_MAX = 6;

/** The example of a body: the document's own, else one made from its schema. */
export function exampleOfMedia(document: OpenApiDocument, media: OpenApiMedia): unknown {
  if (media.example !== undefined) {
    return media.example;
  }
  const [first] = Object.values(media.examples ?? {});
  return first?.value ?? exampleOf(document, media.schema ?? {});
}

/** A value of the schema's shape. Optional fields are in it, since it shows what there can be. */
export function exampleOf(document: OpenApiDocument, given: OpenApiSchema, depth = 0): unknown {
  const schema = resolveSchema(document, given);
  const own = schema.example ?? schema.examples?.[0] ?? schema.const ?? schema.default;
  if (own !== undefined) {
    return own;
  }
  if (schema.enum !== undefined) {
    return schema.enum[0];
  }
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) {
    return exampleOf(document, choices[0] ?? {}, depth + 1);
  }
  if (depth >= DEPTH_MAX) {
    return {};
  }
  if (schema.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        name,
        exampleOf(document, property, depth + 1),
      ]),
    );
  }
  return plainExample(document, schema, depth);
}

function plainExample(document: OpenApiDocument, schema: OpenApiSchema, depth: number): unknown {
  const type = [schema.type ?? "object"].flat()[0];
  switch (type) {
    case "string":
      return schema.format === "date-time" ? "2026-11-22T08:57:03Z" : "string";
    case "integer":
    case "number":
      return schema.minimum !== undefined && schema.minimum > 0 ? schema.minimum : 0;
    case "boolean":
      return true;
    case "array":
      return schema.items === undefined ? [] : [exampleOf(document, schema.items, depth + 1)];
    case "null":
      return null;
    default:
      return {};
  }
}
