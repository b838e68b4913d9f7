import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LIMIT_ROWS } from "../../src/lib/limits/limit-rows.ts";
import { LIMITS } from "../../src/lib/limits/limits-table.ts";

const ROOT = join(import.meta.dirname, "../..");

interface Source {
  readonly path: string;
  readonly text: string;
}

/** The service's own source files. */
const SOURCES: readonly Source[] = ["src", "durable-objects", "queues"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
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

/** docs/decisions/bundle-size.md: a deployment shortens names of classes that are not stated as a text. */
function decisionsByClassName(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path, text }) =>
      path.startsWith("src/web/")
        ? false
        : /\.constructor\.name\b|new\.target\.name\b|\.name === "[A-Z]\w*(?:Error|Exception)"/.test(
            text,
          ),
    )
    .map(({ path }) => path);
}

/** Folders whose checks callers meet. */
const LIMITED = /^src\/(?:api|contracts|datasets|domain|expressions|formats|images|nodes)\//;
/** Numbers that are not limits of this service, with the reason. */
const OTHER_NUMBERS: Readonly<Record<string, string>> = {
  "src/api/middleware/cross-origin.ts PREFLIGHT_MAX_AGE_S": "how long browsers may keep an answer",
  "src/nodes/image/code.ts CONTRAST_MIN": "where modules still can be told apart",
  "src/contracts/files/font.ts 1000": "weights of CSS",
  "src/contracts/runs/run-events.ts 100": "percent",
  "src/contracts/runs/run.ts 100": "percent",
  "src/contracts/batches/batch-export.ts 100": "percent",
  "src/contracts/batches/batch.ts 100": "percent",
  "src/contracts/workspaces/shard.ts 63": "the names of the bindings",
  "src/contracts/files/storage.ts 100": "percent",
  "src/contracts/runs/zip-export.ts 100": "percent",
  "src/contracts/runs/task.ts 40": "made by the service itself",
  "src/formats/font/charstring-runner.ts STACK_MAX": "the font format's own",
  "src/formats/font/charstring-runner.ts CALLS_MAX": "the font format's own",
  "src/formats/font/check-font-metrics.ts UNITS_MIN": "the font format's own",
  "src/formats/font/check-font-metrics.ts UNITS_MAX": "the font format's own",
  "src/images/conversion-bytes.ts CONVERSION_BYTES_MAX":
    "memory, which the budget of an isolate checks",
};
/** Parameters of nodes have ranges, which the catalog shows: those of these files are not limits of size. */
const RANGES =
  /^src\/nodes\/(?:ai\/text-generation|image\/code|output\/image|utility\/to-number)\.ts$/;
const NUMBER = String.raw`\d[\d_.]*(?: \* (?:[A-Z]+|\d[\d_.]*))*`;

/**
 * Limits outside the table of limits (`lib/limits/`), as far as a rule can tell: a length or a maximum that a schema states
 * as a number, and a constant with MAX or MIN in its name that a message states to the caller.
 */
function limitNumbers(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => LIMITED.test(path))
    .flatMap(({ path, text }) => {
      const stated = [...text.matchAll(/\.(?:max|length)\((\d[\d_]*)\)/g)]
        .filter(([, value]) => Number(value?.replaceAll("_", "")) > 1 && !RANGES.test(path))
        .map(([, value]) => `${path} ${value}`);
      const named = [
        ...text.matchAll(new RegExp(`^(?:export )?const ([A-Z0-9_]+) = ${NUMBER};$`, "gm")),
      ]
        .map(([, name = ""]) => name)
        .filter(
          (name) =>
            /(?:^|_)(?:MAX|MIN)(?:_|$)/.test(name) &&
            new RegExp(String.raw`\$\{(?:String\()?${name}\b|\.(?:max|length)\(${name}\)`).test(
              text,
            ),
        )
        .map((name) => `${path} ${name}`);
      return [...stated, ...named];
    });
}

/** docs/decisions/shards.md: one module chooses the database of an organization. */
function databaseBindings(sources: readonly Source[]): string[] {
  const places = [
    "src/storage/d1/databases.ts",
    "src/platform/env.ts",
    "src/platform/check-env.ts",
  ];
  return sources
    .filter(
      ({ path, text }) =>
        !places.includes(path) &&
        /\.DB(?:_\d+)?\b|\bDB(?:_\d+)?\??\s*[:},\]]|(["'`])DB(?:\1|_)/.test(text),
    )
    .map(({ path }) => path);
}

