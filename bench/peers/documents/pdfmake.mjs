import pdfmake from "pdfmake";
import { COLUMNS, PAGE } from "./models.mjs";

export function open(font) {
  const file = "NotoSans.ttf";
  pdfmake.virtualfs.writeFileSync(file, font);
  pdfmake.addFonts({ Noto: { normal: file, bold: file, italics: file, bolditalics: file } });
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy(() => false);
  const page = { pageSize: PAGE, defaultStyle: { font: "Noto", fontSize: 10 } };
  const write = (definition) => pdfmake.createPdf({ ...page, ...definition }).getBuffer();
  return {
    invoice: ({ texts, rules }) =>
      write({
        content: [
          ...texts.map(({ x, y, size, text }) => ({
            text,
            fontSize: size,
            absolutePosition: { x, y },
          })),
          {
            canvas: rules.map((rule) => ({
              type: "line",
              ...rule,
              lineWidth: 0.5,
              lineColor: "#cccccc",
            })),
            absolutePosition: { x: 0, y: 0 },
          },
        ],
      }),
    table: (rows) =>
      write({
        pageMargins: [60, 60, 60, 60],
        content: [
          {
            layout: "noBorders",
            table: {
              headerRows: 1,
              widths: COLUMNS.map(({ width }) => width - 8),
              body: [
                COLUMNS.map(({ title }) => title),
                ...rows.map((row) => COLUMNS.map(({ key }) => row[key])),
              ],
            },
          },
        ],
      }),
  };
}
