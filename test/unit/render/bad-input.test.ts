/**
 * Hostile and strange documents and values, rendered: each ends with its result or its code, and the render after it is
 * what it was before. `test/unit/templates/document/` has the documents that are refused before they are rendered.
 */
import { createHash } from "node:crypto";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { parseJson } from "../../../src/lib/json/exact-json.ts";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import { validateDocument } from "../../../src/templates/document/validate-document.ts";
import { readPdfTexts } from "../../support/pdf/read-pdf-texts.ts";
import { madeInNode, renderInNode } from "../../support/render/node-renderer.ts";
import { testInProof } from "../../support/in-proof.ts";
import { sizeOf } from "../../support/sizes.ts";
import { fullDocumentOfTwoPages } from "../../support/templates/full-document.ts";
import { documentOf, field } from "../../support/templates/layout-kit.ts";
import { mutate, randomOf } from "../../support/templates/mutate-document.ts";

type Loose = Readonly<Record<string, unknown>>;

/** Long inputs are this part of their full size in `npm test`. */
const SHARE = sizeOf("badInputPercent") / 100;
const long = (count: number) => Math.ceil(count * SHARE);

/** The longest take seconds, and more on a machine that is busy. */
const TIMEOUT_MS = 180_000;

/** What stands for the service's health: a text in three scripts with a field. */
const PLAIN = documentOf([
  [
    { $type: "text", width: 180, height: 20, text: "Plain, بسيط, सरल" },
    { $type: "text", top: 30, width: 180, height: 20, placeholder: field("t", "text") },
  ],
]);
let plain = "";

beforeAll(async () => {
  plain = await digestOfPlain();
});

afterEach(async () => {
  expect(await digestOfPlain()).toBe(plain);
}, TIMEOUT_MS);

async function digestOfPlain(): Promise<string> {
  const { pdf } = await madeInNode(PLAIN as unknown as JsonValue, { t: "1" });
  return createHash("sha256").update(pdf).digest("hex");
}

function textField(more: Loose = {}): Loose {
  return { $type: "text", width: 100, height: 40, placeholder: field("t", "text"), ...more };
}

function render(elements: readonly Loose[], values: JsonValue = {}) {
  return renderInNode(documentOf([elements]) as unknown as JsonValue, values);
}

function rectangle(more: Loose = {}): Loose {
  return { $type: "rectangle", width: 100, height: 100, ...more };
}

function gradient(gradientTransform: readonly number[]): Loose {
  const stops = [
    { offset: 0, color: "#000000" },
    { offset: 1, color: "#FFFFFF" },
  ];
  return { type: "linear_gradient", gradientTransform, stops };
}

function path(pathData: string, more: Loose = {}): Loose {
  return { $type: "path", width: 100, height: 100, pathData, ...more };
}

function inGroups(depth: number): Loose {
  return Array.from({ length: depth }).reduce<Loose>(
    (inner) => ({
      $type: "group",
      width: 10,
      height: 10,
      opacity: 0.9,
      angle: 1,
      children: [inner],
    }),
    rectangle(),
  );
}

function drawing(depth: number): Loose {
  const inner = `${'<g opacity=".9">'.repeat(depth)}<rect width="5" height="5"/>${"</g>".repeat(depth)}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">${inner}</svg>`;
  return { $type: "svg_artwork", width: 100, height: 100, svg };
}

/** A gray pixel. */
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";
const HUGE = [1e308, -1e308, 1e308, 1e308, -1e308, 1e308];
const TINY = [5e-324, 0, 0, 5e-324, 0, 0];

