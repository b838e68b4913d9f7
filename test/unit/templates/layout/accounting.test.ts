import { describe, expect, test } from "vitest";
import { LayoutReport } from "../../../../src/contracts/templates/layout-report.ts";
import type { DisplayItem } from "../../../../src/templates/display-list.ts";
import { qualityCheckOf } from "../../../../src/templates/layout/report/checks.ts";
import { renderChecks } from "../../../../src/workers/renderer/render-checks.ts";
import { completeReport } from "../../../../src/templates/layout/report/report.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { documentOf, field, render } from "../../../support/templates/layout-kit.ts";

const WORLDS = 100;
const ALPHABET = ["a", "B", "é", "¤", " ", "क", "😀"];

function randomText(random: SeededRandom, max: number): string {
  return Array.from({ length: random.int(0, max) }, () => random.pick(ALPHABET)).join("");
}

function randomElement(random: SeededRandom, depth: number): Record<string, unknown> {
  const box = {
    left: random.int(0, 100),
    top: random.int(0, 250),
    width: random.int(10, 80),
    height: random.int(5, 40),
  };
  const condition = random.chance(0.2) ? { condition: { field: "on", operator: "is_true" } } : {};
  const kind =
    depth > 2 ? "text" : random.pick(["text", "text", "text", "image", "group", "layout", "list"]);
  const children = () =>
    Array.from({ length: random.int(1, 4) }, () => randomElement(random, depth + 1));
  switch (kind) {
    case "image":
      return { $type: "image", ...box, ...condition, src: random.pick(["there", "gone", null]) };
    case "group":
      return {
        $type: "group",
        ...box,
        ...condition,
        angle: random.pick([0, 0, 30]),
        children: children(),
      };
    case "layout":
      return {
        $type: "layout_region",
        ...box,
        ...condition,
        direction: random.pick(["vertical", "horizontal", "grid"]),
        fitHeight: random.chance(0.3),
        alignItems: random.pick(["start", "stretch"]),
        children: children(),
      };
    case "list":
      return depth > 0
        ? randomElement(random, 3)
        : {
            $type: "repeat_region",
            ...box,
            height: random.int(20, 120),
            itemHeight: random.int(5, 30),
            fitItemHeight: random.chance(0.5),
            overflowMode: random.pick(["clip", "grow"]),
            maxItems: random.pick([3, 100]),
            placeholder: field("rows", "list"),
            children: [
              randomText_("k", random),
              randomText_("k", random),
              ...children().map(inRow),
            ],
          };
    default:
      return { ...randomText_(random.pick(["a", "b", ""]), random), ...box, ...condition };
  }
}

/** Fields of the document have no place among the keys of an item. */
function inRow(element: Record<string, unknown>): Record<string, unknown> {
  const { placeholder: _, children, ...rest } = element;
  return Array.isArray(children)
    ? { ...rest, children: (children as Record<string, unknown>[]).map(inRow) }
    : rest;
}

function randomText_(code: string, random: SeededRandom): Record<string, unknown> {
  return {
    $type: "text",
    width: random.int(10, 80),
    height: random.int(5, 40),
    fontSize: random.int(4, 14),
    fontFamily: random.pick(["Noto Sans", "Noto Sans", "Nowhere"]),
    overflowMode: random.pick(["clip", "visible", "shrink"]),
    fixedHeight: random.chance(0.7),
    textTransform: random.pick(["none", "uppercase"]),
    text: randomText(random, 20),
    ...(code === "" ? {} : { placeholder: field(code, "text") }),
  };
}

