import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonItems } from "../../../../src/datasets/json/read-json.ts";
import { parseTablePath, writeTablePath } from "../../../../src/datasets/json/table-path.ts";
import { stringifyJson } from "../../../../src/lib/json/exact-json.ts";
import { inspectBytes } from "../../../support/datasets/inspect-bytes.ts";
import { MemorySource } from "../../../support/datasets/memory-source.ts";
import { refusalOf } from "../../../support/datasets/refusal-of.ts";

async function itemsOf(text: string, table: string, chunkBytes: number, isExact = true) {
  const source = new MemorySource(new TextEncoder().encode(text), chunkBytes);
  const items = [];
  for await (const page of jsonItems(source, table, () => isExact)) {
    items.push(...page);
  }
  return items;
}

const inspect = (text: string, table: string | null = null, name = "d.json") =>
  inspectBytes(text, name, { table });

describe("elements of an array", () => {
  it("are those found by JSON.parse, with pieces of any size and any spacing", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 }),
        fc.jsonValue({ maxDepth: 2 }),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom(0, 2),
        fc.boolean(),
        async (array, beside, chunkBytes, indent, isExact) => {
          const root = { "x.y": beside, a: { "b c": array }, z: [beside] };
          const text = JSON.stringify(root, null, indent);
          const items = await itemsOf(text, '$.a["b c"]', chunkBytes, isExact);
          expect(stringifyJson(items)).toBe(JSON.stringify(array));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("are rejected exactly if JSON.parse rejects the document", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom(
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            '"a"',
            '"',
            "1",
            "-",
            "01",
            "true",
            "nul",
            " ",
            "\\",
            "\u0001",
          ),
          { maxLength: 10 },
        ),
        fc.integer({ min: 1, max: 4 }),
        async (tokens, chunkBytes) => {
          const middle = tokens.join("");
          for (const text of [`{"t":[${middle}]}`, `{"s":${middle},"t":[]}`, `{"t":[]${middle}}`]) {
            let expected: unknown;
            try {
              expected = JSON.parse(text);
            } catch {
              expected = undefined;
            }
            const refused = await refusalOf(itemsOf(text, "$.t", chunkBytes));
            if (expected === undefined) {
              expect(refused, text).toMatch(/^invalid_data/);
            } else if (!Array.isArray((expected as { t: unknown }).t)) {
              expect(refused, text).toMatch(/^invalid_data/);
            } else if (refused !== "accepted") {
              // The only document that JSON.parse accepts and a stream cannot: a repeated key.
              expect(refused, text).toMatch(/twice/);
            }
          }
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it("keep every digit", async () => {
    expect(stringifyJson(await itemsOf("[1.50,12345678901234567890,1e5]", "$", 2))).toBe(
      "[1.50,12345678901234567890,1e5]",
    );
  });
});

describe("a path to a table", () => {
  it("is read as written, with any keys", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 6 }), { maxLength: 4 }), (keys) => {
        expect(parseTablePath(writeTablePath(keys))).toEqual(keys);
      }),
    );
  });

  it.each([
    ["$", []],
    ["$.a.b", ["a", "b"]],
    ["a.b", ["a", "b"]],
    ['$.a["b.c"]', ["a", "b.c"]],
    ['$["x y"].z', ["x y", "z"]],
  ])("%s leads to %j", (path, keys) => {
    expect(parseTablePath(path)).toEqual(keys);
  });

  it.each(["a..b", ".a", "$.", "a.", "$[0]", "a[0]", '$["a', "$.a b]", "$$.a[b]"])(
    "%s is rejected",
    async (path) => {
      expect(await refusalOf(itemsOf("[]", path, 5))).toMatch(/^validation_error: table/);
    },
  );
});

describe("a JSON profile", () => {
  it("finds the only array of objects, and keeps nested values unchanged", async () => {
    const text =
      '{"meta":{"tags":["a"]},"data":{"rows":[{"a":1,"b":{"c":1}},{"a":null,"d":"2024-01-01"}]}}';
    expect(await inspect(text)).toMatchObject({
      table: "$.data.rows",
      row_count: 2,
      columns: [
        { name: "a", type: "number", nullable: true },
        { name: "b", type: "json", nullable: true },
        { name: "d", type: "date", nullable: true },
      ],
      sample: [
        { a: 1, b: { c: 1 }, d: null },
        { a: null, b: null, d: "2024-01-01" },
      ],
    });
  });

  it.each([
    ['{"a":[{}],"b":{"c":[{}]}}', null, /^ambiguous_table: .*"\$\.a", "\$\.b\.c"/],
    ['{"a":[{}],"b":{"c":[{}]}}', "b.c", /^accepted/],
    ['{"a":[{}],"b":[]}', null, /^accepted/],
    ['{"a":[1,{}],"b":[{}]}', null, /^accepted/],
    ['{"a":[1,{}]}', "$.a", /^invalid_data: Element 0/],
    ['{"a":1}', null, /^invalid_data: .*no array of objects/],
    ['{"a":1}', "$.a", /^invalid_data: .*no array at/],
    ["[]", null, /^accepted/],
    ['[{"a":1},2]', "$", /^invalid_data: Element 1/],
    ["", null, /^invalid_data: The file is empty/],
    ['{"a":[{}]', null, /^invalid_data: .*ends before/],
    ['{"a":[{}]} x', null, /^invalid_data: .*after the end/],
    ['{"a":1}\n{"a":2}', null, /^invalid_data: .*ndjson/],
    [`${"[".repeat(1_000)}${"]".repeat(1_000)}`, null, /^invalid_data: .*nests deeper/],
    [`[{"a":${"[".repeat(1_000)}${"]".repeat(1_000)}}]`, "$", /^invalid_data: .*nests deeper/],
    [`{"a":${"9".repeat(5_000)}}`, null, /^invalid_data/],
    [`[{"a":"${"x".repeat(5_000_000)}"}]`, "$", /^invalid_data: Element 0 is larger/],
  ])("of %.60s with table %s: %s", async (text, table, expected) => {
    expect(await refusalOf(inspect(text, table))).toMatch(expected);
  });

  it("of NDJSON reads one value on each line, skips blank lines, and reports the number of an invalid line", async () => {
    expect(await inspect('{"a":1}\r\n\n{"b":2}', null, "d.ndjson")).toMatchObject({
      row_count: 2,
      columns: [{ name: "a" }, { name: "b" }],
    });
    const broken = '{"a":1}\n\n{"a":}\n';
    expect(await refusalOf(inspect(broken, null, "d.jsonl"))).toBe(
      "invalid_data: Line 3 is not valid JSON.",
    );
    expect(await refusalOf(inspect("[1]\n", null, "d.jsonl"))).toMatch(/^invalid_data: Element 0/);
    expect(await refusalOf(inspect("{}\n", "a", "d.jsonl"))).toMatch(/^invalid_data/);
  });
});

it("no element of a long array may nest deeper, with pieces of any size", async () => {
  const deep = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  const array = (levels: number) =>
    `[${Array.from({ length: 40 }, (_, i) => (i === 20 ? deep(levels) : `{"a":${i}}`)).join(", ")}]`;
  for (const chunkBytes of [64, 300, 65_536]) {
    const inspect = (levels: number) =>
      refusalOf(inspectBytes(array(levels), "d.json", { sampleRows: 0, table: "$" }, chunkBytes));
    expect(await inspect(128)).toBe("accepted");
    expect(await inspect(129)).toMatch(/^invalid_data: .*deeper than 128 levels/);
  }
});
