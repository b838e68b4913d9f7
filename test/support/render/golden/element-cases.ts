/** What every element has: its place, turns, opacity, link and condition. */
import { elements, type GoldenCases, type Loose, pages, sheet, variants } from "./golden-case.ts";

/** A shape that shows how it is turned. */
const FLAG = {
  $type: "path",
  left: 30,
  top: 30,
  width: 100,
  height: 40,
  fill: "#2a6f97",
  pathData: "M0 0H100L80 20L100 40H30Z",
};

const URL_LINK = { type: "url", url: "https://example.com/a?b=1" };

export const ELEMENT_CASES: GoldenCases = {
  ...variants(FLAG, {
    "at the page's corner by default": { left: undefined, top: undefined },
    "left and top are negative": { left: -20, top: -10.5 },
    "left and top at their limits": { left: -14_400, top: 14_400 },
    "width and height are 0": { width: 0, height: 0 },
    "turned clockwise": { angle: 30 },
    "turned more than once, backwards": { angle: -405 },
    "flipped sideways": { flipX: true },
    "flipped upside down": { flipY: true },
    "flipped and turned": { flipX: true, angle: 30 },
    "half opaque": { opacity: 0.5 },
    "not opaque at all": { opacity: 0 },
    "not visible": { visible: false },
    "has a name": { name: "Flag" },
    "links to an address": { link: URL_LINK },
    "links to an address, turned": { link: URL_LINK, angle: 90 },
  }),
  "links to a field": linkTo("https://example.com/x"),
  "links to a field that is not an address": linkTo("javascript:alert(1)"),
  "links to a field with a prefix": elements(
    [
      { ...FLAG, link: { type: "field", field: "sku", prefix: "https://example.com/items/" } },
      skuText(),
    ],
    { values: { sku: "A-1" } },
  ),
  "links to a page": pages(
    [
      sheet([{ ...FLAG, link: { type: "page", pageId: "00000000-0000-4000-8000-000000000002" } }]),
      sheet([], { id: "00000000-0000-4000-8000-000000000002" }),
    ],
    {},
  ),
  "shown by a switch": switched(true),
  "hidden by a switch": switched(false),
  "colored by a field": elements(
    [
      {
        ...FLAG,
        placeholder: {
          name: "Tint",
          code: "tint",
          placeholderType: "color",
          description: "Its color",
        },
      },
    ],
    { values: { tint: "#C8553D" } },
  ),
};

function linkTo(value: string) {
  return elements([{ ...FLAG, link: { type: "field", field: "sku" } }, skuText()], {
    values: { sku: value },
  });
}

function skuText(): Loose {
  return {
    $type: "text",
    left: 4,
    top: 80,
    width: 150,
    height: 16,
    fontSize: 8,
    placeholder: { name: "SKU", code: "sku", placeholderType: "text" },
  };
}

function switched(on: boolean) {
  return elements(
    [{ ...FLAG, placeholder: { name: "On", code: "on", placeholderType: "boolean" } }],
    { values: { on } },
  );
}
