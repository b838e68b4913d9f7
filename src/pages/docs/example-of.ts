import type {
  OpenApiDocument,
  OpenApiMedia,
  OpenApiSchema,
} from "../../contracts/openapi-document.ts";
import { resolveSchema } from "./schema-rows.ts";

const DEPTH_MAX = 6;
const PLACEHOLDER = "string";

/** A typical text for a field name, because most schemas of texts say only that the value is a text. */
const TEXTS: Readonly<Record<string, string>> = {
  anchor: "name",
  asset_path: "assets/2026/11/22/0190f3a27c1e/guests.csv",
  category: "image",
  client_id: "key_0190f3a27c1e70008000000000000000",
  code: "CODE_NOT_SCANNABLE",
  content_type: "image/png",
  delivery_id: "whd_0190f3a27c1e70008000000000000000",
  description: "Invitations with a code for each guest",
  detail: "The field `workflow` is missing from the body.",
  displayName: "House Hand",
  endpoint_id: "whe_0190f3a27c1e70008000000000000000",
  event_type: "com.svc.execution.finished.v1",
  execution_id: "run_0190f3a27c1e70008000000000000000",
  family: "Caveat",
  field: "inputs.name",
  file_name: "guests.csv",
  icon: "image",
  key: "message",
  label: "Name",
  logical_name: "message",
  message: "Name is required.",
  name: "Greeting card",
  node_id: "card",
  organization_id: "org_0190f3a27c1e70008000000000000000",
  path: "$.inputs.name",
  plan: "dev",
  progress_message: "Queued",
  request_id: "0190f3a2-7c1e-7000-8000-5b7e90c2d4aa",
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  source_node_id: "card",
  type: "text",
  upload_id: "upl_0190f3a27c1e70008000000000000000",
  value: "Hello, Ada",
  variant: "400",
  workflow: "wf_0190f3a27c1e70008000000000000000",
  workflow_id: "wf_0190f3a27c1e70008000000000000000",
  workflow_name: "Greeting card",
  workspace_id: "ws_0190f3a27c1e70008000000000000000",
};

/** The example of a body: the document's own, or one generated from its schema. */
export function exampleOfMedia(document: OpenApiDocument, media: OpenApiMedia): unknown {
  if (media.example !== undefined) {
    return media.example;
  }
  const [first] = Object.values(media.examples ?? {});
  return first?.value ?? exampleOf(document, media.schema ?? {});
}

/** A value that matches the schema, including its optional fields. */
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
        namedExample(document, name, property, depth + 1),
      ]),
    );
  }
  return plainExample(document, schema, depth);
}

/** The value of a field: the schema's example, or a typical text; null for an error, and if nothing is typical. */
function namedExample(
  document: OpenApiDocument,
  name: string,
  property: OpenApiSchema,
  depth: number,
): unknown {
  const isNullable =
    [property.type ?? []].flat().includes("null") ||
    (property.anyOf ?? property.oneOf ?? []).some(({ type }) => type === "null");
  if (isNullable && /^error(?:_|$)/.test(name)) {
    return null;
  }
  const made = exampleOf(document, property, depth);
  return made === PLACEHOLDER ? (TEXTS[name] ?? (isNullable ? null : PLACEHOLDER)) : made;
}

function plainExample(document: OpenApiDocument, schema: OpenApiSchema, depth: number): unknown {
  const type = [schema.type ?? "object"].flat()[0];
  switch (type) {
    case "string":
      return schema.format === "date-time" ? "2026-11-22T08:57:03Z" : PLACEHOLDER;
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
