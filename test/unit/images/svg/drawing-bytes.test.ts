/** The estimate of what a drawing takes, held against what the renderer really takes, and the refusals that it is for. */
import { describe, expect, it } from "vitest";
import { drawSvg, openSvg } from "../../../../src/images/svg/draw-svg.ts";
import { drawingBytes } from "../../../../src/images/svg/drawing-bytes.ts";
import { startSvgRenderer } from "../../../../src/images/svg/start-svg-renderer.ts";
import { svgRenderer } from "../../../support/images/wasm-modules.ts";
import { sizeOf } from "../../../support/sizes.ts";

const MB = 1024 * 1024;
const svg = (inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${inner}</svg>`;
const DISC = '<circle cx="50" cy="50" r="40"/>';
const WHOLE = '<rect width="100" height="100" fill="red"/>';
const faded = (inner: string) => `<g opacity="0.9">${inner}</g>`;
const filtered = (steps: string) =>
  svg(`<filter id="f">${steps}</filter><g filter="url(#f)">${DISC}</g>`);
const OVERHANG = svg(faded(`<rect x="-200" y="-200" width="500" height="500"/>${DISC}`));
const MANY_STEPS = filtered('<feOffset dx="1"/>'.repeat(50));
const TILE = svg(
  `<pattern id="p" width="1000" height="1000" patternUnits="userSpaceOnUse">${WHOLE}</pattern><rect width="100" height="100" fill="url(#p)"/>`,
);
const SCALED_TILE = svg(
  `<pattern id="p" width="50" height="50" patternUnits="userSpaceOnUse">${WHOLE}</pattern><g transform="scale(20)"><rect width="5" height="5" fill="url(#p)"/></g>`,
);

/** Each takes a second or so. */
const some = <T>(drawings: readonly T[]) => drawings.slice(0, sizeOf("largeDrawings"));

describe("a drawing of 2048 px", () => {
  it.each(
    some<[string, string]>([
      ["of one layer", svg(faded(WHOLE + DISC))],
      ["of four layers", svg(faded(WHOLE + faded(WHOLE + faded(WHOLE + faded(WHOLE + DISC)))))],
      [
        "with a layer that hangs over",
        svg(faded(`<rect x="-25" y="-25" width="150" height="150"/>${DISC}`)),
      ],
      ["with a blur", filtered('<feGaussianBlur stdDeviation="3"/>')],
      ["with a shadow", filtered('<feDropShadow dx="2" dy="2" stdDeviation="3"/>')],
      ["with a mask", svg(`<mask id="m">${WHOLE}</mask><g mask="url(#m)">${DISC}</g>`)],
      [
        "with a clip",
        svg(`<clipPath id="c"><circle r="60"/></clipPath><g clip-path="url(#c)">${WHOLE}</g>`),
      ],
      [
        "with a large tile",
        svg(
          `<pattern id="p" width="120" height="120" patternUnits="userSpaceOnUse">${WHOLE}</pattern><rect width="100" height="100" fill="url(#p)"/>`,
        ),
      ],
    ]),
  )("%s takes about what is estimated", async (_what, text) => {
    const { exports, memory } = await startSvgRenderer(svgRenderer);
    const resolved = exports.open(text).resolved();
    const drawing = exports.open(resolved, { side: "width", px: 2_048 });
    const estimate = drawingBytes(resolved, drawing.bounds(), 2_048);
    drawing.pixels();
    // The module and the drawing itself take some.
    const taken = memory.buffer.byteLength;
    expect(estimate).toBeGreaterThan(taken - 4 * MB);
    expect(estimate).toBeLessThan(taken + 20 * MB);
  });

  it.each([
    ["of four layers in each other", svg(faded(WHOLE + faded(WHOLE + faded(WHOLE + faded(DISC)))))],
    ["with a filter of fifty steps", MANY_STEPS],
    ["with a tile of 20,480 px", TILE],
    ["with a tile that a group makes as large", SCALED_TILE],
  ])("%s is refused before it takes the memory", async (_what, text) => {
    // Not the picture itself, which a failing test would print.
    const drawing = drawSvg(text, 2_048, svgRenderer).then(({ width }) => width);
    await expect(drawing).rejects.toThrow(/takes about \d+ MB to draw/);
    // A smaller one has room.
    expect((await drawSvg(text, 128, svgRenderer)).width).toBe(128);
  });
});

/** Drawings whose layers have no room at once, and are drawn some rows at a time. */
describe("a drawing in parts", () => {
  it.each(
    some<[string, string]>([
      ["with a layer that hangs far over its edges", OVERHANG],
      ["with a blur", filtered('<feGaussianBlur stdDeviation="3"/>')],
      ["with a shadow", filtered('<feDropShadow dx="2" dy="2" stdDeviation="3"/>')],
      [
        "with a blur, wider than high",
        svg(
          `<filter id="f"><feGaussianBlur stdDeviation="3"/></filter><g filter="url(#f)"><path d="M3 9L97 20 50 70z" fill="#0a5"/></g>`,
        ).replace("0 0 100 100", "0 0 100 83.3"),
      ],
    ]),
  )("%s is the same as at once", async (_what, text) => {
    const picture = await openSvg(text, 2_048, svgRenderer);
    const { exports } = await startSvgRenderer(svgRenderer);
    const whole = exports.open(text, { side: "width", px: 2_048 }).pixels();
    expect([picture.width, picture.height]).toEqual([whole.width, whole.height]);
    let [at, stripes, off] = [0, 0, 0];
    for await (const stripe of picture.stripes()) {
      stripes++;
      for (let i = 0; i < stripe.length; i += 4, at += 4) {
        const [alpha, expected] = [stripe[i + 3]!, whole.rgba[at + 3]!];
        // Multiplied by alpha, as the renderer has them, colours that hardly show count little.
        const red = (stripe[i]! * alpha) / 255;
        off += Math.abs(alpha - expected) > 2 || Math.abs(red - whole.rgba[at]!) > 2 ? 1 : 0;
      }
    }
    expect(stripes).toBeGreaterThan(1);
    expect(at).toBe(whole.rgba.length);
    expect(off).toBeLessThan(whole.width);
  });
});