describe("a document with extreme drawings", { timeout: TIMEOUT_MS }, () => {
  it.each<[string, readonly Loose[]]>([
    ["path data of 100,000 characters", [path(`M0 0${"h1".repeat(long(49_997))}`)]],
    ["a path far outside of the page", [path("M-1e6 -1e6L1e6 1e6L0 1e6z")]],
    [
      "dashes that are as good as none",
      [path("M0 0H9", { stroke: "#000000", strokeDashArray: [1e-300, 1e-300] })],
    ],
    [
      "gradients of numbers that overflow",
      [
        rectangle({ fillPaint: gradient(HUGE) }),
        rectangle({ strokePaint: gradient(HUGE), stroke: "#000000" }),
      ],
    ],
    ["a gradient that is nearly a point", [rectangle({ fillPaint: gradient(TINY) })]],
    [
      "clips and masks of numbers that overflow",
      ["clipPath", "opacityMask"].map((mask) => ({
        $type: "image",
        width: 9,
        height: 9,
        src: PIXEL,
        [mask]: { transform: HUGE, shapes: [{ pathData: "M0 0L9 9L0 9z", transform: HUGE }] },
      })),
    ],
    ["16 groups in each other", [inGroups(16)]],
    ["a drawing of 90 groups in each other", [drawing(90)]],
  ])("prints: %s", async (_, elements) => {
    const document = documentOf([elements]) as unknown as JsonValue;
    expect(validateDocument(document)).toMatchObject({ ok: true });
    const { pdf, report } = await madeInNode(document, {}, { images: "all" });
    expect(report.status).toBe("ok");
    expect(await readPdfTexts(pdf)).toHaveLength(1);
  });

  it("prints a component that is scaled up without end", async () => {
    const id = "00000000-0000-4000-8000-000000000009";
    const size = { width: 5e-324, height: 5e-324 };
    const elements = [rectangle(), { ...rectangle(), angle: 30 }];
    const instance = { $type: "component_instance", componentId: id, width: 100, height: 100 };
    const document = documentOf([[instance]], {
      components: [{ id, name: "Small", ...size, elements }],
    });
    const { report } = await madeInNode(document as unknown as JsonValue, {}, { images: "all" });
    expect(report.status).toBe("ok");
  });

  it.each([
    [
      "200 groups in each other",
      inGroups(200),
      "limit_exceeded",
      "pages[0].elements[0].children[0]",
    ],
    [
      "a path of 100,000 commands",
      path(`M0 0${"h1".repeat(100_000)}`),
      "limit_exceeded",
      "pages[0].elements[0].pathData",
    ],
    ["a path with NaN", path("M0 0LNaN 1"), "invalid_path_data", "pages[0].elements[0].pathData"],
    [
      "a path with an infinite number",
      path("M0 0L1e999 1"),
      "invalid_path_data",
      "pages[0].elements[0].pathData",
    ],
    [
      "a gradient of 33 stops",
      rectangle({
        fillPaint: {
          ...gradient([1, 0, 0, 1, 0, 0]),
          stops: Array.from({ length: 33 }, () => ({ offset: 0, color: "#000000" })),
        },
      }),
      "limit_exceeded",
      "pages[0].elements[0].fillPaint.stops",
    ],
    [
      "a number that is a word",
      rectangle({ angle: "Infinity" }),
      "invalid_value",
      "pages[0].elements[0].angle",
    ],
  ])("is refused with a code and a place: %s", async (_, element, code, place) => {
    const document = documentOf([[element]]) as unknown as JsonValue;
    const checked = validateDocument(document);
    const [first] = checked.ok ? [] : checked.problems;
    expect(first?.code).toBe(code);
    expect(first?.field.startsWith(place), first?.field).toBe(true);
    // One that was stored nevertheless is not rendered.
    expect(await renderInNode(document, {})).toMatchObject({ ok: false, code: "unavailable" });
  });

  it("leaves out a drawing that nests deeper than it may", async () => {
    expect(await render([drawing(200)])).toMatchObject({
      ok: true,
      report: { images_failed: 1, images: [{ reason: "unreadable" }] },
    });
  });

  it("prints 10,000 elements", async () => {
    const page = Array.from({ length: long(1_000) }, (_, i) => rectangle({ left: i % 90 }));
    const document = documentOf(Array.from({ length: 10 }, () => page)) as unknown as JsonValue;
    expect((await madeInNode(document, {})).pageCount).toBe(10);
  });

  it("prints, or is refused, after random changes", async () => {
    const random = randomOf(20_261_123);
    let printed = 0;
    for (let left = sizeOf("renderedMutants"); left > 0;) {
      const document = fullDocumentOfTwoPages();
      mutate(document, random);
      if (!validateDocument(document).ok) {
        continue;
      }
      left -= 1;
      const made = await renderInNode(
        document,
        {},
        {
          options: { missing_policy: "use_template_default" },
        },
      );
      printed += made.ok ? 1 : 0;
    }
    expect(printed).toBeGreaterThan(0);
  });
});

