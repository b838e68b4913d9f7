import { NodeCompiler } from "@myriaddreamin/typst-ts-node-compiler";
import { COLUMNS, PAGE } from "./models.mjs";

const INVOICE = `
#set page(width: ${PAGE.width}pt, height: ${PAGE.height}pt, margin: 0pt)
#set text(font: "Noto Sans", fallback: false, top-edge: "ascender")
#let model = json(bytes(sys.inputs.model))
#for t in model.texts { place(dx: t.x * 1pt, dy: t.y * 1pt, text(size: t.size * 1pt, t.text)) }
#for r in model.rules { place(dx: r.x1 * 1pt, dy: r.y1 * 1pt, line(length: (r.x2 - r.x1) * 1pt, stroke: 0.5pt + rgb("#cccccc"))) }
`;
const TABLE = `
#set page(width: ${PAGE.width}pt, height: ${PAGE.height}pt, margin: 60pt)
#set text(font: "Noto Sans", fallback: false, size: 10pt)
#let rows = json(bytes(sys.inputs.rows))
#table(columns: (${COLUMNS.map(({ width }) => `${width}pt`).join(", ")}), stroke: none, inset: 2pt,
  table.header(${COLUMNS.map(({ title }) => `[${title}]`).join(", ")}),
  ..rows.map(r => (${COLUMNS.map(({ key }) => `r.${key}`).join(", ")})).flatten())
`;

export function open(font) {
  const compiler = NodeCompiler.create({ fontArgs: [{ fontBlobs: [font] }] });
  const write = (mainFileContent, inputs) => compiler.pdf({ mainFileContent, inputs });
  return {
    invoice: ({ texts, rules }) => write(INVOICE, { model: JSON.stringify({ texts, rules }) }),
    table: (rows) => write(TABLE, { rows: JSON.stringify(rows) }),
  };
}
