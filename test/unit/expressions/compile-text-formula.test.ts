import { describe, expect, test } from "vitest";
import { compileTextFormula } from "../../../src/expressions/compile-text-formula.ts";
import { rowField } from "../../../src/expressions/row-field.ts";
import { parseJson } from "../../../src/lib/json/exact-json.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { expectWithin } from "../../support/expect-within.ts";

const row = parseJson(
  '{"first":"Ann","last":"Lee","n":1.50,"big":12345678901234567890,"yes":true,"nil":null,' +
    '"o":{"x":"y","constructor":3},"list":[1,2],"unit price":"9","a.b":"dotted","html":"<b>x</b><script>alert(1)</script>!",' +
    '"__proto__":"plain","evil":"{{ first }}{% raw %}"}',
);

function render(formula: string): string {
  return compileTextFormula(formula).render((name) => rowField(row, name));
}

describe("outputs", () => {
  test.each([
    ["plain text", "plain text"],
    ["{{ first }} {{last}}", "Ann Lee"],
    ["{{ first + ' ' + last }}", "Ann Lee"],
    ["{{ first + ' ' + last | upper }}", "ANN LEE"],
    ["{{ first | lower }}", "ann"],
    ["{{ '  x ' | trim }}", "x"],
    ["{{ n }}", "1.5"],
    ["{{ big }}", "12345678901234567890"],
    ["{{ yes }}{{ nil }}", "true"],
    ["{{ o.x }}", "y"],
    ["{{ o.constructor }}", "3"],
    ["{{ o_x }}", "y"],
    ["{{ a_b }}", "dotted"],
    ['{{ ["unit price"] }}', "9"],
    ["{{ list }}", "[1,2]"],
    ["{{ __proto__ }}", "plain"],
    ["{{ evil }}", "{{ first }}{% raw %}"],
    ["{{ nick | default: 'friend' }}", "friend"],
    ["{{ first | slice: -2, 2 }}", "nn"],
    ["{{ first | replace: 'n', last }}", "ALeeLee"],
    ["{{ first | split: 'n' | join: '-' | append: '.' }}", "A."],
    ["{{ first | size }}", "3"],
    ["{{ html | strip_html }}", "x!"],
    ["{{ '2024-01-31' | date: '%d.%m.%Y' }}", "31.01.2024"],
    ["{{ n | plus: 0.1 }}", "1.6"],
    ["{{ '0.1' | plus: '0.2' | times: 3 }}", "0.9"],
    ["{{ 'a}}b' }}", "a}}b"],
    ["x {{- first -}} y", "xAnny"],
    ["{{ 5 }}", "5"],
    ["{{ 5 + 6 }}", "56"],
  ])("%s gives %j", (formula, text) => {
    expect(render(formula)).toBe(text);
  });
});

describe("a formula that is rejected when saved, with its character", () => {
  test.each([
    ["{{ first - last }}", 10],
    ["{{ first * 2 }}", 10],
    ["{{ first / 2 }}", 10],
    ["{{ first % 2 }}", 10],
    ["{{ first | nope }}", 12],
    ["{{ first | constructor }}", 12],
    ["{{ first | sample }}", 12],
    ["{{ first | where_exp: 'a', 'b' }}", 12],
    ["{% if first %}x{% endif %}", 1],
    ["a {% include 'x' %}", 3],
    ["{{ first", 1],
    ["{{ 'x }}", 1],
    ["{{ }}", 4],
    ["{{ first last }}", 10],
    ["{{ first | upper + last }}", 18],
    ["{{ first ? 1 }}", 10],
    ["{{ first == last }}", 10],
    ["{{ first[0] }}", 10],
  ])("%s at %d", (formula, character) => {
    expect(() => compileTextFormula(formula)).toThrow(
      expect.objectContaining({ name: "FormulaSyntaxError", character }),
    );
  });

  test("100 kB within 100 ms", async () => {
    await expectWithin(100, () => {
      for (const part of ["{{ a }}", "{{", "x", "{{ a | upcase }}", "{{ 'a", "{% "]) {
        expect(() => compileTextFormula(part.repeat(100_000 / part.length))).toThrow(
          /limit is exceeded/,
        );
      }
    });
  });
});

