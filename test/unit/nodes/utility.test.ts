import { NOTHING_STORED } from "../../../src/contracts/references.ts";
import { describe, expect, test } from "vitest";
import { type JsonValue, parseJson } from "../../../src/lib/json/exact-json.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import type { RunValue } from "../../../src/nodes/define-ports.ts";
import { digits, failureOf, nodeOf, problemsOf, runNode } from "./run-node.ts";
import { expectWithin } from "../../support/expect-within.ts";

const file = new FileRef({ key: "k", name: "a.png", contentType: "image/png", sizeBytes: 1 });

describe("utility/calculate", () => {
  test("every variable is a required json port, and the result is a number", () => {
    const node = nodeOf("utility/calculate");
    const ports = node.dynamicPorts?.resolve(
      node.params.parse({ expression: "a + sum(b.c)" }),
      NOTHING_STORED,
    );
    expect(ports).toEqual({
      inputs: [
        { name: "a", type: "json" },
        { name: "b", type: "json" },
      ],
    });
  });

  test("a comparison's result is any, because it is a boolean", () => {
    const node = nodeOf("utility/calculate");
    const ports = node.dynamicPorts?.resolve(
      node.params.parse({ expression: "a > 1" }),
      NOTHING_STORED,
    );
    expect(ports).toMatchObject({
      without: ["result"],
      outputs: [{ name: "result", type: "any" }],
    });
  });

  test("results keep digits beyond a double", async () => {
    const { result } = await runNode(
      "utility/calculate",
      { expression: "a * 10 + 1" },
      { a: parseJson("12345678901234567890") },
    );
    expect(digits(result)).toBe("123456789012345678901");
  });

  test("a boolean instead of a number is CALC_TYPE_MISMATCH", async () => {
    expect(await runNode("utility/calculate", { expression: "a == true" }, { a: true })).toEqual({
      result: true,
    });
    expect(
      await failureOf(() => runNode("utility/calculate", { expression: "a" }, { a: true })),
    ).toBe("CALC_TYPE_MISMATCH");
  });

  test("an unconnected variable is CALC_UNCONNECTED_VARIABLE, each with its name", () => {
    const found = problemsOf("utility/calculate", { expression: "a + b + c" }, ["b"]);
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^expression: CALC_UNCONNECTED_VARIABLE: .*"a"/);
  });

  test("an invalid expression is reported with its character", () => {
    expect(problemsOf("utility/calculate", { expression: "1 + * 2" })).toEqual([
      expect.stringMatching(/^expression: .*character 5/),
    ]);
    expect(problemsOf("utility/calculate", {})).toHaveLength(1);
  });

  test("at most 50 variables", () => {
    const sum = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`).join("+");
    const connected = Array.from({ length: 51 }, (_, i) => `v${i}`);
    expect(problemsOf("utility/calculate", { expression: sum(50) }, connected)).toEqual([]);
    expect(problemsOf("utility/calculate", { expression: sum(51) }, connected)).toHaveLength(1);
  });
});

describe("utility/condition", () => {
  const branch = async (params: object, value: JsonValue) =>
    Object.keys(await runNode("utility/condition", params, { value }))[0];
  test.each<[string, string, string, boolean]>([
    ["equals", "1.5", "1.50", true],
    ["equals", "9007199254740993", "9007199254740992", false],
    ["equals", "1.50", "15.0", false],
    ["equals", "-1.50", "1.50", false],
    ["equals", "5", '"5"', false],
    ["equals", '{"a":1,"b":[1.0]}', '{"b":[1],"a":1}', true],
    ["equals", '{"__proto__":1}', "{}", false],
    ["not_equals", "null", "0", true],
    ["gt", "10", "9", true],
    ["gt", "100000000000000000001", "100000000000000000000", true],
    ["gte", "0.1", "0.10", true],
    ["lt", '"a"', '"b"', true],
    ["lte", "-1e500", "-1e499", true],
    ["contains", '"hello"', '"ell"', true],
    ["contains", '[1,"1"]', '"1"', true],
    ["contains", "[1.0]", "1", true],
    ["contains", '{"a":1}', '"a"', true],
    ["contains", "{}", '"constructor"', false],
    ["matches", '"abc-123"', '"^[a-z]+-\\\\d+$"', true],
    ["matches", '"abc"', '"^\\\\d+$"', false],
    ["is_empty", '""', "null", true],
    ["is_empty", "[]", "null", true],
    ["is_empty", "{}", "null", true],
    ["is_empty", "null", "null", true],
    ["is_empty", "0", "null", false],
    ["is_true", "true", "null", true],
    ["is_true", '"true"', "null", false],
    ["is_true", "1", "null", false],
  ])("%s of %s with %s: %s", async (operator, value, operand, holds) => {
    expect(await branch({ operator, operand: parseJson(operand) }, parseJson(value))).toBe(
      String(holds),
    );
  });

  test("the whole value is passed on, and nothing on the other branch", async () => {
    const value = { a: { b: 2 } };
    expect(
      await runNode("utility/condition", { operator: "gt", operand: 1, path: "$.a.b" }, { value }),
    ).toEqual({ true: value });
    expect(
      await runNode("utility/condition", { operator: "gt", operand: 5, path: "a.b" }, { value }),
    ).toEqual({ false: value });
  });

  test("a missing value, or null, is empty, equals only null, and passes no other test", async () => {
    for (const [operator, operand, expected] of [
      ["is_empty", "x", "true"],
      ["not_equals", "x", "true"],
      ["not_equals", 0, "true"],
      ["not_equals", null, "false"],
      ["equals", "x", "false"],
      ["equals", "", "false"],
      ["equals", null, "true"],
      ["gt", "x", "false"],
      ["gte", 0, "false"],
      ["lt", "x", "false"],
      ["lte", 5, "false"],
      ["contains", "x", "false"],
      ["contains", null, "false"],
      ["matches", "x", "false"],
      ["is_true", "x", "false"],
    ] as const) {
      const test = { operator, operand };
      expect(await branch({ ...test, path: "$.constructor" }, {}), operator).toBe(expected);
      expect(await branch({ ...test, path: "$.n" }, { n: null }), operator).toBe(expected);
      expect(await branch(test, null), operator).toBe(expected);
    }
  });

  test.each<[string, JsonValue, JsonValue]>([
    ["gt", "5", 1],
    ["gt", true, 1],
    ["contains", 5, 5],
    ["matches", 5, "5"],
  ])("%s of %j with %j is TYPE_MISMATCH", async (operator, value, operand) => {
    expect(await failureOf(() => branch({ operator, operand }, value))).toBe("TYPE_MISMATCH");
  });

  test("a file is not empty for is_empty, and passes no other test", async () => {
    expect(await runNode("utility/condition", { operator: "is_empty" }, { value: file })).toEqual({
      false: file,
    });
    expect(
      await failureOf(() =>
        runNode("utility/condition", { operator: "equals", operand: 1 }, { value: file }),
      ),
    ).toBe("TYPE_MISMATCH");
  });

  test("a pattern that makes backtracking engines hang returns at once", async () => {
    await expectWithin(1_000, async () => {
      expect(
        await branch({ operator: "matches", operand: "^(a+)+$" }, `${"a".repeat(20_000)}b`),
      ).toBe("false");
    });
  });

  test("operands that cannot work are rejected when the definition is saved", () => {
    for (const params of [
      { operator: "equals" },
      { operator: "matches", operand: "(" },
      { operator: "matches", operand: "(?<=a)b" },
      { operator: "matches", operand: 5 },
      { operator: "matches", operand: "x".repeat(2_000) },
      { operator: "gt", operand: [] },
      { operator: "nope", operand: 1 },
      { operator: "is_true", path: "$.[" },
    ]) {
      expect(problemsOf("utility/condition", params), JSON.stringify(params)).toHaveLength(1);
    }
  });
});

describe("utility/to_number", () => {
  const read = async (value: JsonValue, params: object = {}) =>
    digits((await runNode("utility/to_number", params, { value }))["number"]);

  test.each<[JsonValue, object, string]>([
    ["12.50", {}, "12.50"],
    [" -7 ", {}, "-7"],
    ["12345678901234567890.1", {}, "12345678901234567890.1"],
    ["1.234,50", { locale: "de-DE" }, "1234.50"],
    ["1 234,5", { locale: "fr-FR" }, "1234.5"],
    ["€ 1,234.5", { locale: "en-US", strip: ["€"] }, "1234.5"],
    ["1234 EUR pro Stück", { strip: [" pro Stück", "EUR"] }, "1234"],
    ["12 %", { percent: true }, "0.12"],
    ["12.5%", { percent: true }, "0.125"],
    ["-0.5 %", { percent: true }, "-0.005"],
    ["100%", { percent: true }, "1"],
    ["1.234,5 %", { percent: true, locale: "de-DE" }, "12.345"],
    ["12", { percent: true }, "12"],
    ["12 %", { strip: ["%"] }, "12"],
    ["n/a", { on_invalid: "default", default: 0 }, "0"],
  ])("%j with %j is %s", async (value, params, expected) => {
    expect(await read(value, params)).toBe(expected);
  });

  test("numbers are passed unchanged, with their own digits", async () => {
    expect(await read(parseJson("1.50"))).toBe("1.50");
    expect(await read(parseJson("1e400"), { percent: true })).toBe("1e400");
  });

  test.each<[JsonValue, object]>([
    ["n/a", {}],
    ["", {}],
    ["1,5", {}],
    ["12 %", {}],
    ["1e5", {}],
    ["1.2.3", { locale: "de-DE" }],
    ["%", { percent: true }],
    [true, {}],
    [null, {}],
    [[1], {}],
    [{ n: 1 }, {}],
  ])("%j with %j is NUMBER_INVALID", async (value, params) => {
    expect(await failureOf(() => runNode("utility/to_number", params, { value }))).toBe(
      "NUMBER_INVALID",
    );
    expect(
      await runNode("utility/to_number", { ...params, on_invalid: "absent" }, { value }),
    ).toEqual({});
  });

  test("a file is invalid too, and no text in a message is longer than 60 characters", async () => {
    const run = (value: RunValue) => runNode("utility/to_number", {}, { value });
    expect(await failureOf(() => run(file))).toBe("NUMBER_INVALID");
    await expect(run("x".repeat(1_000))).rejects.toThrow(/^"x{60}…" is not a number/);
  });

  test("rejects invalid settings when the definition is saved", () => {
    for (const params of [
      { locale: "nowhere" },
      { strip: Array.from({ length: 11 }, () => "a") },
      { strip: [""] },
      { on_invalid: "default" },
      { on_invalid: "skip" },
      { default: "1" },
    ]) {
      expect(problemsOf("utility/to_number", params), JSON.stringify(params)).toHaveLength(1);
    }
  });
});

describe("utility/switch", () => {
  const params = { cases: [{ equals: "a" }, { equals: 1.5 }, { equals: null }], path: "$.k" };
  test.each<[string, string]>([
    ['{"k":"a"}', "case_0"],
    ['{"k":1.50}', "case_1"],
    ['{"k":null}', "case_2"],
    ['{"k":"b"}', "default"],
    ["{}", "default"],
  ])("%s takes %s", async (json, port) => {
    const value = parseJson(json);
    expect(await runNode("utility/switch", params, { value })).toEqual({ [port]: value });
  });

  test("has a port for each of 1 to 20 cases", () => {
    const node = nodeOf("utility/switch");
    const ports = node.dynamicPorts?.resolve(node.params.parse(params), NOTHING_STORED);
    expect(ports?.outputs?.map(({ name, typeOf, optional }) => [name, typeOf, optional])).toEqual([
      ["case_0", "value", true],
      ["case_1", "value", true],
      ["case_2", "value", true],
    ]);
    expect(problemsOf("utility/switch", { cases: [] })).toHaveLength(1);
    expect(
      problemsOf("utility/switch", { cases: Array.from({ length: 21 }, () => ({ equals: 1 })) }),
    ).toHaveLength(1);
    expect(problemsOf("utility/switch", { cases: [{}] })).toHaveLength(1);
  });

  test("a file cannot be compared", async () => {
    expect(await failureOf(() => runNode("utility/switch", params, { value: file }))).toBe(
      "TYPE_MISMATCH",
    );
  });
});

test("utility/merge accepts 1 to 100 values and blocks on a failed one by default", () => {
  const node = nodeOf("utility/merge");
  expect(node.inputs[0]?.list).toEqual({ minCount: 1, maxCount: 100, compact: true });
  expect(node.role === "merge" && node.onFailed(node.params.parse({}))).toBe("block");
  expect(node.role === "merge" && node.onFailed(node.params.parse({ on_failed: "next" }))).toBe(
    "next",
  );
});

describe("utility/json_path", () => {
  const json = parseJson(
    '{"a":{"b.c":[{"n":1.50},{"n":2},{}]},"t":"x","constructor":{"prototype":7}}',
  );
  const read = async (params: object) =>
    (await runNode("utility/json_path", params, { json }))["value"];
  test.each<[string, string]>([
    ["$", JSON.stringify(json)],
    ["t", '"x"'],
    ["$.t", '"x"'],
    ['$.a["b.c"][0].n', "1.50"],
    ["$.a['b.c'][-2].n", "2"],
    ['$.a["b.c"][*].n', "[1.50,2]"],
    ["$.a.*[1].n", "[2]"],
    ["constructor.prototype", "7"],
  ])("%s is %s", async (path, expected) => {
    expect(JSON.stringify(await read({ path }))).toBe(expected);
  });

  test("a missing value fails or is absent, as set by the author", async () => {
    for (const path of ["$.none", "$.t.length", "$.toString", '$.a["b.c"][9]', "$.__proto__"]) {
      expect(await failureOf(() => read({ path }))).toBe("JSON_PATH_NOT_FOUND");
      expect(await runNode("utility/json_path", { path, on_missing: "absent" }, { json })).toEqual(
        {},
      );
    }
  });

  test("the value has the declared type or is TYPE_MISMATCH; text is never a number", async () => {
    expect(await read({ path: '$.a["b.c"][0].n', output_type: "text" })).toBe("1.5");
    expect(await failureOf(() => read({ path: "t", output_type: "number" }))).toBe("TYPE_MISMATCH");
    const node = nodeOf("utility/json_path");
    const ports = node.dynamicPorts?.resolve(
      node.params.parse({ path: "t", output_type: "number" }),
      NOTHING_STORED,
    );
    expect(ports?.outputs).toMatchObject([{ name: "value", type: "number" }]);
  });

  test.each(["", "$.", "$..a", "$[", "$[a]", '$["a', "$x", "$[1", "x".repeat(2_000)])(
    "rejects the path %j",
    (path) => {
      expect(problemsOf("utility/json_path", { path })).toHaveLength(1);
    },
  );
});

describe("utility/json_schema_validate", () => {
  const schema_definition = {
    type: "object",
    required: ["a"],
    properties: { a: { type: "integer" } },
  };
  test("passes valid values on unchanged", async () => {
    const json = parseJson('{"a":10,"b":1.50}');
    const outputs = await runNode("utility/json_schema_validate", { schema_definition }, { json });
    expect(JSON.stringify(outputs)).toBe('{"json":{"a":10,"b":1.50},"valid":true,"errors":[]}');
  });

  test("fails with the violations, or returns them", async () => {
    const run = (mode: string) =>
      runNode("utility/json_schema_validate", { schema_definition, mode }, { json: { a: "x" } });
    expect(await failureOf(() => run("fail"))).toBe("JSON_SCHEMA_VIOLATION");
    await expect(run("fail")).rejects.toThrow("/a: must be of type integer");
    expect(await run("report")).toMatchObject({
      valid: false,
      errors: [{ path: "/a", message: "must be of type integer" }],
    });
  });

  test("parses text that looks like JSON, and a schema given as text", async () => {
    const params = { schema_definition: JSON.stringify(schema_definition), mode: "report" };
    expect(
      await runNode("utility/json_schema_validate", params, { json: ' {"a": 1}' }),
    ).toMatchObject({ json: { a: 1 }, valid: true });
    expect(await runNode("utility/json_schema_validate", params, { json: '{"a": ' })).toMatchObject(
      { valid: false },
    );
    expect(
      await runNode(
        "utility/json_schema_validate",
        { schema_definition: { type: "string" } },
        { json: "x" },
      ),
    ).toMatchObject({ valid: true });
  });

  test("an invalid schema is rejected when saved; one that does not compile fails in the run", async () => {
    for (const schema of ["{", 5, null, [1]]) {
      expect(problemsOf("utility/json_schema_validate", { schema_definition: schema })).toEqual([
        expect.stringMatching(/INVALID_SCHEMA/),
      ]);
    }
    const run = () =>
      runNode(
        "utility/json_schema_validate",
        { schema_definition: { $ref: "http://127.0.0.1/" } },
        { json: 1 },
      );
    expect(await failureOf(run)).toBe("INVALID_SCHEMA");
  });
});

describe("utility/quality_gate", () => {
  const check = (passed: boolean, ...checks: [string, boolean, "error" | "warning"][]) => ({
    schema: "svc.quality-check/v1",
    subject: "code",
    passed,
    checks: checks.map(([id, held, severity]) => ({
      id,
      passed: held,
      severity,
      message: `${id} looked at`,
    })),
  });
  const gate = (policy: object, quality_check: JsonValue, on_fail = "skip") =>
    runNode("utility/quality_gate", { policy, on_fail }, { quality_check, value: "v" });
  const passes = async (policy: object, quality_check: JsonValue) =>
    (await gate(policy, quality_check))["passed"];

  const warned = check(true, ["scan", true, "error"], ["contrast", false, "warning"]);
  const broken = check(false, ["scan", false, "error"]);
  test.each<[string, object, JsonValue, boolean]>([
    ["a passed check passes", {}, warned, true],
    ["a failed one does not", {}, broken, false],
    ["nor one that failed for no named reason", {}, check(false), false],
    ["unless nothing is required to pass", { require_passed: false }, broken, true],
    ["or what failed is ignored", { ignored_checks: ["scan"] }, broken, true],
    [
      "but a required check cannot be ignored",
      { ignored_checks: ["scan"], required_checks: ["scan"] },
      broken,
      false,
    ],
    ["a required check must have been made", { required_checks: ["other"] }, warned, false],
    ["warnings up to the policy's number", { max_warnings: 1 }, warned, true],
    ["and none beyond it", { max_warnings: 0 }, warned, false],
    [
      "ignored warnings do not count",
      { max_warnings: 0, ignored_checks: ["contrast"] },
      warned,
      true,
    ],
  ])("%s", async (_name, policy, quality_check, expected) => {
    expect(await passes(policy, quality_check)).toBe(expected);
  });

  test("fail stops with the reasons; skip leaves the value absent with the reasons", async () => {
    expect(await failureOf(() => gate({}, broken, "fail"))).toBe("QUALITY_GATE_FAILED");
    const skipped = await gate({}, broken);
    expect(Object.hasOwn(skipped, "value")).toBe(false);
    expect(skipped["report"]).toMatchObject({ passed: false, reasons: [{ check: "scan" }] });
    expect(await gate({}, warned)).toMatchObject({ value: "v", passed: true });
  });

  test("a value that is not a quality check is INVALID_QUALITY_CHECK", async () => {
    for (const value of [{}, null, "x", { ...warned, schema: "svc.other/v1" }]) {
      expect(await failureOf(() => gate({}, value))).toBe("INVALID_QUALITY_CHECK");
    }
  });

  test("a policy with unknown members or negative numbers is rejected", () => {
    expect(problemsOf("utility/quality_gate", { policy: { nope: 1 } })).toHaveLength(1);
    expect(problemsOf("utility/quality_gate", { policy: { max_warnings: -1 } })).toHaveLength(1);
    expect(problemsOf("utility/quality_gate", {})).toEqual([]);
  });
});

describe("outputs pass their values on", () => {
  test.each<[string, string, JsonValue]>([
    ["output/text", "text", "x"],
    ["output/json", "json", { a: 1 }],
  ])("%s", async (type, port, value) => {
    expect(Object.values(await runNode(type, { key: "k" }, { [port]: value }))).toEqual([value]);
  });
});
