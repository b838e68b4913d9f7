import { readFile } from "node:fs/promises";
import { join } from "node:path";

const EXAMPLES = join(import.meta.dirname, "../src/api/docs/recorded-examples.json");

/** Texts that only pages and documents show (src/platform/read-built-json.ts), by name. */
export const BUILT_TEXTS: Readonly<Record<string, () => Promise<unknown>>> = {
  "error-codes.json": async () => (await import("../src/domain/errors/list-codes.ts")).listCodes(),
  "agent-skills.json": async () =>
    (await import("../src/domain/discovery/agent-skills.ts")).AGENT_SKILLS,
  "limits.json": async () => (await import("../src/lib/limits/limit-rows.ts")).LIMIT_ROWS,
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
/** Folders of all modules that `BUILT_TEXTS` imports: routes import nearly all. */
export const BUILT_TEXT_SOURCES = ["src"];

/** Imports by URL, because the Workers' sources are type-checked separately from the scripts. */
async function buildOpenApiDocument(): Promise<unknown> {
  const source = (path: string) => import(new URL(`../src/api/${path}`, import.meta.url).href);
  const { buildOpenApi } = (await source("docs/build-openapi.ts")) as {
    buildOpenApi: (endpoints: unknown, origin: string, examples: unknown) => unknown;
  };
  const { BUILT_ORIGIN } = (await source("docs/built-origin.ts")) as { BUILT_ORIGIN: string };
  const { ENDPOINTS } = (await source("routes.ts")) as { ENDPOINTS: unknown };
  // Read, because Node keeps an imported JSON file as long as the process.
  const examples: unknown = JSON.parse(await readFile(EXAMPLES, "utf8"));
  return buildOpenApi(ENDPOINTS, BUILT_ORIGIN, examples);
}
