/**
 * Layout reports and pages manifests as runs, renders and previews return them over HTTP, held to the JSON Schemas that the
 * service serves for them. Each list of the report has an entry, so that the shape of each is compared. And previews, beside
 * the files of a run: they are the same pages.
 */
import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { ApiClient } from "../../scripts/api-client.ts";
import type { LayoutReport } from "../../src/contracts/templates/layout-report.ts";
import type { PagesManifest } from "../../src/contracts/templates/pages-manifest.ts";
import { isJsonObject, type JsonValue } from "../../src/lib/json/exact-json.ts";
import { PageDrawer } from "../../src/render/pages/page-drawer.ts";
import { compiledPackageFile } from "../support/compiled-package-file.ts";
import { imageCodecs } from "../support/images/wasm-modules.ts";
import { readOutputs, servedCheck } from "../support/node/read-outputs.ts";
import { sharedService } from "../support/node/shared-service.ts";
import {
  filesOf,
  guid,
  node,
  publishNodes,
  publishTemplate,
  runTo,
  TEMPLATES,
} from "../support/node/template-runs.ts";

const REPORT = "svc.template-layout-report/v1";
const MANIFEST = "svc.design-pages-manifest/v1";
const CONTRACTS = new Map([
  ["report", REPORT],
  ["pages", MANIFEST],
  ["check", "svc.quality-check/v1"],
]);
const VALUES = {
  title: "Long ".repeat(60),
  small: "Some words that shrink",
  site: "javascript:alert(1)",
  rows: [{ name: "More words than fit into a row of the list" }, { name: "b" }, { name: "c" }],
  other: 1,
};

let next = 0;
const newId = () => guid((next += 1));
const field = (code: string, placeholderType: string) => ({
  placeholder: { id: newId(), name: code, code, placeholderType },
});
const element = ($type: string, top: number, more: object) => ({
  $type,
  id: newId(),
  left: 10,
  top,
  width: 90,
  height: 15,
  ...more,
});

/** Two pages. What does not print as authored: a text of each kind, rows, a picture, a link, a character and a font. */
function everythingLost(): object {
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text y="8" font-family="Nowhere">x</text></svg>';
  const elements = [
    element("text", 0, { ...field("title", "text"), overflowMode: "ellipsis" }),
    element("text", 15, { ...field("small", "text"), overflowMode: "shrink", minFontSize: 1 }),
    element("text", 30, {
      ...field("site", "url"),
      link: { type: "field", field: "site" },
      overflowMode: "visible",
    }),
    element("text", 45, { text: "a\u{e123}" }),
    element("repeat_region", 60, {
      ...field("rows", "list"),
      height: 20,
      itemHeight: 10,
      children: [element("text", 0, { ...field("name", "text"), height: 10, fontSize: 8 })],
    }),
    element("image", 85, { src: `data:image/png;base64,${btoa("no picture")}` }),
    element("svg_artwork", 100, { svg: drawing }),
  ];
  const page = (all: readonly object[]) => ({
    id: newId(),
    width: 120,
    height: 150,
    elements: all,
  });
  return {
    schemaVersion: "2.0",
    pages: [page(elements), page([])],
    sampleSets: [{ id: newId(), name: "All", values: VALUES }],
  };
}

const drawer = new PageDrawer(
  compiledPackageFile("@hyzyla/pdfium/dist/pdfium.wasm"),
  imageCodecs.pixels,
);
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

let client: ApiClient;
let template: string;
let sampleSet: string;

beforeAll(async () => {
  ({ client } = await sharedService());
  const document = everythingLost() as { sampleSets: readonly { readonly id: string }[] };
  sampleSet = document.sampleSets[0]!.id;
  template = await publishTemplate(client, document);
});

const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonValue;

/** The document without each of its members, in turn, and with one more in each of its objects. */
function* faulty(value: JsonValue): Generator<readonly [string, JsonValue]> {
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    for (const [i, entry] of list.entries()) {
      for (const [what, other] of faulty(entry)) {
        yield [`[${i}]${what}`, list.with(i, other)];
      }
    }
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const others = Object.entries(value).filter(([other]) => other !== name);
      yield [`.${name} left out`, Object.fromEntries(others)];
      yield [`.${name} of another type`, { ...value, [name]: { another: [] } }];
      for (const [what, other] of faulty(member)) {
        yield [`.${name}${what}`, { ...value, [name]: other }];
      }
    }
    yield [" with one more", { ...value, another: 1 }];
  }
}

/** The document meets the served schema, which refuses it with any one fault. */
async function expectServed(ref: string, document: unknown): Promise<void> {
  const check = await servedCheck(client, ref);
  expect(check(plain(document)), JSON.stringify(document)).toEqual([]);
  const missed = [...faulty(plain(document))].filter(([, planted]) => check(planted).length === 0);
  expect(missed.map(([what]) => what)).toEqual([]);
}

