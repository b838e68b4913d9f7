import PDFDocument from "pdfkit";
import { COLUMNS, PAGE } from "./models.mjs";

const ROW = 16;
const MARGIN = 60;

function collect(document) {
  const chunks = [];
  return new Promise((resolve, reject) => {
    document.on("data", (chunk) => chunks.push(chunk));
    document.on("end", () => resolve(Buffer.concat(chunks)));
    document.on("error", reject);
    document.end();
  });
}

export function open(font) {
  const start = () => {
    const document = new PDFDocument({
      size: [PAGE.width, PAGE.height],
      margin: 0,
      autoFirstPage: false,
    });
    document.registerFont("Noto", font);
    return document;
  };
  return {
    invoice: ({ texts, rules }) => {
      const document = start();
      document.addPage().font("Noto");
      for (const { x, y, size, text } of texts) {
        document.fontSize(size).text(text, x, y, { lineBreak: false });
      }
      for (const { x1, y1, x2, y2 } of rules) {
        document.moveTo(x1, y1).lineTo(x2, y2).lineWidth(0.5).stroke("#cccccc");
      }
      return collect(document);
    },
    table: (rows) => {
      const document = start();
      let y = PAGE.height;
      const line = (cells) => {
        let x = MARGIN;
        for (const [i, { width }] of COLUMNS.entries()) {
          document.text(cells[i], x, y, { lineBreak: false });
          x += width;
        }
        y += ROW;
      };
      for (const row of rows) {
        if (y + ROW > PAGE.height - MARGIN) {
          document.addPage().font("Noto").fontSize(10);
          y = MARGIN;
          line(COLUMNS.map(({ title }) => title));
        }
        line(COLUMNS.map(({ key }) => row[key]));
      }
      return collect(document);
    },
  };
}
