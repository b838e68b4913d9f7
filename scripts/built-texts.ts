import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenApiDocument } from "../src/contracts/openapi-document.ts";
import { BUILT_ORIGIN } from "../src/platform/built-origin.ts";

const EXAMPLES = join(import.meta.dirname, "../src/api/docs/recorded-examples.json");

/** Texts that only pages and documents show (src/platform/read-built-json.ts), by name. */
export const BUILT_TEXTS: Readonly<Record<string, () => Promise<unknown>>> = {
  "agent-skills.json": async () =>
    (await import("../src/domain/discovery/agent-skills.ts")).AGENT_SKILLS,
  "presets.json": async () => (await import("../src/contracts/models/presets.ts")).PRESETS,
  "embed-errors.json": async () => (await import("../src/pages/embed/error-texts.ts")).ERROR_TEXTS,
  "home-body.json": async () => (await import("../src/pages/home/home-body.ts")).HOME_BODY,
  "openapi.json": buildOpenApiDocument,
  "json-schemas.json": async () =>
    (await import("../src/domain/catalog/json-schemas.ts")).listJsonSchemas(),
  "node-types.json": async () =>
    (await import("../src/domain/catalog/describe-node-type.ts")).describeCatalog(),
  "effects.json": async () => (await import("../src/contracts/models/effects.ts")).EFFECTS,
};
/** Folders of many texts, each by name and without its ending. The first page that is served stands for all of them. */
export const BUILT_FOLDERS: Readonly<
  Record<string, () => Promise<Readonly<Record<string, unknown>>>>
> = {
  docs: async () => {
    const { buildDocsPages } = await import("../src/pages/docs/build-docs-pages.ts");
    const { listCodes } = await import("../src/domain/errors/list-codes.ts");
    const { LIMIT_ROWS } = await import("../src/lib/limits/limit-rows.ts");
    return buildDocsPages(await buildOpenApiDocument(), listCodes(), LIMIT_ROWS);
  },
};

/** Folders of all modules that `BUILT_TEXTS` imports: routes import nearly all. */
export const BUILT_TEXT_SOURCES = ["src"];

/** Imports by URL, because the Workers' sources are type-checked separately from the scripts. */
async function buildOpenApiDocument(): Promise<OpenApiDocument> {
  const source = (path: string) => import(new URL(`../src/api/${path}`, import.meta.url).href);
  const { buildOpenApi } = (await source("docs/build-openapi.ts")) as {
    buildOpenApi: (endpoints: unknown, origin: string, examples: unknown) => OpenApiDocument;
  };
  const { ENDPOINTS } = (await source("routes.ts")) as { ENDPOINTS: unknown };
  // Read, because Node keeps an imported JSON file as long as the process.
  const examples: unknown = JSON.parse(await readFile(EXAMPLES, "utf8"));
  return buildOpenApi(ENDPOINTS, BUILT_ORIGIN, examples);
}
