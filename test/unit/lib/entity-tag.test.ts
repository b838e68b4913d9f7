import { describe, expect, it } from "vitest";
import { matchesEntityTag } from "../../../src/lib/http/entity-tag.ts";

describe("matchesEntityTag", () => {
  it("compares weakly, in lists, and accepts *", () => {
    expect(matchesEntityTag('"a"', '"a"')).toBe(true);
    expect(matchesEntityTag('W/"a"', '"a"')).toBe(true);
    expect(matchesEntityTag('"x", W/"a" ,"y"', 'W/"a"')).toBe(true);
    expect(matchesEntityTag("*", '"a"')).toBe(true);
  });

  it("does not match another tag, no header, or a tag without quotes", () => {
    expect(matchesEntityTag('"b"', '"a"')).toBe(false);
    expect(matchesEntityTag(null, '"a"')).toBe(false);
    expect(matchesEntityTag("a", '"a"')).toBe(false);
  });
});
