/** The renderer's memory limit: the behavior at the limit, and drawings that stay below it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withMemoryMax } from "../../../../scripts/wasm-memory.ts";
import { drawSvg, openSvg } from "../../../../src/images/svg/draw-svg.ts";
import { RENDERER_BYTES_MAX } from "../../../../src/images/svg/renderer-memory.ts";
import { startSvgRenderer } from "../../../../src/images/svg/start-svg-renderer.ts";
import { svgRenderer, uncappedRenderer } from "../../../support/images/wasm-modules.ts";
import { IS_PROOF, sizeOf } from "../../../support/sizes.ts";

const svg = (inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${inner}</svg>`;
const DISC = '<circle cx="50" cy="50" r="40"/>';
const WHOLE = '<rect width="100" height="100" fill="red"/>';
const faded = (inner: string) => `<g opacity="0.9">${inner}</g>`;
const filtered = (steps: string) =>
  svg(`<filter id="f">${steps}</filter><g filter="url(#f)">${DISC}</g>`);
const OVERHANG = svg(faded(`<rect x="-200" y="-200" width="500" height="500"/>${DISC}`));
const MANY_STEPS = filtered('<feOffset dx="1"/>'.repeat(30));
const TILE = svg(
  `<pattern id="p" width="1000" height="1000" patternUnits="userSpaceOnUse">${WHOLE}</pattern><rect width="100" height="100" fill="url(#p)"/>`,
);
const SCALED_TILE = svg(
  `<pattern id="p" width="50" height="50" patternUnits="userSpaceOnUse">${WHOLE}</pattern><g transform="scale(20)"><rect width="5" height="5" fill="url(#p)"/></g>`,
);

/** Each takes about a second. */
const some = <T>(drawings: readonly T[]) => drawings.slice(0, sizeOf("largeDrawings"));

describe("the renderer", () => {
  it("is the package's, with a maximum for its memory and no other change", () => {
    const [ours, theirs] = [
      "src/images/svg/resvg.wasm",
      "node_modules/@resvg/resvg-wasm/index_bg.wasm",
    ].map((path) => readFileSync(path)) as [Buffer, Buffer];
    expect(Buffer.compare(ours, withMemoryMax(theirs, RENDERER_BYTES_MAX))).toBe(0);
    expect(ours.length).toBe(theirs.length + 2);
  });

  it("gets no more memory than that", async () => {
    const { memory } = await startSvgRenderer(svgRenderer);
    const pages = (RENDERER_BYTES_MAX - memory.buffer.byteLength) / 65_536;
    expect(() => memory.grow(pages + 1)).toThrow(RangeError);
    memory.grow(pages);
    const uncapped = await startSvgRenderer(uncappedRenderer);
    uncapped.memory.grow(pages + 1);
  });
});

describe("a drawing of 2048 px", () => {
  it.each(
    some<[string, string]>([
      ["of one layer", svg(faded(WHOLE + DISC))],
      [
        "with a layer that hangs over",
        svg(faded(`<rect x="-25" y="-25" width="150" height="150"/>${DISC}`)),
      ],
      ["with a blur", filtered('<feGaussianBlur stdDeviation="3"/>')],
      [
        "with a clip",
        svg(`<clipPath id="c"><circle r="60"/></clipPath><g clip-path="url(#c)">${WHOLE}</g>`),
      ],
    ]),
  )("%s stays within the renderer's memory", async (_what, text) => {
    expect((await drawSvg(text, 2_048, svgRenderer)).width).toBe(2_048);
  });

  it.each([
    ["of four layers in each other", svg(faded(WHOLE + faded(WHOLE + faded(WHOLE + faded(DISC)))))],
    ["with a tile of 20,480 px", TILE],
    ["with a tile that a group makes as large", SCALED_TILE],
    ...(IS_PROOF ? [["with a filter of thirty steps", MANY_STEPS]] : []),
  ])("%s is rejected when its memory ends, and affects no other", async (_what, text) => {
    // Not the picture itself, which a failing test would print.
    const drawing = drawSvg(text, 2_048, svgRenderer).then(({ width }) => width);
    await expect(drawing).rejects.toThrow(/needs more than 55 MB to be drawn/);
    // The next one is drawn by a new instance, unaffected.
    const { rgba } = await drawSvg(svg(DISC), 256, svgRenderer);
    const { exports } = await startSvgRenderer(svgRenderer);
    const alone = exports.open(svg(DISC), { side: "width", px: 256 }).pixels();
    const alphaOf = (pixels: Uint8ClampedArray) =>
      Buffer.from(pixels.filter((_, i) => i % 4 === 3));
    expect(alphaOf(rgba).equals(alphaOf(alone.rgba))).toBe(true);
  });
});

/** Drawings whose layers do not fit into memory, and are drawn some rows at a time. */
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
  )("%s equals the whole", async (_what, text) => {
    const picture = await openSvg(text, 2_048, svgRenderer);
    const { exports } = await startSvgRenderer(uncappedRenderer);
    const whole = exports.open(text, { side: "width", px: 2_048 }).pixels();
    expect([picture.width, picture.height]).toEqual([whole.width, whole.height]);
    let [at, stripes, off] = [0, 0, 0];
    for await (const stripe of picture.stripes()) {
      stripes++;
      for (let i = 0; i < stripe.length; i += 4, at += 4) {
        const [alpha, expected] = [stripe[i + 3]!, whole.rgba[at + 3]!];
        // Premultiplied, as in the renderer, nearly transparent colors count little.
        const red = (stripe[i]! * alpha) / 255;
        off += Math.abs(alpha - expected) > 2 || Math.abs(red - whole.rgba[at]!) > 2 ? 1 : 0;
      }
    }
    expect(stripes).toBeGreaterThan(1);
    expect(at).toBe(whole.rgba.length);
    expect(off).toBeLessThan(whole.width);
  });
});