describe("an error on a row is FORMULA_ERROR", () => {
  test.each([
    "{{ missing }}",
    "{{ constructor }}",
    "{{ toString }}",
    "{{ o.missing }}",
    "{{ first.length }}",
    "{{ missing | upper | default: 'x' }}",
    "{{ first | plus: 1 }}",
    "{{ n | divided_by: 0 }}",
    "{{ 'now' | date: '%Y' }}",
    "{{ 'today' | date_to_string }}",
  ])("%s", (formula) => {
    const compiled = compileTextFormula(formula);
    expect(() => compiled.render((name) => rowField(row, name))).toThrow(
      expect.objectContaining({ name: "NodeError", code: "FORMULA_ERROR" }),
    );
  });

  test("a chain of filters that doubles its text is stopped", async () => {
    const doubling = `{{ first${" | replace: 'n', 'nnnnnnnnnnnnnnnnnnnn'".repeat(12)} }}`;
    await expectWithin(2_000, () => {
      expect(() => render(doubling)).toThrow(NodeError);
    });
  });

  test("the filters that liquidjs implements with patterns stay linear on hostile text", async () => {
    const TEXTS = [
      ["<script".repeat(100_000), "strip_html"],
      ["<!--".repeat(100_000), "strip_html"],
      [`${"a".repeat(500_000)}b`, "rstrip: 'a'"],
      [`x${" ".repeat(500_000)}x`, "strip"],
      [" x".repeat(200_000), "truncatewords: 3"],
      [" ".repeat(500_000), "normalize_whitespace"],
      ["&".repeat(500_000), "escape_once"],
      ["-".repeat(500_000), "slugify"],
    ] as const;
    await expectWithin(2_000, () => {
      for (const [text, filter] of TEXTS) {
        compileTextFormula(`{{ t | ${filter} }}`).render(() => text);
      }
    });
  });
});

test("variables are the root names without duplicates", () => {
  expect(compileTextFormula("{{ a + b.c | append: a | replace: d, 'x' }}").variables).toEqual([
    "a",
    "b",
    "d",
  ]);
});

describe("list filters receive lists", () => {
  const lists = parseJson(
    '{"tags":["red","blue"],"nums":[10,9,1.50,12345678901234567890],"rows":[{"n":2,"s":"b"},{"n":1,"s":"a"}],"none":[],"text":"abc","nested":[[1],null,true]}',
  );
  const renderList = (formula: string) =>
    compileTextFormula(formula).render((name) => rowField(lists, name));

  test.each([
    ['{{ tags | join: "+" }}', "red+blue"],
    ["{{ tags | join }}", "red blue"],
    ['{{ nums | join: ";" }}', "10;9;1.5;12345678901234567890"],
    ["{{ tags | size }}", "2"],
    ["{{ none | size }}", "0"],
    ["{{ tags | first }}", "red"],
    ["{{ tags | last | upcase }}", "BLUE"],
    ["{{ tags | reverse | join: ',' }}", "blue,red"],
    ["{{ nums | sort | first }}", "1.5"],
    ["{{ rows | map: 's' | sort | join: '' }}", "ab"],
    ["{{ rows | sum: 'n' }}", "3"],
    ["{{ tags | concat: none | concat: tags | uniq | size }}", "2"],
    ["{{ missing | default: '-' | join: '+' }}", "-"],
    ["{{ tags | default: '-' | join: '+' }}", "red+blue"],
    // Without a list filter, a list becomes text, also a list that is the final value.
    ["{{ tags }}", '["red","blue"]'],
    ["{{ tags | upcase }}", '["RED","BLUE"]'],
    ["{{ tags | reverse }}", '["blue","red"]'],
    ["{{ nested | compact }}", "[[1],true]"],
    ["{{ tags + '!' | size }}", "15"],
    ["{{ text | size }}", "3"],
    ["{{ text | first }}", "a"],
  ])("%s gives %s", (formula, expected) => {
    expect(renderList(formula)).toBe(expected);
  });

  test("authors cannot use the internal filter that ends an output", () => {
    expect(() => compileTextFormula("{{ tags | _as_text }}")).toThrow(/There is no filter/);
  });
});
