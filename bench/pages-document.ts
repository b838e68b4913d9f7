import { deflateSync } from "node:zlib";
import type { JsonValue } from "../src/lib/json/exact-json.ts";
import { pngOf } from "../test/support/pdf/png-of.ts";
import { benchGuid } from "./large-document.ts";

const [WIDTH, HEIGHT] = [595, 842] as const;
const [PICTURES, PICTURE_WIDTH, PICTURE_HEIGHT] = [20, 160, 120] as const;
const [ROWS, COLUMNS, ROW_HEIGHT] = [10, 5, 24] as const;
/** Items of a list. */
const LIST_MAX = 100;

let ids = 500_000;
const next = () => benchGuid((ids += 1));
const field = (code: string, placeholderType: string) => ({
  id: next(),
  name: code,
  code,
  placeholderType,
});

/** Two lists of pages: each item is one page with a picture and a table. */
export function pagesDocument(): JsonValue {
  return {
    schemaVersion: "2.0",
    pages: [0, 1].map((list) => ({
      id: next(),
      width: WIDTH,
      height: HEIGHT,
      elements: [
        {
          $type: "repeat_region",
          id: next(),
          left: 0,
          top: 0,
          width: WIDTH,
          height: HEIGHT,
          pageScope: "all",
          itemHeight: HEIGHT,
          overflowMode: "continue",
          placeholder: field(`pages_${list}`, "list"),
          children: [
            {
              $type: "image",
              id: next(),
              left: 60,
              top: 60,
              width: 240,
              height: 180,
              placeholder: field("picture", "image"),
            },
            {
              $type: "repeat_region",
              id: next(),
              left: 60,
              top: 280,
              width: 475,
              height: 400,
              itemHeight: ROW_HEIGHT,
              placeholder: field("rows", "list"),
              children: Array.from({ length: COLUMNS }, (_, column) => ({
                $type: "text",
                id: next(),
                left: column * 95,
                top: 0,
                width: 95,
                height: ROW_HEIGHT,
                fontSize: 10,
                text: "",
                placeholder: field(`cell_${column}`, "text"),
              })),
            },
          ],
        },
      ],
    })),
  };
}

export function pagesValues(count: number): JsonValue {
  const pictures = Array.from({ length: PICTURES }, (_, number) => pictureOf(number));
  const pages = Array.from({ length: count }, (_, page) => ({
    picture: pictures[page % PICTURES] ?? "",
    rows: Array.from({ length: ROWS }, (_row, row) =>
      Object.fromEntries(
        Array.from({ length: COLUMNS }, (_column, column) => [
          `cell_${column}`,
          `${page + 1}.${row + 1} ${["item", "name", "city", "price", "total"][column]}`,
        ]),
      ),
    ),
  }));
  const half = Math.min(LIST_MAX, Math.ceil(count / 2));
  return { pages_0: pages.slice(0, half), pages_1: pages.slice(half) };
}

/** A picture of its own as an address. */
function pictureOf(number: number): string {
  const stride = 1 + PICTURE_WIDTH * 3;
  const rows = new Uint8Array(stride * PICTURE_HEIGHT);
  for (let y = 0; y < PICTURE_HEIGHT; y += 1) {
    for (let x = 0; x < PICTURE_WIDTH; x += 1) {
      const at = y * stride + 1 + x * 3;
      rows.set([(x * (number + 1)) & 255, (y * 2 + number * 9) & 255, (x * y) & 255], at);
    }
  }
  const head = { width: PICTURE_WIDTH, height: PICTURE_HEIGHT, depth: 8, color: 2 };
  const png = pngOf(head, deflateSync(rows));
  return `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
}