/** docs/decisions/names.md: `Plan` is the compiled form of a definition and nothing else. */
function otherPlans(sources: readonly Source[]): string[] {
  return sources
    .filter(
      ({ path, text }) =>
        path !== "src/engine/plan/plan.ts" &&
        /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) Plan\b/m.test(text),
    )
    .map(({ path }) => path);
}

describe("rules of the source", () => {
  test("zod is imported as a namespace, which a bundler can tree-shake", () => {
    expect(SOURCES.length).toBeGreaterThan(500);
    expect(zodObjectImports(SOURCES)).toEqual([]);
    const planted = { path: "planted.ts", text: 'import { type infer, z } from "zod";\n' };
    expect(zodObjectImports([planted])).toEqual(["planted.ts"]);
  });

  test("one module chooses the database: no other names a DB binding", () => {
    expect(SOURCES.map(({ path }) => path)).toContain("src/storage/d1/databases.ts");
    expect(databaseBindings(SOURCES)).toEqual([]);
    const planted = [
      { path: "a.ts", text: "await findApiKey(ctx.env.DB, id);" },
      { path: "b.ts", text: "constructor({ DB }: Bindings) {}" },
      { path: "c.ts", text: "interface Own { readonly DB: D1Database }" },
      { path: "d.ts", text: "const shard = env[`DB_${n}`];" },
      { path: "e.ts", text: 'type Own = Pick<Env, "DB">;' },
      { path: "f.ts", text: "const { DB, FILES } = env;" },
      { path: "g.ts", text: "const first = env.DB_1;" },
      { path: "h.ts", text: "const second = env['DB'];" },
      { path: "unseen.ts", text: '"DB is overloaded"; // of DB alone' },
    ];
    expect(databaseBindings(planted)).toEqual(
      ["a", "b", "c", "d", "e", "f", "g", "h"].map((name) => `${name}.ts`),
    );
  });

  test("nothing but the compiled form of a definition is called Plan", () => {
    expect(otherPlans(SOURCES)).toEqual([]);
    const planted = [
      { path: "a.ts", text: "import x;\nexport interface Plan {\n" },
      { path: "b.ts", text: "type Plan = string;" },
      { path: "c.ts", text: "export interface PlanLimits {}\nimport type { Plan } from 'x';" },
      { path: "src/engine/plan/plan.ts", text: "export interface Plan {" },
    ];
    expect(otherPlans(planted)).toEqual(["a.ts", "b.ts"]);
  });

  test("nothing depends on the name of a class, which a deployment shortens", () => {
    expect(decisionsByClassName(SOURCES)).toEqual([]);
    const planted = [
      { path: "a.ts", text: 'if (error.name === "InvalidSchemaError") {' },
      { path: "b.ts", text: "this.name = this.constructor.name;" },
      { path: "c.ts", text: 'if (file.name === "a") {' },
    ];
    expect(decisionsByClassName(planted)).toEqual(["a.ts", "b.ts"]);
  });

  test("a limit is an entry of the table of limits, and not a number elsewhere", () => {
    // An exception that no source needs any more goes.
    expect([...new Set(limitNumbers(SOURCES))].toSorted()).toEqual(
      Object.keys(OTHER_NUMBERS).toSorted(),
    );
    const planted = [
      { path: "src/contracts/planted.ts", text: "const name = z.string().max(1_234);\n" },
      {
        path: "src/images/planted.ts",
        text: "const SIDE_MAX = 4 * KB;\nfail(`at most ${SIDE_MAX}`);\n",
      },
      {
        path: "src/nodes/a/planted.ts",
        text: "const TEXTS_MAX = 9;\nz.array(z.string()).max(TEXTS_MAX);\n",
      },
      { path: "src/storage/planted.ts", text: "const BATCH_MAX = 9;\nlog(`${BATCH_MAX}`);\n" },
    ];
    expect(limitNumbers(planted)).toEqual([
      "src/contracts/planted.ts 1_234",
      "src/images/planted.ts SIDE_MAX",
      "src/nodes/a/planted.ts TEXTS_MAX",
    ]);
  });

  test("code has the values of the table of limits, in which each key stands once", () => {
    // If this fails, run `npm run docs`.
    expect(LIMIT_ROWS.map(({ key, value }) => [key, { value }])).toEqual(Object.entries(LIMITS));
    expect(LIMIT_ROWS.length).toBeGreaterThan(100);
  });

  test("each limit has a name of its own that does not refer to another row", () => {
    const names = LIMIT_ROWS.map(({ name }) => name);
    const repeated = names.filter((name, at) => names.indexOf(name) !== at);
    expect(repeated).toEqual([]);
    expect(names.filter((name) => /\b(?:those|these)\b/i.test(name))).toEqual([]);
  });
});
