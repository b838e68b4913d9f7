import { readdir, readFile } from "node:fs/promises";
import { build } from "esbuild";
import { expect, test } from "vitest";
import type { OpenApiDocument } from "../../../src/contracts/openapi-document.ts";
import { EFFECTS } from "../../../src/contracts/models/effects.ts";
import { PRESETS } from "../../../src/contracts/models/presets.ts";
import { AGENT_SKILLS } from "../../../src/domain/discovery/agent-skills.ts";
import { LIMIT_ROWS } from "../../../src/lib/limits/limit-rows.ts";
import { buildDocsPages } from "../../../src/pages/docs/build-docs-pages.ts";
import { HOME_BODY } from "../../../src/pages/home/home-body.ts";
import { ERROR_TEXTS } from "../../../src/pages/embed/error-texts.ts";
import { BUILT_ORIGIN } from "../../../src/platform/built-origin.ts";
import { buildOpenApi } from "../../../src/api/docs/build-openapi.ts";
import recorded from "../../../src/api/docs/recorded-examples.json" with { type: "json" };
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { describeCatalog } from "../../../src/domain/catalog/describe-node-type.ts";
import { listJsonSchemas } from "../../../src/domain/catalog/json-schemas.ts";
import { listCodes } from "../../../src/domain/errors/list-codes.ts";

async function built(name: string): Promise<unknown> {
  return JSON.parse(await readFile(`dist/assets/built/${name}`, "utf8"));
}

test("the assets have the texts as the tables have them", async () => {
  expect(await built("agent-skills.json")).toEqual(AGENT_SKILLS);
  expect(await built("presets.json")).toEqual(PRESETS);
  expect(await built("effects.json")).toEqual(EFFECTS);
  expect(await built("embed-errors.json")).toEqual(ERROR_TEXTS);
  expect(await built("home-body.json")).toBe(HOME_BODY);
  expect(await built("json-schemas.json")).toEqual(listJsonSchemas());
  expect(await built("node-types.json")).toEqual(JSON.parse(JSON.stringify(describeCatalog())));
  expect(await built("openapi.json")).toEqual(
    JSON.parse(JSON.stringify(buildOpenApi(ENDPOINTS, BUILT_ORIGIN, recorded))),
  );
});

test("the assets have each page of the documentation, and no other", async () => {
  const document = buildOpenApi(ENDPOINTS, BUILT_ORIGIN, recorded) as unknown as OpenApiDocument;
  const pages = buildDocsPages(document, listCodes(), LIMIT_ROWS);
  const names = Object.keys(pages);
  expect(names.filter((name) => name.startsWith("operation-")).length).toBeGreaterThan(150);
  expect((await readdir("dist/assets/built/docs")).toSorted()).toEqual(
    [...names, "end"].map((name) => `${name}.json`).toSorted(),
  );
  for (const [name, page] of Object.entries(pages)) {
    // oxlint-disable-next-line no-await-in-loop -- small files
    expect([name, await built(`docs/${name}.json`)]).toEqual([name, page]);
  }
});

test("the Worker loads neither the texts, what makes them, nor the detector of file types", async () => {
  const { metafile } = await build({
    entryPoints: ["src/worker.ts"],
    bundle: true,
    write: false,
    outdir: "unused",
    packages: "external",
    external: ["cloudflare:*"],
    loader: { ".sql": "text", ".txt": "text", ".html": "text" },
    metafile: true,
  });
  const loaded = Object.keys(metafile.inputs).filter((path) =>
    /error-guides\.ts$|error-fixes|domain\/discovery\/agent-skills|list-codes|describe-node-type|recorded-examples|docs\/(?:build-openapi|schema-collector)|json-schemas|lib\/limits\/(?:limit-rows|\w+-limits)|contracts\/(?:\w+-)?presets|contracts\/effects|pages\/(?:embed\/error-texts|home\/home-body|docs\/(?!docs-|code-block))/.test(
      path,
    ),
  );
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.map(({ path }) => path),
  );
  expect(imported).toContain("re2js");
  // The runner has the detector of file types.
  expect(imported.filter((path) => path.startsWith("file-type"))).toEqual([]);
  // The trace shows these sentences.
  expect(loaded).toEqual(["src/lib/errors/node-error-guides.ts"]);
});
