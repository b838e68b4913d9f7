import { expect, test } from "vitest";
import { canonicalText, storedText } from "../../../../src/domain/templates/document-texts.ts";
import { canonicalJson } from "../../../../src/lib/json/canonical-json.ts";
import { parseJson, stringifyJson } from "../../../../src/lib/json/exact-json.ts";
import { applyEdit } from "../../../../src/templates/edits/apply-edit.ts";

const guid = (number: number) => `0b1f4c52-6d1c-4d55-9a36-${number.toString(16).padStart(12, "0")}`;
const text = (number: number) => ({
  $type: "text",
  id: guid(number),
  left: 10,
  top: 10,
  width: 180,
  height: 30,
  text: "Authored",
});

test.each([
  [
    '{"pages":[{"b":1.50,"a":[{"z":1,"y":"\\ud800"}]},7,null,[{"b":1,"a":2}]],"a":{"c":1e5,"b":[]}}',
  ],
  ['{"2":[],"1":{"__proto__":{"b":1,"a":2}},"__proto__":[{"b":1,"a":2}],"\\u00e9":"\\u2028"}'],
  ["{}"],
  ["[1.0,2]"],
])("the texts of %s are those of the writers, also the second time", (json) => {
  const value = parseJson(json);
  for (let time = 0; time < 2; time += 1) {
    expect(storedText(value)).toBe(stringifyJson(value));
    expect(canonicalText(value)).toBe(canonicalJson(value));
  }
});

test("after an edit the texts are those of the edited document, and those of the old one stay", () => {
  const pages = [{ id: guid(1), width: 200, height: 100, elements: [text(2), text(3)] }];
  let document = parseJson(JSON.stringify({ schemaVersion: "2.0", pages, sampleSets: [] }));
  for (let number = 0; number < 5; number += 1) {
    const edited = applyEdit(
      document,
      { kind: "change_element", id: guid(2), properties: { text: `Edit ${number}` } },
      () => "",
    );
    if (!edited.ok) {
      throw new Error(edited.kind);
    }
    for (const one of [document, edited.document]) {
      expect(storedText(one)).toBe(stringifyJson(one));
      expect(canonicalText(one)).toBe(canonicalJson(one));
    }
    expect(storedText(edited.document)).toContain(`Edit ${number}`);
    document = edited.document;
  }
});
