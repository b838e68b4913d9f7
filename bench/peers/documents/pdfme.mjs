import { generate } from "@pdfme/generator";
import { line, table, text } from "@pdfme/schemas";
import { COLUMNS, PAGE } from "./models.mjs";

/** pdfme measures in millimeters. */
const mm = (points) => (points * 25.4) / 72;
const plugins = { text, line, table };

export function open(font) {
  const options = { font: { Noto: { data: font, fallback: true } } };
  const basePdf = { width: mm(PAGE.width), height: mm(PAGE.height), padding: [0, 0, 0, 0] };
  const style = {
    fontName: "Noto",
    fontSize: 10,
    alignment: "left",
    verticalAlignment: "top",
    lineHeight: 1,
    characterSpacing: 0,
    fontColor: "#000000",
    backgroundColor: "",
  };
  return {
    invoice: async ({ texts, rules }) => {
      const schemas = [
        ...texts.map(({ x, y, size, text: content, field }, i) => ({
          ...style,
          name: field ?? `label_${i}`,
          type: "text",
          content,
          readOnly: field === null,
          position: { x: mm(x), y: mm(y) },
          width: mm(300),
          height: mm(24),
          fontSize: size,
        })),
        ...rules.map(({ x1, y1, x2 }, i) => ({
          name: `rule_${i}`,
          type: "line",
          content: "",
          readOnly: true,
          position: { x: mm(x1), y: mm(y1) },
          width: mm(x2 - x1),
          height: mm(0.5),
          rotate: 0,
          opacity: 1,
          color: "#cccccc",
        })),
      ];
      const inputs = [
        Object.fromEntries(
          texts.filter(({ field }) => field !== null).map((t) => [t.field, t.text]),
        ),
      ];
      return generate({ template: { basePdf, schemas: [schemas] }, inputs, options, plugins });
    },
    table: (rows) => {
      const cell = {
        ...style,
        borderColor: "",
        borderWidth: { top: 0, right: 0, bottom: 0, left: 0 },
        padding: { top: 2, right: 0, bottom: 2, left: 0 },
      };
      const total = COLUMNS.reduce((sum, { width }) => sum + width, 0);
      const schema = {
        name: "rows",
        type: "table",
        content: "[]",
        position: { x: mm(60), y: mm(60) },
        width: mm(total),
        height: mm(700),
        showHead: true,
        repeatHead: true,
        head: COLUMNS.map(({ title }) => title),
        headWidthPercentages: COLUMNS.map(({ width }) => (width / total) * 100),
        tableStyles: { borderColor: "", borderWidth: 0 },
        headStyles: cell,
        bodyStyles: { ...cell, alternateBackgroundColor: "" },
        columnStyles: {},
      };
      const body = JSON.stringify(rows.map((row) => COLUMNS.map(({ key }) => row[key])));
      return generate({
        template: {
          basePdf: { ...basePdf, padding: [mm(60), mm(60), mm(60), mm(60)] },
          schemas: [[schema]],
        },
        inputs: [{ rows: body }],
        options,
        plugins,
      });
    },
  };
}
