import { Document, Font, Line, Page, renderToBuffer, Svg, Text, View } from "@react-pdf/renderer";
import { createElement as h } from "react";
import { COLUMNS, PAGE } from "./models.mjs";

export function open(font) {
  Font.register({ family: "Noto", src: `data:font/ttf;base64,${font.toString("base64")}` });
  const size = [PAGE.width, PAGE.height];
  return {
    invoice: ({ texts, rules }) =>
      renderToBuffer(
        h(
          Document,
          null,
          h(
            Page,
            { size, style: { fontFamily: "Noto" } },
            ...texts.map(({ x, y, size: fontSize, text }, i) =>
              h(Text, { key: i, style: { position: "absolute", left: x, top: y, fontSize } }, text),
            ),
            h(
              Svg,
              { style: { position: "absolute", left: 0, top: 0 }, ...PAGE },
              ...rules.map((rule, i) =>
                h(Line, { key: i, ...rule, strokeWidth: 0.5, stroke: "#cccccc" }),
              ),
            ),
          ),
        ),
      ),
    table: (rows) => {
      const line = (cells, props) =>
        h(
          View,
          { ...props, wrap: false, style: { flexDirection: "row", height: 16 } },
          ...COLUMNS.map(({ width }, i) => h(Text, { key: i, style: { width } }, cells[i])),
        );
      return renderToBuffer(
        h(
          Document,
          null,
          h(
            Page,
            { size, style: { fontFamily: "Noto", fontSize: 10, padding: 60 } },
            line(
              COLUMNS.map(({ title }) => title),
              { key: "header", fixed: true },
            ),
            ...rows.map((row, i) =>
              line(
                COLUMNS.map(({ key }) => row[key]),
                { key: i },
              ),
            ),
          ),
        ),
      );
    },
  };
}
