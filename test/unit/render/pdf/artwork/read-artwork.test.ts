import { describe, expect, it } from "vitest";
import { readArtwork } from "../../../../../src/render/pdf/artwork/read-artwork.ts";
import type { DisplayItem, DisplayPath } from "../../../../../src/templates/display-list.ts";

function svg(body: string, attributes = 'viewBox="0 0 100 50"'): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${body}</svg>`;
}

function itemsOf(body: string): readonly DisplayItem[] {
  const artwork = readArtwork(svg(body));
  if (typeof artwork === "string") {
    throw new Error(artwork);
  }
  return artwork.items;
}

function pathsOf(items: readonly DisplayItem[]): DisplayPath[] {
  return items.flatMap((item) =>
    item.kind === "group" ? pathsOf(item.items) : item.kind === "path" ? [item] : [],
  );
}

/** The solid fills of what is drawn, in order. */
function fillsOf(body: string): string[] {
  return pathsOf(itemsOf(body)).map(({ fill }) =>
    fill?.paint.kind === "color" ? `${fill.paint.rgb.join()}/${fill.opacity}` : "none",
  );
}

const RECT = 'width="10" height="10"';

describe("readArtwork", () => {
  it.each([
    ["#F00", "255,0,0/1"],
    ["#00ff0080", `0,255,0/${128 / 255}`],
    ["rgb(10%, 20, 300)", "26,20,255/1"],
    ["rgba(1 2 3 / 50%)", "1,2,3/0.5"],
    ["hsl(120, 100%, 25%)", "0,128,0/1"],
    ["rebeccapurple", "102,51,153/1"],
    ["currentColor", "0,0,255/1"],
    ["url(#missing) lime", "0,255,0/1"],
  ])("reads the color %s", (value, expected) => {
    expect(fillsOf(`<rect color="blue" fill="${value}" ${RECT}/>`)).toEqual([expected]);
  });

  it("takes properties from style sheets by their weight, from style attributes, and from parents", () => {
    const css = `<style>rect{fill:red} .a{fill:lime} #i{fill:blue} .b{fill:aqua!important} @media print{rect{fill:black}} g rect{fill:black}</style>`;
    const bodies = [
      `<rect ${RECT}/>`,
      `<rect class="a" ${RECT}/>`,
      `<rect class="a" id="i" ${RECT}/>`,
      `<rect class="b" style="fill:white" ${RECT}/>`,
      `<rect class="a" style="fill:white" ${RECT}/>`,
      `<g fill="navy"><path d="M0 0H1V1z"/></g>`,
    ];
    expect(fillsOf(css + bodies.join(""))).toEqual([
      "255,0,0/1",
      "0,255,0/1",
      "0,0,255/1",
      "0,255,255/1",
      "255,255,255/1",
      "0,0,128/1",
    ]);
  });

  it("fits symbols and nested drawings into their viewports", () => {
    const [item] = itemsOf(
      `<symbol id="s" viewBox="0 0 10 10"><rect ${RECT}/></symbol><use href="#s" x="5" y="6" width="20" height="40"/>`,
    );
    expect(item).toMatchObject({ kind: "group", transform: [1, 0, 0, 1, 5, 6] });
    const inside = (one: DisplayItem | undefined) => (one?.kind === "group" ? one.items[0] : one);
    const inner = inside(inside(item));
    // Scaled by 2, in the middle of 40.
    expect(inner).toMatchObject({ transform: [2, 0, 0, 2, 0, 10] });
  });

  it("places gradients in the bounds of what they paint, with stops of another gradient", () => {
    const body = `<linearGradient id="a"><stop offset=".5" stop-color="red"/><stop offset=".2" stop-color="blue" stop-opacity=".5"/></linearGradient>
      <linearGradient id="b" xlink:href="#a" y2="1"/><rect x="10" y="20" width="30" height="15" fill="url(#b)"/>`;
    expect(pathsOf(itemsOf(body))[0]?.fill?.paint).toEqual({
      kind: "gradient",
      transform: [30, 0, 0, 15, 10, 20],
      shape: { kind: "linear", x1: 0, y1: 0, x2: 1, y2: 1 },
      stops: [
        { offset: 0.5, rgb: [255, 0, 0], opacity: 1 },
        { offset: 0.5, rgb: [0, 0, 255], opacity: 0.5 },
      ],
    });
  });

  it("clips by the union of shapes, and makes groups transparent as one", () => {
    const body = `<clipPath id="c" clipPathUnits="objectBoundingBox"><circle r=".5"/><rect width="1" height="1" clip-rule="evenodd"/></clipPath>
      <g opacity="50%" clip-path="url(#c)" transform="translate(5)"><rect x="10" width="20" height="10"/></g>`;
    const [group] = itemsOf(body);
    expect(group).toMatchObject({ kind: "group", opacity: 0.5, transform: [1, 0, 0, 1, 5, 0] });
    const shapes = group?.kind === "group" ? (group.clip?.shapes ?? []) : [];
    expect(shapes.map(({ fillRule }) => fillRule)).toEqual(["non_zero", "even_odd"]);
    expect(shapes[1]?.path.segments.slice(0, 3)).toEqual([
      ["M", 10, 0],
      ["L", 30, 0],
      ["L", 30, 10],
    ]);
  });

  it("moves the view box to the origin", () => {
    expect(
      readArtwork(svg(`<rect ${RECT}/>`, 'viewBox="-5 5 20 10" preserveAspectRatio="none"')),
    ).toMatchObject({
      width: 20,
      height: 10,
      preserveAspectRatio: "none",
      items: [{ transform: [1, 0, 0, 1, 5, -5] }],
    });
  });

  it.each([
    [
      "text on a path",
      '<path id="p" d="M0 0L9 9"/><text><textPath href="#p">a</textPath></text>',
      "unsupported",
    ],
    ["turned letters", '<text rotate="10">a</text>', "unsupported"],
    ["vertical text", '<text style="writing-mode:vertical-rl">a</text>', "unsupported"],
    ["a picture", '<image href="data:image/png;base64,AA=="/>', "unsupported"],
    ["a filter", `<rect filter="url(#f)" ${RECT}/>`, "unsupported"],
    ["a blend mode", `<rect style="mix-blend-mode:multiply" ${RECT}/>`, "unsupported"],
    ["a mask that is none", `<rect mask="url(#m)" ${RECT}/>`, "unsupported"],
    [
      "a pattern of a million tiles",
      `<pattern id="p" width=".001" height=".001"><rect ${RECT}/></pattern><rect fill="url(#p)" ${RECT}/>`,
      "unsupported",
    ],
    [
      "a gradient that is repeated a thousand times",
      `<linearGradient id="g" spreadMethod="repeat" x2=".001"><stop/><stop offset="1"/></linearGradient><rect fill="url(#g)" ${RECT}/>`,
      "unsupported",
    ],
    [
      "a pattern of itself",
      `<pattern id="p" width="1" height="1"><rect fill="url(#p)" ${RECT}/></pattern><rect fill="url(#p)" ${RECT}/>`,
      "unreadable",
    ],
    [
      "a mask of itself",
      `<mask id="m"><rect mask="url(#m)" ${RECT}/></mask><rect mask="url(#m)" ${RECT}/>`,
      "unreadable",
    ],
    [
      "a text of too many positions",
      `<text x="${"1 ".repeat(12_000)}">${"a".repeat(12_000)}</text>`,
      "too_large",
    ],
    ["a text of too many characters", `<text>${"a".repeat(110_000)}</text>`, "too_large"],
    ["a use of itself", '<g id="a"><use href="#a"/></g>', "unreadable"],
    ["a malformed transform", `<rect transform="rotate(" ${RECT}/>`, "unreadable"],
    ["an unclosed element", "<g>", "unreadable"],
    ["deep nesting", "<g>".repeat(200) + "</g>".repeat(200), "too_large"],
    ["many elements", "<g/>".repeat(60_000), "too_large"],
  ])("names why %s does not print", (_, body, reason) => {
    expect(readArtwork(svg(body))).toBe(reason);
  });

  it("expands no entities, and stops uses that multiply", () => {
    const bomb = `<!DOCTYPE svg [<!ENTITY a "aaaa">]>${svg("<title>&a;</title>")}`;
    expect(readArtwork(bomb)).toBe("unreadable");
    const doubled = Array.from(
      { length: 18 },
      (_, i) => `<g id="g${i + 1}"><use href="#g${i}"/><use href="#g${i}"/></g>`,
    );
    expect(
      readArtwork(svg(`<defs><rect id="g0" ${RECT}/>${doubled.join("")}</defs><use href="#g18"/>`)),
    ).toBe("too_large");
  });
});
