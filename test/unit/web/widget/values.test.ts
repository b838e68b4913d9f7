import { describe, expect, test } from "vitest";
import type { FieldConfig } from "../../../../src/web/widget/core/config.ts";
import {
  cloneJson,
  defaultOf,
  fileProblem,
  parseJsonText,
  parseNumber,
  problemOf,
  readValue,
  toEntry,
} from "../../../../src/web/widget/core/values.ts";

const field = (more: Partial<FieldConfig>): FieldConfig => ({
  key: "k",
  label: "K",
  description: "",
  type: "text",
  required: false,
  ...more,
});

describe("a value of a message", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  const asset = {
    asset_path: "assets/a.png",
    name: "a.png",
    content_type: "image/png",
    size_bytes: 3,
  };

  test.each([
    ["text", "abc", "abc"],
    ["text", 5, undefined],
    ["text", null, null],
    ["number", 2.5, 2.5],
    ["number", "2.5", undefined],
    ["number", Number.NaN, undefined],
    ["number", Number.POSITIVE_INFINITY, undefined],
    ["boolean", false, false],
    ["boolean", "false", undefined],
    ["enum", "a", "a"],
    ["preset", ["a"], undefined],
    ["json", { a: [1, null] }, { a: [1, null] }],
    ["json", new Date(0), undefined],
    ["json", cyclic, undefined],
    ["json", { a: Number.NaN }, undefined],
    ["image", "https://example.com/a.png", { url: "https://example.com/a.png" }],
    ["image", { url: "https://example.com/a.png" }, { url: "https://example.com/a.png" }],
    ["image", "http://example.com/a.png", undefined],
    ["image", "javascript:alert(1)", undefined],
    ["image", "https://user:password@example.com/a.png", undefined],
    ["video", asset, asset],
    ["audio", { asset_path: "" }, undefined],
    ["document", 5, undefined],
  ])("of a %s field, %j, is %j", (type, raw, expected) => {
    const read = readValue(field({ type }), raw);
    expect("value" in read ? read.value : undefined).toEqual(expected);
    expect("wrong" in read).toBe(expected === undefined);
  });

  test("that is a file is to be uploaded for fields of files only", () => {
    const file = new Blob(["x"]);
    expect(readValue(field({ type: "image" }), file)).toEqual({ file });
    expect(readValue(field({ type: "json" }), file)).toEqual({ wrong: true });
  });

  test("keeps a member named __proto__ as a member", () => {
    const raw: unknown = JSON.parse('{"__proto__": {"polluted": true}}');
    const copy = cloneJson(raw, 8) as object;
    expect(Object.keys(copy)).toEqual(["__proto__"]);
    expect((copy as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("a problem of a value", () => {
  const number = field({ type: "number", constraints: { min: 1, max: 8, step: 0.1 } });

  test.each([
    [field({ required: true }), null, "required"],
    [field({ required: true }), "", "required"],
    [field({}), "", undefined],
    [field({ max_length: 3 }), "abcd", "length"],
    [field({ max_length: 3 }), "abc", undefined],
    [number, 0.9, "range"],
    [number, 8.1, "range"],
    [number, 1.3, undefined],
    [number, 1.35, "step"],
    [field({ type: "number", constraints: { min: 2 } }), 1, "min"],
    [field({ type: "number", constraints: { max: 2 } }), 3, "max"],
    [field({ type: "enum", constraints: { allowed_values: ["a"] } }), "b", "choice"],
    [field({ type: "enum", constraints: { allowed_values: ["a"] } }), "a", undefined],
    [field({ type: "preset", options: [{ code: "p", name: "P" }] }), "q", "choice"],
  ])("of %j with %j is %s", (config, value, expected) => {
    expect(problemOf(config, value)?.code).toBe(expected);
  });

  test("of a file is its type or its size", () => {
    const image = field({ type: "image", accept: [".png"], max_size_bytes: 10 });
    expect(fileProblem(image, { name: "a.PNG", size: 10 })).toBeNull();
    expect(fileProblem(image, { name: "a.png.exe", size: 1 })?.code).toBe("file_type");
    expect(fileProblem(image, { name: "a.png", size: 11 })?.code).toBe("file_size");
  });
});

describe("what a run is sent", () => {
  test.each([
    [field({}), 'a"b', { value: '"a\\"b"' }],
    [field({}), "", undefined],
    [field({ default_value: '"x"' }), "", { value: '""' }],
    [field({ type: "number" }), 0, { value: "0" }],
    [field({ type: "boolean" }), false, { value: "false" }],
    [field({ type: "json" }), { a: 1 }, { value: '{"a":1}' }],
    [field({ type: "json" }), null, undefined],
    [field({ type: "image" }), { url: "https://e.com/a" }, { value: '"https://e.com/a"' }],
    [
      field({ type: "image" }),
      { asset_path: "assets/a", name: "a", content_type: "", size_bytes: 1 },
      { asset_path: "assets/a" },
    ],
  ])("for %j and %j is %j", (config, value, expected) => {
    expect(toEntry(config, value)).toEqual(expected);
  });

  test("at first is the default, and a box that is not ticked is no", () => {
    expect(defaultOf(field({ default_value: '"x"' }))).toBe("x");
    expect(defaultOf(field({ type: "number", default_value: '"x"' }))).toBeNull();
    expect(defaultOf(field({ default_value: "{" }))).toBeNull();
    expect(defaultOf(field({ type: "boolean", required: true }))).toBe(false);
  });
});

describe("the text of a control", () => {
  test.each([
    ["", null],
    [" 12 ", 12],
    ["-0.5", -0.5],
    ["2,5", 2.5],
    ["1,000", undefined],
    ["١٢٫٥", 12.5],
    ["1e3", 1000],
    ["1e999", undefined],
    ["0x10", undefined],
    ["Infinity", undefined],
    ["twelve", undefined],
  ])("%j is the number %j", (text, expected) => {
    expect(parseNumber(text)).toBe(expected);
  });

  test("is JSON, nothing, or neither", () => {
    expect(parseJsonText('{"a": 1}')).toEqual({ a: 1 });
    expect(parseJsonText("  ")).toBeNull();
    expect(parseJsonText("{a: 1}")).toBeUndefined();
    expect(parseJsonText("[".repeat(100) + "]".repeat(100))).toBeUndefined();
  });
});
