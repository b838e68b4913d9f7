import { beforeAll, describe, expect, it } from "vitest";
import { writePdf } from "../../../../../src/render/pdf/write-pdf.ts";
import { makeShaper, openFont } from "../../../../support/fonts/shaper.ts";
import {
  everyKind,
  everyResource,
  pressProfile,
  x4Options,
} from "../../../../support/pdf/every-kind.ts";
import { PLAIN_OPTIONS, joined } from "../../../../support/pdf/plain-options.ts";
import { X4_RULES, checkX4, checkX4File } from "../../../../support/pdf/x4/check-x4.ts";
import { X4File } from "../../../../support/pdf/x4/x4-file.ts";
import { X4_MUTATIONS } from "../../../../support/pdf/x4/x4-mutations.ts";
import { sizeOf } from "../../../../support/sizes.ts";

const face = openFont(makeShaper(), "sans");

async function write(options = x4Options()): Promise<Uint8Array> {
  return joined(writePdf(everyKind(face), await everyResource(face), options));
}

let file: Uint8Array;
beforeAll(async () => {
  file = await write();
});

describe("PDF/X-4", () => {
  it.each(["CMYK", "RGB ", "GRAY"] as const)(
    "breaks no rule with a profile of %s",
    async (space) => {
      expect(await checkX4(await write(x4Options(pressProfile(space))))).toEqual([]);
    },
  );

  it("is what a standard file is not", async () => {
    const broken = new Set((await checkX4(await write(PLAIN_OPTIONS))).map(({ rule }) => rule));
    expect([...broken]).toEqual(
      expect.arrayContaining([
        "header-version",
        "info-version",
        "intent-single",
        "rgb-has-default",
        "page-trim-box",
        "no-annotations",
      ]),
    );
  });

  it("takes a title from the template where the document has none", async () => {
    const options = x4Options();
    const untitled = { ...options, metadata: { ...options.metadata, title: "" } };
    expect(await checkX4(await write(untitled))).toEqual([]);
  });
});

describe("checkX4", () => {
  it("has a rule for each mutation, and mutations for nearly all rules", () => {
    const ids = new Set(X4_RULES.map(({ id }) => id));
    const meant = new Set(X4_MUTATIONS.map(({ rule }) => rule));
    expect(ids.size).toBe(X4_RULES.length);
    expect(ids.size).toBeGreaterThanOrEqual(60);
    expect(X4_MUTATIONS.length).toBeGreaterThanOrEqual(300);
    expect([...meant].filter((rule) => !ids.has(rule))).toEqual([]);
    // Faults of these cannot be planted in a file that is read back, or not one by one.
    expect([...ids].filter((rule) => !meant.has(rule))).toEqual([
      "content-readable",
      "cmyk-fits-intent",
      "gray-fits-intent",
      "no-other-spaces",
      "references-resolve",
    ]);
  });

  it("reports each mutation by the rule that is meant for it", async () => {
    const stride = sizeOf("pdfx4Stride");
    const missed: string[] = [];
    for (const [i, { rule, says, apply }] of X4_MUTATIONS.entries()) {
      if (i % stride === 0) {
        const given = await X4File.read(file);
        const problems = checkX4File(apply(given) ?? given);
        if (!problems.some((problem) => problem.rule === rule)) {
          missed.push(`${rule}: ${says}`);
        }
      }
    }
    expect(missed).toEqual([]);
  });
});
