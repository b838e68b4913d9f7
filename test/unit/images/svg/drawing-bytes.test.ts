/** The estimate of what a drawing takes, held against what the renderer really takes, and the refusals that it is for. */
import { describe, expect, it } from "vitest";
import { drawSvg } from "../../../../src/images/svg/draw-svg.ts";
import { drawingBytes } from "../../../../src/images/svg/drawing-bytes.ts";
import { startSvgRenderer } from "../../../../src/images/svg/start-svg-renderer.ts";
import { svgRenderer } from "../../../support/images/wasm-modules.ts";

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

describe("a drawing of 2048 px", () => {
  it.each([
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
  ])("%s takes about what is estimated", async (_what, text) => {
    const { exports, memory } = await startSvgRenderer(svgRenderer);
    const resolved = exports.open(text).resolved();
    const drawing = exports.open(resolved, { side: "width", px: 2_048 });
    const estimate = drawingBytes(resolved, drawing.bounds(), 2_048);
    drawing.pixels();
    // The picture is there twice in the end, and the module itself takes some.
    const taken = memory.buffer.byteLength;
    expect(estimate).toBeGreaterThan(taken - 20 * MB);
    expect(estimate).toBeLessThan(taken + 20 * MB);
  });

  it.each([
    ["with a layer that hangs far over its edges", OVERHANG],
    ["with a filter of fifty steps", MANY_STEPS],
    ["with a tile of 20,480 px", TILE],
    ["with a tile that a group makes as large", SCALED_TILE],
  ])("%s is refused before it takes the memory", async (_what, text) => {
    await expect(drawSvg(text, 2_048, svgRenderer)).rejects.toThrow(/takes about \d+ MB to draw/);
    // A smaller one has room.
    expect((await drawSvg(text, 128, svgRenderer)).width).toBe(128);
  });
});
