import type { JsonValue } from "../src/lib/json/exact-json.ts";

/** GUIDs that look like random ones and are the same in every run. */
export function benchGuid(number: number): string {
  const hex = (Math.imul(number + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  return `${hex}-7c1d-4d55-9a36-${number.toString(16).padStart(12, "0")}`;
}

const PAGES = 20;

/** A document with as many elements on its pages: texts, of which each twentieth is a field, rectangles and lines. */
export function largeDocument(elements: number): JsonValue {
  const perPage = elements / PAGES;
  return {
    schemaVersion: "2.0",
    pages: Array.from({ length: PAGES }, (_, page) => ({
      id: benchGuid(page),
      width: 595,
      height: 842,
      elements: Array.from({ length: perPage }, (_unused, i) => elementOf(page * perPage + i)),
    })),
  };
}

export function elementId(number: number): string {
  return benchGuid(1_000 + number);
}

function elementOf(number: number): JsonValue {
  const id = elementId(number);
  const [left, top] = [number % 500, (number * 7) % 800];
  switch (number % 4) {
    case 0:
      return { $type: "rectangle", id, left, top, width: 40, height: 20, fill: "#dddddd" };
    case 1:
      return { $type: "line", id, x1: left, y1: top, x2: left + 50, y2: top, stroke: "#333333" };
    default: {
      const text = { $type: "text", id, left, top, width: 90, height: 16, text: `Text ${number}` };
      return number % 20 !== 2
        ? text
        : {
            ...text,
            placeholder: {
              id: benchGuid(100_000 + number),
              name: `Field ${number}`,
              code: `field_${number}`,
              placeholderType: "text",
            },
          };
    }
  }
}