function expectEverything(report: LayoutReport): void {
  expect(new Set(report.texts.map(({ outcome }) => outcome))).toEqual(
    new Set(["cut", "shrunk", "overflowed"]),
  );
  for (const list of [report.lists, report.images, report.links, report.glyphs, report.fields]) {
    expect(list, JSON.stringify(report)).not.toEqual([]);
  }
  expect(report).toMatchObject({
    status: "warnings",
    fonts_substituted: ["Nowhere"],
    values_ignored: ["other"],
  });
}

interface Made {
  readonly run: string;
  readonly report: LayoutReport;
  readonly pages: PagesManifest;
}

async function made(parameters: object, hasFile = false): Promise<Made> {
  const workflow = await publishNodes(
    client,
    [
      node("data", "input/json_value"),
      node("print", "design/template_render", {
        template_id: template,
        max_page_dimension: 64,
        ...parameters,
      }),
      ...[...CONTRACTS.keys()].map((key) => node(key, "output/json", { key })),
      ...(hasFile ? [node("out", "output/document", { key: "pdf" })] : []),
    ],
    [
      "data.json > print.data",
      "print.layout_report > report.json",
      "print.pages_manifest > pages.json",
      "print.quality_check > check.json",
      ...(hasFile ? ["print.pdf > out.document"] : []),
    ],
  );
  const run = await runTo(client, workflow, { data: VALUES });
  expect(run, JSON.stringify(run)).toMatchObject({ status: "completed" });
  const { result } = await readOutputs(client, run.id, CONTRACTS);
  const { report, pages } = result.by_key;
  return {
    run: run.id,
    report: report?.value as LayoutReport,
    pages: pages?.value as PagesManifest,
  };
}

describe("a run returns documents of the served schemas", () => {
  it("with the PDF and the images of the selected pages", async () => {
    const { report, pages } = await made({ output: "both" });
    expectEverything(report);
    await expectServed(REPORT, report);
    await expectServed(MANIFEST, pages);
    expect([pages.pages.length, pages.pdf?.page_count, report.revision]).toEqual([2, 2, 1]);
  });

  it.each([
    ["pdf", {}, 2],
    ["image", { page_selection: "2" }, 1],
  ])("with %s alone, where the rest is null", async (output, parameters, selected) => {
    const { report, pages } = await made({ output, ...parameters });
    expectEverything(report);
    for (const [ref, document] of [
      [REPORT, report],
      [MANIFEST, pages],
    ] as const) {
      expect((await servedCheck(client, ref))(plain(document))).toEqual([]);
    }
    expect([pages.page_count, pages.pages.length]).toEqual([2, selected]);
    expect([pages.pdf === null, pages.pages.map(({ image }) => image === null)]).toEqual(
      output === "pdf" ? [false, [true, true]] : [true, [false]],
    );
  });
});

it("a preview has the bytes of the run's page images, which are its PDF drawn by PDFium", async () => {
  const { run, pages } = await made({ output: "both" }, true);
  const images = pages.pages.map(({ image }) => image?.sha256);
  const shown = await client.call<{ pages: readonly { readonly image_url: string }[] }>(
    "GET",
    `${TEMPLATES}/${template}/draft/sample-sets/${sampleSet}/exact-preview?max_page_dimension=64`,
  );
  const previewed = await Promise.all(
    shown.pages.map(async ({ image_url: url }) =>
      sha256(new Uint8Array(await (await fetch(url)).arrayBuffer())),
    ),
  );
  const pdf = await filesOf(client, run);
  const drawn = await drawer.use(pdf, (document) =>
    Array.from({ length: document.pageCount }, (_, index) =>
      sha256(Buffer.concat([...document.draw(index, 64).pieces()].map((piece) => piece.slice()))),
    ),
  );
  expect(images).toHaveLength(2);
  expect(new Set(images).size).toBe(2);
  expect([previewed, drawn]).toEqual([images, images]);
});

it("the report of a direct render, of a draft and of a preview is of the served schema", async () => {
  const partOf = async (path: string) => {
    const { other: _none, ...values } = VALUES;
    const response = await client.send("POST", `${TEMPLATES}/${template}/${path}/render`, {
      body: { values, include_report: true },
    });
    expect(response.status).toBe(200);
    const text = Buffer.from(await response.arrayBuffer()).toString("latin1");
    const body = /name="layout_report"[^{]*(\{.*?\})\r\n--/s.exec(text)?.[1] ?? "";
    return JSON.parse(Buffer.from(body, "latin1").toString()) as LayoutReport;
  };
  const preview = await client.call<{ layout_report: LayoutReport }>(
    "GET",
    `${TEMPLATES}/${template}/draft/sample-sets/${sampleSet}/exact-preview?max_page_dimension=64`,
  );
  expectEverything(preview.layout_report);
  const reports = [await partOf("versions/1"), await partOf("draft"), preview.layout_report];
  const check = await servedCheck(client, REPORT);
  expect(reports.map((report) => check(plain(report)))).toEqual([[], [], []]);
  expect(reports.map(({ revision }) => revision)).toEqual([1, null, null]);
});
