import { Resvg } from "@resvg/resvg-wasm";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { cleanSvg } from "../../../../src/formats/svg/clean-svg.ts";
import { SvgMalformedError } from "../../../../src/formats/svg/svg-malformed-error.ts";
import { HARMLESS_SVGS } from "./harmless-svgs.ts";
import { HOSTILE_SVGS, MALFORMED_SVGS } from "./hostile-svgs.ts";
import { sizeOf } from "../../../support/sizes.ts";
import { startResvg } from "../../../support/svg/start-resvg.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const clean = (text: string) => decode(cleanSvg(encode(text)));

beforeAll(startResvg);

function pixels(svg: string): Uint8Array {
  const drawing = new Resvg(svg, { fitTo: { mode: "width", value: 96 } });
  try {
    const image = drawing.render();
    const copy = image.pixels.slice();
    image.free();
    return copy;
  } finally {
    drawing.free();
  }
}

/** Parts that no stored SVG may contain, whatever its source. */
const FORBIDDEN =
  /<(?:\w+:)?(?:script|foreignObject|iframe|object|embed|audio|video|canvas|handler|listener|animate\w*|set|discard|mpath|font-face-uri)\b|\son\w+\s*=|javascript:|vbscript:|@import|@font-face|@keyframes|data:(?!image\/(?:png|jpe?g|gif|webp))|https?:\/\/(?!www\.w3\.org\/(?:2000\/svg|1999\/xlink)")|\/\/evil|<!|<\?|&(?!amp;|lt;|gt;|quot;|#\d+;)|\\|file:|expression\(/i;

describe("a cleaned SVG", () => {
  it("is tested with more than sixty different hostile files and as many harmless ones", () => {
    for (const corpus of [HOSTILE_SVGS, HARMLESS_SVGS]) {
      expect(new Set(corpus.map(([, svg]) => svg)).size).toBeGreaterThan(60);
    }
  });

  it.each(HOSTILE_SVGS)("contains nothing that executes or loads: %s", (_name, svg) => {
    const cleaned = clean(svg);
    expect(cleaned.match(FORBIDDEN)?.[0]).toBeUndefined();
    expect(clean(cleaned)).toBe(cleaned);
    expect(cleaned).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  });

  it.each(HARMLESS_SVGS)("looks the same as before: %s", (_name, svg) => {
    const cleaned = clean(svg);
    const [before, after] = [pixels(svg), pixels(cleaned)];
    expect(before.some((value) => value !== 0)).toBe(true);
    expect(Buffer.compare(before, after)).toBe(0);
    expect(clean(cleaned)).toBe(cleaned);
  });

  it.each(MALFORMED_SVGS)("is not created from a malformed one: %s", (_name, svg) => {
    expect(() => clean(svg)).toThrow(SvgMalformedError);
  });

  it("keeps text, links inside the document and texts for screen readers", () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="A &amp; B"><title>T &lt; U</title>' +
      '<a href="#x"><text x="1">a<tspan>b</tspan> c</text></a><a href="https://evil.example"><path id="x" d="M0 0"/></a></svg>';
    expect(clean(svg)).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="A &amp; B"><title>T &lt; U</title>' +
        '<a href="#x"><text x="1">a<tspan>b</tspan> c</text></a><a><path id="x" d="M0 0"/></a></svg>',
    );
  });

  it("reads UTF-16 and old encodings, and is written in UTF-8", () => {
    const utf16 = new Uint8Array(
      new Uint16Array([
        0xfeff,
        ...Array.from('<svg xmlns="http://www.w3.org/2000/svg"><title>é</title></svg>', (c) =>
          c.charCodeAt(0),
        ),
      ]).buffer,
    );
    expect(decode(cleanSvg(utf16))).toContain("<title>é</title>");
    const latin = Uint8Array.from(
      '<?xml version="1.0" encoding="ISO-8859-1"?><svg xmlns="http://www.w3.org/2000/svg"><title>\u00e9</title></svg>',
      (c) => c.charCodeAt(0),
    );
    expect(decode(cleanSvg(latin))).toContain("<title>é</title>");
    expect(() => cleanSvg(Uint8Array.of(0x3c, 0x73, 0xff))).toThrow(SvgMalformedError);
  });

  it("is the same after any number of cleanings, and safe, in pieces of any size", () => {
    const piece = fc.constantFrom(
      "<g>",
      "</g>",
      "<path d='M0 0h9v9z'/>",
      "<script>",
      "</script>",
      "<style>",
      "</style>",
      "a{fill:red}",
      "@import 'x';",
      "url(#a)",
      "url(http://evil.example/)",
      "/*",
      "*/",
      "<!--",
      "-->",
      "<![CDATA[",
      "]]>",
      "{",
      "}",
      ";",
      ":",
      '"',
      "'",
      "\\",
      "<animate/>",
      "<x:g xmlns:x='http://www.w3.org/2000/svg'/>",
      "onload='x'",
      "&lt;",
      "&#60;script&#62;",
      "@media a{",
      "--x:",
      "fill:",
      "</",
      "text",
      "<text>",
      "</text>",
      "<title>",
      "</title>",
      "<a href='javascript:x'>",
      "</a>",
      "expression(",
      "<use href='#a'/>",
      "\u0000",
      "\r",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        let cleaned: string;
        try {
          cleaned = clean(`<svg xmlns="http://www.w3.org/2000/svg">${pieces.join("")}</svg>`);
        } catch (error) {
          expect(error).toBeInstanceOf(SvgMalformedError);
          return;
        }
        expect(clean(cleaned)).toBe(cleaned);
        // Text outside of a style is drawn or read out, whatever it contains.
        const acting = cleaned.match(/<style[^>]*>[^<]*|<[^>]*>/g)?.join("");
        expect(acting).not.toMatch(/<script|<animate|@import|evil|javascript:[^&]*"|<!--/);
      }),
      { numRuns: sizeOf("svgDocuments") },
    );
  });

  it("takes time in proportion to its length, with any nesting or repetition", () => {
    const started = performance.now();
    expect(() => clean(`<svg xmlns="http://www.w3.org/2000/svg">${"<g>".repeat(50_000)}`)).toThrow(
      /deeper/,
    );
    expect(() =>
      clean(`<svg xmlns="http://www.w3.org/2000/svg">${"<g/>".repeat(200_000)}</svg>`),
    ).toThrow(/elements/);
    clean(`<svg xmlns="http://www.w3.org/2000/svg"><style>${"a{".repeat(100_000)}</style></svg>`);
    clean(`<svg xmlns="http://www.w3.org/2000/svg"><style>${"/*".repeat(200_000)}</style></svg>`);
    clean(
      `<svg xmlns="http://www.w3.org/2000/svg"><g style="${"fill:url(".repeat(50_000)}"/></svg>`,
    );
    clean(`<svg xmlns="http://www.w3.org/2000/svg"><g fill="${"url( ".repeat(100_000)}"/></svg>`);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
