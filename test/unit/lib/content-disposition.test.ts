import { describe, expect, it } from "vitest";
import { contentDisposition } from "../../../src/lib/http/content-disposition.ts";

describe("contentDisposition", () => {
  it("writes plain names once and others twice", () => {
    expect(contentDisposition("inline", "a b.png")).toBe('inline; filename="a b.png"');
    expect(contentDisposition("attachment", "Zürich’s (1)*.pdf")).toBe(
      `attachment; filename="Zurich_s (1)*.pdf"; filename*=UTF-8''Z%C3%BCrich%E2%80%99s%20%281%29%2A.pdf`,
    );
  });

  it("escapes quotes and line breaks, and never splits a character", () => {
    const header = contentDisposition("inline", 'a"\r\nset-cookie: x=1\\\ud800.svg');
    expect(header).not.toMatch(/[\r\n\\]/);
    expect(header.match(/"/g)).toHaveLength(2);
  });
});
