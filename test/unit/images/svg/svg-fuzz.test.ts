import fc from "fast-check";
import { expect, it } from "vitest";
import { drawSvg } from "../../../../src/images/svg/draw-svg.ts";
import { NodeError } from "../../../../src/lib/node-error.ts";
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

// Every other heap is well-formed, so that the renderer itself gets its share.
const whole = PIECES.filter(
  (piece) =>
    piece.endsWith("/>") ||
    piece.startsWith("<l") ||
    piece.startsWith("<m") ||
    piece.startsWith("<f") ||
    piece.startsWith("<pa"),
);
const heaps = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }),
  fc
    .array(
      fc.tuple(
        fc.constantFrom("", "opacity='.5'", "mask='url(#a)'", "filter='url(#a)'", "id='a'"),
        fc.constantFrom(...whole),
      ),
      { maxLength: 20 },
    )
    .map((pairs) => pairs.map(([attributes, piece]) => `<g ${attributes}>${piece}</g>`)),
);

it("any heap of SVG pieces is drawn or refused with a reason, and the renderer outlives it", async () => {
  let drawnCount = 0;
  await fc.assert(
    fc.asyncProperty(heaps, async (pieces) => {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${pieces.join("")}</svg>`;
      const drawn = await drawSvg(svg, 32, svgRenderer).catch((error: unknown) => error);
      if (drawn instanceof NodeError) {
        expect(drawn.code).toBe("SVG_UNDRAWABLE");
      } else {
        expect(drawn).toMatchObject({ width: 32, height: 32 });
        drawnCount++;
      }
    }),
    { numRuns: 400, seed: 11 },
  );
  expect(drawnCount).toBeGreaterThan(50);
  const after = await drawSvg(
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    9,
    svgRenderer,
  );
  expect(after.rgba[3]).toBe(255);
});
