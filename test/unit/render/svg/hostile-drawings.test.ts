/** Drawings that attack their reader, and mutations of harmless ones (docs/contract/templates.md#svg-import). */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { SVG_IMPORT_CODES } from "../../../../src/lib/errors/svg-import-codes.ts";
import { countColors } from "../../../../src/render/svg/count-colors.ts";
import { importDrawing } from "../../../../src/render/svg/import-drawing.ts";
import { readDrawing } from "../../../../src/render/svg/read-drawing.ts";
import { validateDocument } from "../../../../src/templates/document/validate-document.ts";
import { parseJson } from "../../../../src/lib/json/exact-json.ts";
import { testInProof } from "../../../support/in-proof.ts";
import { IS_PROOF, sizeOf } from "../../../support/sizes.ts";
import { HARMLESS } from "../../../support/svg/harmless-drawings.ts";
import { HOSTILE } from "../../../support/svg/hostile-drawings.ts";

const MUTATIONS = sizeOf("mutatedDrawings");
const TRIED = HOSTILE.filter((_, at) => at % sizeOf("hostileDrawingStride") === 0);
const BOX = { name: null, left: 0, top: 0, width: 100, height: 100 };
const MODES = ["editable", "preserved"] as const;
/** Of the slowest. */
const TIME_MAX_MS = 4_000;
/** A busy machine may make one slow, not all of them. */
const TRIES = 3;
/** Of the heap's old generation; buffers are not used. */
const HEAP_MAX_MB = 64;
const NODE = fileURLToPath(new URL("../../../../node_modules/.bin/node", import.meta.url).href);
const IMPORT_ALL = fileURLToPath(
  new URL("../../../support/svg/import-hostile.ts", import.meta.url).href,
);
/** What no drawing leaves behind, whatever it was made of. An address elsewhere than in a reference is only a text. */
const FORBIDDEN =
  /<script|<handler|<foreignObject|<image|<animate|<set|\son[a-z]+=|javascript:|(?:href=|url\()[\s"'\\]*https?:|file:|@import|@font-face|expression\(|<!ENTITY|<!DOCTYPE/i;

let ids = 0;
function withIds(element: Record<string, unknown>): Record<string, unknown> {
  const { children } = element;
  const id = `0b1f4c52-6d1c-4d55-9a36-${(++ids).toString(16).padStart(12, "0")}`;
  return { id, ...element, ...(Array.isArray(children) && { children: children.map(withIds) }) };
}

/** Problems of a document with the element, besides those of its size. */
function problemsOf(element: string): readonly unknown[] {
  const page = { id: "0b1f4c52-6d1c-4d55-9a36-ffffffffffff", width: 200, height: 200 };
  const document = {
    schemaVersion: "2.0",
    pages: [{ ...page, elements: [withIds(JSON.parse(element))] }],
  };
  const validated = validateDocument(parseJson(JSON.stringify(document)));
  return validated.ok ? [] : validated.problems;
}

// The modes share the reader, so that `npm test` runs one.
describe.each(IS_PROOF ? MODES : MODES.slice(0, 1))("%s", (mode) => {
  test.each(TRIED.map((one) => [one.name, one] as const))("%s", (_name, { svg, code, field }) => {
    const source = svg();
    const read = () => {
      const began = performance.now();
      const imported = importDrawing({ mode, svg: source, ...BOX });
      readDrawing(source);
      return { imported, took: performance.now() - began };
    };
    let { imported: made, took } = read();
    for (let tries = 1; took >= TIME_MAX_MS && tries < TRIES; tries++) {
      ({ imported: made, took } = read());
    }
    expect(took).toBeLessThan(TIME_MAX_MS);
    if (code !== null) {
      expect(made.ok ? null : made.errors[0]).toMatchObject({ code });
      expect(made.ok ? "" : made.errors[0]!.field).toMatch(
        field === undefined
          ? /^svg(?:\/[\w:]+\[\d+\])*$/
          : new RegExp(`^${field.replaceAll(/[[\]]/g, String.raw`\$&`)}$`),
      );
      return;
    }
    expect(made.ok ? [] : made.errors).toEqual([]);
    if (made.ok) {
      expect(made.element).not.toMatch(FORBIDDEN);
      expect(problemsOf(made.element)).toEqual([]);
    }
  });
});

testInProof("all of them are read in a heap of 64 MB", async () => {
  const run = (...more: string[]) =>
    promisify(execFile)(NODE, [
      "--experimental-strip-types",
      "--no-warnings",
      `--max-old-space-size=${HEAP_MAX_MB}`,
      IMPORT_ALL,
      ...more,
    ]);
  const { stdout } = await run();
  expect(HOSTILE.length).toBeGreaterThanOrEqual(60);
  expect(HARMLESS.length).toBeGreaterThanOrEqual(60);
  expect(stdout).toBe(String(HOSTILE.length + HARMLESS.length));
  // The limit is one that a leak reaches.
  await expect(run("keep")).rejects.toThrow(/heap out of memory/);
});

test("mutated drawings are imported as valid elements, or refused with a code and an element", () => {
  // A generator of 32 bits (mulberry32), so that a failure repeats.
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed + 0x6d_2b_79_f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
  const pieces = [...HARMLESS.map(({ svg }) => svg), ...HOSTILE.slice(32).map(({ svg }) => svg())];
  const outcomes = { imported: 0, refused: 0 };
  for (let i = 0; i < MUTATIONS; i++) {
    const [one, other] = [pieces[random(pieces.length)]!, pieces[random(pieces.length)]!];
    let svg = one;
    for (let edits = random(3); edits > 0; edits--) {
      const at = random(svg.length);
      const from = random(other.length);
      const part = other.slice(from, from + random(60));
      const cut = random(3) === 0 ? random(20) : 0;
      svg = svg.slice(0, at) + (random(2) === 0 ? part : "") + svg.slice(at + cut);
      if (random(3) === 0) {
        svg = svg.replace(/\d+/, () => ["-1", "1e9", "0", "NaN", "99999999999", ".5"][random(6)]!);
      }
      if (random(3) === 0) {
        svg = svg
          .replace(/(<g|<rect|<path)/, ` $1`)
          .replace("/>", `>${/<\w[^<]*\/>/.exec(other)?.[0] ?? ""}</rect>`);
      }
    }
    const mode = MODES[random(2)]!;
    const made = importDrawing({ mode, svg, ...BOX });
    if (made.ok) {
      outcomes.imported += 1;
      expect(made.element, svg).not.toMatch(FORBIDDEN);
      const codes = problemsOf(made.element).map((problem) => (problem as { code: string }).code);
      expect(
        codes.filter((one_) => one_ !== "out_of_range"),
        svg,
      ).toEqual([]);
      if (mode === "preserved") {
        const source = (JSON.parse(made.element) as { svg: string }).svg;
        const again = readDrawing(source);
        expect(typeof again, svg).toBe("object");
        expect(typeof again === "string" ? [] : countColors(again.items)).toBeInstanceOf(Array);
      }
    } else {
      outcomes.refused += 1;
      expect(made.errors.length).toBeGreaterThan(0);
      for (const { field, code, message } of made.errors) {
        expect(SVG_IMPORT_CODES).toContain(code);
        expect(field).toMatch(/^svg/);
        expect(message).not.toBe("");
      }
    }
  }
  expect(Math.min(outcomes.imported, outcomes.refused)).toBeGreaterThan(MUTATIONS / 20);
});
