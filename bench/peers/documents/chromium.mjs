/**
 * Chromium's print of the same models as HTML, from the browser of the end-to-end tests. The page and its font are loaded
 * once; each document replaces the page's content. The processor time is that of all of Chromium's processes.
 */
import { readdirSync, readFileSync } from "node:fs";
import { openBrowser } from "../../../test/support/node/open-browser.ts";
import { processorTimeUs } from "../../processor-time.ts";
import { COLUMNS, PAGE } from "./models.mjs";

const INCH_PT = 72;

export async function open(font) {
  const browser = await openBrowser();
  const page = await browser.newPage();
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>
    @font-face { font-family: Noto; src: url(data:font/ttf;base64,${font.toString("base64")}); }
    * { margin: 0; padding: 0; }
    body { font: 10pt Noto; }
    .at { position: absolute; white-space: nowrap; line-height: 1; }
    .rule { position: absolute; height: 0; border-top: 0.5pt solid #cccccc; }
    table { border-collapse: collapse; table-layout: fixed; }
    th, td { text-align: left; font-weight: normal; height: 16pt; }
    thead { display: table-header-group; }
    tr { break-inside: avoid; }
  </style><body>x</body>`);
  await page.evaluate("document.fonts.ready.then(() => document.fonts.size)");
  const print = async (html, margin) => {
    await page.evaluate((text) => {
      globalThis.document.body.innerHTML = text;
    }, html);
    return await page.pdf({
      width: `${PAGE.width / INCH_PT}in`,
      height: `${PAGE.height / INCH_PT}in`,
      margin: { top: margin, bottom: margin, left: margin, right: margin },
    });
  };
  return {
    invoice: ({ texts, rules }) =>
      print(
        [
          ...texts.map(
            ({ x, y, size, text }) =>
              `<div class="at" style="left:${x}pt;top:${y}pt;font-size:${size}pt">${text}</div>`,
          ),
          ...rules.map(
            ({ x1, y1, x2 }) =>
              `<div class="rule" style="left:${x1}pt;top:${y1}pt;width:${x2 - x1}pt"></div>`,
          ),
        ].join(""),
        "0",
      ),
    table: (rows) => {
      const widths = COLUMNS.map(({ width }) => `<col style="width:${width}pt">`).join("");
      const head = COLUMNS.map(({ title }) => `<th>${title}</th>`).join("");
      const body = rows
        .map((row) => `<tr>${COLUMNS.map(({ key }) => `<td>${row[key]}</td>`).join("")}</tr>`)
        .join("");
      return print(
        `<table>${widths}<thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`,
        `${60 / INCH_PT}in`,
      );
    },
    usedUs: async () => {
      const used = await Promise.all(descendants(process.pid).map((pid) => processorTimeUs(pid)));
      return used.reduce((sum, us) => sum + us, 0);
    },
    close: () => browser.close(),
  };
}

/** Process ids of the children of a process, and of theirs (Linux). */
function descendants(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
  );
  return children.flatMap((child) => [Number(child), ...descendants(Number(child))]);
}
