/** Random SVG parts, drawn or rejected by a renderer that survives all of them. */
import { expect, it } from "vitest";
import type { Raster } from "../../../../src/images/raster/raster.ts";
import { drawSvg } from "../../../../src/images/svg/draw-svg.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import type { SeededRandom } from "../../../simulation/seeded-random.ts";
import { executionsOf } from "../../../support/sizes.ts";
import { fuzzReader, type ReaderFuzz } from "../../../support/fuzz/fuzz-reader.ts";
import { heap } from "../../../support/fuzz/mutate.ts";
import { svgRenderer } from "../../../support/images/wasm-modules.ts";

const PIECES = [
  '<g opacity=".5">',
  "</g>",
  "<path d='M0 0L9 9H0z'/>",
  '<use href="#a"/>',
  '<g id="a">',
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  '<rect width="1e30" height="-1"/>',
  '<rect width="NaN%" height="9"/>',
  "<svg>",
  "</svg>",
  '<circle r="1e300" cx="-1e300"/>',
  '<linearGradient id="a"><stop offset="2"/></linearGradient>',
  '<mask id="a"><rect width="9" height="9"/></mask>',
  '<g mask="url(#a)">',
  '<filter id="a"><feGaussianBlur stdDeviation="1e9"/></filter>',
  '<g filter="url(#a)">',
  '<pattern id="a" width="1e-9" height="1e-9"><path d="M0 0h1v1z"/></pattern>',
  '<rect fill="url(#a)" width="9" height="9"/>',
  '<clipPath id="a" clip-path="url(#a)">',
  "</clipPath>",
  "&lt;",
  "&x;",
  "\u0000",
  "<",
  ">",
  '"',
  "<?x",
  "?>",
];

const WHOLE = PIECES.filter((piece) => /\/>$|^<[lmf]|^<pa/.test(piece));
const ATTRIBUTES = ["", "opacity='.5'", "mask='url(#a)'", "filter='url(#a)'", "id='a'"];
const SIDE = 32;

/** Every second one is well-formed, so that the renderer itself is tested. */
function drawHeap(random: SeededRandom): string {
  const pieces = random.chance(0.5)
    ? heap(random, PIECES, 30)
    : Array.from(
        { length: random.below(21) },
        () => `<g ${random.pick(ATTRIBUTES)}>${random.pick(WHOLE)}</g>`,
      ).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${pieces}</svg>`;
}

type Draw = (svg: string, side: number) => Promise<Raster>;
const drawTruly: Draw = (svg, side) => drawSvg(svg, side, svgRenderer);

const SQUARE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';

const fuzzOf = (draw: Draw, executions: number): ReaderFuzz<string, Raster> => ({
  name: "svg drawing",
  seed: 20_261_120,
  executions,
  draw: drawHeap,
  read: (svg) => draw(svg, SIDE),
  isRefusal: (error) => error instanceof NodeError && error.code === "SVG_UNDRAWABLE",
  show: (svg) => svg.slice(0, 600),
  async judge(_svg, drawn) {
    if (drawn !== undefined) {
      const { width, height, rgba } = drawn;
      const isWhole = width === SIDE && height === SIDE && rgba.length === 4 * SIDE * SIDE;
      return isWhole ? undefined : `${width} × ${height} px in ${rgba.length} bytes`;
    }
    const alpha = await draw(SQUARE, 9).then(
      ({ rgba }) => rgba[3],
      (error: unknown) => String(error),
    );
    return alpha === 255 ? undefined : `after a refusal a square is drawn as ${alpha}`;
  },
});

it("random SVG parts are drawn or rejected with a reason, and the renderer survives", async () => {
  const report = await fuzzReader(fuzzOf(drawTruly, executionsOf(400)));
  process.stderr.write(`${report.text}\n`);
  expect(report.findings).toEqual([]);
  expect(Math.min(report.accepted, report.refused)).toBeGreaterThan(report.executions / 8);
}, 600_000);

it("and the fuzzer finds planted faults", async () => {
  const find = async (draw: Draw) =>
    (await fuzzReader(fuzzOf(draw, 200))).findings.map(({ problem }) => problem).join("\n");

  // Continues with a renderer that a rejected picture has broken.
  let isBroken = false;
  const broken = await find(async (svg, side) => {
    if (isBroken) {
      throw new NodeError("SVG_UNDRAWABLE", "It was broken before.");
    }
    return await drawTruly(svg, side).catch((error: unknown) => {
      isBroken = true;
      throw error;
    });
  });
  expect(broken).toMatch(/after a refusal a square is drawn as NodeError/);

  const bare = await find((svg, side) =>
    drawTruly(svg, side).catch((error: unknown) => {
      throw new Error("unreachable", { cause: error });
    }),
  );
  expect(bare).toMatch(/threw Error: unreachable/);

  const turned = await find(async (svg, side) => {
    const drawn = await drawTruly(svg, side);
    return svg.includes("<circle") ? { ...drawn, width: 0 } : drawn;
  });
  expect(turned).toMatch(/^0 × 32 px/);
});
