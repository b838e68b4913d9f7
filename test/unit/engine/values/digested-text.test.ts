import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DigestedText } from "../../../../src/engine/values/digested-text.ts";

describe("the digest of a text in parts", () => {
  it("is that of the whole text, whatever its length and its parts", () => {
    for (const parts of [
      [],
      ["a"],
      ["ä", "", "€"],
      Array.from({ length: 300 }, () => "ü".repeat(999)),
    ]) {
      const text = new DigestedText();
      parts.forEach((part) => {
        text.add(part);
      });
      const whole = createHash("sha256").update(parts.join("")).digest("base64url");
      expect(text.digest()).toBe(whole);
    }
  });

  it("is its key if it is longer than 64 characters; a shorter text is its own", () => {
    const keyOf = (text: string) => {
      const parts = new DigestedText();
      parts.add(text.slice(0, 3));
      parts.add(text.slice(3));
      return parts.key();
    };
    expect(keyOf("")).toBe("=");
    expect(keyOf("x".repeat(64))).toBe(`=${"x".repeat(64)}`);
    expect(keyOf("x".repeat(65))).toMatch(/^[\w-]{43}$/);
    expect(keyOf("x".repeat(100_000))).toMatch(/^[\w-]{43}$/);
  });
});
