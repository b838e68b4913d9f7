import { describe, expect, test } from "vitest";
import { downloadName } from "../../../src/lib/http/download-name.ts";

describe("the name of a download", () => {
  test.each([
    ["code.png", undefined, "code.png"],
    ["code.png", "card-3", "card-3.png"],
    ["code.png", "card-3.png", "card-3.png"],
    ["code.png", "Zürich 東京", "Zürich 東京.png"],
    ["code.png", "", "code.png"],
    ["code.png", " . ", "code.png"],
    ["plain", "other", "other"],
  ])("%s requested as %j is %s", (stored, wished, name) => {
    expect(downloadName(stored, wished)).toBe(name);
  });

  test("keeps the stored extension, whatever is requested", () => {
    expect(downloadName("cell-1-2.txt", "setup.bat")).toBe("setup.bat.txt");
    expect(downloadName("code.svg", "code.png")).toBe("code.svg");
  });

  test("contains no path, no control character and no change of direction", () => {
    expect(downloadName("a.png", "../..\\etc/pass\u0000wd\r\n\u202Egnp.exe")).toBe(
      "_.._etc_passwdgnp.exe.png",
    );
    expect(downloadName("a.png", "half \ud800")).toBe("half \ufffd.png");
  });

  test("is cut between characters, to the limit of file systems", () => {
    const name = downloadName("a.png", "東".repeat(300));
    expect(new TextEncoder().encode(name).byteLength).toBeLessThanOrEqual(200);
    expect(name).toMatch(/^東+\.png$/);
  });
});