function charactersOf(items: readonly DisplayItem[]): number {
  return items.reduce((sum, item) => {
    switch (item.kind) {
      case "group":
        return sum + charactersOf(item.items);
      case "glyphs":
        return sum + item.clusters.reduce((n, { text }) => n + Array.from(text).length, 0);
      default:
        return sum;
    }
  }, 0);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe("the layout report", () => {
  test("accounts for every character, row, picture and link of random documents", () => {
    const met = { cut: 0, overflowed: 0, shrunk: 0, lists: 0, images: 0, elements: 0 };
    for (let seed = 1; seed <= WORLDS; seed += 1) {
      const random = new SeededRandom(seed);
      const elements = Array.from({ length: random.int(1, 6) }, () => randomElement(random, 0));
      const values = {
        on: random.chance(0.5),
        a: randomText(random, 60),
        ...(random.chance(0.5) ? { b: randomText(random, 10) } : {}),
        rows: Array.from({ length: random.int(0, 8) }, () => ({ k: randomText(random, 30) })),
      };
      const page = [
        ...elements,
        { $type: "rectangle", width: 1, height: 1, placeholder: field("on", "boolean") },
      ];
      const result = render(documentOf([page, page]), {
        values,
        pictures: { there: { kind: "raster", key: "there", width: 1, height: 1 } },
        options: { overflowPolicy: random.pick(["template", "template", "fit", "clip"]) },
      });
      const { facts } = result;
      const origin = { template_id: "t", revision: null, version_id: null, duration_ms: 0 };
      expect(LayoutReport.parse(completeReport(facts, origin))).toEqual(
        completeReport(facts, origin),
      );
      expect(facts.characters_total).toBe(facts.characters_printed + facts.characters_cut);
      expect(sum(result.pages.map(({ items }) => charactersOf(items)))).toBe(
        facts.characters_printed,
      );
      for (const entry of facts.texts) {
        expect(entry.characters).toBe(entry.characters_printed + entry.characters_cut);
        expect(entry.outcome === "cut").toBe(entry.characters_cut > 0);
      }
      expect(sum(facts.texts.map((entry) => entry.characters_cut))).toBe(facts.characters_cut);
      for (const entry of facts.fields) {
        expect(entry.characters).toBe(entry.printed + entry.cut);
        const cut = facts.texts.filter(({ field: code }) => code === entry.code);
        expect(sum(cut.map(({ characters_cut }) => characters_cut))).toBe(entry.cut);
      }
      for (const entry of facts.lists) {
        expect(entry.rows).toBe(entry.rows_printed + entry.rows_left_out);
        expect(entry.rows_left_out).toBeGreaterThan(0);
      }
      expect(sum(facts.lists.map(({ rows_left_out }) => rows_left_out))).toBe(facts.rows_left_out);
      expect(facts.images).toHaveLength(facts.images_failed);
      expect(facts.texts.filter(({ outcome }) => outcome === "cut")).toHaveLength(facts.texts_cut);
      expect(facts.texts.filter(({ outcome }) => outcome === "shrunk")).toHaveLength(
        facts.texts_shrunk,
      );
      expect(sum(facts.glyphs.map(({ count }) => count))).toBe(facts.missing_glyphs);
      const isClean =
        facts.texts.every(({ outcome }) => outcome === "shrunk") &&
        facts.lists.length + facts.images.length + facts.glyphs.length + facts.elements_left_out ===
          0 &&
        facts.fonts_substituted.length === 0;
      expect(facts.status).toBe(isClean ? "ok" : "warnings");
      const quality = qualityCheckOf(facts);
      expect(quality.passed).toBe(
        quality.checks.every(({ passed, severity }) => passed || severity === "warning"),
      );
      const codes = new Set(renderChecks(facts, result.notes).map(({ code }) => code));
      expect(codes.has("text_cut")).toBe(facts.texts_cut > 0);
      expect(codes.has("list_overflowed")).toBe(facts.rows_left_out > 0);
      for (const { outcome } of facts.texts) {
        met[outcome] += 1;
      }
      met.lists += facts.lists.length;
      met.images += facts.images.length;
      met.elements += facts.elements_left_out;
    }
    // Every kind of loss was met.
    expect(Math.min(...Object.values(met))).toBeGreaterThan(5);
  });
});
