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
import type { NodeTypeDetail } from "../../../src/contracts/workflows/node-type-entry.ts";
import { describeCatalog } from "../../../src/domain/catalog/describe-node-type.ts";

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

test("removes descriptions of nodes that are texts, and those of parameters in contracts", () => {
  const node = `export const a = defineNode({ name: "A", description: "B", whenToUse: \`C\`, params: p.meta({ title: "T", description: "D" }), x: { description: d } });`;
  expect(codeOf("/src/nodes/a.ts", node).replaceAll(/\s+/g, " ")).toBe(
    `export const a = defineNode({ name: "A", params: p.meta({ title: "T", }), x: { description: d } });`,
  );
  const contract = `const a = { description: "kept" }; const b = z.string().meta({ description: "D", title: "T" });`;
  expect(codeOf("/src/contracts/a.ts", contract).replaceAll(/\s+/g, " ")).toBe(
    `const a = { description: "kept" }; const b = z.string().meta({ title: "T" });`,
  );
});

/** The Worker has neither the descriptions of nodes and parameters nor when to use a node; the assets have them. */
test("the catalog of the bundle is that of the sources, without its texts", async () => {
  const folder = await mkdtemp(join(tmpdir(), "edgeloom-catalog-"));
  try {
    await build({
      entryPoints: ["src/domain/catalog/describe-node-type.ts"],
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
      describeCatalog: typeof describeCatalog;
    };
    const catalog = describeCatalog();
    expect(catalog.length).toBeGreaterThan(50);
    const made = bundled.describeCatalog();
    expect(JSON.stringify(made)).not.toContain(catalog[0]?.description);
    expect(made.map(withoutTexts)).toEqual(catalog.map(withoutTexts));
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Without the texts of a node type, of its parameters and of their members. */
function withoutTexts(entry: NodeTypeDetail): unknown {
  return JSON.parse(JSON.stringify(entry), (key, value: unknown) =>
    (key === "description" || key === "when_to_use") && typeof value === "string"
      ? undefined
      : value,
  );
}
