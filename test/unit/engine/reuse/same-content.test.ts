import { describe, expect, it } from "vitest";
import {
  receivedContent,
  isSameContent,
  isSameReceived,
} from "../../../../src/engine/reuse/same-content.ts";
import type { PlanInput } from "../../../../src/engine/plan/plan.ts";
import { canonicalKey } from "../../../../src/engine/values/canonical-json.ts";
import type { CellValue } from "../../../../src/engine/values/cell-outputs.ts";
import { parseJson } from "../../../../src/lib/json/exact-json.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";

const portOf = (type: PlanInput["type"]): PlanInput => ({
  port: "p",
  type,
  required: true,
  isList: false,
  minCount: 1,
  accepts: type === "text" ? ["text", "number"] : [type],
  sources: [],
});
const file = (fields: Partial<ConstructorParameters<typeof FileRef>[0]> = {}) =>
  new FileRef({
    key: "k",
    name: "a.png",
    contentType: "image/png",
    sizeBytes: 3,
    sha256: "aa",
    ...fields,
  });
const spilled = (fields: Partial<ConstructorParameters<typeof FileRef>[0]>) => ({
  spilled: file({ contentType: "application/json", sha256: undefined, ...fields }),
});

/** Same by comparison and by digest, or different by both. */
function compared(a: CellValue, b: CellValue): boolean {
  const isSame = isSameContent(a, b);
  expect(isSameContent(b, a)).toBe(isSame);
  expect(receivedContent(portOf("any"), a) === receivedContent(portOf("any"), b)).toBe(isSame);
  return isSame;
}

describe("[E36] content", () => {
  it.each([
    ['{"a":1,"b":[2,"x"]}', ' { "b" : [2.0, "x"], "a": 1e0 } ', true],
    ["1", "1.0", true],
    ["-0", "0", true],
    ["12345678901234567890.10", "12345678901234567890.1", true],
    ["12345678901234567890", "12345678901234567891", false],
    ['"1"', "1", false],
    ["[1,2]", "[2,1]", false],
    ["[1,2]", "[1,2,3]", false],
    ['{"a":null}', "{}", false],
    ['{"a":1,"b":2}', '{"a":1,"c":2}', false],
    ["[]", "{}", false],
    ['["1,2"]', "[1,2]", false],
    ["null", "false", false],
    [
      '{"schema":"svc.template-layout-report/v1","duration_ms":4,"n":1}',
      '{"schema":"svc.template-layout-report/v1","duration_ms":9,"n":1}',
      true,
    ],
    [
      '{"schema":"svc.template-layout-report/v1","duration_ms":4,"n":1}',
      '{"schema":"svc.template-layout-report/v1","duration_ms":4,"n":2}',
      false,
    ],
    ['{"schema":"another","duration_ms":4}', '{"schema":"another","duration_ms":9}', false],
  ])("%s and %s", (a, b, isSame) => {
    expect(compared(parseJson(a), parseJson(b))).toBe(isSame);
  });

  it("of files is their bytes and media type, and neither name nor address", () => {
    expect(compared(file(), file({ key: "other", name: "b.png" }))).toBe(true);
    expect(compared(file(), file({ sha256: "bb" }))).toBe(false);
    expect(compared(file(), file({ contentType: "image/webp" }))).toBe(false);
    const stored = { sha256: undefined, etag: "e" };
    expect(compared(file(stored), file({ ...stored, key: "other" }))).toBe(true);
    expect(compared(file(stored), file({ ...stored, sizeBytes: 4 }))).toBe(false);
    const unknown = { sha256: undefined };
    expect(compared(file(unknown), file({ ...unknown, key: "other" }))).toBe(false);
  });

  it("of a value in R2 is the key that is stored with it, and equals a short value with that key", () => {
    const value = parseJson('{"b":1,"a":[1.0]}');
    const canonical = canonicalKey(parseJson('{"a":[1],"b":1.00}'));
    expect(compared(spilled({ canonical }), value)).toBe(true);
    expect(compared(spilled({ canonical }), spilled({ canonical, key: "other" }))).toBe(true);
    expect(compared(spilled({ canonical }), parseJson("1"))).toBe(false);
    expect(isSameContent(spilled({}), value)).toBe(false);
    expect(receivedContent(portOf("any"), spilled({}))).toBeUndefined();
  });

  it("is compared as a text port receives it, where a number is a text", () => {
    const [text, number] = [parseJson('"7"'), parseJson("7")];
    expect(isSameReceived(portOf("text"), text, number)).toBe(true);
    expect(receivedContent(portOf("text"), text)).toBe(receivedContent(portOf("text"), number));
    expect(isSameReceived(portOf("json"), text, number)).toBe(false);
  });
});
