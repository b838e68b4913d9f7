/**
 * The rules of src/engine/SPEC.md and their citations: in test names, and in comments of the code.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const CODE = ["src", "durable-objects", "queues"];
/** Its names are test names: each case is a test of the engine and of the reference. */
const CASES = "test/simulation/cases/";

const spec = readFileSync(join(ROOT, "src/engine/SPEC.md"), "utf8");
const rules = [...spec.matchAll(/^- \*\*\[(E\d+)\]\*\* \S/gm)].map(([, rule = ""]) => rule);

function sources(folder: string): { readonly file: string; readonly text: string }[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes(".wrangler"))
    .map((name) => join(folder, name))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));
}

const code = CODE.flatMap(sources);
const tests = sources("test");

/** Rules cited anywhere in a text, as `[E4]` or `[E4, E5]`. */
function citedIn(text: string): string[] {
  return [...text.matchAll(/\[(E\d+(?:, E\d+)*)\]/g)].flatMap(([, list = ""]) => list.split(", "));
}

/**
 * Rules at the beginning of the name of a test, a group of tests or a case; not those in comments.
 */
function statedIn(text: string): string[] {
  const names = text
    .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "")
    .matchAll(/(?:\b(?:it|test|describe)\(|\)\(|\bname:)\s*["'`]((?:\[E\d+\] )+)\S/g);
  return [...names].flatMap(([, list = ""]) => citedIn(list));
}

test("every rule has a unique number", () => {
  expect(rules.length).toBeGreaterThan(20);
  expect(spec.match(/^- /gm)).toHaveLength(rules.length);
  expect(new Set(rules).size).toBe(rules.length);
});

test("every rule has a test with the rule in its name", () => {
  const stated = tests.flatMap(({ file, text }) =>
    file.endsWith(".test.ts") || file.startsWith(CASES) ? statedIn(text) : [],
  );
  expect(rules.filter((rule) => !stated.includes(rule))).toEqual([]);
});

test("every rule is cited by the code that implements it", () => {
  const cited = code.flatMap(({ text }) => citedIn(text));
  expect(rules.filter((rule) => !cited.includes(rule))).toEqual([]);
});

test("every rule cited by code or tests exists", () => {
  const unknown = [...code, ...tests].flatMap(({ file, text }) =>
    citedIn(text)
      .filter((rule) => !rules.includes(rule))
      .map((rule) => `${rule} in ${file}`),
  );
  expect(unknown).toEqual([]);
});
