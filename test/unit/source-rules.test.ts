import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

interface Source {
  readonly path: string;
  readonly text: string;
}

/** The service's own source files. */
const SOURCES: readonly Source[] = ["src", "durable-objects", "queues"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({
      path: `${folder}/${name}`,
      text: readFileSync(join(ROOT, folder, name), "utf8"),
    })),
);

/** docs/decisions/bundle-size.md: the object `z` keeps all of zod, the messages of all its languages included, in a bundle. */
function zodObjectImports(sources: readonly Source[]): string[] {
  return sources
    .filter(({ text }) => /^import [^;]*\{[^}]*\bz\b[^}]*\}[^;]*from "zod"/m.test(text))
    .map(({ path }) => path);
}

describe("rules of the source", () => {
  test("zod is imported as a namespace, which a bundler can tree-shake", () => {
    expect(SOURCES.length).toBeGreaterThan(500);
    expect(zodObjectImports(SOURCES)).toEqual([]);
    const planted = { path: "planted.ts", text: 'import { type infer, z } from "zod";\n' };
    expect(zodObjectImports([planted])).toEqual(["planted.ts"]);
  });
});
