import { describe, expect, test } from "vitest";
import { openSvg, resolveSvg } from "../../../../src/images/svg/draw-svg.ts";
import { FILTER_WORK_MAX, filterWork } from "../../../../src/images/svg/filter-work.ts";
import { svgRenderer } from "../../../support/images/wasm-modules.ts";
import { expectWithin } from "../../../support/expect-within.ts";

const RECT = '<rect width="100" height="100" fill="#0a5"/>';
const WHOLE = 'id="f" x="0" y="0" width="1" height="1"';

const drawing = (defs: string, body: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><defs>${defs}</defs>${body}</svg>`;
const filtered = (steps: string, more = WHOLE) =>
  drawing(`<filter ${more}>${steps}</filter>`, `<g filter="url(#f)">${RECT}</g>`);

async function workOf(svg: string, side: number) {
  const resolved = await resolveSvg(svg, svgRenderer);
  return filterWork(resolved.text, resolved, { width: side, height: side });
}

const OFFSET = '<feOffset dx="1" dy="1"/>';

describe("the work of filters", () => {
  test("is that of each step over the pixels of its region", async () => {
    expect((await workOf(filtered(OFFSET), 1_000)).work).toBeCloseTo(1);
    expect((await workOf(filtered(OFFSET.repeat(50)), 1_000)).work).toBeCloseTo(50);
    expect((await workOf(filtered(OFFSET.repeat(50)), 500)).work).toBeCloseTo(12.5);
  });

  test("is small for small filtered elements, whatever their number is", async () => {
    const icon = (i: number) =>
      `<g filter="url(#f)" transform="translate(${i} ${i})"><rect width="4" height="4"/></g>`;
    const shadow = '<filter id="f"><feDropShadow dx="1" dy="1" stdDeviation="0.3"/></filter>';
    const icons = drawing(shadow, Array.from({ length: 60 }, (_, i) => icon(i)).join(""));
    const { work } = await workOf(icons, 2_048);
    expect(work).toBeGreaterThan(1);
    expect(work).toBeLessThan(FILTER_WORK_MAX / 2);
  });

  test("counts every use of a filter, and its scale", async () => {
    const twice = drawing(
      `<filter ${WHOLE}>${OFFSET}</filter>`,
      `<g filter="url(#f)">${RECT}</g><g filter="url(#f)" transform="scale(.5)">${RECT}</g>`,
    );
    expect((await workOf(twice, 1_000)).work).toBeCloseTo(1.25);
  });

  test("counts the content of a pattern for each element that uses it", async () => {
    const pattern = `<filter ${WHOLE}>${OFFSET}</filter><pattern id="p" width="1" height="1"><g filter="url(#f)">${RECT}</g></pattern>`;
    const fills = '<rect width="100" height="100" fill="url(#p)"/>'.repeat(3);
    expect((await workOf(drawing(pattern, fills), 1_000)).work).toBeCloseTo(3);
  });

  test("counts filtered elements in a rotated or nested group", async () => {
    const nested = drawing(
      `<filter ${WHOLE}>${OFFSET}</filter>`,
      `<g filter="url(#f)"><g transform="rotate(90 50 50)"><g filter="url(#f)">${RECT}</g></g></g>`,
    );
    expect((await workOf(nested, 1_000)).work).toBeCloseTo(2);
  });

  test.each([
    ["feMorphology", '<feMorphology operator="dilate" radius="5"/>'],
    ["feConvolveMatrix", `<feConvolveMatrix order="60" kernelMatrix="${"1 ".repeat(3_600)}"/>`],
    ["feTurbulence", '<feTurbulence baseFrequency="0.05" numOctaves="60"/>'],
    ["feGaussianBlur", '<feGaussianBlur stdDeviation="0.03"/>'.repeat(5)],
    ["feOffset", OFFSET.repeat(50)],
    ["feMergeNode", `<feMerge>${'<feMergeNode in="SourceGraphic"/>'.repeat(30)}</feMerge>`],
  ])("of one drawing is rejected with its most expensive step: %s", async (element, steps) => {
    await expectWithin(2_000, () =>
      expect(openSvg(filtered(steps), 2_048, svgRenderer)).rejects.toMatchObject({
        code: "SVG_UNDRAWABLE",
        message: expect.stringContaining(`<${element}> in the filter "f"`),
      }),
    );
  });

  test("counts lengths that are fractions of a filter's box", async () => {
    const svg = filtered(
      '<feMorphology operator="dilate" radius="0.05"/>',
      `${WHOLE} primitiveUnits="objectBoundingBox"`,
    );
    expect((await workOf(svg, 2_048)).work).toBeGreaterThan(FILTER_WORK_MAX);
  });

  test("is zero for a drawing without filters", async () => {
    expect(await workOf(drawing("", RECT), 2_048)).toEqual({ work: 0, most: undefined });
  });
});
