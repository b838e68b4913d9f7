import { renderDocument } from "@formepdf/core";
import { Cell, Document, Page, Row, Table, Text, View } from "@formepdf/react";
import { createElement as h } from "react";
import { COLUMNS, PAGE } from "./models.mjs";

export function open(font) {
  const fonts = [{ family: "Noto", src: new Uint8Array(font) }];
  const size = { width: PAGE.width, height: PAGE.height };
  return {
    invoice: ({ texts, rules }) =>
      renderDocument(
        h(
          Document,
          { fonts },
          h(
            Page,
            { size, margin: 0 },
            ...texts.map(({ x, y, size: fontSize, text }, i) =>
              h(
                Text,
                {
                  key: i,
                  style: { position: "absolute", left: x, top: y, fontSize, fontFamily: "Noto" },
                },
                text,
              ),
            ),
            ...rules.map(({ x1, y1, x2 }, i) =>
              h(View, {
                key: `r${i}`,
                style: {
                  position: "absolute",
                  left: x1,
                  top: y1,
                  width: x2 - x1,
                  height: 0.5,
                  backgroundColor: "#cccccc",
                },
              }),
            ),
          ),
        ),
      ),
    table: (rows) => {
      const line = (cells, props) =>
        h(
          Row,
          props,
          ...COLUMNS.map((_, i) =>
            h(Cell, { key: i }, h(Text, { style: { fontSize: 10, fontFamily: "Noto" } }, cells[i])),
          ),
        );
      return renderDocument(
        h(
          Document,
          { fonts },
          h(
            Page,
            { size, margin: 60 },
            h(
              Table,
              { columns: COLUMNS.map(({ width }) => ({ width: { fixed: width } })) },
              line(
                COLUMNS.map(({ title }) => title),
                { key: "h", header: true },
              ),
              ...rows.map((row, i) =>
                line(
                  COLUMNS.map(({ key }) => row[key]),
                  { key: i },
                ),
              ),
            ),
          ),
        ),
      );
    },
  };
}
