import { describe, expect, it } from "vitest";
import { drawSvg } from "../../../../src/images/svg/draw-svg.ts";
import { svgRenderer } from "../../../support/images/wasm-modules.ts";

const svg = (body: string, attributes = 'viewBox="0 0 40 20"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${body}</svg>`;
const draw = (text: string, side = 64) => drawSvg(text, side, svgRenderer);

describe("drawSvg", () => {
  it("draws on a transparent background with the requested longest side, landscape or portrait", async () => {
    const lying = await draw(svg('<rect width="20" height="20" fill="#f00"/>'));
    expect([lying.width, lying.height]).toEqual([64, 32]);
    expect([...lying.rgba.subarray(0, 4)]).toEqual([255, 0, 0, 255]);
    expect(lying.rgba[63 * 4 + 3]).toBe(0);
    const standing = await draw(svg('<rect width="9" height="9"/>', 'width="10" height="1000"'));
    expect([standing.width, standing.height]).toEqual([1, 64]);
  });

  it("returns colors that are not premultiplied", async () => {
    const { rgba } = await draw(
      svg('<rect width="40" height="20" fill="#f00" fill-opacity=".5"/>'),
    );
    expect(rgba[0]).toBe(255);
    expect(rgba[3]).toBeGreaterThan(125);
    expect(rgba[3]).toBeLessThan(130);
  });

  it("never draws larger than 2048 px", async () => {
    const { width } = await draw(svg("<g/>", 'width="1e9" height="1e7"'), 1e9);
    expect(width).toBe(2048);
  });

  it("draws 2,000 elements and rejects 2,001 with both numbers", async () => {
    await expect(draw(svg("<path d='M0 0h1v1z'/>".repeat(1_999)))).resolves.toBeDefined();
    await expect(draw(svg("<path d='M0 0h1v1z'/>".repeat(2_000)))).rejects.toThrow(
      /has 2001 elements; at most 2000/,
    );
  });

  const layered = (depth: number) =>
    svg(
      `${'<g opacity=".9">'.repeat(depth)}<path d="M0 0h9v9z"/><path d="M9 0h9v9z"/>${"</g>".repeat(depth)}`,
    );
  it.each([
    ["a picture", svg('<image href="data:image/png;base64,AAAA"/>'), /embeds a picture/],
    [
      "a picture under a prefix",
      svg('<svg:image xmlns:svg="http://www.w3.org/2000/svg"/>'),
      /picture/,
    ],
    ["a filter's picture", svg('<filter id="f"><feImage href="#x"/></filter>'), /feImage/],
    ["text", svg("<text>Hi</text>"), /outlines/],
    ["more than 2 MB", svg(`<path d="${"M0 0".repeat(600_000)}"/>`), /at most 2097152/],
    ["entities", `<!DOCTYPE svg [<!ENTITY a "<image/>">]>${svg("&a;")}`, /DOCTYPE/],
    ["deep nesting", svg("<g>".repeat(150) + "</g>".repeat(150)), /deeper than 100/],
    ["layers in layers in layers", layered(5), /nests more than 4/],
    [
      "many layers",
      svg('<g opacity=".9"><path d="M0 0h9v9z"/><path d="M9 0h9v9z"/></g>'.repeat(300)),
      /at most 200/,
    ],
    ["no element", "just words", /no element/],
    ["an open tag", '<svg xmlns="http://www.w3.org/2000/svg"><g', /cannot be read/],
    ["another root", "<html></html>", /cannot be read/],
    ["no size", svg("", 'width="0" height="0"'), /cannot be read|has no size/],
    ["a line", svg("<g/>", 'width="1e9" height="1"'), /shorter side/],
    [
      "references that multiply",
      svg(
        `<defs><g id="a0"><path d="M0 0h9v9z"/></g>${Array.from({ length: 8 }, (_, i) => `<g id="a${i + 1}">${`<use href="#a${i}"/>`.repeat(8)}</g>`).join("")}</defs><use href="#a8"/>`,
      ),
      /comes to|cannot be read/,
    ],
    ["references in a circle", svg('<g id="a"><use href="#a"/></g>'), undefined],
  ])("%s", async (name, text, reason) => {
    const drawing = draw(text);
    if (reason === undefined) {
      // The renderer drops this reference; what matters is that it ends.
      expect((await drawing).width, name).toBe(64);
      return;
    }
    await expect(drawing).rejects.toMatchObject({ code: "SVG_UNDRAWABLE" });
    await expect(draw(text)).rejects.toThrow(reason);
  });

  it("ignores comments, CDATA and brackets in quotes", async () => {
    const text = svg(
      '<!-- <image/> --><style><![CDATA[ .x{} /* <text> */ ]]></style><path id="a>b" data-x="<text>" d="M0 0h9v9z"/>'.replace(
        '<text>"',
        '&lt;text>"',
      ),
    );
    await expect(draw(text)).resolves.toBeDefined();
  });

  it("continues to draw after rejections", async () => {
    await expect(draw("<svg")).rejects.toThrow();
    expect((await draw(svg('<rect width="40" height="20"/>'))).rgba[3]).toBe(255);
  });
});
