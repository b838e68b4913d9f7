import { expect, test } from "vitest";
import { base64Bytes, base64Chars } from "../../../src/lib/files/file-content.ts";

test("the bytes of a base64 text are counted", () => {
  for (let bytes = 0; bytes < 20; bytes++) {
    const text = Buffer.alloc(bytes, 0xfb).toString("base64");
    expect([base64Bytes(text), base64Chars(bytes)]).toEqual([bytes, text.length]);
  }
  for (const text of [
    "A",
    "AA",
    "AAA",
    "AAAAA=",
    "A===",
    "====",
    "AA=A",
    "AA-_",
    "AA A",
    "AAA\n",
    "AA==AAAA",
    "AAA\u{e9}",
    "AAA\u0000",
    "AA\u{1f600}",
  ]) {
    expect(base64Bytes(text)).toBeUndefined();
  }
});
