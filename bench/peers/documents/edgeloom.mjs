/**
 * Our renderer as one of the contenders, in Node like the others: values to bytes with a warm revision, through all that
 * a render does in the renderer: values are read from their JSON and checked, the fonts and pictures that they need are
 * collected, and they are laid out and written. Templates are made here from the same models that the others print.
 */
import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { canonicalJson } from "../../../src/lib/json/canonical-json.ts";
import { parseJson } from "../../../src/lib/json/exact-json.ts";
import { writePdf } from "../../../src/render/pdf/write-pdf.ts";
import { Shaper } from "../../../src/render/shaping/shaper.ts";
import { startLayout } from "../../../src/templates/layout/lay-out.ts";
import { validateDocument } from "../../../src/templates/document/validate-document.ts";
import { parsePageSelection } from "../../../src/templates/layout/pages/page-selection.ts";
import { prepareDocument } from "../../../src/templates/layout/prepare/prepare-document.ts";
import { collectResources } from "../../../src/templates/layout/resources/collect-resources.ts";
import { layOutText } from "../../../src/templates/text/lay-out-text.ts";
import { checkValues } from "../../../src/templates/values/check-values.ts";
import { COLUMNS, invoice, PAGE } from "./models.mjs";

const MARGIN = 60;
const ROW = 16;
const LIST_ROWS = 100;

const CONTENT_HASH = `sha256:${"0".repeat(64)}`;

const compiled = (path) => new WebAssembly.Module(readFileSync(path));
const { resolve } = createRequire(import.meta.url);

export function open(font) {
  const shaper = new Shaper({
    harfBuzz: compiled(resolve("harfbuzzjs/dist/harfbuzz.wasm")),
    subsetter: compiled(
      new URL("../../../src/render/shaping/harfbuzz-subset.wasm", import.meta.url).pathname,
    ),
  });
  const face = shaper.open(createHash("sha256").update(font).digest("hex"), font);
  const fonts = {
    chainOf: () => ({
      first: face,
      substituted: undefined,
      faceFor: (codePoints) => (codePoints.every((code) => face.has(code)) ? face : undefined),
    }),
  };
  const resources = { fonts, pictures: new Map(), artworks: new Map() };
  const documents = { invoice: kept(invoiceDocument()), table: kept(tableDocument()) };
  const render = async (kind, sent) => {
    const { prepared, fields } = documents[kind];
    const given = parseJson(JSON.stringify(sent));
    const { values, problems } = checkValues(fields, given);
    const needed = collectResources(prepared, values, { maxRepeat: undefined });
    if (problems.length > 0 || needed.pictures.length > 0 || needed.families.length !== 1) {
      throw new Error(`Not the values of the document: ${JSON.stringify([problems, needed])}`);
    }
    const started = ended(
      startLayout({
        document: prepared,
        values,
        options: {
          missingPolicy: "fail_required",
          overflowPolicy: "fail",
          maxRepeat: undefined,
          pageSelection: parsePageSelection("all"),
          hasLinks: true,
          valuesIgnored: [],
        },
        resources,
        layOutText,
      }),
    );
    if (!started.ok) {
      throw new Error(`The layout failed: ${JSON.stringify(started)}`);
    }
    const pieces = [];
    const nothing = () => {
      throw new Error("The documents have no pictures.");
    };
    for await (const piece of writePdf(
      printed(started.pages()),
      { face: () => face, picture: nothing, artwork: nothing },
      {
        metadata: { title: "", author: "", subject: "", keywords: [] },
        origin: { template: "tpl_bench", revision: 1, contentHash: CONTENT_HASH },
        id: createHash("sha256")
          .update(`${CONTENT_HASH}\n${canonicalJson(given)}`)
          .digest(),
        mode: { kind: "standard" },
      },
    )) {
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  };
  return {
    invoice: ({ values }) => render("invoice", values),
    table: (rows) =>
      render("table", {
        rows_0: rows.slice(0, LIST_ROWS),
        rows_1: rows.slice(LIST_ROWS, 2 * LIST_ROWS),
        rows_2: rows.slice(2 * LIST_ROWS),
      }),
  };
}

/** What the renderer keeps of a revision. */
function kept(document) {
  const valid = validateDocument(document);
  if (!valid.ok) {
    throw new Error(`The document is not valid: ${JSON.stringify(valid.problems)}`);
  }
  return { prepared: prepareDocument(document), fields: valid.fields };
}

/** The result of a generator with its pauses left out. */
function ended(generator) {
  let next = generator.next();
  while (next.done !== true) {
    next = generator.next();
  }
  return next.value;
}

/** Pages without the pauses between their parts. */
function* printed(pages) {
  for (const page of pages) {
    if (page !== null) {
      yield page;
    }
  }
}

function text(left, top, width, size, content) {
  const height = size * 1.4;
  return {
    $type: "text",
    id: randomUUID(),
    left,
    top,
    width,
    height,
    fontSize: size,
    text: content,
  };
}

function field(code, placeholderType) {
  return { id: randomUUID(), name: code, code, placeholderType, required: true };
}

function invoiceDocument() {
  const { texts, rules } = invoice(0);
  const elements = [
    ...texts.map(({ x, y, size, text: content, field: code }) => ({
      ...text(x, y, 315, size, content),
      ...(code === null ? {} : { placeholder: field(code, "text") }),
    })),
    ...rules.map((rule) => ({
      $type: "line",
      id: randomUUID(),
      ...rule,
      stroke: "#cccccc",
      strokeWidth: 0.5,
    })),
  ];
  return { schemaVersion: "2.0", pages: [{ id: randomUUID(), ...PAGE, elements }] };
}

/** Three lists of 100 rows, since that is the most that a list has; each flows over pages of its own. */
function tableDocument() {
  const cells = (contents) => {
    let x = 0;
    return COLUMNS.map(({ width }, i) => {
      const cell = text(x, 0, width, 10, contents[i] ?? "");
      x += width;
      return cell;
    });
  };
  const pages = [0, 1, 2].map((list) => {
    const region = {
      $type: "repeat_region",
      id: randomUUID(),
      left: MARGIN,
      top: MARGIN,
      width: PAGE.width - 2 * MARGIN,
      height: PAGE.height - 2 * MARGIN,
      pageScope: "all",
      placeholder: field(`rows_${list}`, "list"),
      itemHeight: ROW,
      overflowMode: "continue",
      headerHeight: ROW,
      header: cells(COLUMNS.map(({ title }) => title)),
      children: cells(COLUMNS.map(({ title }) => title)).map((cell, i) => ({
        ...cell,
        placeholder: field(COLUMNS[i]?.key ?? "", "text"),
      })),
    };
    return { id: randomUUID(), ...PAGE, elements: [region] };
  });
  return { schemaVersion: "2.0", pages };
}
