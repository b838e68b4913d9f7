import { describe, expect, it } from "vitest";
import { FontError } from "../../../../src/formats/font/font-error.ts";
import { inspectFont } from "../../../../src/formats/font/inspect-font.ts";
import { HOSTILE_FONTS } from "../../../support/fonts/hostile-fonts.ts";

describe("inspectFont", () => {
  it.each(HOSTILE_FONTS)("rejects $name", ({ make, code, says }) => {
    const font = make();
    const before = font.slice();
    let thrown: unknown;
    try {
      inspectFont(font);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(FontError);
    expect(thrown).toMatchObject({ code });
    const { message } = thrown as FontError;
    expect(message).toContain(says);
    // The fix is a second sentence.
    expect(message).toMatch(/\. (Export|Upload|Split|Ask)[^.]*\b/);
    expect(message.length).toBeLessThan(400);
    expect(font.every((byte, i) => byte === before[i])).toBe(true);
  });

  it("has a corpus of more than 150 files with unique names", () => {
    expect(HOSTILE_FONTS.length).toBeGreaterThan(150);
    expect(new Set(HOSTILE_FONTS.map(({ name }) => name)).size).toBe(HOSTILE_FONTS.length);
  });
});
