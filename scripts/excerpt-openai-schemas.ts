/**
 * Takes the schemas of the requests that the service sends to OpenAI-compatible servers out of the OpenAPI document that OpenAI
 * publishes (`openapi.json` of the repository openai/openai-openapi, MIT), without descriptions and examples, and writes them to
 * test/fixtures/provider-requests/openai.json, with which test/unit/providers/openai-compatible/published-requests.test.ts
 * judges the requests:
 *
 * node scripts/excerpt-openai-schemas.ts openapi.json LICENSE <commit> <date of the commit>
 */
import { readFile, writeFile } from "node:fs/promises";

type Json = { readonly [name: string]: unknown };

const FILE = new URL("../test/fixtures/provider-requests/openai.json", import.meta.url);
const PATHS = [
  "/chat/completions",
  "/images/generations",
  "/images/edits",
  "/audio/speech",
  "/audio/transcriptions",
];
const REFERENCE = "#/components/schemas/";
/** Members of a schema that refuse nothing. */
const WORDS = new Set(["description", "example", "examples", "title", "deprecated"]);

const [file, license, commit, date] = process.argv.slice(2);
if (file === undefined || license === undefined || commit === undefined || date === undefined) {
  throw new Error(
    "Usage: node scripts/excerpt-openai-schemas.ts openapi.json LICENSE <commit> <date>",
  );
}
const document = JSON.parse(await readFile(file, "utf8")) as {
  readonly info: { readonly version: string };
  readonly paths: Record<
    string,
    { post: { requestBody: { content: Record<string, { schema: { $ref: string } }> } } }
  >;
  readonly components: { readonly schemas: Record<string, Json> };
};

const requests: Record<string, Record<string, string>> = {};
for (const path of PATHS) {
  const types = document.paths[path]?.post.requestBody.content;
  if (types === undefined) {
    throw new Error(`The document has no request to ${path}.`);
  }
  requests[path] = Object.fromEntries(
    Object.entries(types).map(([type, { schema }]) => [type, nameOf(schema.$ref)]),
  );
}
const schemas: Record<string, unknown> = {};
const open = Object.values(requests).flatMap((types) => Object.values(types));
for (let name = open.pop(); name !== undefined; name = open.pop()) {
  if (!(name in schemas)) {
    const schema = withoutWords(document.components.schemas[name]);
    schemas[name] = schema;
    open.push(...referencesIn(schema));
  }
}
const excerpt = {
  source: `https://github.com/openai/openai-openapi/blob/${commit}/openapi.json`,
  version: document.info.version,
  date,
  license: (await readFile(license, "utf8")).trim().split("\n"),
  requests,
  schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
};
await writeFile(FILE, `${JSON.stringify(excerpt, null, 2)}\n`);
console.log(`${Object.keys(schemas).length} schemas`);

function nameOf(reference: string): string {
  if (!reference.startsWith(REFERENCE)) {
    throw new Error(`A reference leaves the schemas: ${reference}`);
  }
  return reference.slice(REFERENCE.length);
}

/** A schema; where `isNames`, the keys are names of a request's members, and stay. */
function withoutWords(node: unknown, isNames = false): unknown {
  if (Array.isArray(node)) {
    return node.map((item) => withoutWords(item));
  }
  if (typeof node !== "object" || node === null) {
    return node;
  }
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => isNames || !(WORDS.has(key) || key.startsWith("x-")))
      .map(([key, value]) => [key, withoutWords(value, key === "properties" && !isNames)]),
  );
}

function referencesIn(node: unknown): string[] {
  if (typeof node !== "object" || node === null) {
    return [];
  }
  return Object.entries(node).flatMap(([key, value]) =>
    key === "$ref" && typeof value === "string" ? [nameOf(value)] : referencesIn(value),
  );
}