describe("a value", { timeout: TIMEOUT_MS }, () => {
  const visible = { overflowMode: "visible" };

  it.each<[string, string, Loose, Loose]>([
    [
      "as long as a text may be",
      "ab ".repeat(long(33_333)),
      visible,
      { missing_glyphs: 0, characters_cut: 0 },
    ],
    [
      "of 10,000 characters without a break",
      "x".repeat(10_000),
      { overflowMode: "shrink" },
      { missing_glyphs: 0 },
    ],
    [
      "of one letter with thousands of marks",
      `e${"\u0301\u0327\u0489".repeat(long(3_000))}`,
      visible,
      { characters_cut: 0 },
    ],
    [
      "of letters with 50 marks each",
      `e${"\u0301\u0327".repeat(25)}`.repeat(long(200)),
      visible,
      { characters_cut: 0 },
    ],
    [
      "of overrides of direction, deeper than levels go",
      `${"\u202e\u2067\u202a".repeat(3_000)}abc${"\u202c\u2069".repeat(3_000)}`,
      visible,
      { characters_cut: 0, missing_glyphs: 0 },
    ],
    [
      "of brackets around a Hebrew letter",
      `${"(".repeat(long(5_000))}א${")".repeat(long(5_000))}`,
      visible,
      { characters_cut: 0, missing_glyphs: 0 },
    ],
    [
      "of directions that alternate",
      "אa1(".repeat(long(2_500)),
      visible,
      { characters_cut: 0, missing_glyphs: 0 },
    ],
    [
      "of controls and U+0000",
      "a\u0000b\u0001c\u001f\u007fd\ufffe\uffff",
      visible,
      { characters_cut: 0, characters_total: 10 },
    ],
    [
      "of emoji and private-use characters",
      "👩\u200d👩\u200d👧😀\ue000\u{f0000}",
      visible,
      { characters_cut: 0, characters_total: 8, missing_glyphs: 6 },
    ],
    ["of tabs", "\t".repeat(long(10_000)), visible, { characters_cut: 0 }],
    ["of line feeds", "\n".repeat(long(20_000)), visible, { characters_cut: 0 }],
  ])("%s prints or is counted as cut", async (_, value, more, expected) => {
    const made = await render([textField(more)], { t: value });
    if (!made.ok) {
      throw new Error(made.message);
    }
    const { report } = made;
    expect(report).toMatchObject({ characters_total: Array.from(value).length, ...expected });
    expect(report.characters_printed + report.characters_cut).toBe(report.characters_total);
    expect(report.glyphs.reduce((sum, { count }) => sum + count, 0)).toBe(report.missing_glyphs);
  });

  it.each<[string, string, string, string]>([
    ["half of a surrogate pair", "text", String.raw`"a\ud800b"`, "INVALID_FIELD_VALUE"],
    ["NaN as a number", "number", '"NaN"', "INVALID_FIELD_VALUE"],
    ["an infinite number", "number", "1e999", "INVALID_FIELD_VALUE"],
    ["a number of 5,000 digits", "number", "9".repeat(5_000), "INVALID_FIELD_VALUE"],
    ["a list in a text", "text", "[[[[1]]]]", "INVALID_FIELD_VALUE"],
    ["a date that is none", "date", '"2026-02-30"', "INVALID_FIELD_VALUE"],
  ])("is refused with a code and a place: %s", async (_, type, json, code) => {
    const made = await render(
      [textField({ placeholder: field("t", type) })],
      parseJson(`{"t":${json}}`),
    );
    expect(made).toMatchObject({
      ok: false,
      code: "invalid_values",
      errors: [{ field: "values.t", code }],
    });
  });

  it.each(["clip", "visible"])(
    "of 4 MiB is more than a text may have, in a text with the mode %s",
    async (overflowMode) => {
      expect(
        await render([textField({ overflowMode })], { t: "ab ".repeat(1_398_000) }),
      ).toMatchObject({
        ok: false,
        code: "too_large",
        message: "The text of the field t has 4194000 characters. A text may have 100000.",
      });
    },
  );

  it("is counted in characters, not in UTF-16 units", async () => {
    const clip = textField({ overflowMode: "clip" });
    const count = LIMITS.render_text.value;
    expect(await render([clip], { t: "𝐚".repeat(count + 1) })).toMatchObject({ code: "too_large" });
    if (SHARE === 1) {
      expect(await render([clip], { t: "𝐚".repeat(count) })).toMatchObject({
        ok: true,
        report: { characters_total: count },
      });
    }
  });

  testInProof("that a page prints more often than it has room for is refused", async () => {
    const t = "ab ".repeat(33_000);
    const texts = (overflowMode: string) =>
      Array.from({ length: 3 }, () => textField({ overflowMode }));
    expect(await render(texts("visible"), { t })).toMatchObject({
      ok: false,
      code: "too_large",
      message: expect.stringContaining("200000"),
    });
    expect(await render(texts("clip"), { t })).toMatchObject({
      ok: true,
      report: { characters_total: 3 * t.length },
    });
  });

  it("whose key is a property of every object is unknown", async () => {
    for (const key of ["__proto__", "constructor", "toString"]) {
      expect(await render([textField()], parseJson(`{"${key}":"x"}`))).toMatchObject({
        ok: false,
        errors: [{ code: "UNKNOWN_FIELD" }],
      });
    }
  });

  it("that is a list of 100,000 items prints 100 rows at most", async () => {
    const list = {
      $type: "repeat_region",
      width: 100,
      height: 290,
      itemHeight: 1,
      placeholder: field("rows", "list"),
      children: [textField({ height: 1 })],
    };
    const rows = Array.from({ length: long(100_000) }, () => ({ t: "x" }));
    expect(await render([list], { rows })).toMatchObject({
      ok: true,
      report: { rows_printed: 100, rows_left_out: rows.length - 100 },
    });
  });
});
