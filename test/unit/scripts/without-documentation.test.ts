import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import {
  removeDocumentation,
  withoutDocumentation,
} from "../../../scripts/without-documentation.ts";
import { getNodeType } from "../../../src/domain/catalog/get-node-type.ts";
import { listNodeTypes } from "../../../src/domain/catalog/list-node-types.ts";

function codeOf(path: string, source: string): string {
  return removeDocumentation(path, source).replace(/\n\/\/# sourceMappingURL=.*\n$/, "");
}

test("removes descriptions that are texts, and the documentation of endpoints", () => {
  const source = [
    `const a = z.string().describe("Its \\"name\\", (or more).").min(1);`,
    "const b = z.object({ c: z.int().describe(`A ${LIMIT} of` + ' it') });",
    `export const e = defineEndpoint({ ...COMMON, path: "/a", summary: "Read (it)", errors: ["not_found"],`,
    `  responses: { 200: { description: "x", body: z.string().describe("y") } },`,
    `  handle: () => ({ status: 200, body: { summary: "kept", errors: [] } }) });`,
  ].join("\n");
  expect(codeOf("a.ts", source).replaceAll(/\s+/g, " ")).toBe(
    [
      "const a = z.string().min(1);",
      "const b = z.object({ c: z.int() });",
      `export const e = defineEndpoint({ ...COMMON, path: "/a",`,
      `handle: () => ({ status: 200, body: { summary: "kept", errors: [] } }) });`,
    ].join(" "),
  );
});

test("keeps a description that is computed, and other calls of that name", () => {
  const source = `const a = z.string().describe(text()); describe("x"); b.describe("x", c); d.describe(...e);`;
  expect(codeOf("a.ts", source)).toBe(source);
  expect(removeDocumentation("b.ts", "const a = 1;")).toBe("const a = 1;");
});

test("refuses a module that does not parse", () => {
  expect(() => removeDocumentation("src/api/a.ts", `const a = z.describe("x"`)).toThrow(
    "src/api/a.ts: ",
  );
});

/** The catalog shows the descriptions of parameters, which the Worker therefore must have. */
test("the catalog of the bundle is that of the sources", async () => {
  const folder = await mkdtemp(join(tmpdir(), "edgeloom-catalog-"));
  try {
    await build({
      entryPoints: ["src/domain/catalog/get-node-type.ts"],
      bundle: true,
      outfile: join(folder, "catalog.mjs"),
      format: "esm",
      platform: "node",
      // Packages of CommonJS call it.
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire("/");',
      },
      loader: { ".sql": "text", ".txt": "text", ".html": "text" },
      plugins: [withoutDocumentation],
    });
    const address = pathToFileURL(join(folder, "catalog.mjs")).href;
    const bundled = (await import(/* @vite-ignore */ address)) as {
      getNodeType: typeof getNodeType;
    };
    const types = listNodeTypes({}).data.map(({ type }) => type);
    expect(types.length).toBeGreaterThan(50);
    for (const type of types) {
      expect(bundled.getNodeType(type), type).toEqual(getNodeType(type));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
