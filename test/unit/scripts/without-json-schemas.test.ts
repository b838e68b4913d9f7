import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { removeJsonSchemas, withoutJsonSchemas } from "../../../scripts/without-json-schemas.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** Schemas of each kind that requests have: what they accept, refuse and know of themselves. */
const MODULE = `
  import * as z from "zod";
  const shape = z.strictObject({
    id: z.string().regex(/^a+$/).min(2).max(4),
    count: z.int().min(1).max(9).default(3),
    list: z.array(z.union([z.boolean(), z.literal("x")])).optional(),
    either: z.discriminatedUnion("kind", [z.object({ kind: z.literal(1) }), z.object({ kind: z.literal(2), of: z.record(z.string(), z.number()) })]).nullable(),
  });
  const given = [
    { id: "aaa", either: null },
    { id: "aaa", count: 12, list: [true, "y"], either: { kind: 2, of: { a: "b" } } },
    { id: "b", extra: 1, either: { kind: 3 } },
  ];
  export const parsed = given.map((one) => shape.safeParse(one)).map((one) => one.success ? one.data : one.error.issues);
  export const known = [shape.shape.id.minLength, shape.shape.id.maxLength, shape.shape.count.unwrap().maxValue];
  export const makesSchemas = () => z.toJSONSchema(shape);
  export const describes = () => shape.toJSONSchema();
`;

async function bundled(folder: string, plugins: (typeof withoutJsonSchemas)[]) {
  const outfile = join(folder, `${plugins.length}.mjs`);
  await build({
    stdin: { contents: MODULE, resolveDir: ROOT },
    bundle: true,
    format: "esm",
    minify: true,
    outfile,
    plugins,
  });
  return (await import(pathToFileURL(outfile).href)) as {
    readonly parsed: unknown;
    readonly known: unknown;
    makesSchemas(): unknown;
    describes(): unknown;
  };
}

test("schemas without JSON Schemas accept and refuse the same, and a call for a JSON Schema throws", async () => {
  const folder = await mkdtemp(join(tmpdir(), "edgeloom-test-"));
  try {
    const whole = await bundled(folder, []);
    const shorter = await bundled(folder, [withoutJsonSchemas]);
    expect(shorter.parsed).toEqual(whole.parsed);
    expect(shorter.known).toEqual([2, 4, 9]);
    expect(whole.makesSchemas()).toMatchObject({ type: "object" });
    expect(() => shorter.makesSchemas()).toThrow("The Worker makes no JSON Schemas.");
    expect(() => shorter.describes()).toThrow("The Worker makes no JSON Schemas.");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("a module that exports no function is refused: zod has changed", () => {
  expect(() => removeJsonSchemas("a.js", "import x from 'y';")).toThrow("zod has changed");
});
