import { beforeAll, describe, expect, test } from "vitest";
import { listJsonSchemas } from "../../../../src/domain/catalog/json-schemas.ts";
import { compileSchema } from "../../../../src/expressions/json-schema.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { DesignDocument } from "../../../../src/templates/document/design-document.ts";
import { type DocumentProblem, PROBLEM_CODES } from "../../../../src/templates/document/problem.ts";
import { validateDocument } from "../../../../src/templates/document/validate-document.ts";
import { sizeOf } from "../../../support/sizes.ts";
import { fullDocumentOfTwoPages } from "../../../support/templates/full-document.ts";
import { mutate, pathExists, randomOf } from "../../../support/templates/mutate-document.ts";

const BASE = fullDocumentOfTwoPages();

let schema: Awaited<ReturnType<typeof compileSchema>>;
beforeAll(async () => {
  schema = await compileSchema(listJsonSchemas()["svc.design-document/2.0"] as JsonValue);
});

describe("mutated documents", () => {
  test("the document that is mutated is valid, here and by the served schema", () => {
    const document = fullDocumentOfTwoPages();
    const result = validateDocument(document);
    expect(result.ok ? [] : result.problems).toEqual([]);
    expect(schema(document)).toEqual([]);
  });

  test("each is valid, or has problems with a known code at a place that exists", () => {
    const random = randomOf(20_261_122);
    const codes = new Set<string>();
    const wrong: string[] = [];
    let valid = 0;
    for (let i = 0; i < sizeOf("designDocuments"); i += 1) {
      const document = structuredClone(BASE);
      mutate(document, random);
      const result = validateDocument(document);
      if (result.ok) {
        valid += 1;
        continue;
      }
      wrong.push(...(result.problems.length === 0 ? ["no problem"] : []));
      for (const { code, field, message } of result.problems) {
        codes.add(code);
        if (
          !PROBLEM_CODES.includes(code) ||
          !/^[A-Z"][^]*[.?]$/.test(message) ||
          !pathExists(document, field)
        ) {
          wrong.push(`${code} ${field}: ${message}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(valid).toBeGreaterThan(5);
    expect(codes.size).toBeGreaterThan(9);
  });

  test("zod, from whose schemas the check is made, accepts what is valid and refuses what has a wrong shape", () => {
    const random = randomOf(7);
    let refused = 0;
    for (let i = 0; i < 40; i += 1) {
      const document = structuredClone(BASE);
      mutate(document, random);
      const result = validateDocument(document);
      const isAccepted = DesignDocument.safeParse(document).success;
      if (result.ok) {
        expect(isAccepted).toBe(true);
      } else if (result.problems.some(isOfShape)) {
        expect([isAccepted, result.problems]).toEqual([false, result.problems]);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(8);
  });

  test("the served schema refuses an unknown property deep inside", () => {
    const document = fullDocumentOfTwoPages();
    const [sheet] = document["pages"] as unknown as [{ elements: Record<string, unknown>[] }];
    sheet.elements[6] = { ...sheet.elements[6], fontSize: 3 };
    expect(schema(document).length).toBeGreaterThan(0);
  });
});

/** Rules that zod knows: of overrides and of the place of `pageScope` it does not. */
function isOfShape({ code, field }: DocumentProblem): boolean {
  return (
    code === "unknown_property" && !field.includes("overrides") && !field.endsWith("pageScope")
  );
}
